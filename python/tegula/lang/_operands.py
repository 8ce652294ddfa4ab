# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every operation does with its operands first.

Accept, promote, broadcast, or explain why not.

Python scalars stay Python scalars until the dtype of the operation is known, so that a constant
that does not fit is caught and a backend sees constants of the final dtype only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, TypeAlias
from typing import cast as as_type

import numpy as np

from tegula import _backend
from tegula._backend import Backend
from tegula._show import show
from tegula.errors import (
    ConstantRangeError,
    Note,
    OutsideKernelError,
    ShapeError,
    TileTypeError,
    note_at,
)
from tegula.lang import _widening, dtypes, promotion
from tegula.lang._describe import describe, made_at
from tegula.lang._widening import Widening
from tegula.lang.array import Array
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile

Literal: TypeAlias = bool | int | float
Scalar: TypeAlias = bool | int | float | np.generic
TileLike: TypeAlias = Tile | bool | int | float | np.generic
Operand: TypeAlias = Tile | Literal
Shape: TypeAlias = tuple[int, ...]


def backend(op: str) -> Backend:
    """The backend in charge.

    Raises:
        OutsideKernelError: no kernel is being traced or interpreted.
    """
    current = _backend.current()
    if current is None:
        raise OutsideKernelError(
            f"tg.{op} works on tiles, which exist only inside a kernel",
            help="call it from a function decorated with @tg.kernel, or from a helper that such a "
            "kernel calls",
        )
    return current


def operand(op: str, value: object, what: str = "operand", argument: str | None = None) -> Operand:
    """Accept a tile or a scalar.

    A NumPy scalar becomes a tile of its dtype, a Python one stays as it is.

    Args:
        op: what to call the operation in an error.
        value: what was given.
        what: what to call it.
        argument: the name of its parameter, if `what` is another.

    Raises:
        TileTypeError: anything else.
    """
    if isinstance(value, Tile):
        if value.owner is not _backend.current():
            _foreign(op, value)
        return value
    if dtypes.is_numpy_scalar(value):
        return _numpy_scalar(op, value, what, argument or what)
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, np.ndarray):
        return _table(op, as_type("np.ndarray[Any, Any]", value), what, argument or what)
    _refuse(op, value, what, argument or what)


# Constants are part of the compiled kernel; more than this belongs in an argument.
_MAX_TABLE = 1 << 16


def _table(op: str, value: np.ndarray[Any, Any], what: str, argument: str) -> Tile:
    """A NumPy array of the program around the kernel as a constant tile.

    Raises:
        TileTypeError: tiles do not support its dtype.
        ShapeError: it is empty, or too large for a constant.
    """
    dtype = dtypes.from_numpy(value.dtype)
    if dtype is None:
        raise TileTypeError(
            f"{op}: {what} has dtype {value.dtype}, which tiles do not support",
            argument=argument,
            help="convert it before the kernel, for example with .astype(np.float32)",
        )
    if not 0 < value.size <= _MAX_TABLE or value.ndim > 8:
        raise ShapeError(
            f"{op}: {what} is a NumPy array of shape {value.shape}, which cannot be a constant of "
            f"the kernel",
            argument=argument,
            help=f"constants have 1 to {_MAX_TABLE} elements; pass data as a kernel argument and "
            "tg.load it",
        )
    return Tile(backend(op).table(value, dtype), dtype, value.shape)


def _numpy_scalar(op: str, value: object, what: str, argument: str) -> Tile:
    number: Any = value
    dtype = dtypes.from_numpy(number.dtype)
    if dtype is None:
        raise TileTypeError(
            f"{op}: {what} has dtype {number.dtype}, which tiles do not support",
            argument=argument,
            help="convert it before the kernel, for example with float(...) or np.float32(...)",
        )
    # The scalars of ml_dtypes give themselves as items.
    item = float(number) if dtype.is_float else number.item()
    made = constant(op, item, dtype)
    if made.widened is not None:
        edit = "write float(...) or np.float32(...) of the NumPy scalar"
        made.widened = Widening(made.origin, "a NumPy scalar of float64 is in it", edit)
    return made


def _foreign(op: str, value: Tile) -> NoReturn:
    backend(op)
    raise TileTypeError(
        f"{op}: {describe(value)} belongs to another run of a kernel and cannot be used in this "
        f"one",
        notes=[made_at(value)],
        help="do not keep tiles in globals, attributes or closures between kernel calls; return or "
        "store them",
    )


def _refuse(op: str, value: object, what: str, argument: str) -> NoReturn:
    if isinstance(value, Array):
        name = value.name or "a"
        raise TileTypeError(
            f"{op}: {what} {name!r} is an array view ({value.dtype}, rank {value.ndim}), not a "
            f"tile",
            argument=argument,
            help=f"load a tile first: tg.load({name}, index, shape), or tg.gather({name}, indices)",
        )
    if isinstance(value, (list, tuple)):
        raise TileTypeError(
            f"{op}: {what} is a {type(as_type(object, value)).__name__}, not a tile or a number",
            argument=argument,
            help="pass data as a kernel argument and tg.load it, make a constant of it with "
            "np.array, or build it with tg.arange, tg.full, tg.where",
        )
    raise TileTypeError(
        f"{op}: {what} must be a tile or a number, not {_kind(value)}",
        argument=argument,
        help="operands are tiles, array elements loaded with tg.load, or Python and NumPy numbers",
    )


def _kind(value: object) -> str:
    return "None" if value is None else f"{type(value).__name__} {show(value)}"


def tile(op: str, value: object, what: str = "operand", argument: str | None = None) -> Tile:
    """Accept a tile or a scalar, a Python one as a weak constant. Arguments as :func:`operand`."""
    found = operand(op, value, what, argument)
    if isinstance(found, Tile):
        return found
    dtype = promotion.weak_default(promotion.weak_kind(found))
    return constant(op, found, dtype, weak=True)


def constant(op: str, value: Literal, dtype: DType, *, weak: bool = False) -> Tile:
    """A scalar tile from a Python number, converted exactly or rounded once.

    Raises:
        ConstantRangeError: an integer outside the range of an integer dtype.
        TileTypeError: a float for an integer dtype.
    """
    if dtype.is_int:
        if isinstance(value, float):
            raise TileTypeError(
                f"{op}: the constant {value!r} is a float, but {dtype} is needed",
                help=f"write an integer, or convert explicitly: tg.{dtype}({value!r})",
            )
        value = int(value)
        if not dtype.min <= value <= dtype.max:
            raise ConstantRangeError(
                f"{op}: the constant {value} does not fit {dtype} ({dtype.min} to {dtype.max})",
                help=f"convert the other operand to a wider dtype with .astype(...), or wrap with "
                f"tg.{dtype}({value})",
            )
    elif dtype.is_float:
        value = _to_float(op, value)
    else:
        value = bool(value)
    return Tile(backend(op).constant(value, dtype), dtype, (), weak=weak)


def _to_float(op: str, value: Literal) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ConstantRangeError(
            f"{op}: the constant {show(value)} is too large for a float",
            help="use a number below 2**1024",
        ) from None


def cast(value: Tile, dtype: DType, *, weak: bool = False) -> Tile:
    """Convert a tile, or return it as it is."""
    if value.dtype is dtype and value.weak == weak:
        return value
    if value.dtype is dtype:
        return Tile(value.handle, dtype, value.shape, weak=weak, of=(value,))
    made = Tile(value.owner.cast(value, dtype), dtype, value.shape, weak=weak)
    if made.widened is not None and not value.weak:
        known = Widening(made.origin, f"{value.dtype} becomes float64")
        if value.dtype.is_float:
            known = known._replace(edit="keep float32 where float64 first appears")
        made.widened = known
    return made


def common_dtype(op: str, values: Sequence[Operand]) -> tuple[DType, bool]:
    """The promoted dtype of operands, and whether all of them are weak.

    Raises:
        PromotionError: they need an explicit conversion.
    """
    strong: DType | None = None
    first: Tile | None = None
    kind = 0
    for value in values:
        if not isinstance(value, Tile):
            kind = max(kind, promotion.weak_kind(value))
        elif value.weak:
            kind = max(kind, promotion.kind_rank(value.dtype))
        elif strong is None or first is None:
            strong, first = value.dtype, value
        elif strong is not value.dtype:
            combined = promotion.combine(strong, value.dtype)
            if combined is None:
                notes = (made_at(first), made_at(value))
                raise promotion.promotion_error(op, strong, value.dtype, notes)
            strong = combined
    if strong is None:
        return promotion.weak_default(kind), True
    return promotion.with_weak(strong, kind), False


def coerce(op: str, value: Operand, dtype: DType, *, weak: bool = False) -> Tile:
    """An operand as a tile of a dtype."""
    if isinstance(value, Tile):
        return cast(value, dtype, weak=weak and value.shape == ())
    return constant(op, value, dtype, weak=weak)


def promote(op: str, *values: Operand) -> tuple[list[Tile], DType, bool]:
    """Operands as tiles of one dtype and one shape; the dtype; whether the result is weak."""
    dtype, weak = common_dtype(op, values)
    tiles = [coerce(op, value, dtype, weak=weak) for value in values]
    if not weak:
        _widening.record(tiles, values)
    return broadcast(op, tiles, values), dtype, weak


def broadcast(op: str, tiles: Sequence[Tile], given: Sequence[Operand] = ()) -> list[Tile]:
    """Stretch tiles to their common shape, as NumPy does.

    Args:
        op: what to call the operation in an error.
        tiles: the operands, of one dtype.
        given: what the user wrote for them, to speak of in an error.

    Raises:
        ShapeError: extents differ and none of them is 1.
    """
    shape = tiles[0].shape
    if all(other.shape == shape for other in tiles):
        return list(tiles)
    shape = common_shape(op, tiles, given)
    return [stretch(value, shape) for value in tiles]


def common_shape(op: str, tiles: Sequence[Tile], given: Sequence[Operand] = ()) -> Shape:
    """The shape that tiles broadcast to."""
    rank = max(len(value.shape) for value in tiles)
    result = [1] * rank
    for value in tiles:
        for axis, extent in enumerate(value.shape, rank - len(value.shape)):
            if extent != result[axis] and extent != 1:
                if result[axis] != 1:
                    _no_common_shape(op, [x for x in given if isinstance(x, Tile)] or tiles)
                result[axis] = extent
    return tuple(result)


def _no_common_shape(op: str, tiles: Sequence[Tile]) -> NoReturn:
    shapes = " and ".join(str(value.shape) for value in tiles if value.shape)
    raise ShapeError(
        f"{op}: shapes {shapes} do not broadcast together",
        notes=[made_at(value) for value in tiles if value.shape],
        help="extents must be equal or 1, compared from the last axis; add axes with x[:, None] or "
        "x[None, :]",
    )


def stretch(value: Tile, shape: Shape) -> Tile:
    """Broadcast one tile to a shape that is known to fit."""
    if value.shape == shape:
        return value
    owner, dtype = value.owner, value.dtype
    if value.shape == ():
        made = Tile(owner.full(value, shape), dtype, shape, of=(value,))
        if value.weak and made.widened is not None:
            edit = "give a dtype to one of the numbers: tg.float32(0.5)"
            made.widened = Widening(made.origin, "Python floats alone give float64", edit)
        return made
    if len(value.shape) < len(shape):
        padded = (1,) * (len(shape) - len(value.shape)) + value.shape
        value = Tile(owner.reshape(value, padded), dtype, padded, of=(value,))
    if value.shape == shape:
        return value
    return Tile(owner.broadcast(value, shape), dtype, shape, of=(value,))


def made_here(value: Operand, role: str) -> Note | None:
    """A note that shows where an operand came from, or None for a constant."""
    if not isinstance(value, Tile):
        return None
    return note_at(f"{role} is {describe(value)}, made here", value.origin)
