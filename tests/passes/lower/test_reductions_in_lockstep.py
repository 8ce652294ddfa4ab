# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.reduce and tile.scan on random layouts, all threads in lockstep, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests._support import layouts
from tests._support.layouts import Layout, random_layout
from tests._support.lockstep.values import DTYPES

pytestmark = pytest.mark.interpreter

relaxed = settings(
    max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
UFUNCS = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "umax": np.maximum,
    "umin": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
KINDS = {
    "i1": ("and", "or", "xor"),
    "i8": tuple(UFUNCS),
    "i64": ("add", "umax", "min"),
    "f8E5M2": ("add", "max"),
    "f16": ("add", "mul", "min"),
    "f32": ("add", "mul", "max", "min"),
    "f64": ("add", "max"),
}
# x -> a x + b, then x -> c x + d: associative, and the order matters.
COMPOSE = """{
    ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
      %e = arith.muli %a, %c : i32
      %f = arith.muli %b, %c : i32
      %g = arith.addi %f, %d : i32
      tile.yield %e, %g : i32, i32
    }"""


def compose(left, right):
    """COMPOSE on arrays."""
    return left[0] * right[0], left[1] * right[0] + right[1]


def pick_values(rng: np.random.Generator, shape: tuple[int, ...], element: str, kind: str):
    """Values whose combination is exact in any order."""
    dtype = DTYPES[element]
    if dtype.kind in "ib":
        return layouts.random_values(rng, shape, element)
    choices = [1.0, 2.0, 0.5, -1.0] if kind == "mul" else [-0.0, 0.0, 1.0, -2.0, 3.0]
    values = rng.choice(choices, shape)
    if kind == "mul":  # Few factors that are not one, so that nothing overflows.
        values = np.where(rng.random(shape) < 8 / max(shape), values, 1.0)
    if kind in ("max", "min") and rng.random() < 0.3:
        values[tuple(rng.integers(0, n) for n in shape)] = np.nan
    return values.astype(np.float32).astype(dtype)


def widen(values: np.ndarray, kind: str) -> np.ndarray:
    """As NumPy is to combine them."""
    if kind.startswith("u"):
        return values.view(f"u{values.dtype.itemsize}")
    return (
        values.astype(np.float32)
        if values.dtype.itemsize < 4 and values.dtype.kind not in "ib"
        else values
    )


def drop(layout: Layout, axis: int) -> Layout:
    """The layout of the result of a reduction."""
    shape = layout.shape[:axis] + layout.shape[axis + 1 :]
    inner = int(np.prod(layout.shape[axis + 1 :], dtype=np.int64))
    extent = layout.shape[axis]

    def transfer(flat: int) -> int:
        return flat // (inner * extent) * inner + flat % inner

    moved = layout.move(shape, transfer)
    registers = tuple(
        new for new, old in zip(moved.registers, layout.registers, strict=True) if new or not old
    )
    return Layout(shape, registers, moved.lanes, moved.warps)


def run(operation, kind, axis, layout, values, *, reverse=False, seed=0):
    """Results of a reduce or scan of arrays."""
    lanes, warps = 1 << len(layout.lanes), 1 << len(layout.warps)
    names = [("i32" if len(values) == 2 else kind[1])] * len(values)
    result = drop(layout, axis) if operation == "reduce" else layout
    loads = [layouts.load(f"x{i}", f"a{i}", layout, name) for i, name in enumerate(names)]
    operands = ", ".join(f"%x{i}" for i in range(len(names)))
    sources = ", ".join(layout.tile(name) for name in names)
    scalar = not result.shape
    results = ", ".join(name if scalar else result.tile(name) for name in names)
    text = "\n    ".join(
        [
            *loads,
            f"%y:{len(names)} = tile.{operation} {f'<{kind[0]}> ' if kind else ''}{operands} "
            f"axis {axis}{' reverse' if reverse else ''} : {sources} -> {results} "
            f"{'' if kind else COMPOSE}",
        ]
    )
    out_layout = (
        Layout((1,), (), (0,) * len(layout.lanes), (0,) * len(layout.warps)) if scalar else result
    )
    for i, name in enumerate(names):
        value = f"y#{i}"
        if scalar:
            text += f"\n    %z{i} = tile.full %{value} : {out_layout.tile(name)}"
            value = f"z{i}"
        text += "\n    " + layouts.store(value, f"b{i}", out_layout, name)
    rank, out_rank = len(layout.shape), len(out_layout.shape)
    arguments = [(f"a{i}", rank, name) for i, name in enumerate(names)]
    arguments += [(f"b{i}", out_rank, name) for i, name in enumerate(names)]
    outs = [np.zeros(out_layout.shape, v.dtype) for v in values]
    module = layouts.module(text, arguments, arch=f"generic{lanes}", warps=warps)
    layouts.run(module, [*values, *outs], lanes=lanes, seed=seed)
    return [out.reshape(result.shape) for out in outs]


def pick(seed: int, bits: int, lane_bits: int, warp_bits: int, mixed: bool, spare: int):
    """A random generator, an axis and a layout."""
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    cuts = np.sort(rng.integers(0, bits + 1, rank - 1))
    extents = np.diff([0, *cuts, bits])
    shape = tuple(1 << int(n) for n in extents)
    layout = random_layout(
        rng, shape, lane_bits=lane_bits, warp_bits=warp_bits, mixed=mixed, spare=spare
    )
    return rng, int(rng.integers(0, rank)), layout


SITUATIONS = dict(
    bits=st.integers(0, 10),
    lane_bits=st.sampled_from((5, 6)),
    warp_bits=st.integers(0, 3),
    mixed=st.booleans(),
    spare=st.integers(0, 1),
    seed=st.integers(0, 10**6),
)


def assert_same(got, want):
    """Equal, NaN included: NumPy does not know that small floats have one."""
    if got.dtype.kind not in "biu":
        got, want = got.astype(np.float64), want.astype(np.float64)
    np.testing.assert_array_equal(got, want)


@relaxed
@given(element=st.sampled_from(sorted(KINDS)), **SITUATIONS)
def test_named_reduction(element, seed, **situation):
    rng, axis, layout = pick(seed, **situation)
    kind = str(rng.choice(KINDS[element]))
    values = pick_values(rng, layout.shape, element, kind)
    (got,) = run("reduce", (kind, element), axis, layout, [values], seed=seed)
    wide = widen(values, kind)
    want = UFUNCS[kind].reduce(wide, axis=axis, dtype=wide.dtype).astype(got.dtype)
    assert_same(got, want)
    if kind == "add" and got.dtype.kind != "i":
        assert not np.signbit(got.astype(np.float32)[want == 0]).any()


@pytest.mark.parametrize("seed", range(4))
def test_reduction_across_many_warps(seed):
    rng, axis, layout = pick(seed, 11, 5, 5, mixed=bool(seed % 2), spare=seed // 2)
    values = rng.integers(-9, 9, layout.shape).astype(np.float32)
    (got,) = run("reduce", ("add", "f32"), axis, layout, [values], seed=seed)
    assert_same(got, values.sum(axis))


@relaxed
@given(element=st.sampled_from(sorted(KINDS)), reverse=st.booleans(), **SITUATIONS)
def test_named_scan(element, reverse, seed, **situation):
    rng, axis, layout = pick(seed, **situation)
    kind = str(rng.choice(KINDS[element]))
    values = pick_values(rng, layout.shape, element, kind)
    (got,) = run("scan", (kind, element), axis, layout, [values], reverse=reverse, seed=seed)
    wide = widen(values, kind)
    wide = np.flip(wide, axis) if reverse else wide
    want = UFUNCS[kind].accumulate(wide, axis=axis, dtype=wide.dtype)
    want = np.flip(want, axis) if reverse else want
    assert_same(got, want.astype(got.dtype))


@relaxed
@given(**SITUATIONS)
def test_a_reduction_keeps_the_order_of_operands(seed, **situation):
    rng, axis, layout = pick(seed, **situation)
    values = [layouts.random_values(rng, layout.shape, "i32") for _ in range(2)]
    got = run("reduce", None, axis, layout, values, seed=seed)
    parts = [np.moveaxis(v, axis, 0) for v in values]
    want = (parts[0][0], parts[1][0])
    with np.errstate(over="ignore"):
        for i in range(1, layout.shape[axis]):
            want = compose(want, (parts[0][i], parts[1][i]))
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)


@relaxed
@given(reverse=st.booleans(), **SITUATIONS)
def test_a_scan_keeps_the_order_of_operands(reverse, seed, **situation):
    rng, axis, layout = pick(seed, **situation)
    values = [layouts.random_values(rng, layout.shape, "i32") for _ in range(2)]
    got = run("scan", None, axis, layout, values, reverse=reverse, seed=seed)
    parts = [np.moveaxis(v, axis, 0).copy() for v in values]
    count = layout.shape[axis]
    order = range(count - 2, -1, -1) if reverse else range(1, count)
    state = tuple(p[-1 if reverse else 0] for p in parts)
    with np.errstate(over="ignore"):
        for i in order:
            element = (parts[0][i], parts[1][i])
            state = compose(element, state) if reverse else compose(state, element)
            state = tuple(np.array(s) for s in state)
            for part, value in zip(parts, state, strict=True):
                part[i] = value
    for one, other in zip(got, parts, strict=True):
        np.testing.assert_array_equal(one, np.moveaxis(other, 0, axis))


@pytest.mark.parametrize("operation", ["reduce", "scan"])
def test_totals_that_exceed_the_scratch_go_in_rounds(operation):
    columns, lanes = tuple(1 << i for i in range(7)), tuple(128 << i for i in range(5))
    layout = Layout((2, 4096), columns, lanes, (4096,))
    values = [
        layouts.random_values(np.random.default_rng(1), layout.shape, "i32") for _ in range(2)
    ]
    got = run(operation, None, 0, layout, values)
    with np.errstate(over="ignore"):
        total = compose((values[0][0], values[1][0]), (values[0][1], values[1][1]))
    for one, all_of_it, value in zip(got, total, values, strict=True):
        if operation == "scan":
            np.testing.assert_array_equal(one[0], value[0])
            one = one[1]
        np.testing.assert_array_equal(one, all_of_it)
