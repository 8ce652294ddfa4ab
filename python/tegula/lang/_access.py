# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every access to an array makes.

It is an array, the indices fit it, the value has its dtype.
"""

from __future__ import annotations

from tegula._show import show
from tegula.errors import Note, ShapeError, TileTypeError, note_at
from tegula.lang import _check, _operands, _widening, dtypes, promotion
from tegula.lang._describe import describe, describe_given, made_at, made_at_given
from tegula.lang.array import Array
from tegula.lang.tile import Tile


def array(op: str, value: object) -> Array:
    """Accept an array view of the running kernel.

    Raises:
        TileTypeError: it is something else.
    """
    current = _operands.backend(op)
    if not isinstance(value, Array):
        shown = (
            describe(value) if isinstance(value, Tile) else f"{type(value).__name__} {show(value)}"
        )
        raise TileTypeError(
            f"{op}: the first argument must be an array parameter of the kernel, not {shown}",
            notes=[made_at(value)] if isinstance(value, Tile) else (),
            argument="a",
            help="pass the array as a kernel argument; its parameter is the view to give here",
        )
    if value.owner is not current:
        raise TileTypeError(
            f"{op}: the array view {value.name!r} belongs to another run of a kernel",
            argument="a",
            help="pass the array as an argument of this kernel",
        )
    return value


def note(view: Array) -> Note | None:
    """A note that shows where an array parameter is declared."""
    if view.origin is None:
        return None
    return note_at(
        f"{view.name!r} is an array of {view.dtype}, rank {view.ndim}, declared here", view.origin
    )


def indices(op: str, view: Array, index: object, argument: str = "indices") -> list[Tile]:
    """One int64 tile or scalar for each dimension of a view; a rank-1 view may have a bare one.

    Raises:
        ShapeError: the number of indices is not the rank.
        TileTypeError: one is not an integer.
    """
    items = _check.sequence(index)
    if len(items) != view.ndim:
        example = ", ".join(["i", "j", "k", "l", "m", "n"][: view.ndim])
        raise ShapeError(
            f"{op}: {view.name!r} has rank {view.ndim}, but {len(items)} indices were given",
            notes=[note(view)],
            argument=argument,
            help=f"give one index for each dimension: ({example}{',' if view.ndim == 1 else ''})",
        )
    return [_integer(op, item, number, argument) for number, item in enumerate(items)]


def _integer(op: str, item: object, number: int, argument: str) -> Tile:
    value = _operands.operand(op, item, f"index {number}", argument)
    if isinstance(value, (bool, float)) or (isinstance(value, Tile) and not value.dtype.is_int):
        shown = describe(value) if isinstance(value, Tile) else show(value)
        raise TileTypeError(
            f"{op}: index {number} must be an integer, not {shown}",
            notes=[made_at(value)] if isinstance(value, Tile) else (),
            argument=argument,
            help="use // for a whole quotient, or convert with .astype(tg.int64)",
        )
    return _operands.coerce(op, value, dtypes.int64)


def scalar_indices(op: str, view: Array, index: object, argument: str, other: str) -> list[Tile]:
    """As :func:`indices`, scalars only.

    Raises:
        ShapeError: one is a tile.
    """
    found = indices(op, view, index, argument)
    for number, item in enumerate(found):
        if item.shape != ():
            raise ShapeError(
                f"{op}: index {number} must be a scalar, not a tile of shape {item.shape}",
                notes=[made_at(item)],
                argument=argument,
                help=f"tg.{op} moves one block at a tile index; for single elements use tg.{other}",
            )
    return found


def element(
    op: str, view: Array, value: object, what: str = "value", argument: str | None = None
) -> Tile:
    """A value in the dtype of a view. Python scalars adapt; tiles must have it already.

    Raises:
        TileTypeError: another dtype, or a float for an array of integers.
        ConstantRangeError: a constant that the dtype cannot hold.
    """
    given = _operands.operand(op, value, what, argument)
    if isinstance(given, Tile) and given.dtype is view.dtype:
        return _operands.cast(given, view.dtype)
    if isinstance(given, Tile) and not given.weak:
        raise TileTypeError(
            f"{op}: {what} {describe(given)} has dtype {given.dtype}, but the array {view.name!r} "
            f"has {view.dtype}",
            notes=[*_widening.history(given), note(view)],
            argument=argument or what,
            help=f"convert explicitly: .astype({view.name or 'a'}.dtype){_widening.edit(given)}",
        )
    if view.dtype is dtypes.bool_ and not isinstance(given, Tile) and given in (0, 1):
        return _operands.constant(op, given, view.dtype)
    rank = (
        promotion.kind_rank(given.dtype) if isinstance(given, Tile) else promotion.weak_kind(given)
    )
    if rank > promotion.kind_rank(view.dtype):
        shown = describe(given) if isinstance(given, Tile) else show(given)
        raise TileTypeError(
            f"{op}: {what} {shown} does not fit the array {view.name!r} of {view.dtype}",
            notes=[note(view)],
            argument=argument or what,
            help=f"convert explicitly: "
            f"tg.{view.dtype.name if view.dtype.kind != 'b' else 'bool_'}({shown})",
        )
    return _operands.coerce(op, given, view.dtype)


def scalar_element(op: str, view: Array, value: object, what: str) -> Tile:
    """As :func:`element`, a scalar.

    Raises:
        ShapeError: it is a tile.
    """
    given = element(op, view, value, what)
    if given.shape != ():
        raise ShapeError(
            f"{op}: {what} must be a scalar, not a tile of shape {given.shape}",
            notes=[made_at(given)],
            argument=what,
            help="load with a scalar pad, then choose with tg.where",
        )
    return given


def mask(op: str, value: object) -> Tile | None:
    """A boolean tile or scalar, or None.

    Raises:
        TileTypeError: another dtype.
    """
    if value is None:
        return None
    given = _operands.tile(op, value, "mask")
    if given.dtype is not dtypes.bool_:
        raise TileTypeError(
            f"{op}: a mask is a tile of bool, not {describe_given(given, value)}",
            notes=made_at_given(given, value),
            argument="mask",
            help="compare to get a mask, for example `offsets < n`; True and False do for all "
            "elements at once",
        )
    return _operands.cast(given, dtypes.bool_)
