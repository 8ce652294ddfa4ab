# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (NumPy's stubs leave the dtypes of most results open.)
"""Bounds-checked access to NumPy arrays: blocks, single elements, and read-modify-write."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tegula._interpret.casts import Values


def load(array: Values, index: Sequence[int], shape: tuple[int, ...], pad: Values) -> Values:
    """The block at a tile index, `pad` outside the array."""
    result = np.full(shape, pad, dtype=array.dtype)
    inside, block = _overlap(array.shape, index, shape)
    result[block] = array[inside]
    return result


def store(array: Values, index: Sequence[int], value: Values) -> None:
    """Write the part of a block that is inside the array."""
    inside, block = _overlap(array.shape, index, value.shape)
    array[inside] = value[block]


def _overlap(
    sizes: tuple[int, ...], index: Sequence[int], shape: tuple[int, ...]
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Where a block meets an array: slices of the array, and of the block.

    Python integers do not wrap.
    """
    inside: list[slice] = []
    block: list[slice] = []
    for size, place, extent in zip(sizes, index, shape, strict=True):
        start = place * extent
        first, last = max(start, 0), min(start + extent, size)
        last = max(first, last)
        if first >= size:
            first = last = 0
            start = 0
        inside.append(slice(first, last))
        block.append(slice(first - start, last - start))
    return tuple(inside), tuple(block)


def active(
    sizes: tuple[int, ...], index: Sequence[Values], mask: Values | None, shape: tuple[int, ...]
) -> npt.NDArray[np.bool_]:
    """Which lanes have a true mask and an index inside the array."""
    lanes = np.ones(shape, dtype=np.bool_)
    if mask is not None:
        lanes &= mask
    for size, place in zip(sizes, index, strict=True):
        lanes &= (place >= 0) & (place < size)
    return lanes


def gather(
    array: Values, index: Sequence[Values], lanes: npt.NDArray[np.bool_], pad: Values
) -> Values:
    """Elements at the active lanes, `pad` at the others."""
    result = np.full(lanes.shape, pad, dtype=array.dtype)
    result[lanes] = array[tuple(place[lanes] for place in index)]
    return result


def take(values: Values, index: Values, axis: int) -> Values:
    """Elements along an axis at an index, zero where it is outside."""
    inside = (index >= 0) & (index < values.shape[axis])
    taken = np.take_along_axis(values, np.where(inside, index, 0), axis)
    return np.where(inside, taken, np.zeros((), values.dtype))


def scatter(
    array: Values, index: Sequence[Values], lanes: npt.NDArray[np.bool_], value: Values
) -> None:
    """Write elements at the active lanes; the last lane wins."""
    array[tuple(place[lanes] for place in index)] = value[lanes]


def update(
    array: Values,
    index: Sequence[Values],
    lanes: npt.NDArray[np.bool_],
    pad: Values,
    operands: Sequence[Values],
    change: Callable[..., Values],
) -> Values:
    """Replace elements by `change(old, *operands)`, lane after lane; return what was there."""
    found = np.full(lanes.shape, pad, dtype=array.dtype)
    places = [place[lanes] for place in index]
    values = [operand[lanes] for operand in operands]
    if _distinct(places, array.shape):
        old = np.array(array[tuple(places)])
        array[tuple(places)] = change(old, *values)
        found[lanes] = old
        return found
    previous = np.empty(int(lanes.sum()), dtype=array.dtype)
    for lane in range(previous.size):
        place = tuple(int(axis[lane]) for axis in places)
        old = np.array(array[place])
        previous[lane] = old
        array[place] = change(old, *(np.array(value[lane]) for value in values))
    found[lanes] = previous
    return found


def _distinct(places: list[Values], sizes: tuple[int, ...]) -> bool:
    """Whether no two lanes name one element."""
    if not places:
        return False
    flat = np.ravel_multi_index(tuple(places), sizes) if places[0].size else places[0]
    return np.unique(flat).size == flat.size
