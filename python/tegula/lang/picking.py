# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of a tile picked by position: by an index tile, by static slices, mirrored, rotated.

An index outside the axis is defined as for arrays: it gives a pad value.
"""

from __future__ import annotations

from tegula._show import show
from tegula.errors import ShapeError, TileTypeError
from tegula.lang import _check, _operands, compare, dtypes, elementwise
from tegula.lang._describe import describe, describe_given, made_at, made_at_given
from tegula.lang._operands import TileLike
from tegula.lang.tile import Tile


def take_along_axis(x: TileLike, indices: TileLike, axis: int, pad: TileLike = 0) -> Tile:
    """Elements picked along one axis: `result[.., i, ..] = x[.., indices[.., i, ..], ..]`.

    Args:
        x: a tile of rank 1 or more.
        indices: an integer tile of the rank of `x`; extents other than along `axis` are those of
            `x`, or 1 on either side (they broadcast).
        axis: the axis that the indices count along.
        pad: scalar of the dtype of `x`; what an index below 0 or past the end gives. Unlike
            NumPy's, negative indices do not count from the end.

    Returns:
        A tile with the dtype of `x` and the extent of `indices` along `axis`.

    Raises:
        ShapeError: the ranks differ, or the extents beside `axis` do not broadcast.
        TileTypeError: the indices are not integers, or `pad` does not fit the dtype.
        ArgumentError: `axis` is out of range.
    """
    op = "take_along_axis"
    value, places = _operands.tile(op, x), _operands.tile(op, indices, "indices")
    if not places.dtype.is_int:
        raise TileTypeError(
            f"{op}: indices must be integers, not {describe_given(places, indices)}",
            notes=made_at_given(places, indices),
            argument="indices",
            help="use // for a whole quotient, or convert with .astype(tg.int64)",
        )
    if places.ndim != value.ndim or not value.ndim:
        raise ShapeError(
            f"{op}: {describe(value)} has rank {value.ndim}, but the indices have rank "
            f"{places.ndim}",
            notes=[made_at(value), made_at(places)],
            help="indices have the rank of the tile; add axes with indices[:, None] or [None, :]",
        )
    place = _check.axis(op, axis, value.ndim)
    value, places = _beside(op, value, places, place)
    fill = _fill(op, value, pad)
    if places.dtype is not dtypes.int32:
        places = _operands.cast(_below_sign(places), dtypes.int64)
    taken = Tile(value.owner.take(value, places, place), value.dtype, places.shape, of=(value,))
    if fill is None:
        return taken
    inside = compare.logical_and(places >= 0, places < value.shape[place])
    return elementwise.where(inside, taken, fill)


def _below_sign(places: Tile) -> Tile:
    """Unsigned 64-bit indices past the signed range stay out of range."""
    if places.dtype is not dtypes.uint64:
        return places
    return elementwise.minimum(places, dtypes.int64.max)


def _beside(op: str, value: Tile, places: Tile, axis: int) -> tuple[Tile, Tile]:
    """Both tiles with common extents beside the axis.

    Raises:
        ShapeError: these do not broadcast.
    """
    shapes = (value.shape, places.shape)
    rest = [shape[:axis] + shape[axis + 1 :] for shape in shapes]
    if any(1 not in pair and pair[0] != pair[1] for pair in zip(*rest, strict=True)):
        raise ShapeError(
            f"{op}: the indices' shape {places.shape} differs from {describe(value)} of shape "
            f"{value.shape} in more than axis {axis}",
            notes=[made_at(value), made_at(places)],
            help="beside the axis, extents are equal or 1",
        )
    common = [max(pair) for pair in zip(*rest, strict=True)]

    def whole(shape: tuple[int, ...]) -> tuple[int, ...]:
        return _check.shape(op, (*common[:axis], shape[axis], *common[axis:]))

    return (
        _operands.stretch(value, whole(value.shape)),
        _operands.stretch(places, whole(places.shape)),
    )


def _fill(op: str, value: Tile, pad: TileLike) -> Tile | None:
    """The pad value in the dtype of the tile; None for the constant zero, which costs nothing."""
    if not isinstance(pad, Tile) and pad == 0 and str(pad)[0] != "-":
        return None
    given = _operands.operand(op, pad, "pad")
    dtype, _ = _operands.common_dtype(op, [value, given])
    if dtype is not value.dtype or (isinstance(given, Tile) and given.shape):
        shown = describe(given) if isinstance(given, Tile) else show(given)
        raise TileTypeError(
            f"{op}: pad {shown} is not a scalar that fits {value.dtype}",
            argument="pad",
            help=f"convert explicitly: tg.{value.dtype.name}({shown})",
        )
    return _operands.coerce(op, given, value.dtype)
