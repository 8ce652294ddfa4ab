# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The IR that the tracer writes: types, attributes, shape of control flow, locations, cost."""

from __future__ import annotations

import re
import sys
import time

import numpy as np
import pytest

import tegula as tg
from tegula._trace import Signature, trace
from tegula.errors import LaunchError

V = np.arange(8, dtype=np.float32)
VIEW = ("array", "float32", (True,), 16, (16,), (1,), False)


def text_of(kernel, *arguments, **constants):
    """The IR of a kernel, after MLIR verified it."""
    module = kernel.specialize(*arguments, **constants).trace().module
    assert module.operation.verify()
    return str(module)


def test_parameters_become_views_and_scalars():
    def kernel(a, b, n, s, K):
        pass

    entries = (
        ("array", "bool", (False, True), 1, (1, 16), (16, 1), True),
        ("array", "float8_e4m3fn", (False,), 16, (1,), (1,), False),
        ("scalar", "int64", True),
        ("scalar", "uint8", False),
        ("const", "x"),
    )
    made = trace(kernel, ("a", "b", "n", "s", "K"), Signature(entries, ((0, 1),)), fast_math=True)
    head = str(made.module).split("{\n", 2)[1]
    assert "%arg0: !tile.view<?x?xi1, strides = [?, 1]>" in head
    assert "tile.size_div = array<i64: 1, 16>, tile.stride_div = array<i64: 16, 1>" in head
    assert "tegula.compact" in head.split("%arg1")[0]
    assert "%arg1: !tile.view<?xf8E4M3FN, align = 16>" in head
    assert "%arg2: i64, %arg3: i8)" in head
    assert "tile.fast_math, tile.kernel, tile.may_alias = [[0, 1]]" in head
    assert made.name == "kernel" and made.writes == ()


def test_arrays_of_rank_0_are_for_the_interpreter():
    @tg.kernel
    def kernel(a: tg.Array):
        tg.store(a, (), 2.0)

    a = np.zeros((), np.float32)
    with tg.interpret():
        kernel[1](a)
    assert a == 2
    with pytest.raises(LaunchError, match=r"rank 0.*\n(.*\n)*help: .*a\.reshape\(1\)"):
        kernel[1](a)


def test_names_that_linkers_do_not_take():
    def größe(v):
        pass

    assert trace(größe, ("v",), Signature((VIEW,))).name == "gr__e"
    assert trace(lambda v: None, ("v",), Signature((VIEW,))).name == "_lambda_"


def test_writes_are_found():
    def kernel(a, b, c, d, e):
        tg.store(b, 0, tg.load(a, 0, 4))
        tg.scatter(c, tg.arange(4), 1.0)
        tg.atomic_add(d, 0, 1.0)

    assert trace(kernel, tuple("abcde"), Signature((VIEW,) * 5)).writes == (1, 2, 3)


def test_constants_are_made_once_at_the_start():
    @tg.kernel
    def kernel(v: tg.Array):
        for i in tg.range(4):
            tg.store(v, i, tg.load(v, i, 4, pad=2.5) * 2.5 + 2.5)

    text = text_of(kernel, V)
    assert text.count("2.500000e+00 : f32") == 1
    assert text.index("2.500000e+00") < text.index("scf.for")


def test_pad_zero_is_left_out():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v, 0, 4) + tg.load(v, 1, 4, pad=-0.0))

    text = text_of(kernel, V)
    assert len(re.findall(r"tile\.load %arg0\[%\w+\] :", text)) == 1
    assert len(re.findall(r"tile\.load %arg0\[%\w+\] pad %\w+ :", text)) == 1


def test_loop_with_a_constant_step_is_an_scf_for():
    @tg.kernel
    def kernel(v: tg.Array, n):
        for i in tg.range(2, n, 3):
            tg.store(v, i, 1.0)

    assert re.search(r"scf\.for %\w+ = %\w+ to %arg1 step %\w+", text_of(kernel, V, 5))


def test_loop_left_early_is_an_scf_while():
    @tg.kernel
    def kernel(v: tg.Array, n):
        for i in tg.range(n):
            if tg.sum(tg.load(v, i, 1)) > 0:
                break

    text = text_of(kernel, V, 5)
    assert "scf.while" in text and "scf.for" not in text


def test_cheap_conditions_and_choices_need_no_branch():
    @tg.kernel
    def kernel(v: tg.Array, n):
        i = tg.program_id(0)
        a = tg.load(v, 0, 8)
        if 0 < i < n and n != 3:
            tg.store(v, i, a if i > 1 else a)
        tg.store(v, i, 1.0 if i == n else 2.0)

    text = text_of(kernel, V, 5)
    assert text.count("scf.if") == 1
    assert text.count("arith.andi") == 2
    assert text.count("arith.select") == 1


def test_branch_without_effect_on_anything_is_dropped():
    @tg.kernel
    def kernel(v: tg.Array, n):
        if n > 1:
            x = 1  # noqa: F841
        tg.store(v, 0, 1.0)

    assert "scf.if" not in text_of(kernel, V, 5)


def test_early_return_needs_no_flag():
    @tg.kernel
    def kernel(v: tg.Array, n):
        if tg.program_id(0) >= n:
            return
        tg.store(v, 0, 1.0)

    text = text_of(kernel, V, 5)
    assert text.count("scf.if") == 1
    assert "i1" not in text.split("scf.if")[1]


def test_unchanged_variables_are_not_carried():
    @tg.kernel
    def kernel(v: tg.Array, n):
        a, b, k = tg.load(v, 0, 4), tg.load(v, 1, 4), 0
        for i in tg.range(n):
            c = a + b
            k = k + 1
            tg.store(v, i, c)
        tg.store(v, 0, a)

    # k is dead after the loop, but each iteration reads it.
    assert re.search(r"iter_args\((%\w+) = %\w+\) -> \(i64\)", text_of(kernel, V, 5))


def test_every_operation_has_a_location_with_its_calls():
    def inner(x):
        return x * 2.0

    def outer(x):
        return inner(x) if True else None

    @tg.kernel
    def kernel(v: tg.Array, n):
        for i in tg.range(n):
            if i > 1:
                tg.store(v, i, outer(tg.load(v, i, 4)))

    module = kernel.specialize(V, 4).trace().module
    text = module.operation.get_asm(enable_debug_info=True, use_local_scope=True)
    assert "unknown" not in text
    multiply = next(line for line in text.splitlines() if "arith.mulf" in line)
    first = inner.__code__.co_firstlineno
    places = re.findall(r'"([^"]*)":(\d+):(\d+)', multiply)
    assert [p[0] for p in places] == [__file__] * 3
    assert [int(p[1]) for p in places] == [first + 1, first + 4, first + 10]
    if sys.version_info >= (3, 11):
        assert [int(p[2]) for p in places] == [16, 16, 32]


def test_combine_functions_may_branch():
    def larger(a, i, b, j):
        return (a, i) if a > b or (a == b and i < j) else (b, j)

    @tg.kernel
    def kernel(v: tg.Array):
        x = tg.load(v, 0, 8)
        best, at = tg.reduce((x, tg.arange(8)), 0, larger)
        tg.store(v, 0, best + tg.float32(at))

    assert "tile.yield" in text_of(kernel, V)


def test_narrow_constants_are_rounded_once_and_saturate():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.float8_e4m3fn(1000.0))
        tg.store(v, 1, tg.float8_e4m3fn(1.0625001))

    v = np.zeros(8, tg.float8_e4m3fn.numpy)
    text = text_of(kernel, v)
    assert "4.480000e+02 : f8E4M3FN" in text and "1.125000e+00 : f8E4M3FN" in text


def best_of(function, count=7):
    times = []
    for _ in range(count):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("name, limit", [("vector_add", 10e-3), ("gemm", 20e-3)])
def test_tracing_is_fast(name, limit):
    if name == "vector_add":
        from tests.kernels.vector_add import vector_add as kernel

        arguments, constants = (V, V, V.copy()), {"BLOCK": 8}
    else:
        from tests.kernels.gemm import gemm as kernel

        a = np.zeros((64, 64), np.float32)
        arguments, constants = (a, a.copy(), a.copy()), {"BM": 16, "BN": 16, "BK": 16}
    specialized = kernel.specialize(*arguments, **constants)
    specialized.trace()
    assert best_of(specialized.trace) < limit
