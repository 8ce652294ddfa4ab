# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow on run-time values that cannot be compiled: explained at the user's line.

In the interpreter every value is concrete, so most of these exist only when a kernel is traced.
"""

from __future__ import annotations

import numpy as np

import tegula as tg
from tegula.errors import (
    ArgumentError,
    ControlFlowError,
    KernelAssertionError,
    ShapeError,
    StaticAssertionError,
    TileTypeError,
    TracedValueError,
)
from tests._support.mistakes import Mistakes

MISTAKES = Mistakes("control")
V = np.arange(8, dtype=np.float32)
TRACED = ("cpu",)


@MISTAKES.expect(TracedValueError, at="max(i, 3)", fix=r"tg\.maximum", backends=TRACED)
def builtin_function_that_compares_run_time_values():
    @tg.kernel
    def kernel(v: tg.Array):
        i = tg.program_id(0)
        tg.store(v, max(i, 3), tg.zeros((1,), tg.float32))

    kernel[1](V)


@MISTAKES.expect(TracedValueError, at="x > 0", says="condition", fix=r"tg\.where", backends=TRACED)
def filter_of_a_comprehension_on_a_run_time_value():
    @tg.kernel
    def kernel(v: tg.Array):
        parts = [tg.sum(tg.load(v, i, 4)) for i in range(2)]
        tg.store(v, 0, sum(x for x in parts if x > 0))

    kernel[1](V)


@MISTAKES.expect(TracedValueError, at="range(n)", fix=r"tg\.range", backends=TRACED)
def python_range_over_a_run_time_value():
    @tg.kernel
    def kernel(v: tg.Array):
        n = v.shape[0]
        a = tg.zeros((8,), tg.float32)
        for _ in range(n):
            a = a + 1.0
        tg.store(v, 0, a)

    kernel[1](V)


@MISTAKES.expect(TracedValueError, at="int(tg.sum(a))", fix="astype", backends=TRACED)
def int_of_a_run_time_value():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a * int(tg.sum(a)))

    kernel[1](V)


@MISTAKES.expect(
    TracedValueError, at="WEIGHTS[i]", says="list index", fix=r"tg\.Const", backends=TRACED
)
def list_indexed_by_a_run_time_value():
    WEIGHTS = [1.0, 2.0]

    @tg.kernel
    def kernel(v: tg.Array):
        i = tg.program_id(0)
        tg.store(v, i, tg.full((8,), WEIGHTS[i], tg.float32))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="a > 0", says=r"\(8,\)", fix=r"tg\.(any|all|where)")
def condition_that_is_a_whole_tile():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        if a > 0:
            a = a + 1.0
        tg.store(v, 0, a)

    kernel[1](V)


@MISTAKES.expect(
    ControlFlowError, at="y = 1.0", says=("y", "float", r"\(8,\)"), fix="", backends=TRACED
)
def branches_that_give_a_variable_two_shapes():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        if tg.program_id(0) == 0:  # noqa: SIM108
            y = a
        else:
            y = 1.0
        tg.store(v, 0, a + y)

    kernel[1](V)


@MISTAKES.expect(
    ControlFlowError, at="y = a > 0", says=("y", "float32", "bool"), fix="astype", backends=TRACED
)
def branches_that_give_a_variable_two_dtypes():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        if tg.program_id(0) == 0:  # noqa: SIM108
            y = a
        else:
            y = a > 0
        tg.store(v, 0, a + y)

    kernel[1](V)


@MISTAKES.expect(ControlFlowError, at="y", says="y", fix="", backends=TRACED)
def variable_that_only_one_branch_sets():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        if tg.program_id(0) == 0:
            y = a + 1.0
        tg.store(v, 0, y)

    kernel[1](V)


@MISTAKES.expect(
    ControlFlowError,
    at="total = total + tg.load(v, i, 8)",
    says=("total", "int32", "float64|float32"),
    fix="astype|tg.float",
    backends=TRACED,
)
def loop_that_changes_a_dtype():
    @tg.kernel
    def kernel(v: tg.Array):
        total = tg.zeros((8,), tg.int32)
        for i in tg.range(v.shape[0]):
            total = total + tg.load(v, i, 8)
        tg.store(v, 0, total.astype(tg.float32))

    kernel[1](V)


@MISTAKES.expect(
    ControlFlowError,
    at="a = tg.concatenate([a, a])",
    says=("a", r"\(8,\)", r"\(16,\)"),
    fix="",
    backends=TRACED,
)
def loop_that_changes_a_shape():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        for _ in tg.range(v.shape[0]):
            a = tg.concatenate([a, a])
        tg.store(v, 0, a)

    kernel[1](V)


@MISTAKES.expect(
    ControlFlowError, at='raise ValueError("too many")', says="raise", fix="assert", backends=TRACED
)
def exception_under_a_run_time_condition():
    @tg.kernel
    def kernel(v: tg.Array):
        if v.shape[0] > 3:
            raise ValueError("too many")
        tg.store(v, 0, tg.zeros((8,), tg.float32))

    kernel[1](V)


@MISTAKES.expect(
    ControlFlowError, at="for", says="parts", fix="range", backends=TRACED, line="for i in tg"
)
def list_that_grows_in_a_run_time_loop():
    @tg.kernel
    def kernel(v: tg.Array):
        parts = []
        for i in tg.range(v.shape[0]):
            parts.append(tg.load(v, i, 1))
        tg.store(v, 0, tg.concatenate(parts))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="a > 0", says=r"\(8,\)", fix=r"&|tg\.all", backends=TRACED)
def boolean_operator_between_whole_tiles():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.where(a > 0 and a < 5, a, 0.0))

    kernel[1](V)


@MISTAKES.expect(
    ControlFlowError,
    at="a if v.shape[0] > 4 else tg.sum(a)",
    says=(r"\(8,\)", "scalar"),
    fix=r"tg\.full",
    backends=TRACED,
)
def conditional_expression_of_two_shapes():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a if v.shape[0] > 4 else tg.sum(a))

    kernel[1](V)


@MISTAKES.expect(
    TracedValueError, at="tg.static_assert(v.shape[0] > 4)", fix="assert cond", backends=TRACED
)
def static_assertion_on_a_run_time_value():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.static_assert(v.shape[0] > 4)
        tg.store(v, 0, tg.zeros((8,), tg.float32))

    kernel[1](V)


@MISTAKES.expect(ArgumentError, at="tg.range(0, 8, 0)", says="0", fix="")
def loop_with_step_zero():
    @tg.kernel
    def kernel(v: tg.Array):
        for i in tg.range(0, 8, 0):
            tg.store(v, i, tg.zeros((1,), tg.float32))

    kernel[1](V)


@MISTAKES.expect(
    TracedValueError, at="tg.zeros((n,), tg.float32)", says="n", fix=r"tg\.Const", backends=TRACED
)
def tile_shape_from_a_run_time_value():
    @tg.kernel
    def kernel(v: tg.Array):
        n = v.shape[0]
        tg.store(v, 0, tg.zeros((n,), tg.float32))

    kernel[1](V)


@MISTAKES.expect(
    TileTypeError, at="a", says=r"\(8,\)", fix=r"tg\.load", line="for x in", backends=TRACED
)
def iteration_over_a_tile():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        total = 0.0
        for x in a:
            total = total + x
        tg.store(v, 0, a + total)

    kernel[1](V)


@MISTAKES.expect(
    StaticAssertionError,
    at='tg.static_assert(BLOCK % 16 == 0, f"BLOCK is {BLOCK}, not a multiple of 16")',
    says="BLOCK is 8, not a multiple of 16",
    fix="",
)
def static_assertion_that_fails():
    @tg.kernel
    def kernel(v: tg.Array, BLOCK: tg.Const):
        tg.static_assert(BLOCK % 16 == 0, f"BLOCK is {BLOCK}, not a multiple of 16")
        tg.store(v, 0, tg.zeros((BLOCK,), tg.float32))

    kernel[1](V, BLOCK=8)


@MISTAKES.expect(
    KernelAssertionError,
    at='assert tg.program_id(0) < 3, "too many programs"',
    says=("too many programs", r"program \(?3"),
    fix="",
)
def assertion_that_fails_at_run_time():
    @tg.kernel
    def kernel(v: tg.Array):
        assert tg.program_id(0) < 3, "too many programs"
        tg.store(v, tg.program_id(0), tg.zeros((1,), tg.float32))

    kernel[4](V.copy())


@MISTAKES.expect(
    ControlFlowError, at="powers(x * x, n - 1)", says="without end", fix=r"tg\.range", line="return"
)
def recursion_without_end():
    def powers(x, n):
        return powers(x * x, n - 1)

    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, powers(tg.load(v, 0, 8), 3))

    kernel[1](V)


@MISTAKES.parametrize()
def test_control_flow_that_cannot_be_is_explained(mistake, on, request):
    MISTAKES.check(mistake, on, request.config.option.update_golden)
