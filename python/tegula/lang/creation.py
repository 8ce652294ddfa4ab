# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles made from nothing: constants and number sequences."""

from __future__ import annotations

from collections.abc import Sequence

from tegula.errors import ConstantRangeError, ShapeError
from tegula.lang import _check, _operands, dtypes
from tegula.lang._describe import made_at
from tegula.lang._operands import TileLike
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile


def zeros(shape: int | Sequence[int], dtype: DType) -> Tile:
    """A tile of zeros.

    Raises:
        TracedValueError, TileTypeError, ShapeError: an extent is not a static positive integer.
    """
    return full(shape, 0, dtype)


def ones(shape: int | Sequence[int], dtype: DType) -> Tile:
    """A tile of ones.

    Raises:
        TracedValueError, TileTypeError, ShapeError: an extent is not a static positive integer.
    """
    return full(shape, 1, dtype)


def full(shape: int | Sequence[int], value: TileLike, dtype: DType | None = None) -> Tile:
    """A tile whose elements all equal a scalar.

    Without a dtype, that of the value (int64 or float64 for a Python number). A run-time value is
    converted as by `astype`.

    Raises:
        TracedValueError, TileTypeError, ShapeError: an extent is not a static positive integer, or
        `value` is no scalar.
        ConstantRangeError: a Python integer does not fit the dtype.
    """
    extents = _check.shape("full", shape)
    scalar = _operands.operand("full", value, "value")
    if isinstance(scalar, Tile) and scalar.shape != ():
        raise ShapeError(
            f"full: value must be a scalar, not a tile of shape {scalar.shape}",
            notes=[made_at(scalar)],
            argument="value",
            help="use tg.broadcast_to(x, shape) to repeat a tile",
        )
    if dtype is None:
        target, _ = _operands.common_dtype("full", (scalar,))
    else:
        target = dtypes.as_dtype(dtype)
    return _operands.stretch(_operands.coerce("full", scalar, target), extents)


def zeros_like(x: Tile, dtype: DType | None = None) -> Tile:
    """Zeros of a tile's shape, and dtype unless another is given."""
    return full_like(x, 0, dtype)


def ones_like(x: Tile, dtype: DType | None = None) -> Tile:
    """Ones of a tile's shape, and dtype unless another is given."""
    return full_like(x, 1, dtype)


def full_like(x: Tile, value: TileLike, dtype: DType | None = None) -> Tile:
    """A scalar repeated in a tile's shape, and dtype unless another is given."""
    like = _operands.tile("full_like", x)
    return full(like.shape, value, like.dtype if dtype is None else dtype)


def arange(start: int, stop: int | None = None, step: int = 1, dtype: DType = dtypes.int64) -> Tile:
    """A 1-D tile start, start + step, ...

    Before stop; `arange(n)` counts from 0. All three are static integers.

    Raises:
        TracedValueError: a bound is a run-time value; write `start + tg.arange(n)`.
        ShapeError: the sequence is empty or longer than a tile may be.
        ConstantRangeError: a value does not fit the dtype.
    """
    # Of one bound, `start` is the end.
    bounds = {"start": start} if stop is None else {"start": start, "stop": stop}
    *begin, last = (
        _check.static_int("arange", bound, "a bound", name) for name, bound in bounds.items()
    )
    first = begin[0] if begin else 0
    stride = _check.static_int("arange", step, "the step", "step")
    if stride == 0:
        raise ShapeError(
            "arange: the step must not be 0",
            argument="step",
            help="use a positive step, or a negative one to count down",
        )
    values = range(first, last, stride)
    if not values:
        raise ShapeError(
            f"arange: no number from {first} before {last} in steps of {stride}; a tile has at "
            f"least one element",
            help="exchange start and stop, or the sign of the step",
        )
    (size,) = _check.shape("arange", len(values))
    return _sequence(values, size, dtypes.as_dtype(dtype))


def _sequence(values: range, size: int, dtype: DType) -> Tile:
    backend = _operands.backend("arange")
    if dtype.is_int and not (
        dtype.min <= min(values[0], values[-1]) and max(values[0], values[-1]) <= dtype.max
    ):
        raise ConstantRangeError(
            f"arange: values {values[0]} to {values[-1]} do not fit {dtype} ({dtype.min} to "
            f"{dtype.max})",
            argument="dtype",
            help="choose a wider dtype",
        )
    narrow = dtype.is_int and size - 1 <= dtype.max and dtype.min <= values.step <= dtype.max
    working = dtype if narrow else dtypes.int64
    result = Tile(backend.iota(size, working), working, (size,))
    if values.step != 1:
        result = result * values.step
    if values.start != 0:
        result = result + values.start
    return _operands.cast(result, dtype)
