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


def starts(index: Sequence[int], shape: tuple[int, ...], elements: bool) -> list[int]:
    """Where a block begins, from an index that counts tiles or elements.

    Python integers do not wrap.
    """
    return [i if elements else i * extent for i, extent in zip(index, shape, strict=True)]


def part(
    array: Values,
    starts: Sequence[int],
    sizes: Sequence[int],
    dims: tuple[int, ...],
    steps: tuple[int, ...],
) -> Values:
    """A strided part of an array as a view; see :meth:`tegula._backend.Backend.subview`."""
    if 0 in sizes:
        # Sizes as given; an array without elements has no memory to share.
        empty = np.empty(tuple(sizes), array.dtype)
        empty.flags.writeable = array.flags.writeable
        return empty
    key: list[slice | int] = list(starts)
    for dim, size, step in zip(dims, sizes, steps, strict=True):
        last = starts[dim] + (size - 1) * step
        stop = last + (1 if step > 0 else -1)
        key[dim] = slice(starts[dim], None if stop < 0 else stop, step)
    kept = sorted(dims)
    return array[tuple(key)].transpose([kept.index(dim) for dim in dims])


def load(array: Values, starts: Sequence[int], shape: tuple[int, ...], pad: Values) -> Values:
    """The block that begins at an element, `pad` outside the array."""
    result = np.full(shape, pad, dtype=array.dtype)
    inside, block = _overlap(array.shape, starts, shape)
    result[block] = array[inside]
    return result


def store(array: Values, starts: Sequence[int], value: Values) -> None:
    """Write the part of a block that is inside the array."""
    inside, block = _overlap(array.shape, starts, value.shape)
    array[inside] = value[block]


def _overlap(
    sizes: tuple[int, ...], starts: Sequence[int], shape: tuple[int, ...]
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Where a block meets an array: slices of the array, and of the block."""
    inside: list[slice] = []
    block: list[slice] = []
    for size, start, extent in zip(sizes, starts, shape, strict=True):
        first, last = max(start, 0), min(start + extent, size)
        if first >= last:
            start = first = last = 0
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
