# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that arrange elements without computing on them.

Element order is row-major throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NoReturn

from tegula._show import show
from tegula.errors import ArgumentError, ShapeError, TileTypeError
from tegula.lang import _check, _operands
from tegula.lang._describe import describe, made_at
from tegula.lang._operands import TileLike
from tegula.lang.tile import Tile


def reshape(x: TileLike, shape: int | Sequence[int]) -> Tile:
    """The same elements under another shape; one extent may be -1 and is computed.

    Raises:
        ShapeError: the element counts differ, or more than one extent is -1.
    """
    value = _operands.tile("reshape", x)
    wanted = list(_check.sequence(shape))
    free = [i for i, item in enumerate(wanted) if isinstance(item, int) and item == -1]
    if len(free) > 1:
        raise ShapeError(
            f"reshape: only one extent of {tuple(wanted)} may be -1",
            argument="shape",
            help="give all extents but one; -1 stands for what is left",
        )
    if free:
        rest = prod(
            _check.shape("reshape", [item for i, item in enumerate(wanted) if i != free[0]])
        )
        if value.size % rest:
            _bad_count(value, tuple(wanted))
        wanted[free[0]] = value.size // rest
    extents = _check.shape("reshape", wanted)
    if prod(extents) != value.size:
        _bad_count(value, extents)
    if extents == value.shape:
        return value
    return Tile(value.owner.reshape(value, extents), value.dtype, extents, of=(value,))


def _bad_count(value: Tile, wanted: tuple[int, ...]) -> NoReturn:
    raise ShapeError(
        f"reshape: {describe(value)} has {value.size} elements, which do not fill the shape "
        f"{wanted}",
        notes=[made_at(value)],
        argument="shape",
        help="keep the number of elements; one extent may be -1, which is then computed",
    )


def transpose(x: TileLike, axes: Sequence[int] | None = None) -> Tile:
    """Axes in another order: axis `i` of the result is axis `axes[i]` of `x`. None reverses them.

    Raises:
        ArgumentError: `axes` is not a permutation of the axes of `x`.
    """
    value = _operands.tile("transpose", x)
    rank = len(value.shape)
    if axes is None:
        order = tuple(reversed(range(rank)))
    else:
        order = tuple(
            _check.axis("transpose", item, rank, "axes") for item in _check.sequence(axes)
        )
        if sorted(order) != list(range(rank)):
            raise ArgumentError(
                f"transpose: axes {tuple(axes)} are not a permutation of the {rank} axes of "
                f"{describe(value)}",
                notes=[made_at(value)],
                argument="axes",
                help=f"name each of 0 to {rank - 1} once",
            )
    if order == tuple(range(rank)):
        return value
    shape = tuple(value.shape[i] for i in order)
    return Tile(value.owner.permute(value, order), value.dtype, shape, of=(value,))


def permute(x: TileLike, axes: Sequence[int]) -> Tile:
    """Another name of :func:`transpose`."""
    return transpose(x, axes)


def expand_dims(x: TileLike, axis: int | Sequence[int]) -> Tile:
    """Insert axes of extent 1 at positions of the result.

    Raises:
        ArgumentError: a position is outside the result's rank or given twice.
    """
    value = _operands.tile("expand_dims", x)
    added = _check.sequence(axis)
    rank = len(value.shape) + len(added)
    places = _check.axes("expand_dims", added, rank)
    rest = iter(value.shape)
    return reshape(value, tuple(1 if i in places else next(rest) for i in range(rank)))


def squeeze(x: TileLike, axis: int | Sequence[int] | None = None) -> Tile:
    """Drop axes of extent 1: the given ones, or all.

    Raises:
        ShapeError: a given axis has another extent.
    """
    value = _operands.tile("squeeze", x)
    if axis is None:
        return reshape(value, tuple(extent for extent in value.shape if extent != 1))
    dropped = _check.axes("squeeze", axis, len(value.shape))
    for place in dropped:
        if value.shape[place] != 1:
            raise ShapeError(
                f"squeeze: axis {place} of {describe(value)} has extent {value.shape[place]}, not "
                f"1",
                notes=[made_at(value)],
                argument="axis",
                help="only extents of 1 can be dropped; reduce the axis, for example with tg.sum",
            )
    return reshape(value, tuple(extent for i, extent in enumerate(value.shape) if i not in dropped))


def broadcast_to(x: TileLike, shape: int | Sequence[int]) -> Tile:
    """Repeat a tile along axes of extent 1 and along new leading axes.

    Raises:
        ShapeError: an extent is neither 1 nor that of `shape`.
    """
    value = _operands.tile("broadcast_to", x)
    extents = _check.shape("broadcast_to", shape)
    missing = len(extents) - len(value.shape)
    fits = missing >= 0 and all(
        have in (1, want) for have, want in zip(value.shape, extents[missing:], strict=True)
    )
    if not fits:
        raise ShapeError(
            f"broadcast_to: {describe(value)} does not broadcast to {extents}",
            notes=[made_at(value)],
            argument="shape",
            help="extents must be equal or 1, compared from the last axis; add axes with x[:, "
            "None]",
        )
    return _operands.cast(_operands.stretch(value, extents), value.dtype)


def join(x: TileLike, y: TileLike) -> Tile:
    """Two tiles, broadcast to one shape S, as one of shape S + (2,)."""
    (left, right), dtype, _ = _operands.promote(
        "join", _operands.operand("join", x), _operands.operand("join", y)
    )
    if not left.shape:  # backends join tiles of rank 1 and more
        return reshape(join(reshape(left, 1), reshape(right, 1)), 2)
    return Tile(left.owner.join(left, right), dtype, (*left.shape, 2), of=(left, right))


def split(x: Tile) -> tuple[Tile, Tile]:
    """The two halves of a tile of shape S + (2,), each of shape S; undoes :func:`join`.

    Raises:
        ShapeError: the last extent is not 2.
    """
    value = _operands.tile("split", x)
    if not value.shape or value.shape[-1] != 2:
        raise ShapeError(
            f"split: the last extent must be 2, but {describe(value)} has shape {value.shape}",
            notes=[made_at(value)],
            help="bring the pair to the last axis with reshape and transpose first",
        )
    if value.ndim == 1:
        low, high = split(reshape(value, (1, 2)))
        return reshape(low, ()), reshape(high, ())
    first, second = value.owner.split(value)
    shape = value.shape[:-1]
    one, other = (Tile(half, value.dtype, shape, of=(value,)) for half in (first, second))
    return one, other


def concatenate(tiles: Sequence[TileLike], axis: int = 0) -> Tile:
    """Tiles one after another along an axis; dtypes promote.

    Raises:
        ShapeError: ranks differ, or extents of another axis.
    """
    values = _several("concatenate", tiles)
    rank = len(values[0].shape)
    if rank == 0:
        raise ShapeError("concatenate: scalars have no axis to join along", help="use tg.stack")
    place = _check.axis("concatenate", axis, rank)
    for value in values[1:]:
        if (
            _without(value.shape, place) != _without(values[0].shape, place)
            or len(value.shape) != rank
        ):
            raise ShapeError(
                f"concatenate: shapes {values[0].shape} and {value.shape} differ outside axis "
                f"{place}",
                notes=[made_at(values[0]), made_at(value)],
                help="tiles that are concatenated have the same extents along every other axis",
            )
    return _concat(values, place)


def stack(tiles: Sequence[TileLike], axis: int = 0) -> Tile:
    """Tiles of one shape along a new axis; dtypes promote.

    Raises:
        ShapeError: the shapes differ.
    """
    values = _several("stack", tiles)
    for value in values[1:]:
        if value.shape != values[0].shape:
            raise ShapeError(
                f"stack: shapes {values[0].shape} and {value.shape} differ",
                notes=[made_at(values[0]), made_at(value)],
                help="stacked tiles have one shape; tg.concatenate joins along an axis",
            )
    rank = len(values[0].shape) + 1
    place = _check.axis("stack", axis, rank)
    if place == rank - 1 and len(values) == 2:
        return join(*values)
    return _concat([expand_dims(value, place) for value in values], place)


def _several(op: str, tiles: Sequence[TileLike]) -> list[Tile]:
    if not isinstance(tiles, (tuple, list)) or not tiles:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TileTypeError(
            f"{op}: give a non-empty tuple or list of tiles, not {show(tiles)}",
            argument="tiles",
            help=f"tg.{op}([x, y])",
        )
    operands = [_operands.operand(op, item, argument="tiles") for item in tiles]
    dtype, _ = _operands.common_dtype(op, operands)
    return [_operands.coerce(op, item, dtype) for item in operands]


def _without(shape: tuple[int, ...], place: int) -> tuple[int, ...]:
    return shape[:place] + shape[place + 1 :]


def _concat(values: list[Tile], place: int) -> Tile:
    if len(values) == 1:
        return values[0]
    shape = list(values[0].shape)
    shape[place] = sum(value.shape[place] for value in values)
    extents = _check.shape("concatenate", shape)
    return Tile(values[0].owner.concat(values, place), values[0].dtype, extents, of=values)
