# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gather, scatter and atomics on random indices, many of them the same or outside, in lockstep."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests._support.layouts import Layout, random_layout, random_values
from tests._support.lockstep import Kernel
from tests._support.lockstep.values import DTYPES
from tests.passes.lower.test_accesses_in_lockstep import build, listed

pytestmark = pytest.mark.interpreter


def unsigned(value: np.generic) -> int:
    return int(value) % 2**64


COMBINE = {
    "gather": lambda old, compare, value: old,
    "scatter": lambda old, compare, value: value,
    "cas": lambda old, compare, value: value if old == compare else old,
    "xchg": lambda old, compare, value: value,
    "add": lambda old, compare, value: old + value,
    "max": lambda old, compare, value: np.maximum(old, value),
    "min": lambda old, compare, value: np.minimum(old, value),
    "umax": lambda old, compare, value: max(old, value, key=unsigned),
    "umin": lambda old, compare, value: min(old, value, key=unsigned),
    "and": lambda old, compare, value: old & value,
    "or": lambda old, compare, value: old | value,
    "xor": lambda old, compare, value: old ^ value,
}
FLOAT_OPS = ["gather", "scatter", "cas", "xchg", "add", "max", "min"]
CASES = [
    *((op, name) for op in COMBINE for name in ("i64", "i32", "i8")),
    *((op, name) for op in FLOAT_OPS for name in ("f32", "bf16")),
    *((op, "i1") for op in COMBINE if op not in ("add", "max", "min")),
    *((op, "f8E5M2") for op in ("gather", "scatter", "cas", "xchg")),
]


def apply(op: str, array, index, mask, value, compare, pad) -> np.ndarray:
    """The operation lane by lane in row-major order."""
    result = np.full(mask.shape, pad, array.dtype)
    for lane in np.ndindex(mask.shape):
        at = tuple(int(i[lane]) for i in index)
        if mask[lane] and all(0 <= i < n for i, n in zip(at, array.shape, strict=True)):
            old = array[at]
            result[lane] = old
            with np.errstate(all="ignore"):
                array[at] = COMBINE[op](old, compare[lane], value[lane])
    return result


def element_kernel(op: str, name: str, layout: Layout, warps: int, lanes: int) -> Kernel:
    """Loads indices, mask and operands, does `op`, and stores its result if it has one."""
    view = f"!tile.view<{'?x' * len(layout.shape)}"
    at = listed(["%zero"] * len(layout.shape))
    inputs = [("i", "i64"), ("j", "i64"), ("m", "i1"), ("v", name), ("c", name)]
    loads = [
        f"%{x} = tile.load %{x}s[{at}] : {view}{kind}> -> {layout.tile(kind)}" for x, kind in inputs
    ]
    arguments = listed(f"%{x}s: {view}{kind}>" for x, kind in [*inputs, ("r", name)])
    array, tile = f"!tile.view<?x?x{name}>", layout.tile(name)
    places = f"{array}, {layout.tile('i64')}, {layout.tile('i1')}"
    access = "%a[%i, %j] mask %m"
    line = {
        "gather": f"%r = tile.gather {access} pad %p : {places} -> {tile}",
        "scatter": f"tile.scatter %v, {access} : {tile}, {places}",
        "cas": f"%r = tile.atomic_cas %c, %v, {access} pad %p : {tile}, {places} -> {tile}",
    }.get(op, f"%r = tile.atomic_rmw <{op}> %v, {access} pad %p : {tile}, {places} -> {tile}")
    store = "" if op == "scatter" else f"tile.store %r, %rs[{at}] : {tile}, {view}{name}>"
    body = "\n    ".join([*loads, line, store])
    return build(f"%a: {array}, %p: {name}, {arguments}", body, warps=warps, lanes=lanes)


def plain(data: np.ndarray) -> np.ndarray:
    """A type that NumPy's comparison knows NaN of."""
    return data.astype(np.float32) if data.dtype.kind == "V" or data.itemsize == 2 else data


@pytest.mark.parametrize(("op", "name"), CASES)
@pytest.mark.parametrize("case", range(2))
def test_accesses_of_single_elements(op: str, name: str, case: int) -> None:
    seed = 100 * case + CASES.index((op, name))
    choose, rng = random.Random(seed), np.random.default_rng(seed)
    lanes, warps = choose.choice([(32, 1), (32, 2), (64, 1)])
    shape = choose.choice([(16,), (64,), (8, 16)])
    layout = random_layout(
        rng,
        shape,
        lane_bits=lanes.bit_length() - 1,
        warp_bits=warps.bit_length() - 1,
        mixed=bool(case),
        spare=choose.randint(0, 1),
    )
    sizes = choose.choice([(5, 3), (40, 7)])
    index = [rng.integers(-1, size + 1, shape) for size in sizes]
    mask = rng.random(shape) < 0.8
    array, value, compare = (random_values(rng, s, name) for s in (sizes, shape, shape))
    if op == "cas":
        array, value, compare = (
            (x.astype(np.float32) > 0).astype(DTYPES[name]) for x in (array, value, compare)
        )
    if name in ("f32", "bf16") and op in ("max", "min"):
        value.reshape(-1)[::7] = np.nan
    pad = random_values(rng, (), name).astype(DTYPES[name])[()]
    result = np.zeros(shape, DTYPES[name])
    expected_array = array.copy()
    expected = apply(op, expected_array, index, mask, value, compare, pad)
    array = in_whole_words(array)
    kernel = element_kernel(op, name, layout, warps, lanes)
    kernel.run(array, pad, *index, mask, value, compare, result, seed=seed)
    np.testing.assert_array_equal(plain(array), plain(expected_array))
    if op != "scatter":
        np.testing.assert_array_equal(plain(result), plain(expected))


def in_whole_words(array: np.ndarray) -> np.ndarray:
    """The same in memory of whole words: atomics on narrow elements swap the word they are in."""
    owner = np.zeros(-(-array.nbytes // 16) * 16 // array.itemsize, array.dtype)
    view = owner[: array.size].reshape(array.shape)
    view[...] = array
    return view


@pytest.mark.parametrize(("size", "warps"), [(4096, 32)])
def test_large_tiles_are_compared_in_parts(size: int, warps: int) -> None:
    rng = np.random.default_rng(size)
    layout = random_layout(rng, (size,), lane_bits=5, warp_bits=warps.bit_length() - 1)
    kernel = build(
        "%a: !tile.view<?xi32>, %is: !tile.view<?xi64>",
        f"""%i = tile.load %is[%zero] : !tile.view<?xi64> -> {layout.tile("i64")}
    %v = arith.trunci %i : {layout.tile("i64")} to {layout.tile("i32")}
    tile.scatter %v, %a[%i] : {layout.tile("i32")}, !tile.view<?xi32>, {layout.tile("i64")}""",
        warps=warps,
    )
    array, index = np.zeros(size, np.int32), rng.integers(0, size, size)
    kernel.run(array, index)
    expected = np.zeros(size, np.int32)
    expected[index] = index
    np.testing.assert_array_equal(array, expected)


def test_unused_results_need_no_turns() -> None:
    layout = random_layout(np.random.default_rng(3), (64,), lane_bits=5, warp_bits=1)
    text = f"""%i = tile.load %is[%zero] : !tile.view<?xi64> -> {layout.tile("i64")}
    %one = arith.constant dense<1> : {layout.tile("i32")}
    %r = tile.atomic_rmw <add> %one, %a[%i] : {layout.tile("i32")}, !tile.view<?xi32>, \
{layout.tile("i64")} -> {layout.tile("i32")}"""
    kernel = build("%a: !tile.view<?xi32>, %is: !tile.view<?xi64>", text, warps=2)
    assert "gpu.barrier" not in str(kernel.module)
    counts = np.zeros(5, np.int32)
    index = np.random.default_rng(0).integers(0, 5, 64)
    kernel.run_grid(counts, index, grid=(3, 1, 1))
    np.testing.assert_array_equal(counts, 3 * np.bincount(index, minlength=5))


def test_indices_that_are_known_to_differ_are_not_compared() -> None:
    rows = Layout((4, 1), (), (1, 2, 0, 0, 0), ())
    columns = Layout((1, 16), (1,), (0, 0, 2, 4, 8), ())
    both = Layout((4, 16), (1,), (16, 32, 2, 4, 8), ())
    four, sixteen = Layout((4,), (), (1, 2, 0, 0, 0), ()), Layout((16,), (1,), (0, 0, 2, 4, 8), ())
    text = f"""%i = tile.iota : {four.tile("i64")}
    %j = tile.iota : {sixteen.tile("i64")}
    %c = arith.constant dense<16> : {four.tile("i64")}
    %ic = arith.muli %i, %c : {four.tile("i64")}
    %i1 = tile.reshape %ic : {four.tile("i64")} -> {rows.tile("i64")}
    %j1 = tile.reshape %j : {sixteen.tile("i64")} -> {columns.tile("i64")}
    %i2 = tile.broadcast %i1 : {rows.tile("i64")} -> {both.tile("i64")}
    %j2 = tile.broadcast %j1 : {columns.tile("i64")} -> {both.tile("i64")}
    %s = arith.addi %i2, %j2 : {both.tile("i64")}
    tile.scatter %s, %a[%s] : {both.tile("i64")}, !tile.view<?xi64>, {both.tile("i64")}"""
    kernel = build("%a: !tile.view<?xi64>", text, warps=1)
    assert "gpu.barrier" not in str(kernel.module)
    out = np.full(60, -1)
    kernel.run(out)
    np.testing.assert_array_equal(out, np.arange(60))


def test_scalar_accesses_happen_once_and_all_threads_agree() -> None:
    kernel = build(
        "%a: !tile.view<?xi32>, %b: !tile.view<?xi32>, %n: i64",
        """%one = arith.constant 1 : i64
    %v = arith.constant 5 : i32
    scf.for %i = %zero to %n step %one : i64 {
      %old = tile.atomic_rmw <add> %v, %a[%zero] : i32, !tile.view<?xi32>, i64 -> i32
      %g = tile.gather %a[%zero] : !tile.view<?xi32>, i64 -> i32
      %s = arith.addi %old, %g : i32
      tile.scatter %s, %b[%i] : i32, !tile.view<?xi32>, i64
    }""",
        warps=2,
    )
    a, b = np.array([7], np.int32), np.zeros(4, np.int32)
    kernel.run(a, b, np.int64(4))
    np.testing.assert_array_equal(a, [27])
    np.testing.assert_array_equal(b, [7 + 12, 12 + 17, 17 + 22, 22 + 27])
