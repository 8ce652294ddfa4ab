# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts against brute force: making, asking, composing, and what operations do to them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tegula._layout import LinearLayout
from tests._support import gf2
from tests._support.gf2 import DIMS, distribute, few, layouts, numbered, places, shapes, sizes


@few
@given(layouts(surjective=False))
def test_apply_is_the_sum_of_the_bases(layout: LinearLayout) -> None:
    expected = places(layout)
    for place in np.ndindex(*sizes(layout)):
        assert gf2.flatten(layout.apply(*place), layout.shape) == expected[place]


@few
@given(layouts(surjective=False))
def test_rank_decides_what_is_reached(layout: LinearLayout) -> None:
    reached = np.unique(places(layout)).size
    assert layout.is_surjective == (reached == np.prod(layout.shape))
    assert layout.is_injective == (reached == np.prod(sizes(layout)))


@few
@given(layouts(surjective=False))
def test_free_variables_add_nothing(layout: LinearLayout) -> None:
    for number, dim in enumerate(DIMS):
        before = gf2.flat_bases(layout, DIMS[:number])
        mask = layout.free_variable_mask(dim)
        for bit, basis in enumerate(gf2.flat_bases(layout, [dim])):
            is_free = gf2.rank([*before, basis]) == gf2.rank(before)
            assert bool(mask >> bit & 1) == is_free
            before.append(basis)
    kept = layout.remove_free_registers()
    assert kept.free_variable_mask("register") == 0
    assert np.array_equal(np.unique(places(kept)), np.unique(places(layout)))


@few
@given(layouts())
def test_pseudo_inverse_finds_each_element(layout: LinearLayout) -> None:
    inverse = layout.pseudo_invert()
    assert inverse is not None
    assert inverse.shape == list(sizes(layout))
    for index in range(int(np.prod(layout.shape))):
        place = inverse.apply(offset=index)
        assert gf2.flatten(layout.apply(*place), layout.shape) == index
        for dim, number in zip(DIMS, place, strict=True):
            assert number & layout.free_variable_mask(dim) == 0
    assert (layout.invert() is None) == (not layout.is_injective)


@few
@given(layouts(surjective=False))
def test_what_lacks_elements_has_no_inverse(layout: LinearLayout) -> None:
    assert (layout.pseudo_invert() is None) == (not layout.is_surjective)


@few
@given(st.data(), shapes())
def test_inverse_of_one_after_another(data: st.DataObject, shape: list[int]) -> None:
    layout, other = data.draw(layouts(shape)), data.draw(layouts(shape))
    across = layout.invert_and_compose(other)
    assert across is not None
    assert across.shape == list(sizes(other))
    theirs = places(other)
    for place, element in np.ndenumerate(places(layout)):
        assert theirs[tuple(across.apply(*place))] == element
    # An element that is here stays here.
    same = layout.invert_and_compose(layout)
    assert same is not None
    for place in np.ndindex(*sizes(layout)):
        assert same.apply(*place)[1:] == list(place)[1:]


@few
@given(st.data(), layouts(surjective=False))
def test_composition(data: st.DataObject, layout: LinearLayout) -> None:
    bits = int(np.prod(layout.shape)).bit_length() - 1
    images = data.draw(st.lists(st.integers(0, 15), min_size=bits, max_size=bits))
    outer = gf2.make([4, 4], {"offset": images})
    both = layout.compose(outer)
    assert both is not None
    assert np.array_equal(places(both), places(outer).reshape(-1)[places(layout)])
    assert layout.compose(gf2.make([4, 4], {"offset": [*images, 1]})) is None


@few
@given(st.data(), st.integers(1, 3))
def test_product_and_quotient(data: st.DataObject, rank: int) -> None:
    shape = st.lists(st.sampled_from([1, 2, 4]), min_size=rank, max_size=rank)
    inner = data.draw(layouts(data.draw(shape), surjective=False))
    outer = data.draw(layouts(data.draw(shape), surjective=False))
    product = inner * outer
    for place in np.ndindex(*sizes(product)):
        low = [p % s for p, s in zip(place, sizes(inner), strict=True)]
        high = [p // s for p, s in zip(place, sizes(inner), strict=True)]
        expected = np.add(inner.apply(*low), np.multiply(inner.shape, outer.apply(*high)))
        assert product.apply(*place) == list(expected)
    assert product.divide_left(inner) == outer


@few
@given(st.data(), layouts(surjective=False))
def test_quotient_multiplies_back(data: st.DataObject, layout: LinearLayout) -> None:
    rank = len(layout.shape)
    shape = data.draw(st.lists(st.sampled_from([1, 2]), min_size=rank, max_size=rank))
    tile = data.draw(layouts(shape, surjective=False))
    quotient = layout.divide_left(tile)
    assert quotient is None or tile * quotient == layout


@few
@given(st.data(), layouts())
def test_moves_of_elements(data: st.DataObject, layout: LinearLayout) -> None:
    shape, tile = layout.shape, numbered(layout.shape)
    held = distribute(layout, tile)
    perm = data.draw(st.permutations(range(len(shape))))
    permuted = layout.permute(perm)
    assert permuted is not None
    assert np.array_equal(distribute(permuted, tile.transpose(perm)), held)

    target = data.draw(st.permutations([*shape, 1]))
    reshaped = layout.reshape(target)
    assert reshaped is not None
    assert np.array_equal(distribute(reshaped, tile.reshape(target)), held)
    assert reshaped.reshape(shape) == layout

    axis = data.draw(st.integers(0, len(shape)))
    inserted = layout.insert_dim(axis)
    assert inserted is not None
    assert np.array_equal(distribute(inserted, np.expand_dims(tile, axis)), held)
    assert inserted.drop_dim(axis) == layout


@few
@given(st.data(), layouts())
def test_reduction_and_broadcast(data: st.DataObject, layout: LinearLayout) -> None:
    shape = list(layout.shape)
    axis = data.draw(st.integers(0, len(shape) - 1))
    dropped, collapsed = layout.drop_dim(axis), layout.collapse_dim(axis)
    assert dropped is not None
    assert collapsed is not None
    small = numbered([*shape[:axis], 1, *shape[axis + 1 :]])
    held = distribute(layout, np.broadcast_to(small, shape).copy())
    assert np.array_equal(distribute(collapsed, small), held)
    assert np.array_equal(distribute(dropped, small.squeeze(axis)), held)
    fewer = layout.drop_dim(axis, drop_zero_registers=True)
    assert fewer is not None
    assert not any(b == 0 for b in gf2.flat_bases(fewer, ["register"]))
    assert np.array_equal(np.unique(places(fewer)), np.unique(places(dropped)))


@few
@given(layouts())
def test_join_and_split(layout: LinearLayout) -> None:
    joined = layout.append_register_dim()
    tile = numbered(layout.shape)
    pair = np.stack([tile, tile + tile.size], axis=-1)
    held = distribute(joined, pair)
    assert np.array_equal(held[0::2], distribute(layout, tile))
    assert np.array_equal(held[1::2], distribute(layout, tile + tile.size))
    assert joined.halves() == (layout, 0)


def test_halves_need_a_register() -> None:
    assert LinearLayout([2], lane=[[1]]).halves() is None
    assert LinearLayout([4], register=[[1], [2]]).halves() is None
    # The register and the lane both move along it.
    assert LinearLayout([2, 2], register=[[0, 1]], lane=[[1, 1]]).halves() is None


EXTENT = st.sampled_from([1, 2, 4, 8])


@few
@given(st.data(), st.integers(1, 3))
def test_blocked(data: st.DataObject, rank: int) -> None:
    def extents() -> list[int]:
        return data.draw(st.lists(EXTENT, min_size=rank, max_size=rank))

    shape, size, threads, warps = extents(), extents(), extents(), extents()
    order = data.draw(st.permutations(range(rank)))
    layout = LinearLayout.blocked(shape, size, threads, warps, order)
    assert layout is not None
    assert layout.is_surjective
    # What fits in the tile needs no further registers and has no copies.
    whole = np.multiply(np.multiply(size, threads), warps)
    assert sizes(layout)[1:3] == (np.prod(threads), np.prod(warps))
    if all(whole <= shape):
        assert layout.is_injective
        for place in np.ndindex(*sizes(layout)):
            expected = np.zeros(rank, np.int64)
            steps = [np.ones(rank, np.int64), np.array(size), np.multiply(size, threads), whole]
            counts = [size, threads, warps, np.floor_divide(shape, whole)]
            numbers = [place[0] % np.prod(size), place[1], place[2], place[0] // np.prod(size)]
            for step, count, number in zip(steps, counts, numbers, strict=True):
                for axis in order:
                    expected[axis] += step[axis] * (number % count[axis])
                    number //= count[axis]
            assert layout.apply(*place) == list(expected)
    fastest = order[0]
    assert layout.contiguous_registers(fastest) >= min(size[fastest], shape[fastest])


def test_vector_width() -> None:
    layout = LinearLayout.blocked([16, 64], [1, 4], [8, 4], [1, 1], [1, 0])
    assert layout is not None
    assert layout.contiguous_registers(1) == 4
    assert layout.contiguous_registers(0) == 1


def test_bad_arguments_give_nothing() -> None:
    layout = LinearLayout([4, 4], register=[[1, 0], [2, 0], [0, 1], [0, 2]])
    assert layout.permute([0, 0]) is None
    assert layout.permute([0]) is None
    assert layout.permute([0, 2]) is None
    assert layout.reshape([8]) is None
    assert layout.reshape([3, 5]) is None
    assert layout.drop_dim(2) is None
    assert layout.collapse_dim(2) is None
    assert layout.insert_dim(3) is None
    assert layout.invert_and_compose(LinearLayout([16], register=[[1]])) is None
    assert layout.divide_left(LinearLayout([1])) is None
    assert layout.contiguous_registers(7) == 1
    assert LinearLayout.blocked([6], [1], [1], [1], [0]) is None
    assert LinearLayout.blocked([8], [1], [1, 1], [1], [0]) is None
    assert LinearLayout.blocked([8], [3], [1], [1], [0]) is None
    assert LinearLayout.blocked([8], [1], [1], [1], [1]) is None
    with pytest.raises(ValueError, match="factors differ in rank"):
        _ = layout * LinearLayout([2], lane=[[1]])
    with pytest.raises(ValueError, match="coordinate 4 along dimension 0"):
        LinearLayout([4], lane=[[4]])


def test_text() -> None:
    layout = LinearLayout([2, 4], register=[[0, 1]], lane=[[1, 0], [0, 2]])
    assert str(layout) == (
        "register = [[0, 1]], lane = [[1, 0], [0, 2]], warp = [], block = [], shape = [2, 4]"
    )
    assert hash(layout) == hash(LinearLayout([2, 4], register=[[0, 1]], lane=[[1, 0], [0, 2]]))
