# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Static parts of a tile: slices, single positions, mirrors, rotations.

Halves and every second element are taken apart by reshape and split, which move nothing on targets
that spread a tile over lanes; all else picks elements by an index tile that is a plain sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, cast

from tegula._show import show
from tegula.errors import ShapeError, TileTypeError, TracedValueError
from tegula.lang import _check, _operands, creation, dtypes, elementwise, shape
from tegula.lang._describe import describe, made_at
from tegula.lang._operands import TileLike
from tegula.lang.tile import Tile


def index(x: Tile, key: object) -> Tile:
    """What `x[...]` does: slices and integers that are known when the kernel is compiled.

    `start:stop:step` keeps every step-th element, counted as in Python (negative bounds from the
    end, a negative step backwards); an integer picks one position and drops its axis; `None` adds
    an axis of extent 1; `...` stands for the axes not mentioned.

    Raises:
        TracedValueError: a bound is a run-time value.
        TileTypeError: the key is something else, for example a mask.
        ShapeError: more axes than there are, nothing is left, or an integer is out of range.
    """
    value = _operands.tile("[]", x)
    items = _spell_out(value, key)
    extents: list[int] = []
    axis = 0
    for item in items:
        if item is None:
            extents.append(1)
        elif isinstance(item, slice):
            value = take_range(value, axis, _range(value, axis, item))
            extents.append(value.shape[axis])
            axis += 1
        else:
            position = _position(value, axis, item)
            value = take_range(value, axis, range(position, position + 1))
            axis += 1
    return shape.reshape(value, extents) if extents or value.shape else value


def _spell_out(value: Tile, key: object) -> list[slice | int | None]:
    """One item for each axis of the tile, and the Nones between them."""
    given = cast(tuple[object, ...], key) if isinstance(key, tuple) else (key,)
    items: list[slice | int | None] = []
    named = sum(1 for item in given if item is not None and item is not Ellipsis)
    if named > value.ndim:
        raise ShapeError(
            f"[]: {named} indices, but {describe(value)} has rank {value.ndim}",
            notes=[made_at(value)],
            help="give one slice or integer for each axis at most; None adds an axis",
        )
    rest: list[slice | int | None] = [slice(None)] * (value.ndim - named)
    for item in given:
        if item is Ellipsis:
            items += rest
            rest = []
        elif item is None or isinstance(item, slice):
            items.append(cast("slice[Any, Any, Any] | None", item))
        else:
            items.append(_integer(value, item))
    return items + rest


def _integer(value: Tile, item: object) -> int:
    """A static integer of a key.

    Raises:
        TracedValueError: it is a run-time scalar.
        TileTypeError: it is anything else.
    """
    if isinstance(item, Tile) and item.shape == () and item.dtype.is_int:
        raise TracedValueError(
            f"[]: an index of a tile must be known when the kernel is compiled, but "
            f"{describe(item)} is a run-time value",
            notes=[made_at(item), made_at(value)],
            help="pick by run-time positions with tg.take_along_axis(x, indices, axis), or load "
            "the element from the array with tg.gather",
        )
    if isinstance(item, bool) or not hasattr(item, "__index__") or isinstance(item, Tile):
        _refuse_key(value, item)
    return _check.static_int("[]", item, "an index")


def _refuse_key(value: Tile, item: object) -> NoReturn:
    shown = describe(item) if isinstance(item, Tile) else show(item)
    raise TileTypeError(
        f"[]: {describe(value)} takes slices, integers, None and `...`, not {shown}",
        notes=[made_at(value)],
        help="choose by a mask with tg.where(mask, x, 0); pick by index tiles with "
        "tg.take_along_axis(x, indices, axis)",
    )


def _range(value: Tile, axis: int, item: slice) -> range:
    """The positions that a slice names.

    Raises:
        ShapeError: none, or the step is 0.
        TracedValueError, TileTypeError: a bound is not a static integer.
    """
    bounds = [
        None if bound is None else _integer(value, bound)
        for bound in (item.start, item.stop, item.step)
    ]
    if bounds[2] == 0:
        raise ShapeError(
            "[]: the step of a slice must not be 0",
            notes=[made_at(value)],
            help="use a positive step, or a negative one to go backwards: x[::-1]",
        )
    found = range(*slice(*bounds).indices(value.shape[axis]))
    if not found:
        shown = ":".join("" if bound is None else str(bound) for bound in bounds)
        raise ShapeError(
            f"[]: the slice {shown} keeps nothing of axis {axis}, whose extent is "
            f"{value.shape[axis]}",
            notes=[made_at(value)],
            help=f"a tile has at least one element along each axis: choose bounds from 0 to "
            f"{value.shape[axis]}",
        )
    return found


def _position(value: Tile, axis: int, item: int) -> int:
    extent = value.shape[axis]
    if not -extent <= item < extent:
        raise ShapeError(
            f"[]: index {item} is out of range for axis {axis}, whose extent is {extent}",
            notes=[made_at(value)],
            help=f"positions go from 0 to {extent - 1}, or from -{extent} backwards",
        )
    return item % extent


def take_range(value: Tile, axis: int, places: range) -> Tile:
    """The elements at static positions along one axis; `places` is not empty and within it."""
    while len(places) < value.shape[axis] and value.shape[axis] % 2 == 0:
        half = value.shape[axis] // 2
        if max(places) < half or min(places) >= half:
            upper = min(places) >= half
            value = _pick(value, axis, (2, half), 0, upper)
            places = range(places.start - half * upper, places.stop - half * upper, places.step)
        elif places.step % 2 == 0:
            odd = places.start % 2
            value = _pick(value, axis, (half, 2), 1, bool(odd))
            places = range(places.start // 2, places.start // 2 + _steps(places), places.step // 2)
        else:
            break
    if places == range(value.shape[axis]):
        return value
    return _take(value, axis, _sequence(places))


def _steps(places: range) -> int:
    """What `range` needs to be added to a halved start for as many steps."""
    return len(places) * (places.step // 2)


def _pick(value: Tile, axis: int, pair: tuple[int, int], which: int, upper: bool) -> Tile:
    """One of the two parts that an axis, reshaped to `pair`, has along its dimension `which`."""
    outer, inner = value.shape[:axis], value.shape[axis + 1 :]
    lead, trail = _count(outer), _count(inner)
    parts = shape.reshape(value, (lead, *pair, trail))
    order = (0, 2, 3, 1) if which == 0 else (0, 1, 3, 2)
    chosen = shape.split(shape.transpose(parts, order))[upper]
    return shape.reshape(chosen, (*outer, pair[1 - which], *inner))


def _count(extents: Sequence[int]) -> int:
    count = 1
    for extent in extents:
        count *= extent
    return count


def _sequence(places: range) -> Tile:
    if len(places) == 1:
        return creation.full(1, places[0], dtypes.int32)
    return creation.arange(places.start, places.stop, places.step, dtypes.int32)


def _take(value: Tile, axis: int, places: Tile) -> Tile:
    """Elements at the positions of a rank-1 tile, all of them within the axis."""
    extents = [1] * value.ndim
    extents[axis] = places.size
    wanted = (*value.shape[:axis], places.size, *value.shape[axis + 1 :])
    spread = _operands.stretch(shape.reshape(places, extents), wanted)
    return Tile(value.owner.take(value, spread, axis), value.dtype, wanted, of=(value,))


def flip(x: TileLike, axis: int | Sequence[int] | None = None) -> Tile:
    """Elements in reverse order along one axis, several, or (None) all.

    Raises:
        ArgumentError: an axis is out of range or named twice.
    """
    value = _operands.tile("flip", x)
    for place in _check.axes("flip", axis, value.ndim):
        value = take_range(value, place, range(value.shape[place] - 1, -1, -1))
    return value


def roll(x: TileLike, shift: TileLike, axis: int | None = None) -> Tile:
    """Elements moved by `shift` positions along an axis; what leaves one end enters at the other.

    Args:
        x: tile.
        shift: integer scalar, known when the kernel is compiled or not; negative moves backwards.
        axis: None rolls the tile as if it were flat, and keeps its shape.

    Raises:
        ArgumentError: the axis is out of range.
        TileTypeError: the shift is not an integer scalar.
    """
    value = _operands.tile("roll", x)
    if axis is None:
        if value.ndim < 2:
            return roll(value, shift, 0) if value.ndim else value
        return shape.reshape(roll(shape.reshape(value, (-1,)), shift, 0), value.shape)
    place = _check.axis("roll", axis, value.ndim)
    extent = value.shape[place]
    if isinstance(shift, Tile):
        amount = _amount(shift, extent)
        moved = creation.arange(extent) - amount
    else:
        static = _check.static_int("roll", shift, "the shift", "shift") % extent
        if static == 0:
            return value
        moved = creation.arange(-static, extent - static, 1, dtypes.int32)
    return _take(value, place, elementwise.where(moved < 0, moved + extent, moved))


def _amount(shift: Tile, extent: int) -> Tile:
    """A run-time shift as an int64 scalar from 0 to extent - 1."""
    if shift.shape != () or not shift.dtype.is_int:
        raise TileTypeError(
            f"roll: the shift must be an integer scalar, not {describe(shift)}",
            notes=[made_at(shift)],
            argument="shift",
            help="use // for a whole quotient, or convert with .astype(tg.int64)",
        )
    wide = shift if shift.dtype is dtypes.uint64 else _operands.cast(shift, dtypes.int64)
    return _operands.cast(elementwise.remainder(wide, extent), dtypes.int64)
