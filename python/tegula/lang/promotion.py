# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which dtype an operation on mixed operands has: NumPy 2's rules.

Dtypes combine as `numpy.result_type` says. Python scalars, and kernel arguments passed as Python
scalars, are *weak*: they take the dtype of the other operand and only raise its kind (bool < int <
float), to int64 or float64.

Two additions where NumPy has no answer: bfloat16 behaves like float16 towards integers (int16 gives
float32, wider ones float64) and together with float16 gives float32. The fp8 formats combine with
nothing but themselves and weak scalars; the error says which conversion to write.
"""

from __future__ import annotations

import numpy as np

from tegula.errors import Note, PromotionError
from tegula.lang import dtypes
from tegula.lang.dtypes import DType

_KIND_RANK = {"b": 0, "i": 1, "u": 1, "f": 2}
_WEAK_DEFAULT = (dtypes.bool_, dtypes.int64, dtypes.float64)
_cache: dict[tuple[DType, DType], DType | None] = {}


def weak_kind(value: bool | int | float) -> int:
    """The rank of a Python scalar's kind: 0 bool, 1 int, 2 float."""
    return 0 if isinstance(value, bool) else 1 if isinstance(value, int) else 2


def weak_default(kind: int) -> DType:
    """The dtype of a weak scalar that meets only weak scalars."""
    return _WEAK_DEFAULT[kind]


def kind_rank(dtype: DType) -> int:
    """The rank of a dtype's kind: 0 bool, 1 int, 2 float."""
    return _KIND_RANK[dtype.kind]


def combine(x: DType, y: DType) -> DType | None:
    """The common dtype of two strong operands, or None if they need an explicit conversion."""
    if x is y:
        return x
    key = (x, y)
    if key not in _cache:
        _cache[key] = _combine(x, y)
    return _cache[key]


def _combine(x: DType, y: DType) -> DType | None:
    if x.is_fp8 or y.is_fp8:
        return None
    if dtypes.bfloat16 in (x, y):
        other = y if x is dtypes.bfloat16 else x
        if other is dtypes.float16:
            return dtypes.float32
        if other.is_int:
            half = dtypes.from_numpy(np.result_type(np.float16, other.numpy))
            return dtypes.bfloat16 if half is dtypes.float16 else half
    return dtypes.from_numpy(np.result_type(x.numpy, y.numpy))


def with_weak(dtype: DType, kind: int) -> DType:
    """The dtype of a strong operand together with a weak scalar of a kind."""
    return dtype if kind <= _KIND_RANK[dtype.kind] else _WEAK_DEFAULT[kind]


def promotion_error(
    op: str, x: DType, y: DType, notes: tuple[Note | None, ...] = ()
) -> PromotionError:
    """The error for two dtypes that do not combine."""
    small = x if x.is_fp8 else y
    other = y if x.is_fp8 else x
    target = "tg.float32" if other.is_fp8 or not other.is_float else repr(other)
    return PromotionError(
        f"{op}: {x} and {y} have no common dtype; {small} is a storage format that never converts "
        f"by itself",
        notes=notes,
        help=f"convert explicitly, for example .astype({target})",
    )


def float_dtype(dtype: DType) -> DType:
    """The dtype in which a floating-point function works on an operand.

    Integers widen as in NumPy.
    """
    if dtype.is_float:
        return dtype
    if dtype.itemsize == 1:
        return dtypes.float16
    return dtypes.float32 if dtype.itemsize == 2 else dtypes.float64


def sum_dtype(dtype: DType) -> DType:
    """The dtype of a sum or product: small integers widen to 64 bits, as in NumPy."""
    if dtype.kind in "bi":
        return dtypes.int64
    return dtypes.uint64 if dtype.kind == "u" else dtype
