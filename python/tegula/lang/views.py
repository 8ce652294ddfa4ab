# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of arrays as views of their own: slices, single positions along an axis, transposition.

A view knows its sizes and its steps through memory, as the array does, and is loaded from, stored
to, gathered and sliced like one. Nothing is copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, cast

from tegula._show import show
from tegula.errors import ArgumentError, ShapeError, TileTypeError
from tegula.lang import _check, _operands, dtypes, elementwise
from tegula.lang._describe import describe, made_at
from tegula.lang.array import Array
from tegula.lang.tile import Tile

_MAX_STEP = (1 << 31) - 1


def index(a: Array, key: object) -> Array:
    """What `a[...]` does: slices and integers, known when the kernel is compiled or not.

    Bounds count as in NumPy: negative ones from the end, and slices stop at the edges. An integer
    drops its axis; outside the axis it gives a view without elements. Steps are static.

    Raises:
        ShapeError: more items than axes.
        TileTypeError: an item is neither, or every axis gets an integer.
        TracedValueError: a step is a run-time value.
    """
    items = _spell_out(a, key)
    if all(_is_whole(item) for item in items):
        return a
    shape = a.shape
    zero = _operands.constant("[]", 0, dtypes.int64)
    offsets: list[Tile] = []
    sizes: list[Tile] = []
    steps: list[int] = []
    dims: list[int] = []
    inside: Tile | None = None
    for axis, (item, size) in enumerate(zip(items, shape, strict=True)):
        if isinstance(item, slice):
            start, count, step = _bounds(a, cast("slice[Any, Any, Any]", item), size)
            offsets.append(start)
            sizes.append(count)
            steps.append(step)
            dims.append(axis)
        else:
            place, found = _position(a, item, size)
            offsets.append(place)
            inside = found if inside is None else inside & found
    if not dims:
        _single_elements(a)
    if inside is not None:
        sizes = [elementwise.where(inside, size, zero) for size in sizes]
    return _part(a, offsets, sizes, dims, steps)


def transpose(a: Array, axes: Sequence[int] | None = None) -> Array:
    """The array with its axes in another order: axis `i` is axis `axes[i]`. None reverses them.

    Raises:
        ArgumentError: `axes` is not a permutation of the axes.
    """
    if axes is None:
        order = tuple(reversed(range(a.ndim)))
    else:
        order = tuple(
            _check.axis("transpose", item, a.ndim, "axes") for item in _check.sequence(axes)
        )
    if sorted(order) != list(range(a.ndim)):
        raise ArgumentError(
            f"transpose: axes {tuple(_check.sequence(axes))} are not a permutation of the {a.ndim} "
            f"axes of {a.name!r}",
            help=f"name each of 0 to {a.ndim - 1} once",
        )
    if order == tuple(range(a.ndim)):
        return a
    zero = _operands.constant("transpose", 0, dtypes.int64)
    shape = a.shape
    return _part(a, [zero] * a.ndim, [shape[axis] for axis in order], order, [1] * a.ndim)


def _part(
    a: Array,
    offsets: Sequence[Tile],
    sizes: Sequence[Tile],
    dims: Sequence[int],
    steps: Sequence[int],
) -> Array:
    handle = a.owner.subview(a, offsets, sizes, tuple(dims), tuple(steps))
    return Array(handle, a.dtype, len(dims), name=a.name, origin=a.origin, base=a)


def _spell_out(a: Array, key: object) -> list[object]:
    """One slice or integer for each axis."""
    given = cast(tuple[object, ...], key) if isinstance(key, tuple) else (key,)
    named = sum(1 for item in given if item is not Ellipsis)
    if named > a.ndim:
        raise ShapeError(
            f"[]: {named} indices, but {a.name!r} has rank {a.ndim}",
            help="give one slice or integer for each axis at most",
        )
    items: list[object] = []
    rest: list[object] = [slice(None)] * (a.ndim - named)
    for item in given:
        if item is Ellipsis:
            items += rest
            rest = []
        else:
            items.append(item)
    return items + rest


def _is_whole(item: object) -> bool:
    """Whether an item is `:`. Bounds may be tiles, which do not compare to a truth."""
    if not isinstance(item, slice):
        return False
    bounds = cast("slice[Any, Any, Any]", item)
    return bounds.start is None and bounds.stop is None and bounds.step is None


def _single_elements(a: Array) -> NoReturn:
    name = a.name or "a"
    raise TileTypeError(
        f"[]: an integer for each axis of {name!r} names a single element, not a part",
        help=f"read it with tg.gather({name}, indices), write it with tg.scatter, or keep an axis: "
        f"{name}[i:i + 1]",
    )


def _bounds(a: Array, item: slice[Any, Any, Any], size: Tile) -> tuple[Tile, Tile, int]:
    """The first position of a slice, how many there are, and their distance."""
    step = 1 if item.step is None else _step(a, item.step)
    zero = _operands.constant("[]", 0, dtypes.int64)
    if step > 0:
        start = zero if item.start is None else _clamp(a, item.start, size, zero, size)
        stop = size if item.stop is None else _clamp(a, item.stop, size, zero, size)
        way = stop - start
    else:
        last, before = size - 1, zero - 1
        start = last if item.start is None else _clamp(a, item.start, size, before, last)
        stop = before if item.stop is None else _clamp(a, item.stop, size, before, last)
        way = start - stop
    distance = abs(step)
    count = way if distance == 1 else (way + (distance - 1)) // distance
    return start, elementwise.maximum(count, 0), step


def _step(a: Array, value: object) -> int:
    step = _check.static_int("[]", value, "the step of a slice")
    if step == 0 or abs(step) > _MAX_STEP:
        raise ShapeError(
            f"[]: the step of a slice of {a.name!r} must not be 0 nor beyond {_MAX_STEP}, got "
            f"{step}",
            help=f"use a positive step, or a negative one to go backwards: {a.name or 'a'}[::-1]",
        )
    return step


def _clamp(a: Array, value: object, size: Tile, low: Tile, high: Tile) -> Tile:
    """A bound as Python takes it: counted from the end if negative, then brought to the edges."""
    bound = _integer(a, value)
    counted = elementwise.where(bound < 0, bound + size, bound)
    return elementwise.minimum(elementwise.maximum(counted, low), high)


def _position(a: Array, value: object, size: Tile) -> tuple[Tile, Tile]:
    """A position along an axis, and whether there is one."""
    given = _integer(a, value)
    place = elementwise.where(given < 0, given + size, given)
    return place, (place >= 0) & (place < size)


def _integer(a: Array, value: object) -> Tile:
    """An int64 scalar.

    Raises:
        TileTypeError: it is something else.
    """
    found = None if isinstance(value, (slice, bool)) else value
    if isinstance(found, (Array, list, tuple)) or found is None or found is Ellipsis:
        _refuse(a, cast("object", value))
    given = _operands.operand("[]", found, "an index")
    if isinstance(given, (bool, float)) or (
        isinstance(given, Tile) and (given.shape != () or not given.dtype.is_int)
    ):
        _refuse(a, given)
    return _operands.coerce("[]", given, dtypes.int64)


def _refuse(a: Array, value: object) -> NoReturn:
    name = a.name or "a"
    shown = describe(value) if isinstance(value, Tile) else show(value)
    raise TileTypeError(
        f"[]: parts of the array {name!r} are named by slices and integers, not {shown}",
        notes=[made_at(value)] if isinstance(value, Tile) else (),
        help=f"read single elements by index tiles with tg.gather({name}, indices)",
    )
