# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tile.dot by multiply-adds on random layouts, all threads in lockstep, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests._support import layouts
from tests._support.layouts import Layout, bits_of, random_layout
from tests._support.lockstep.values import DTYPES

pytestmark = pytest.mark.interpreter

relaxed = settings(
    max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
TYPES = (
    *(("f64", "f64", "f64"), ("f32", "f32", "f32"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32")),
    *(("f8E4M3FN", "f8E5M2", "f32"), ("i8", "i8", "i32")),
)


def operand_layouts(acc: Layout, k: int) -> tuple[Layout, Layout]:
    """What each thread needs of both operands, in its registers."""
    *batch, m, n = acc.shape
    k_bits = k.bit_length() - 1
    steps = tuple(1 << i for i in range(k_bits))
    row = acc.move((*batch, m, k), lambda flat: flat // n << k_bits)
    column = acc.move((*batch, k, n), lambda flat: (flat // (m * n)) * (k * n) + flat % n)
    return (
        Layout(row.shape, (*steps, *filter(None, row.registers)), row.lanes, row.warps),
        Layout(
            column.shape,
            (*(s * n for s in steps), *filter(None, column.registers)),
            column.lanes,
            column.warps,
        ),
    )


def check(a: Layout, b: Layout, acc: Layout, types: tuple[str, str, str], flags: str, seed: int):
    """Run one dot."""
    rng = np.random.default_rng(seed)
    lanes, warps = 1 << len(acc.lanes), 1 << len(acc.warps)
    rank = len(acc.shape)
    body = "\n    ".join(
        [
            layouts.load("x", "a", a, types[0]),
            layouts.load("y", "b", b, types[1]),
            layouts.load("z", "c", acc, types[2]),
            f"%w = tile.dot %x, %y, %z {flags} : {a.tile(types[0])}, {b.tile(types[1])}, "
            f"{acc.tile(types[2])}",
            layouts.store("w", "d", acc, types[2]),
        ]
    )
    names = [("a", rank, types[0]), ("b", rank, types[1]), ("c", rank, types[2])]
    text = layouts.module(
        body, [*names, ("d", rank, types[2])], arch=f"generic{lanes}", warps=warps
    )
    x, y, z = (
        layouts.random_values(rng, layout.shape, element)
        for layout, element in zip((a, b, acc), types, strict=True)
    )
    out = np.zeros_like(z)
    layouts.run(text, [x, y, z, out], lanes=lanes, seed=seed)
    wide = np.dtype(np.int64) if types[2] == "i32" else DTYPES["f64"]
    left, right = (
        (v.view(np.uint8) if f"{name}_unsigned" in flags else v).astype(wide)
        for name, v in (("a", x), ("b", y))
    )
    want = (left @ right + z).astype(z.dtype)
    np.testing.assert_array_equal(out, want)


SITUATIONS = dict(
    lane_bits=st.sampled_from((5, 6)),
    warp_bits=st.integers(0, 2),
    mixed=st.booleans(),
    types=st.sampled_from(TYPES),
    signs=st.sampled_from(("", "a_unsigned", "b_unsigned", "a_unsigned b_unsigned")),
    seed=st.integers(0, 10**6),
)


def shapes(rng: np.random.Generator) -> tuple[tuple[int, ...], int]:
    """Shape of the result, and the contracted extent."""
    m, n, k = (1 << int(rng.integers(0, 6)) for _ in range(3))
    batch = () if rng.random() < 0.6 else (1 << int(rng.integers(0, 3)),)
    return (*batch, m, n), k


@relaxed
@given(**SITUATIONS)
def test_each_thread_has_what_it_needs(lane_bits, warp_bits, mixed, types, signs, seed):
    rng = np.random.default_rng(seed)
    shape, k = shapes(rng)
    acc = random_layout(rng, shape, lane_bits=lane_bits, warp_bits=warp_bits, mixed=mixed)
    a, b = operand_layouts(acc, k)
    check(a, b, acc, types, signs if types[0] == "i8" else "", seed)


@relaxed
@given(**SITUATIONS)
def test_operands_are_anywhere(lane_bits, warp_bits, mixed, types, signs, seed):
    rng = np.random.default_rng(seed)
    (*batch, m, n), k = shapes(rng)
    a, b, acc = (
        random_layout(rng, shape, lane_bits=lane_bits, warp_bits=warp_bits, mixed=mixed)
        for shape in ((*batch, m, k), (*batch, k, n), (*batch, m, n))
    )
    check(a, b, acc, types, signs if types[0] == "i8" else "", seed)


def test_large_operands_go_through_shared_memory_in_pieces():
    rng = np.random.default_rng(1)
    shapes_of = {"a": (64, 128), "b": (128, 64), "c": (64, 64)}
    assert bits_of(shapes_of["a"]) == 13
    a, b, acc = (
        random_layout(rng, shape, lane_bits=5, warp_bits=2) for shape in shapes_of.values()
    )
    check(a, b, acc, ("f32", "f32", "f32"), "", 1)
