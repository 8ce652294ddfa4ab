# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running combinations along an axis.

Element `i` of the result combines elements 0 to `i`, or with `reverse` elements `i` to the last,
always in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from tegula.lang import _check, _operands, dtypes, promotion, shape
from tegula.lang._combine import Combiner, check_operands, checked_combine
from tegula.lang._operands import TileLike
from tegula.lang.tile import Tile


def cumsum(x: TileLike, axis: int | None = None, reverse: bool = False) -> Tile:
    """Running sums. Integers and booleans add up in 64 bits; float16, bfloat16 and fp8 in float32.

    Args:
        x: tile.
        axis: the axis to run along; None flattens the tile first.
        reverse: run from the end.

    Raises:
        ArgumentError: the axis is outside the rank.
    """
    return _running("cumsum", "add", x, axis, reverse)


def cumprod(x: TileLike, axis: int | None = None, reverse: bool = False) -> Tile:
    """Running products. Arguments, dtype and errors as :func:`cumsum`."""
    return _running("cumprod", "mul", x, axis, reverse)


def _running(op: str, kind: str, x: TileLike, axis: int | None, reverse: bool) -> Tile:
    value = _operands.tile(op, x)
    if axis is None:
        value, axis = shape.reshape(value, (-1,)), 0
    place = _check.axis(op, axis, len(value.shape))
    target = promotion.sum_dtype(value.dtype)
    working = dtypes.float32 if target.is_float and target.itemsize < 4 else target
    wide = _operands.cast(value, working)
    handle = wide.owner.scan(kind, wide, place, bool(reverse))
    return _operands.cast(Tile(handle, working, wide.shape, of=(wide,)), target)


@overload
def scan(tiles: Tile, axis: int, fn: Combiner, reverse: bool = False) -> Tile: ...
@overload
def scan(
    tiles: Sequence[Tile], axis: int, fn: Combiner, reverse: bool = False
) -> tuple[Tile, ...]: ...
def scan(
    tiles: Tile | Sequence[Tile], axis: int, fn: Combiner, reverse: bool = False
) -> Tile | tuple[Tile, ...]:
    """Running combinations with a function of your own.

    Args:
        tiles: a tile, or a sequence of tiles of one shape that scan together.
        axis: the axis to run along.
        fn: `fn(left, right)` for one tile, `fn(left0, left1, ..., right0, right1, ...)` for
            several: scalars in, as many
            scalars of the same dtypes out. It must be associative; it need not be commutative,
            elements keep their order.
        reverse: run from the end; the running value is then the right operand.

    Returns:
        A tile, or a tuple of them as `tiles`, of the same shape.

    Raises:
        ShapeError: the shapes differ, or `fn` does not return scalars.
        TileTypeError: `fn` returns another number of values or other dtypes.
        ArgumentError: the axis is outside the rank.
    """
    values, place = check_operands("scan", tiles, axis)
    combine = checked_combine("scan", fn, [value.dtype for value in values])
    handles = values[0].owner.scan_custom(values, place, bool(reverse), combine)
    results = tuple(
        Tile(h, v.dtype, v.shape, of=(v,)) for h, v in zip(handles, values, strict=True)
    )
    return results[0] if isinstance(tiles, Tile) else results
