# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (NumPy's stubs leave the dtypes of most results open.)
"""Conversions between dtypes with every case defined and every result rounded once.

NumPy leaves out-of-range float to integer casts undefined, overflows fp8 to NaN or infinity, and
ml_dtypes rounds float64 to narrow formats by way of float32, twice. The cure for the last is
rounding to odd: a first step that keeps, in the last bit, whether anything was lost, so that the
second step rounds as if it saw the exact value (Boldo and Melquiond, "When double rounding is odd",
2005).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tegula.lang import dtypes
from tegula.lang.dtypes import DType

Values: TypeAlias = npt.NDArray[Any]


def cast(x: Values, source: DType, target: DType) -> Values:
    """Convert values of dtype `source` to `target`."""
    if source is target:
        return x
    if target is dtypes.bool_:
        return np.asarray(widen(x, source) != 0)
    if target.is_int:
        return (
            _float_to_int(widen(x, source), target) if source.is_float else x.astype(target.numpy)
        )
    if source.is_float:
        return narrow(widen(x, source), target)
    if target.is_fp8 or target is dtypes.bfloat16:
        return narrow(_int_to_float64(x, source), target)
    return x.astype(target.numpy)


def widen(x: Values, dtype: DType) -> Values:
    """Floats of less than 32 bits as float32, exactly; others unchanged."""
    return x.astype(np.float32) if dtype.is_float and dtype.itemsize < 4 else x


def narrow(x: Values, target: DType) -> Values:
    """float32 or float64 values rounded once to a float dtype."""
    if x.dtype == target.numpy:
        return x
    if target.is_fp8 or target is dtypes.bfloat16:
        single = _round_to_odd(x) if x.dtype == np.float64 else x
        if target.is_fp8:
            single = np.clip(single, np.float32(target.min), np.float32(target.max))
        return np.asarray(single.astype(target.numpy))
    return np.asarray(x.astype(target.numpy))


def _round_to_odd(x: Values) -> npt.NDArray[np.float32]:
    """float64 to float32, setting the last bit where the result is not exact."""
    nearest = x.astype(np.float32)
    back = nearest.astype(np.float64)
    bits = np.array(nearest).view(np.uint32)
    even_inexact = (back != x) & ~np.isnan(x) & (bits & 1 == 0)
    too_small = np.abs(back) < np.abs(x)
    # Stepping the bits by one steps the magnitude by one unit; from infinity down to the largest
    # finite value.
    step = np.where(too_small, np.uint32(1), np.uint32(0xFFFFFFFF))
    with np.errstate(over="ignore"):
        return np.asarray(np.where(even_inexact, bits + step, bits).astype(np.uint32)).view(
            np.float32
        )


def _int_to_float64(x: Values, source: DType) -> Values:
    """Integers as float64, rounded to odd where they have more than 53 bits."""
    if source.itemsize < 8:
        return x.astype(np.float64)
    # The low 11 bits of a 64-bit integer are below a float64's last bit at most; fold them into one
    # sticky bit.
    large = (x >= 1 << 53) if source.kind == "u" else (x >= 1 << 53) | (x <= -(1 << 53))
    mask = x.dtype.type((1 << 12) - 1)
    sticky = np.where(x & mask != 0, x.dtype.type(1 << 11), x.dtype.type(0))
    folded = (x & ~mask) | sticky
    return np.where(large, folded, x).astype(np.float64)


def _float_to_int(x: Values, target: DType) -> Values:
    """Truncate, saturate, NaN to 0."""
    # The greatest integer may round up when made a float; everything from there on saturates.
    upper, lower = float(target.max), float(target.min)
    wide = x.astype(np.float64)
    inside = (wide < upper) & (wide > lower)
    result = np.where(inside, wide, 0.0).astype(target.numpy)
    result = np.where(wide >= upper, target.numpy.type(target.max), result)
    return np.asarray(np.where(wide <= lower, target.numpy.type(target.min), result))
