# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of conversions and swizzled buffers, carried out on numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tegula._layout import (
    Conversion,
    LinearLayout,
    SharedAccess,
    bank_conflicts,
    plan_conversion,
    swizzled_offsets,
)
from tests._support import gf2
from tests._support.gf2 import Ints, distribute, few, layouts, numbered, places, shapes, sizes


def total(masks: list[int], bits: int) -> int:
    """Sum of the masks that the bits select."""
    result = 0
    for index, mask in enumerate(masks):
        result ^= mask if bits >> index & 1 else 0
    return result


def run_shuffle(conversion: Conversion, source: Ints, count: int) -> Ints:
    """What each place of the destination gets, step by step as ShufflePlan says."""
    plan = conversion.shuffle
    registers, lanes, warps, blocks, _ = source.shape
    result = np.full((count, lanes, warps, blocks, 1), -1, np.int64)
    for warp, block in np.ndindex(warps, blocks):
        sent = np.empty((registers, lanes), np.int64)
        partner = np.empty(lanes, np.int64)
        for lane in range(lanes):
            mask = total(plan.send_by_lane, lane) ^ total(plan.send_by_warp, warp)
            mask ^= total(plan.send_by_block, block)
            sent[:, lane] = source[np.arange(registers) ^ mask, lane, warp, block, 0]
            partner[lane] = total(plan.lane_by_lane, lane) ^ total(plan.lane_by_warp, warp)
            partner[lane] ^= total(plan.lane_by_block, block)
        received: dict[int, Ints] = {}
        for step in plan.rounds:
            peers = partner ^ step.lane_xor
            if step.is_local:
                assert np.array_equal(peers, np.arange(lanes))
            for origin, to in step.moves:
                assert to not in received
                received[to] = sent[origin, peers]
        assert sorted(received) == sorted(plan.kept)
        for lane in range(lanes):
            mask = total(plan.receive_by_lane, lane)
            held = {number: received[number ^ mask][lane] for number in plan.kept}
            for number in range(count):
                result[number, lane, warp, block, 0] = held[plan.copy_of[number]]
    return result


def run(conversion: Conversion, source: LinearLayout, destination: LinearLayout) -> Ints:
    """The destination's elements by their number."""
    held = distribute(source, numbered(source.shape))
    count = sizes(destination)[0]
    if conversion.kind == "rename":
        return held[conversion.register_of]
    if conversion.kind == "shuffle":
        return run_shuffle(conversion, held, count)
    result = np.empty(sizes(destination), np.int64)
    for place in np.ndindex(*sizes(destination)):
        result[place] = held[tuple(conversion.map.apply(*place))]
    return result


@st.composite
def pairs(draw: st.DrawFn, same_warps: bool) -> tuple[LinearLayout, LinearLayout]:
    """Two layouts for the same threads."""
    shape = draw(shapes(max_bits=7))
    lanes, warps = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    bits = int(np.prod(shape)).bit_length() - 1
    block = draw(st.lists(st.integers(0, 2**bits - 1), max_size=1))
    source = draw(layouts(shape, lanes=lanes, warps=warps, block=block))
    destination = draw(layouts(shape, lanes=lanes, warps=warps, block=block))
    if same_warps:
        bases = {dim: gf2.flat_bases(destination, [dim]) for dim in ("register", "lane")}
        bases["warp"] = gf2.flat_bases(source, ["warp"])
        bases["block"] = block
        bases["register"] += gf2.missing([b for dim in bases for b in bases[dim]], bits)
        destination = gf2.make(shape, bases)
    return source, destination


@few
@given(pairs(same_warps=False))
def test_any_plan_gives_the_right_elements(pair: tuple[LinearLayout, LinearLayout]) -> None:
    source, destination = pair
    conversion = plan_conversion(source, destination)
    assert np.array_equal(run(conversion, source, destination), places(destination))


@few
@given(pairs(same_warps=True))
def test_plans_within_a_warp_give_the_right_elements(
    pair: tuple[LinearLayout, LinearLayout],
) -> None:
    source, destination = pair
    conversion = plan_conversion(source, destination)
    # Whether each warp has all it needs, by looking.
    ours, theirs = places(source), places(destination)
    inside = all(
        set(theirs[:, :, warp, block].flat) <= set(ours[:, :, warp, block].flat)
        for warp, block in np.ndindex(ours.shape[2:4])
    )
    if conversion.kind in ("rename", "shuffle"):
        assert inside
    else:
        # Copies in several warps or blocks may be in the way.
        assert not inside or not source.is_injective
    assert np.array_equal(run(conversion, source, destination), theirs)


@few
@given(layouts())
def test_to_itself_is_no_conversion(layout: LinearLayout) -> None:
    conversion = plan_conversion(layout, layout)
    assert conversion.kind == "rename"


def test_exchange_of_a_lane_and_a_register_shuffles_half() -> None:
    rows = LinearLayout([2, 2], register=[[0, 1]], lane=[[1, 0]])
    columns = LinearLayout([2, 2], register=[[1, 0]], lane=[[0, 1]])
    plan = plan_conversion(rows, columns).shuffle
    assert plan.is_butterfly
    assert plan.num_shuffles(32) == 1


def test_narrow_elements_share_words() -> None:
    source = LinearLayout([4, 4], register=[[0, 1], [0, 2]], lane=[[1, 0], [2, 0]])
    destination = LinearLayout([4, 4], register=[[0, 1], [0, 2]], lane=[[2, 0], [1, 0]])
    plan = plan_conversion(source, destination).shuffle
    assert plan.num_selects(4) == 0
    assert (plan.num_shuffles(32), plan.num_shuffles(16), plan.num_shuffles(8)) == (4, 2, 1)


def test_plans_that_there_are_not() -> None:
    layout = LinearLayout([4], lane=[[1], [2]])
    with pytest.raises(ValueError, match="layouts have 4 and 2 lanes"):
        plan_conversion(layout, LinearLayout([4], register=[[1]], lane=[[2]]))
    with pytest.raises(ValueError, match="layouts differ in shape"):
        plan_conversion(layout, LinearLayout([2, 2], lane=[[0, 1], [1, 0]]))
    with pytest.raises(ValueError, match="source lacks elements"):
        plan_conversion(LinearLayout([4], lane=[[1], [1]]), layout)
    with pytest.raises(ValueError, match="layouts are of buffers"):
        plan_conversion(LinearLayout([2], offset=[[1]]), LinearLayout([2], offset=[[1]]))


def check_access(layout: LinearLayout, offsets: Ints, access: SharedAccess) -> None:
    """Vectors are consecutive and aligned, and reach each register that is no copy."""
    width = 2 ** len(access.vector_bits)
    seen: list[int] = []
    for rest in range(2 ** len(access.rest_bits)):
        first = total(access.rest_bits, rest)
        assert not np.any(offsets[first] % width)
        for item in range(width):
            register = first ^ total(access.vector_bits, item)
            assert np.array_equal(offsets[register], offsets[first] + item)
            seen.append(register)
    elements = places(layout)[:, 0, 0, 0, 0]
    assert len(set(seen)) == len(seen)
    assert sorted(elements[seen]) == sorted(set(elements))


def check_swizzle(
    source: LinearLayout, destination: LinearLayout, bits: int, banks: int = 32
) -> tuple[int, int]:
    """The buffer moves the elements, and its conflicts are as it says. Gives the widths."""
    buffer = swizzled_offsets(source, destination, bits, banks)
    blocks, size = sizes(buffer.layout)[3:]
    assert np.unique(places(buffer.layout)[0, 0, 0, 0]).size == size
    memory = np.full((blocks, size), -1, np.int64)
    for layout, access in ((source, buffer.write), (destination, buffer.read)):
        moved = buffer.offsets_of(layout)
        assert moved is not None
        offsets = places(moved)
        check_access(layout, offsets, access)
        counted = bank_conflicts(layout, buffer.layout, access, bits, banks)
        assert counted == access.conflicts
        block = np.arange(blocks).reshape(1, 1, 1, -1, 1)
        if layout is source:
            memory[block, offsets] = places(source)
        else:
            assert np.array_equal(memory[block, offsets], places(destination))
        # The registers alone decide about the highest bits.
        top = offsets >> (size.bit_length() - 1 - buffer.repeat_bits)
        assert np.array_equal(top, np.broadcast_to(top[:, :1, :1], top.shape))
    assert buffer.write.conflicts == buffer.read.conflicts == 0
    return 2 ** len(buffer.write.vector_bits), 2 ** len(buffer.read.vector_bits)


@few
@given(pairs(same_warps=False), st.sampled_from([8, 16, 32, 64, 128]), st.sampled_from([2, 4, 32]))
@example(
    # A vector that fills all banks would be cheapest, for one conflict of the other side.
    (
        LinearLayout([16], register=[[2], [4], [8]], lane=[[1]], warp=[[1], [1]]),
        LinearLayout([16], register=[[8]], lane=[[1]], warp=[[2], [4]]),
    ),
    8,
    2,
)
def test_swizzles_move_the_elements_without_conflicts(
    pair: tuple[LinearLayout, LinearLayout], bits: int, banks: int
) -> None:
    source, destination = pair
    ours, theirs = (set(places(layout)[:, :, :, 0].flat) for layout in pair)
    if theirs <= ours and bits <= banks * 32:
        check_swizzle(source, destination, bits, banks)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("banks", [32, 64])
@pytest.mark.parametrize("lanes", [32, 64])
def test_transposes_are_wide_on_one_side(bits: int, banks: int, lanes: int) -> None:
    vector = 128 // bits
    rows = LinearLayout.blocked(
        [64, 64], [1, vector], [lanes * vector // 64, 64 // vector], [4, 1], [1, 0]
    )
    columns = LinearLayout.blocked(
        [64, 64], [vector, 1], [64 // vector, lanes * vector // 64], [1, 4], [0, 1]
    )
    assert rows is not None
    assert columns is not None
    widths = check_swizzle(rows, columns, bits, banks)
    assert max(widths) == vector


def test_reads_that_are_narrower_than_writes() -> None:
    # 16 lanes that name 4 neighbouring columns each; threads bring rows of 8.
    rows = LinearLayout.blocked([64, 64], [1, 8], [8, 8], [4, 1], [1, 0])
    named = LinearLayout(
        [64, 64],
        register=[[0, 1], [0, 2], [4, 0], [32, 0], [0, 16], [0, 32]],
        lane=[[0, 4], [0, 8], [1, 0], [2, 0], [8, 0], [16, 0]],
        warp=[[0, 0], [0, 0]],
    )
    assert rows is not None
    for most, widths in ((0, (8, 8)), (64, (8, 4)), (32, (4, 2))):
        buffer = swizzled_offsets(rows, named, 16, 64, max_read_bits=most)
        assert (2 ** len(buffer.write.vector_bits), 2 ** len(buffer.read.vector_bits)) == widths
        assert buffer.write.conflicts == buffer.read.conflicts == 0
    with pytest.raises(ValueError, match="memory is not of powers of two"):
        swizzled_offsets(rows, named, 16, 64, max_read_bits=48)


def test_fragments_of_matrix_instructions() -> None:
    """From what a product leaves in registers to whole rows, as an epilogue does."""
    fragment = LinearLayout(
        [64, 64],
        register=[[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]],
        lane=[[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
        warp=[[16, 0], [32, 0]],
    )
    rows = LinearLayout.blocked([64, 64], [1, 8], [4, 8], [4, 1], [1, 0])
    assert rows is not None
    assert sorted(check_swizzle(fragment, rows, 16)) == [2, 8]
    assert plan_conversion(fragment, rows).kind == "shared"


def test_swizzles_that_there_are_not() -> None:
    layout = LinearLayout([4], lane=[[1], [2]])
    with pytest.raises(ValueError, match="elements of 24 bits"):
        swizzled_offsets(layout, layout, 24)
    with pytest.raises(ValueError, match="elements of 1 bits"):
        swizzled_offsets(layout, layout, 1)
    with pytest.raises(ValueError, match="memory is not of powers of two"):
        swizzled_offsets(layout, layout, 32, banks=24)
    with pytest.raises(ValueError, match="elements are wider than all banks"):
        swizzled_offsets(layout, layout, 64, banks=1)
    block = LinearLayout([4], register=[[1]], block=[[2]])
    with pytest.raises(ValueError, match="blocks hold different elements"):
        swizzled_offsets(block, LinearLayout([4], register=[[1], [2]], block=[[2]]), 32)
    with pytest.raises(ValueError, match="layouts lack elements"):
        swizzled_offsets(layout, LinearLayout([4], lane=[[1]]), 32)
    with pytest.raises(ValueError, match="layouts differ in shape"):
        swizzled_offsets(layout, LinearLayout([2], lane=[[1]]), 32)
    with pytest.raises(ValueError, match="layouts differ in their blocks"):
        swizzled_offsets(layout, LinearLayout([4], lane=[[1]], block=[[2]]), 32)
