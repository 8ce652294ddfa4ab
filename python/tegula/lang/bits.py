# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on the bits of integers; on booleans they are the logical ones."""

from __future__ import annotations

from tegula.errors import PromotionError, TileTypeError
from tegula.lang import _operands, dtypes
from tegula.lang._describe import made_at
from tegula.lang._operands import TileLike
from tegula.lang.elementwise import emit_binary, emit_unary
from tegula.lang.tile import Tile


def bitwise_and(x: TileLike, y: TileLike) -> Tile:
    """`x & y`.

    Raises:
        TileTypeError: an operand is a float.
    """
    return _bitwise("bitwise_and", "and", x, y)


def bitwise_or(x: TileLike, y: TileLike) -> Tile:
    """`x | y`.

    Raises:
        TileTypeError: an operand is a float.
    """
    return _bitwise("bitwise_or", "or", x, y)


def bitwise_xor(x: TileLike, y: TileLike) -> Tile:
    """`x ^ y`.

    Raises:
        TileTypeError: an operand is a float.
    """
    return _bitwise("bitwise_xor", "xor", x, y)


def left_shift(x: TileLike, y: TileLike) -> Tile:
    """`x << y`; an amount that is negative or at least the width gives 0.

    Raises:
        TileTypeError: an operand is a float.
    """
    return _bitwise("left_shift", "shl", x, y)


def right_shift(x: TileLike, y: TileLike) -> Tile:
    """`x >> y`, arithmetic for signed `x`.

    An amount that is negative or at least the width gives 0, or -1 if `x` < 0.

    Raises:
        TileTypeError: an operand is a float.
    """
    return _bitwise("right_shift", "shr", x, y)


def invert(x: TileLike) -> Tile:
    """`~x`; not, for booleans.

    Raises:
        TileTypeError: `x` is a float.
    """
    value = _operands.tile("invert", x)
    _check_integer("invert", value)
    return emit_unary("not", value)


def _bitwise(op: str, name: str, x: TileLike, y: TileLike) -> Tile:
    values = (_operands.operand(op, x), _operands.operand(op, y))
    for value in values:
        _check_integer(op, value)
    dtype, _ = _operands.common_dtype(op, values)
    if dtype.is_float:
        kinds = " and ".join(str(value.dtype) for value in values if isinstance(value, Tile))
        raise PromotionError(
            f"{op}: {kinds} have no common integer dtype",
            notes=[made_at(value) for value in values if isinstance(value, Tile)],
            help="convert one of them, for example .astype(tg.uint64)",
        )
    (left, right), dtype, weak = _operands.promote(op, *values)
    if dtype is dtypes.bool_ and name in ("shl", "shr"):
        wide = dtypes.int64 if weak else dtypes.int8
        left, right = (_operands.cast(side, wide, weak=weak) for side in (left, right))
    return emit_binary(name, left, right, weak)


def _check_integer(op: str, value: _operands.Operand) -> None:
    is_float = value.dtype.is_float if isinstance(value, Tile) else isinstance(value, float)
    if is_float:
        shown = f"a {value.dtype} tile" if isinstance(value, Tile) else f"the float {value!r}"
        raise TileTypeError(
            f"{op} needs integers or booleans, not {shown}",
            notes=[made_at(value)] if isinstance(value, Tile) else (),
            help="compare first (x > 0) for a mask, or reinterpret bits with x.view(tg.int32)",
        )
