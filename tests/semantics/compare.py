# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bitwise comparison, and the exact arithmetic that tests measure against.

References are computed with rational numbers, by other means than the interpreter uses.
"""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
E4M3 = np.dtype(ml_dtypes.float8_e4m3fn)
E5M2 = np.dtype(ml_dtypes.float8_e5m2)
INTEGERS = tuple(np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8))
FLOATS = (np.dtype("f2"), BFLOAT16, np.dtype("f4"), np.dtype("f8"))
FLOATS8 = (E4M3, E5M2)
ALL = (np.dtype("?"), *INTEGERS, *FLOATS, *FLOATS8)

# Explicit significand bits, least exponent, greatest finite value; what overflow gives.
FORMATS = {
    np.dtype("f2"): (10, -14, 65504.0, math.inf),
    BFLOAT16: (7, -126, float(ml_dtypes.finfo(BFLOAT16).max), math.inf),
    np.dtype("f4"): (23, -126, float(np.finfo("f4").max), math.inf),
    np.dtype("f8"): (52, -1022, float(np.finfo("f8").max), math.inf),
    E4M3: (3, -6, 448.0, 448.0),
    E5M2: (2, -14, 57344.0, 57344.0),
}


def is_float(dtype: np.dtype) -> bool:
    return dtype in FORMATS


def assert_same(got: np.ndarray, want: np.ndarray, ulp: int = 0) -> None:
    """Fail unless dtypes, shapes and bits agree; NaN equals NaN; `ulp` > 0 allows for rounding."""
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if not is_float(got.dtype):
        np.testing.assert_array_equal(got, want)
        return
    nan = np.isnan(want.astype("f8"))
    np.testing.assert_array_equal(np.isnan(got.astype("f8")), nan)
    distance = np.abs(ordinal(got) - ordinal(want))
    distance = np.where(nan, 0, distance)
    if distance.max(initial=0) > ulp:
        worst = np.unravel_index(distance.argmax(), got.shape)
        raise AssertionError(
            f"{got[worst]!r} != {want[worst]!r} at {worst}, {distance.max()} units apart"
        )


def ordinal(x: np.ndarray) -> np.ndarray:
    """Integers that count representable values; +0 and -0 differ by one."""
    bits = np.ascontiguousarray(x).view(f"i{x.itemsize}").astype(object)
    top = 1 << (8 * x.itemsize - 1)
    return np.where(bits < 0, -(bits + top) - 1, bits)


def round_to(value: Fraction, dtype: np.dtype) -> float:
    """A rational number rounded once to nearest even in a format, as a Python float."""
    digits, lowest, largest, overflow = FORMATS[dtype]
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent = max(exponent if Fraction(2) ** exponent <= size else exponent - 1, lowest)
    unit = Fraction(2) ** (exponent - digits)
    rounded = round(size / unit) * unit  # Python rounds halves of fractions to even
    limit = Fraction(largest) + Fraction(2) ** (math.frexp(largest)[1] - 1 - digits) / 2
    if rounded > largest:
        rounded_float = overflow if size >= limit or overflow == largest else largest
    else:
        rounded_float = float(rounded)
    return math.copysign(rounded_float, -1.0 if value < 0 else 1.0)


def all_values(dtype: np.dtype) -> np.ndarray:
    """Every bit pattern of a type of one or two bytes."""
    return np.arange(256**dtype.itemsize).astype(f"u{dtype.itemsize}").view(dtype)


def edge_values(dtype: np.dtype, rng: np.random.Generator, count: int = 200) -> np.ndarray:
    """Special values of a dtype and random ones over its whole range."""
    if dtype == np.dtype("?"):
        return np.array([False, True] * (count // 2))
    if not is_float(dtype):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        special = np.array([0, 1, 2, 3, 7, 8, high, high - 1, low, low + 1], dtype)
        raw = rng.integers(0, 256, (count - len(special)) * dtype.itemsize, np.uint8).view(dtype)
        return np.concatenate([special, raw])
    finfo = ml_dtypes.finfo(dtype)
    special = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, math.inf, -math.inf, math.nan]
    special += [float(finfo.max), float(finfo.min), float(finfo.smallest_subnormal)]
    special += [float(finfo.smallest_normal), -float(finfo.smallest_normal)]
    plain = rng.standard_normal((count - len(special)) // 2) * 10
    raw_count = count - len(special) - len(plain)
    raw = rng.integers(0, 256, raw_count * dtype.itemsize, np.uint8).view(dtype)
    with np.errstate(all="ignore"):
        return np.concatenate([np.array(special).astype(dtype), plain.astype(dtype), raw])


def pairs(dtype: np.dtype, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays that combine every edge value with every other."""
    values = edge_values(dtype, rng, 60)
    x, y = np.meshgrid(values, values)
    return np.ascontiguousarray(x.ravel()), np.ascontiguousarray(y.ravel())
