# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves on random layouts, all threads in lockstep, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests._support import layouts
from tests._support.layouts import Layout, bits_of, random_layout

pytestmark = pytest.mark.interpreter

relaxed = settings(
    max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
SITUATIONS = dict(
    lane_bits=st.sampled_from((5, 6)),
    warp_bits=st.integers(0, 2),
    mixed=st.booleans(),
    element=st.sampled_from(("i1", "f16", "f32", "i64")),
    seed=st.integers(0, 10**6),
)


def run(operations, sources, results, element, inputs, seed):
    """Run operations on %x0, %x1, ... that make %y0, %y1, ...; the results."""
    first = (sources + results)[0]
    lanes, warps = 1 << len(first.lanes), 1 << len(first.warps)
    body = [layouts.load(f"x{i}", f"a{i}", s, element) for i, s in enumerate(sources)]
    body.append(operations)
    body += [layouts.store(f"y{i}", f"b{i}", r, element) for i, r in enumerate(results)]
    arguments = [(f"a{i}", len(s.shape), element) for i, s in enumerate(sources)]
    arguments += [(f"b{i}", len(r.shape), element) for i, r in enumerate(results)]
    outs = [np.zeros(r.shape, layouts.DTYPES[element]) for r in results]
    text = layouts.module("\n    ".join(body), arguments, arch=f"generic{lanes}", warps=warps)
    layouts.run(text, [*inputs, *outs], lanes=lanes, seed=seed)
    return outs


def shape_of(rng: np.random.Generator, rank: int, bits: int) -> tuple[int, ...]:
    """Powers of two with that many bits together."""
    cuts = np.diff([0, *np.sort(rng.integers(0, bits + 1, rank - 1)), bits])
    return tuple(1 << int(n) for n in cuts)


@relaxed
@given(**SITUATIONS)
def test_permute_and_reshape(seed, element, **threads):
    rng = np.random.default_rng(seed)
    source = random_layout(rng, shape_of(rng, 3, 7), **threads)
    values = layouts.random_values(rng, source.shape, element)
    perm = [int(n) for n in rng.permutation(3)]
    shape = tuple(source.shape[p] for p in perm)
    where = np.transpose(np.arange(values.size).reshape(source.shape), perm).reshape(-1)
    place = {int(old): new for new, old in enumerate(where)}
    turned = source.move(shape, lambda flat: place[int(flat)])
    flat = turned.move((values.size,), lambda flat: flat)
    text = f"""%t = tile.permute %x0 {perm} : {source.tile(element)} -> {turned.tile(element)}
    %y0 = tile.reshape %t : {turned.tile(element)} -> {flat.tile(element)}"""
    (got,) = run(text, [source], [flat], element, [values], seed)
    np.testing.assert_array_equal(got, values.transpose(perm).reshape(-1))


@relaxed
@given(**SITUATIONS)
def test_broadcast(seed, element, **threads):
    rng = np.random.default_rng(seed)
    result = random_layout(rng, (4, 16, 2), **threads)
    axis = int(rng.integers(0, 3))
    shape = tuple(1 if d == axis else n for d, n in enumerate(result.shape))
    inner = int(np.prod(result.shape[axis + 1 :]))

    def collapse(flat):
        return flat // (inner * result.shape[axis]) * inner + flat % inner

    source = result.move(shape, collapse)
    values = layouts.random_values(rng, shape, element)
    text = f"%y0 = tile.broadcast %x0 : {source.tile(element)} -> {result.tile(element)}"
    (got,) = run(text, [source], [result], element, [values], seed)
    np.testing.assert_array_equal(got, np.broadcast_to(values, result.shape))


@relaxed
@given(**SITUATIONS)
def test_join_and_split(seed, element, **threads):
    rng = np.random.default_rng(seed)
    half = random_layout(rng, (4, 16), **threads)
    whole = half.move((4, 16, 2), lambda flat: flat * 2)
    whole = Layout(whole.shape, (1, *whole.registers), whole.lanes, whole.warps)
    values = [layouts.random_values(rng, half.shape, element) for _ in range(2)]
    text = f"""%y0 = tile.join %x0, %x1 : {half.tile(element)} -> {whole.tile(element)}
    %y1, %y2 = tile.split %y0 : {whole.tile(element)} -> {half.tile(element)}"""
    got = run(text, [half, half], [whole, half, half], element, values, seed)
    np.testing.assert_array_equal(got[0], np.stack(values, axis=-1))
    np.testing.assert_array_equal(got[1], values[0])
    np.testing.assert_array_equal(got[2], values[1])


@relaxed
@given(extents=st.sampled_from(((4, 4), (8, 4, 4), (4, 8, 4), (2, 2, 4, 8))), **SITUATIONS)
def test_concat(extents, seed, element, **threads):
    rng = np.random.default_rng(seed)
    least, total = min(extents), sum(extents)
    inner = random_layout(rng, (8, least, 4), **threads)
    steps = range(bits_of((least,)), bits_of((total,)))

    def widen(flat, extent):
        return flat // (least * 4) * (extent * 4) + flat % (least * 4)

    def layout(extent):
        moved = inner.move((8, extent, 4), lambda flat: widen(flat, extent))
        more = tuple(4 << i for i in steps if 1 << i < extent)
        return Layout(moved.shape, (*moved.registers, *more), moved.lanes, moved.warps)

    sources, result = [layout(n) for n in extents], layout(total)
    values = [layouts.random_values(rng, s.shape, element) for s in sources]
    names = ", ".join(f"%x{i}" for i in range(len(sources)))
    types = ", ".join(s.tile(element) for s in sources)
    text = f"%y0 = tile.concat {names} axis 1 : {types} -> {result.tile(element)}"
    (got,) = run(text, sources, [result], element, values, seed)
    np.testing.assert_array_equal(got, np.concatenate(values, axis=1))


# Few are wide, because running one takes a second.
RARELY = st.sampled_from((*(False,) * 9, True))


@relaxed
@given(index=st.sampled_from(("i32", "i64")), wide=RARELY, **SITUATIONS)
def test_take_from_anywhere(index, wide, seed, element, **threads):
    rng = np.random.default_rng(seed)
    axis = int(rng.integers(0, 2))
    shape = (128, 64) if wide and element in ("f32", "i64") else shape_of(rng, 2, 8)
    source = random_layout(rng, shape, **threads)
    count = 1 << int(rng.integers(0, 5))
    result = random_layout(
        rng, tuple(count if d == axis else n for d, n in enumerate(shape)), **threads
    )
    check_take(rng, source, result, axis, element, index, seed)


@relaxed
@given(in_registers=st.booleans(), **SITUATIONS)
def test_take_within_a_warp(in_registers, seed, element, lane_bits, warp_bits, mixed):
    rng = np.random.default_rng(seed)
    rows = warp_bits
    columns = 3 if in_registers else lane_bits
    bits = tuple(1 << i for i in range(columns))
    shape = (1 << rows, 1 << columns)
    warps = tuple(1 << (columns + i) for i in range(rows))
    none = (0,) * lane_bits
    source = Layout(shape, bits if in_registers else (), none if in_registers else bits, warps)
    result = Layout(shape, (1,), (*bits[1:], *none)[:lane_bits], warps)
    check_take(rng, source, result, 1, element, "i32", seed)


def check_take(rng, source, result, axis, element, index, seed):
    """Take with some indices out of range."""
    extent = source.shape[axis]
    values = layouts.random_values(rng, source.shape, element)
    at = rng.integers(-2, extent + 2, result.shape).astype(layouts.DTYPES[index])
    out = np.zeros(result.shape, values.dtype)
    lanes, warps = 1 << len(source.lanes), 1 << len(source.warps)
    body = "\n    ".join(
        [
            layouts.load("x", "a", source, element),
            layouts.load("i", "c", result, index),
            f"%y = tile.take %x[%i] axis {axis} : {source.tile(element)}, {result.tile(index)} "
            f"-> {result.tile(element)}",
            layouts.store("y", "b", result, element),
        ]
    )
    names = [("a", 2, element), ("c", 2, index), ("b", 2, element)]
    text = layouts.module(body, names, arch=f"generic{lanes}", warps=warps)
    layouts.run(text, [values, at, out], lanes=lanes, seed=seed)
    inside = (at >= 0) & (at < extent)
    want = np.take_along_axis(values, np.where(inside, at, 0).astype(np.int64), axis)
    np.testing.assert_array_equal(out, np.where(inside, want, np.zeros((), values.dtype)))


@relaxed
@given(**SITUATIONS)
def test_full_and_iota(seed, element, **threads):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, (128,), **threads)
    text = f"%y0 = tile.iota : {layout.tile('i64')}"
    (got,) = run(text, [], [layout], "i64", [], seed)
    np.testing.assert_array_equal(got, np.arange(128))
