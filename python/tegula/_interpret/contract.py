# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (NumPy's stubs leave the dtypes of most results open.)
"""Contraction, reduction and scan by named operations on NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tegula._interpret.casts import Values, narrow, widen
from tegula.lang.dtypes import DType

_UFUNCS: dict[str, Any] = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def dot(a: Values, b: Values, acc: Values, dtype: DType) -> Values:
    """`acc + a @ b`, floats in the dtype of `acc`, 8-bit integers exactly and wrapped to int32."""
    if dtype.is_float:
        return acc + np.matmul(a.astype(acc.dtype), b.astype(acc.dtype))
    # float64 holds any sum of 2**37 products of 8-bit integers, and its matmul is fast.
    exact = np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64)
    return (acc + exact).astype(acc.dtype)


def reduce(kind: str, x: Values, axis: int, dtype: DType) -> Values:
    """Combine along an axis, keeping the dtype; narrow floats by way of float32."""
    wide = widen(x, dtype)
    result = np.asarray(_UFUNCS[kind].reduce(wide, axis=axis, dtype=wide.dtype))
    if dtype.is_float and kind in ("max", "min"):
        result = _signed_zero(kind, wide, result, axis)
    return narrow(result, dtype) if dtype.is_float else result


def _signed_zero(kind: str, x: Values, result: Values, axis: int) -> Values:
    """Which zero a maximum or minimum of zeros is: +0 counts as larger than -0."""
    wanted = np.float64(0.0) if kind == "max" else np.float64(-0.0)
    seen = np.any((x == 0) & (np.signbit(x) == np.signbit(wanted)), axis=axis)
    zero = np.where(seen, wanted, -wanted).astype(result.dtype)
    return np.where(result == 0, zero, result)


def scan(kind: str, x: Values, axis: int, reverse: bool, dtype: DType) -> Values:
    """Running combination along an axis, keeping the dtype; narrow floats by way of float32."""
    wide = widen(x, dtype)
    source = np.flip(wide, axis) if reverse else wide
    result = _UFUNCS[kind].accumulate(source, axis=axis, dtype=wide.dtype)
    result = np.flip(result, axis) if reverse else result
    return narrow(result, dtype) if dtype.is_float else result


def arg_reduce(kind: str, x: Values, axis: int, dtype: DType) -> Values:
    """The index of the extreme: NumPy too gives the first NaN, else the lowest index."""
    wide = widen(x, dtype)
    return np.asarray((np.argmax if kind == "max" else np.argmin)(wide, axis=axis), dtype=np.int64)
