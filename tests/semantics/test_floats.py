# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floating-point arithmetic: each operation rounds once; NaN and signed zeros are kept."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import tegula as tg
from tests.semantics.compare import (
    BFLOAT16,
    FLOATS,
    FLOATS8,
    FORMATS,
    edge_values,
    pairs,
    round_to,
)

by_dtype = pytest.mark.parametrize("dtype", FLOATS, ids=str)


def as_dtype(values, dtype):
    """Exactly representable Python floats as an array of any float dtype."""
    return (
        np.array(values, np.float64)
        .astype(np.float32 if dtype in (BFLOAT16, *FLOATS8) else dtype)
        .astype(dtype)
    )


def exact(function, dtype, *operands):
    """Apply a function of rational numbers and round once; None leaves it to IEEE 754."""
    rows = zip(*(x.astype("f8").tolist() for x in operands), strict=True)
    results = []
    for row in rows:
        if all(map(math.isfinite, row)):
            value = function(*map(Fraction, row))
            results.append(None if value is None or value == 0 else round_to(value, dtype))
        else:
            results.append(None)
    return results


def merge(results, fallback, dtype):
    """Rational results where there are some, else what float64 gives (NaN, inf, zeros)."""
    plain = fallback.astype("f8").tolist()
    return as_dtype([p if r is None else r for r, p in zip(results, plain, strict=True)], dtype)


@pytest.mark.contract("fp16 and bf16 arithmetic")
@by_dtype
def test_addition_and_subtraction_round_once(check, rng, dtype):
    x, y = pairs(dtype, rng)
    a, b = x.astype("f8"), y.astype("f8")
    want = [
        merge(exact(lambda p, q: p + q, dtype, x, y), a + b, dtype),
        merge(exact(lambda p, q: p - q, dtype, x, y), a - b, dtype),
    ]
    check(lambda p, q: (p + q, p - q), x, y, want=want)


@pytest.mark.contract("fp16 and bf16 arithmetic")
@by_dtype
def test_multiplication_and_division_round_once(check, rng, dtype):
    x, y = pairs(dtype, rng)
    a, b = x.astype("f8"), y.astype("f8")
    want = [
        merge(exact(lambda p, q: p * q, dtype, x, y), a * b, dtype),
        merge(exact(lambda p, q: p / q if q else None, dtype, x, y), a / b, dtype),
    ]
    check(lambda p, q: (p * q, p / q), x, y, want=want)


def root(value: Fraction) -> Fraction | None:
    """The square root to 2**-300 relative, never exactly a tie that it is not."""
    if value <= 0:
        return None
    scale = Fraction(4) ** 700
    scaled = math.isqrt(int(value * scale))
    return Fraction(2 * scaled + (scaled * scaled != value * scale), 2 * 2**700)


@pytest.mark.contract("fp16 and bf16 arithmetic")
@by_dtype
def test_square_roots_round_once(check, rng, dtype):
    x = edge_values(dtype, rng)
    want = merge(exact(root, dtype, x), np.sqrt(x.astype("f8")), dtype)
    check(lambda p: tg.sqrt(p), x, want=want)


@pytest.mark.contract("multiplication and addition")
@by_dtype
def test_operations_are_not_contracted(check, rng, dtype):
    x, y = pairs(dtype, rng)
    product = merge(exact(lambda p, q: p * q, dtype, x, y), x.astype("f8") * y.astype("f8"), dtype)
    want = merge(
        exact(lambda p, q: p + q, dtype, product, x), product.astype("f8") + x.astype("f8"), dtype
    )
    check(lambda p, q: p * q + p, x, y, want=want)


@pytest.mark.contract("multiplication and addition")
@by_dtype
def test_fma_rounds_once(check, rng, dtype):
    x = np.concatenate([edge_values(dtype, rng, 120) for _ in range(8)])
    y, z = rng.permutation(x), rng.permutation(x)
    fallback = x.astype("f8") * y.astype("f8") + z.astype("f8")
    # An overflowing product of finite numbers plus an infinity is that infinity.
    finite = np.isfinite(x.astype("f8")) & np.isfinite(y.astype("f8"))
    fallback = np.where(finite & ~np.isfinite(z.astype("f8")), z.astype("f8"), fallback)
    want = merge(exact(lambda p, q, r: p * q + r, dtype, x, y, z), fallback, dtype)
    check(lambda p, q, r: tg.fma(p, q, r), x, y, z, want=want)


@pytest.mark.contract("multiplication and addition")
@by_dtype
def test_fma_where_a_second_rounding_would_show(check, dtype):
    digits = FORMATS[dtype][0]
    unit = 2.0**-digits
    # (1 + u)(1 - u/2) = 1 + u/2 - u*u/2: below the tie by less than the product's last place.
    x, y, z = (np.array([v], np.float64).astype(dtype) for v in (1 + unit, 1 - unit / 2, 0.0))
    check(lambda p, q, r: tg.fma(p, q, r), x, y, z, want=as_dtype([1.0], dtype))
    # 1 + u/2 is a tie, which a tiny addend decides.
    tiny = 2.0 ** -(digits + 3) if dtype != np.dtype("f8") else 2.0**-200
    a, b, c = (np.array([v], np.float64).astype(dtype) for v in (tiny, tiny, 1.0))
    half = np.array([unit / 2], np.float64).astype(dtype)
    one = np.array([1.0], np.float64).astype(dtype)
    check(lambda p, q, r: tg.fma(p, q, r), half, one, c, want=as_dtype([1.0], dtype))
    check(lambda p, q, r: tg.fma(p, q, r), a, b, c, want=as_dtype([1.0], dtype))


def floor_division(p: Fraction, q: Fraction) -> Fraction | None:
    return Fraction(p // q) if q else None


@pytest.mark.contract("`//`, `%`")
@by_dtype
def test_remainder_has_the_sign_of_the_divisor(check, rng, dtype):
    x, y = pairs(dtype, rng)
    wide = np.float32 if dtype.itemsize == 2 else dtype
    want = np.remainder(x.astype(wide), y.astype(wide)).astype(dtype)
    check(lambda p, q: p % q, x, y, want=want)


@pytest.mark.contract("`//`, `%`")
@by_dtype
def test_floor_division_agrees_with_numpy(check, rng, dtype):
    x, y = pairs(dtype, rng)
    wide = np.float32 if dtype.itemsize == 2 else dtype
    want = np.floor_divide(x.astype(wide), y.astype(wide)).astype(dtype)
    check(lambda p, q: p // q, x, y, want=want)


@pytest.mark.contract("`//`, `%`")
def test_floor_division_uses_the_exact_remainder(check):
    x, y = np.array([1.0, -1.0, 6.0, 1.0]), np.array([0.1, 0.1, -4.0, np.inf])
    check(lambda p, q: p // q, x, y, want=np.array([9.0, -10.0, -2.0, 0.0]))
    check(lambda p, q: p % q, x, y, want=np.array([1.0 % 0.1, -1.0 % 0.1, -2.0, 1.0]))


def larger(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return math.nan
    return max(a, b, key=lambda v: (v, math.copysign(1, v)))


@pytest.mark.contract("`max`, `min`, `argmax`, `argmin`, `maximum`, `minimum`")
@by_dtype
def test_maximum_and_minimum_propagate_nan_and_order_zeros(check, rng, dtype):
    x, y = pairs(dtype, rng)
    rows = list(zip(x.astype("f8").tolist(), y.astype("f8").tolist(), strict=True))
    want = [
        as_dtype([larger(a, b) for a, b in rows], dtype),
        as_dtype([-larger(-a, -b) for a, b in rows], dtype),
    ]
    check(lambda p, q: (tg.maximum(p, q), tg.minimum(p, q)), x, y, want=want)


@pytest.mark.contract("`fmax`, `fmin`")
@by_dtype
def test_fmax_and_fmin_ignore_nan(check, rng, dtype):
    def ignoring(a, b):
        return b if math.isnan(a) else a if math.isnan(b) else larger(a, b)

    x, y = pairs(dtype, rng)
    rows = list(zip(x.astype("f8").tolist(), y.astype("f8").tolist(), strict=True))
    want = [
        as_dtype([ignoring(a, b) for a, b in rows], dtype),
        as_dtype([-ignoring(-a, -b) for a, b in rows], dtype),
    ]
    check(lambda p, q: (tg.fmax(p, q), tg.fmin(p, q)), x, y, want=want)


@by_dtype
def test_comparisons_with_nan_and_zeros(check, rng, dtype):
    x, y = pairs(dtype, rng)
    a, b = x.astype("f8"), y.astype("f8")
    check(lambda p, q: (p < q, p <= q, p > q, p >= q), x, y, want=[a < b, a <= b, a > b, a >= b])
    check(lambda p, q: (p == q, p != q, p != p), x, y, want=[a == b, a != b, np.isnan(a)])


@by_dtype
def test_negation_absolute_value_and_sign(check, rng, dtype):
    x = edge_values(dtype, rng)
    a = x.astype("f8")
    want = [as_dtype(-a, dtype), as_dtype(np.abs(a), dtype), as_dtype(np.sign(a), dtype)]
    check(lambda p: (-p, abs(p), tg.sign(p)), x, want=want)


@by_dtype
def test_rounding_to_whole_numbers(check, rng, dtype):
    x = edge_values(dtype, rng)
    a = x.astype("f8")
    want = [as_dtype(f(a), dtype) for f in (np.floor, np.ceil, np.trunc, np.rint)]
    check(lambda p: (tg.floor(p), tg.ceil(p), tg.trunc(p), tg.round(p)), x, want=want)


@by_dtype
def test_classification(check, rng, dtype):
    x = edge_values(dtype, rng)
    a = x.astype("f8")
    want = [np.isnan(a), np.isinf(a), np.isfinite(a)]
    check(lambda p: (tg.isnan(p), tg.isinf(p), tg.isfinite(p)), x, want=want)


def test_classification_of_integers(check):
    x = np.arange(3, dtype=np.int32)
    no, yes = np.zeros(3, bool), np.ones(3, bool)
    check(lambda p: (tg.isnan(p), tg.isinf(p), tg.isfinite(p)), x, want=[no, no, yes])


@by_dtype
def test_where_picks_bits(check, rng, dtype):
    x, y = pairs(dtype, rng)
    mask = rng.integers(0, 2, len(x)).astype(bool)
    check(lambda m, p, q: tg.where(m, p, q), mask, x, y, want=np.where(mask, x, y))


@by_dtype
def test_clip_propagates_nan(check, rng, dtype):
    x = edge_values(dtype, rng)
    a = x.astype("f8")
    want = [
        as_dtype(np.clip(a, -1.5, 2.0), dtype),
        as_dtype(np.maximum(a, 0.5), dtype),
        as_dtype(np.minimum(a, 0.5), dtype),
    ]
    check(lambda p: (tg.clip(p, -1.5, 2.0), p.clip(min=0.5), tg.clip(p, max=0.5)), x, want=want)


def test_squares_multiply(check, rng):
    x = edge_values(np.dtype("f4"), rng)
    check(lambda p: p**2, x, want=x * x)


@pytest.mark.contract("float to fp8")
@pytest.mark.parametrize("dtype", FLOATS8, ids=str)
def test_fp8_computes_in_float32_and_rounds_once(check, rng, dtype):
    x, y = pairs(dtype, rng)
    a, b = x.astype("f4"), y.astype("f4")

    def stored(values):
        top = FORMATS[dtype][2]
        return np.clip(values.astype("f4"), -top, top).astype(dtype)

    check(
        lambda p, q: (p + q, p * q, p / q, -p),
        x,
        y,
        want=[stored(v) for v in (a + b, a * b, a / b, -a)],
    )
    check(lambda p, q: (p < q, p == q, tg.isnan(p)), x, y, want=[a < b, a == b, np.isnan(a)])
    check(
        lambda p, q: (tg.maximum(p, q), tg.where(p < q, p, q)),
        *(x, y),
        want=[
            stored(np.where((a == 0) & (b == 0), a + b, np.maximum(a, b))),
            np.where(a < b, x, y),
        ],
    )
