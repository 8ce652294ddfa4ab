# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""layout.convert between random layouts, all threads in lockstep: every element arrives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests._support import layouts
from tests._support.layouts import Layout, random_layout

pytestmark = pytest.mark.interpreter

ELEMENTS = ("i1", "i8", "f8E4M3FN", "f16", "bf16", "f32", "i64")
relaxed = settings(
    max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None
)


def convert(source: Layout, result: Layout, element: str, *, seed: int = 0) -> None:
    """Convert random values and compare."""
    rng = np.random.default_rng(seed)
    lanes, warps = 1 << len(source.lanes), 1 << len(source.warps)
    rank = len(source.shape)
    body = f"""
    {layouts.load("x", "a", source, element)}
    %y = layout.convert %x : {source.tile(element)} -> {result.tile(element)}
    {layouts.store("y", "b", result, element)}"""
    text = layouts.module(
        body, [("a", rank, element), ("b", rank, element)], arch=f"generic{lanes}", warps=warps
    )
    values = layouts.random_values(rng, source.shape, element)
    out = np.zeros_like(values)
    layouts.run(text, [values, out], lanes=lanes, seed=seed)
    np.testing.assert_array_equal(out, values)


@relaxed
@given(
    bits=st.integers(0, 12),
    lane_bits=st.sampled_from((5, 6)),
    warp_bits=st.integers(0, 3),
    mixed=st.booleans(),
    spare=st.integers(0, 1),
    element=st.sampled_from(ELEMENTS),
    seed=st.integers(0, 10**6),
)
def test_elements_arrive_whatever_the_layouts(
    bits, lane_bits, warp_bits, mixed, spare, element, seed
):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(0, bits + 1))
    shape = (1 << rows, 1 << (bits - rows))
    source, result = (
        random_layout(
            rng, shape, lane_bits=lane_bits, warp_bits=warp_bits, mixed=mixed, spare=spare
        )
        for _ in range(2)
    )
    convert(source, result, element, seed=seed)


@relaxed
@given(
    bits=st.integers(0, 9),
    warp_bits=st.integers(0, 2),
    mixed=st.booleans(),
    element=st.sampled_from(ELEMENTS),
    seed=st.integers(0, 10**6),
)
def test_elements_arrive_within_a_warp(bits, warp_bits, mixed, element, seed):
    rng = np.random.default_rng(seed)
    shape = (1 << bits, 1 << warp_bits)
    halves = []
    for _ in range(2):
        inner = random_layout(rng, (1 << bits,), lane_bits=5, warp_bits=0, mixed=mixed)
        moved = inner.move(shape, lambda flat: flat << warp_bits)
        halves.append(
            Layout(shape, moved.registers, moved.lanes, tuple(1 << i for i in range(warp_bits)))
        )
    convert(*halves, element, seed=seed)


@pytest.mark.parametrize("element", ["f32", "i8", "i64"])
def test_what_exceeds_the_scratch_goes_in_rounds(element):
    shape = (128, 128)
    rows = Layout(
        shape, (*(1 << i for i in range(7)),), (*(128 << i for i in range(5)),), (4096, 8192)
    )
    columns = Layout(
        shape, (*(128 << i for i in range(7)),), (*(1 << i for i in range(5)),), (32, 64)
    )
    convert(rows, columns, element)
    convert(columns, rows, element)
