# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions along axes, with NumPy's names, promotion and NaN rules.

Float16, bfloat16 and fp8 add up in float32.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from math import prod as _product
from typing import TypeAlias, overload

from tegula._show import show
from tegula.errors import ArgumentError
from tegula.lang import _check, _operands, dtypes, elementwise, math, promotion, shape
from tegula.lang._combine import Combiner, check_operands, checked_combine
from tegula.lang._operands import TileLike
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile

Axis: TypeAlias = int | Sequence[int] | None


def sum(x: TileLike, axis: Axis = None, dtype: DType | None = None, keepdims: bool = False) -> Tile:
    """The sum along axes, all of them by default.

    Integers and booleans add up in 64 bits and wrap there, unless a dtype is given.

    Args:
        x: tile.
        axis: an axis, several, or None.
        dtype: dtype to add up in, and of the result.
        keepdims: keep reduced axes with extent 1.

    Raises:
        ArgumentError: an axis is outside the rank or named twice.
    """
    return _accumulate("sum", "add", x, axis, dtype, keepdims)


def prod(
    x: TileLike, axis: Axis = None, dtype: DType | None = None, keepdims: bool = False
) -> Tile:
    """The product along axes. Arguments, dtype and errors as :func:`sum`."""
    return _accumulate("prod", "mul", x, axis, dtype, keepdims)


def max(x: TileLike, axis: Axis = None, keepdims: bool = False) -> Tile:
    """The largest element along axes; NaN if there is one. Arguments and errors as :func:`sum`."""
    return _extreme("max", "max", "or", x, axis, keepdims)


def min(x: TileLike, axis: Axis = None, keepdims: bool = False) -> Tile:
    """The smallest element along axes; NaN if there is one. Arguments and errors as :func:`sum`."""
    return _extreme("min", "min", "and", x, axis, keepdims)


def any(x: TileLike, axis: Axis = None, keepdims: bool = False) -> Tile:
    """Whether some element along axes is not 0. Arguments and errors as :func:`sum`."""
    return _reduce("any", "or", elementwise.as_bool(_operands.tile("any", x)), axis, keepdims)


def all(x: TileLike, axis: Axis = None, keepdims: bool = False) -> Tile:
    """Whether no element along axes is 0. Arguments and errors as :func:`sum`."""
    return _reduce("all", "and", elementwise.as_bool(_operands.tile("all", x)), axis, keepdims)


def argmax(x: TileLike, axis: int | None = None, keepdims: bool = False) -> Tile:
    """The int64 index of the largest element: the lowest on ties, the first NaN if there is one.

    Args:
        x: tile.
        axis: an axis, or None for the index in row-major order of the whole tile.
        keepdims: keep reduced axes with extent 1.

    Raises:
        ArgumentError: the axis is outside the rank.
    """
    return _arg("argmax", "max", x, axis, keepdims)


def argmin(x: TileLike, axis: int | None = None, keepdims: bool = False) -> Tile:
    """The int64 index of the smallest element.

    Arguments, ties, NaN and errors as :func:`argmax`.
    """
    return _arg("argmin", "min", x, axis, keepdims)


def mean(x: TileLike, axis: Axis = None, keepdims: bool = False) -> Tile:
    """The mean along axes, float64 for integers. Arguments and errors as :func:`sum`."""
    value, dtype = _widened("mean", x)
    return _operands.cast(_mean(value, axis, keepdims), dtype)


def var(x: TileLike, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Tile:
    """The variance along axes: the mean of `(x - mean(x)) ** 2`, over n - ddof.

    Other arguments and errors as :func:`sum`.

    Raises:
        ArgumentError: `ddof` is not below the number of elements.
    """
    value, dtype = _widened("var", x)
    return _operands.cast(_variance("var", value, axis, ddof, keepdims), dtype)


def std(x: TileLike, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Tile:
    """The square root of :func:`var`."""
    value, dtype = _widened("std", x)
    return _operands.cast(math.sqrt(_variance("std", value, axis, ddof, keepdims)), dtype)


@overload
def reduce(tiles: Tile, axis: int, fn: Combiner) -> Tile: ...
@overload
def reduce(tiles: Sequence[Tile], axis: int, fn: Combiner) -> tuple[Tile, ...]: ...
def reduce(tiles: Tile | Sequence[Tile], axis: int, fn: Combiner) -> Tile | tuple[Tile, ...]:
    """Combine the elements along one axis with a function of your own.

    Args:
        tiles: a tile, or a sequence of tiles of one shape that reduce together.
        axis: the axis to drop.
        fn: `fn(left, right)` for one tile, `fn(left0, left1, ..., right0, right1, ...)` for
            several: scalars in, as many
            scalars of the same dtypes out. It must be associative; it need not be commutative,
            elements keep their order.

    Returns:
        A tile, or a tuple of them as `tiles`.

    Raises:
        ShapeError: the shapes differ, or `fn` does not return scalars.
        TileTypeError: `fn` returns another number of values or other dtypes.
        ArgumentError: the axis is outside the rank.
    """
    values, place = check_operands("reduce", tiles, axis)
    combine = checked_combine("reduce", fn, [value.dtype for value in values])
    handles = values[0].owner.reduce_custom(values, place, combine)
    rest = values[0].shape[:place] + values[0].shape[place + 1 :]
    results = tuple(Tile(h, v.dtype, rest, of=(v,)) for h, v in zip(handles, values, strict=True))
    return results[0] if isinstance(tiles, Tile) else results


def _accumulate(
    op: str, kind: str, x: TileLike, axis: Axis, dtype: DType | None, keepdims: bool
) -> Tile:
    value = _operands.tile(op, x)
    target = promotion.sum_dtype(value.dtype) if dtype is None else dtypes.as_dtype(dtype)
    if target is dtypes.bool_:
        return elementwise.as_bool(
            _reduce(
                op, "or" if kind == "add" else "and", elementwise.as_bool(value), axis, keepdims
            )
        )
    working = dtypes.float32 if target.is_float and target.itemsize < 4 else target
    return _operands.cast(_reduce(op, kind, _operands.cast(value, working), axis, keepdims), target)


def _extreme(op: str, kind: str, on_bool: str, x: TileLike, axis: Axis, keepdims: bool) -> Tile:
    value = _operands.tile(op, x)
    kind = on_bool if value.dtype is dtypes.bool_ else kind
    working = dtypes.float32 if value.dtype.is_fp8 else value.dtype
    return _operands.cast(
        _reduce(op, kind, _operands.cast(value, working), axis, keepdims), value.dtype
    )


def _reduce(op: str, kind: str, value: Tile, axis: Axis, keepdims: bool) -> Tile:
    places = _check.axes(op, axis, len(value.shape))
    result = value
    for place in reversed(places):
        rest = result.shape[:place] + result.shape[place + 1 :]
        result = Tile(result.owner.reduce(kind, result, place), result.dtype, rest, of=(result,))
    return _restore(result, value, places) if keepdims else result


def _restore(result: Tile, value: Tile, places: tuple[int, ...]) -> Tile:
    return shape.reshape(result, tuple(1 if i in places else n for i, n in enumerate(value.shape)))


def _arg(op: str, kind: str, x: TileLike, axis: int | None, keepdims: bool) -> Tile:
    value = _operands.tile(op, x)
    if value.dtype is dtypes.bool_ or value.dtype.is_fp8:
        value = _operands.cast(
            value, dtypes.uint8 if value.dtype is dtypes.bool_ else dtypes.float32
        )
    if axis is None:
        flat = shape.reshape(value, (-1,))
        result = Tile(value.owner.arg_reduce(kind, flat, 0), dtypes.int64, ())
        return _restore(result, value, tuple(range(len(value.shape)))) if keepdims else result
    place = _check.axis(op, axis, len(value.shape))
    rest = value.shape[:place] + value.shape[place + 1 :]
    result = Tile(value.owner.arg_reduce(kind, value, place), dtypes.int64, rest)
    return _restore(result, value, (place,)) if keepdims else result


def _widened(op: str, x: TileLike) -> tuple[Tile, DType]:
    """The operand in the dtype that a mean works in, and the dtype of its result."""
    value = _operands.tile(op, x)
    dtype = value.dtype if value.dtype.is_float else dtypes.float64
    return _operands.cast(value, dtypes.float32 if dtype.itemsize < 4 else dtype), dtype


def _mean(value: Tile, axis: Axis, keepdims: bool) -> Tile:
    return _reduce("mean", "add", value, axis, keepdims) / _count("mean", value, axis)


def _variance(op: str, value: Tile, axis: Axis, ddof: int, keepdims: bool) -> Tile:
    count = _count(op, value, axis)
    if not isinstance(ddof, int) or ddof >= count:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(
            f"{op}: ddof must be an integer below the {count} elements, not {show(ddof)}",
            argument="ddof",
            help="use 0 for the variance of these values, 1 for an estimate from a sample",
        )
    deviation = value - _mean(value, axis, keepdims=True)
    return _reduce(op, "add", deviation * deviation, axis, keepdims) / (count - ddof)


def _count(op: str, value: Tile, axis: Axis) -> int:
    return _product(builtins.list(value.shape[i] for i in _check.axes(op, axis, len(value.shape))))
