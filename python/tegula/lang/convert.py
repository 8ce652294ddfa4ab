# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between dtypes: of tiles, and of numbers into typed scalars."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from tegula import _backend
from tegula._show import show
from tegula.errors import ShapeError, TileTypeError
from tegula.lang import _operands, dtypes
from tegula.lang._describe import made_at
from tegula.lang._operands import TileLike
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile


def astype(x: TileLike, dtype: DType) -> Tile:
    """Convert to a dtype, every case defined.

    Integers wrap; integers and floats to floats round once to nearest even, fp8 saturating; floats
    to integers truncate and saturate, NaN giving 0; to bool, whether not 0.

    Raises:
        TileTypeError: `dtype` is not a dtype.
    """
    return _operands.cast(_operands.tile("astype", x), dtypes.as_dtype(dtype))


def bitcast(x: TileLike, dtype: DType) -> Tile:
    """Reinterpret bits as a dtype of the same width.

    Raises:
        ShapeError: the widths differ.
        TileTypeError: exactly one of the two is bool, which has values only 0 and 1.
    """
    value = _operands.tile("view", x)
    target = dtypes.as_dtype(dtype)
    if target is value.dtype:
        return _operands.cast(value, target)
    if dtypes.bool_ in (target, value.dtype):
        raise TileTypeError(
            f"view: the bits of {value.dtype} cannot be reinterpreted as {target}",
            notes=[made_at(value)],
            argument="dtype",
            help=f"convert values with .astype({target!r})",
        )
    if target.itemsize != value.dtype.itemsize:
        raise ShapeError(
            f"view: {value.dtype} has {value.dtype.itemsize * 8} bits but {target} has "
            f"{target.itemsize * 8}",
            notes=[made_at(value)],
            argument="dtype",
            help=f"view needs equal widths; convert values with .astype({target!r})",
        )
    return Tile(value.owner.bitcast(value, target), target, value.shape)


def convert(value: TileLike, dtype: DType) -> Tile | np.generic:
    """What calling a DType does; see :meth:`tegula.lang.dtypes.DType.__call__`."""
    if isinstance(value, Tile):
        return astype(value, dtype)
    number = _wrap(_number(value, dtype), dtype)
    if _backend.current() is None:
        return _numpy_scalar(number, dtype)
    return _operands.constant(dtype.name, number, dtype)


_OPAQUE: tuple[Any, ...] = (
    np.longdouble,
    *(item.numpy.type for item in dtypes.ALL if item.numpy.type.__module__ != "numpy"),
)


def _number(value: object, dtype: DType) -> bool | int | float:
    number = cast(Any, value).item() if isinstance(value, np.generic) else cast(Any, value)
    # What has no number of Python's gives itself as its item.
    if isinstance(number, _OPAQUE):
        return float(number)
    if not isinstance(number, (bool, int, float)):
        raise TileTypeError(
            f"{dtype}: cannot convert {type(number).__name__} {show(number)}",
            help="pass a Python or NumPy number, or a tile",
        )
    return number


def _wrap(value: bool | int | float, dtype: DType) -> bool | int | float:
    """A Python number as `astype` would convert it, still as a Python number."""
    if dtype.kind == "b":
        return bool(value)
    if dtype.is_float:
        return float(value)
    if isinstance(value, float):
        if value != value:
            return 0
        return int(min(max(value, dtype.min), dtype.max))
    return (int(value) - dtype.min) % (1 << 8 * dtype.itemsize) + dtype.min


def _numpy_scalar(value: bool | int | float, dtype: DType) -> np.generic:
    if dtype.is_fp8 and value == value:
        value = min(max(value, dtype.min), dtype.max)
    with np.errstate(all="ignore"):
        return dtype.numpy.type(value)
