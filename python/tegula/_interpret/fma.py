# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (NumPy's stubs leave the dtypes of most results open.)
"""Fused multiply-add, `x * y + z` rounded once, which NumPy does not have.

Formats up to float32: the product is exact in float64; the sum is rounded to odd there and then to
the format, which equals one rounding of the exact value. float64: error-free transformations and
one addition rounded to odd (S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded
sums: proved algorithms using rounding to odd", IEEE Trans. Computers 57(4), 2008). Where those
    could overflow or underflow, the exact rational number is rounded instead.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tegula._interpret.casts import Values, narrow, widen
from tegula.lang import dtypes
from tegula.lang.dtypes import DType

_Doubles = npt.NDArray[np.float64]
_SPLITTER = float((1 << 27) + 1)
# Between these magnitudes no step of the float64 algorithm overflows or loses bits to underflow.
_LOWEST, _HIGHEST = 2.0**-400, 2.0**400


def fma(x: Values, y: Values, z: Values, dtype: DType) -> Values:
    """`x * y + z` for arrays of a float dtype, rounded once."""
    a, b, c = (np.asarray(widen(v, dtype), dtype=np.float64) for v in (x, y, z))
    a, b, c = np.broadcast_arrays(a, b, c)
    if dtype is not dtypes.float64:
        return narrow(_add_to_odd(a * b, c), dtype)
    product = _multiply_exactly(a, b)
    result = _fused(product, c)
    safe = np.ones(a.shape, dtype=np.bool_)
    for value in (a, b, c):
        size = np.abs(value)
        safe &= (size >= _LOWEST) & (size <= _HIGHEST)
    return _exactly(a, b, c, result, ~safe) if not safe.all() else result


def _two_sum(a: _Doubles, b: _Doubles) -> tuple[_Doubles, _Doubles]:
    """Rounded sum and its error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _multiply_exactly(a: _Doubles, b: _Doubles) -> tuple[_Doubles, _Doubles]:
    """Rounded product and its error (Dekker, with Veltkamp's splitting)."""
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    product = a * b
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _halves(a: _Doubles) -> tuple[_Doubles, _Doubles]:
    scaled = a * _SPLITTER
    high = scaled - (scaled - a)
    return high, a - high


def _add_to_odd(a: _Doubles, b: _Doubles) -> _Doubles:
    """The sum rounded to odd: its last bit set unless it is exact."""
    total, error = _two_sum(a, b)
    bits = np.array(total).view(np.int64)
    inexact = (error != 0) & np.isfinite(total) & (bits & 1 == 0)
    away = (error > 0) == (total > 0)
    return np.asarray(np.where(inexact, bits + np.where(away, 1, -1), bits)).view(np.float64)


def _fused(product: tuple[_Doubles, _Doubles], c: _Doubles) -> _Doubles:
    high, low = product
    first, rest = _two_sum(c, low)
    upper, lower = _two_sum(high, first)
    return upper + _add_to_odd(rest, lower)


def _exactly(
    a: _Doubles, b: _Doubles, c: _Doubles, result: _Doubles, lanes: npt.NDArray[np.bool_]
) -> _Doubles:
    """Recompute some lanes with rational arithmetic."""
    fixed = np.array(result)
    values = (_rational(*terms) for terms in zip(a[lanes], b[lanes], c[lanes], strict=True))
    fixed[lanes] = np.fromiter(values, dtype=np.float64)
    return fixed


def _rational(a: float, b: float, c: float) -> float:
    a, b, c = float(a), float(b), float(c)
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        # An infinite or NaN operand decides the result; a product that merely overflows must not.
        if math.isfinite(a) and math.isfinite(b):
            return c
        return float(np.float64(a) * np.float64(b) + np.float64(c))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return _zero(a, b, c)
    try:
        nearest = float(exact)
    except OverflowError:
        nearest = math.inf if exact > 0 else -math.inf
    return nearest if nearest != 0 else math.copysign(0.0, 1.0 if exact > 0 else -1.0)


def _zero(a: float, b: float, c: float) -> float:
    """The sign of an exact zero: that of a zero product plus a zero, +0 after cancellation."""
    sign = math.copysign(1.0, a) * math.copysign(1.0, b)
    if (a == 0 or b == 0) and c == 0 and sign < 0 and math.copysign(1.0, c) < 0:
        return -0.0
    return 0.0
