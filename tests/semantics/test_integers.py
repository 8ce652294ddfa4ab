# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer arithmetic: wraps, floors, has a value for every input. References are Python's."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tests.semantics.compare import INTEGERS, all_values, pairs

by_dtype = pytest.mark.parametrize("dtype", INTEGERS, ids=str)


def wrap(value: int, dtype: np.dtype) -> int:
    low = int(np.iinfo(dtype).min)
    return (value - low) % (1 << 8 * dtype.itemsize) + low


def reference(function, dtype, *operands):
    """Apply a function of Python integers and wrap its results."""
    columns = [operand.tolist() for operand in operands]
    return np.array([wrap(function(*row), dtype) for row in zip(*columns, strict=True)], dtype)


def bits(dtype: np.dtype) -> int:
    return 8 * dtype.itemsize


@pytest.mark.contract("integer overflow")
@by_dtype
def test_addition_subtraction_and_multiplication_wrap(check, rng, dtype):
    x, y = pairs(dtype, rng)
    want = [
        reference(lambda a, b: a + b, dtype, x, y),
        reference(lambda a, b: a - b, dtype, x, y),
        reference(lambda a, b: a * b, dtype, x, y),
    ]
    check(lambda a, b: (a + b, a - b, a * b), x, y, want=want)


@pytest.mark.contract("integer overflow")
@by_dtype
def test_negation_and_absolute_value_wrap_at_the_least_value(check, rng, dtype):
    x, _ = pairs(dtype, rng)
    want = [reference(lambda a: -a, dtype, x), reference(abs, dtype, x)]
    check(lambda a: (-a, abs(a)), x, want=want)


@pytest.mark.contract("`//`, `%`")
@by_dtype
def test_floor_division_and_remainder_round_down_and_give_zero_by_zero(check, rng, dtype):
    x, y = pairs(dtype, rng)
    want = [
        reference(lambda a, b: a // b if b else 0, dtype, x, y),
        reference(lambda a, b: a % b if b else 0, dtype, x, y),
    ]
    check(lambda a, b: (a // b, a % b), x, y, want=want)


@pytest.mark.contract("`//`, `%`")
@pytest.mark.parametrize("dtype", ["i1", "u1"])
def test_floor_division_of_every_pair_of_bytes(check, dtype):
    dtype = np.dtype(dtype)
    values = all_values(dtype)
    x, y = np.repeat(values, 256), np.tile(values, 256)
    want = [
        reference(lambda a, b: a // b if b else 0, dtype, x, y),
        reference(lambda a, b: a % b if b else 0, dtype, x, y),
    ]
    check(lambda a, b: (a // b, a % b), x, y, want=want)


@pytest.mark.contract("`//`, `%`")
@by_dtype
def test_division_by_constants(check, rng, dtype):
    x, _ = pairs(dtype, rng)
    want = [
        reference(lambda a: a // 7, dtype, x),
        reference(lambda a: a % 7, dtype, x),
        np.zeros_like(x),
        np.zeros_like(x),
    ]
    check(lambda a: (a // 7, a % 7, a // 0, a % 0), x, want=want)


@pytest.mark.contract("shift by the width or more, or by a negative amount")
@by_dtype
def test_shifts_by_any_amount(check, rng, dtype):
    x, y = pairs(dtype, rng)
    y = np.where(np.arange(len(y)) % 2, y, y % 70 - 3 if dtype.kind == "i" else y % 70).astype(
        dtype
    )
    width = bits(dtype)

    def left(a, b):
        return a << b if 0 <= b < width else 0

    def right(a, b):
        return a >> b if 0 <= b < width else (-1 if a < 0 else 0)

    want = [reference(left, dtype, x, y), reference(right, dtype, x, y)]
    check(lambda a, b: (a << b, a >> b), x, y, want=want)


@pytest.mark.contract("shift by the width or more, or by a negative amount")
@by_dtype
def test_shifts_by_constants_at_and_past_the_width(check, rng, dtype):
    x, _ = pairs(dtype, rng)
    width = bits(dtype)
    want = [
        reference(lambda a: a << (width - 1), dtype, x),
        reference(lambda a: a >> (width - 1), dtype, x),
        np.zeros_like(x),
        reference(lambda a: -1 if a < 0 else 0, dtype, x),
    ]
    check(lambda a: (a << (width - 1), a >> (width - 1), a << width, a >> width), x, want=want)


@by_dtype
def test_bitwise_operators(check, rng, dtype):
    x, y = pairs(dtype, rng)
    want = [
        reference(lambda a, b: a & b, dtype, x, y),
        reference(lambda a, b: a | b, dtype, x, y),
        reference(lambda a, b: a ^ b, dtype, x, y),
        reference(lambda a, b: ~a, dtype, x, y),
    ]
    check(lambda a, b: (a & b, a | b, a ^ b, ~a), x, y, want=want)


def integer_power(a: int, b: int) -> int:
    if b >= 0:
        return a**b
    return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)


@by_dtype
def test_powers_wrap_and_negative_exponents_truncate(check, rng, dtype):
    x, y = pairs(dtype, rng)
    y = (y % 9).astype(dtype)
    if dtype.kind == "i":
        y = (y - 3).astype(dtype)
    want = [reference(integer_power, dtype, x, y), reference(lambda a: a * a, dtype, x)]
    check(lambda a, b: (a**b, a**2), x, y, want=want)


@by_dtype
def test_maximum_minimum_clip_and_sign(check, rng, dtype):
    x, y = pairs(dtype, rng)
    want = [
        reference(max, dtype, x, y),
        reference(min, dtype, x, y),
        reference(lambda a: min(max(a, 3), 100), dtype, x),
        reference(lambda a: (a > 0) - (a < 0), dtype, x),
    ]
    check(
        lambda a, b: (tg.maximum(a, b), tg.fmin(a, b), tg.clip(a, 3, 100), tg.sign(a)),
        *(x, y),
        want=want,
    )


@by_dtype
def test_comparisons(check, rng, dtype):
    x, y = pairs(dtype, rng)
    check(lambda a, b: (a < b, a <= b, a > b, a >= b), x, y, want=[x < y, x <= y, x > y, x >= y])
    check(lambda a, b: (a == b, a != b), x, y, want=[x == y, x != y])


@by_dtype
def test_true_division_gives_float64(check, rng, dtype):
    x, y = pairs(dtype, rng)
    with np.errstate(all="ignore"):
        want = x.astype("f8") / y.astype("f8")
    check(lambda a, b: a / b, x, y, want=want)


@by_dtype
def test_a_constant_outside_the_dtype_clips_nothing_and_compares_by_value(check, rng, dtype):
    x, _ = pairs(dtype, rng)
    all_true, all_false = np.ones(len(x), bool), np.zeros(len(x), bool)
    check(
        lambda a: (tg.clip(a, -(10**30), 10**30), a < 10**30, a == -(10**30), a >= 10**30),
        x,
        want=[x, all_true, all_false, all_false],
    )


@pytest.mark.contract("integer overflow")
def test_fma_of_integers_wraps(check):
    x = np.array([100, -128, 7], np.int8)
    check(lambda a: tg.fma(a, a, a), x, want=(x * x + x).astype(np.int8))


def test_boolean_arithmetic_follows_numpy(check):
    x, y = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    check(lambda a, b: (a + b, a * b, ~a, a ^ b), x, y, want=[x + y, x * y, ~x, x ^ y])
    eights = [np.floor_divide(x, y | True), np.remainder(x, y | True), x.astype("i1") ** y]
    check(lambda a, b: (a // (b | True), a % (b | True), a**b), x, y, want=eights)
    check(
        lambda a, b: (tg.maximum(a, b), tg.minimum(a, b), a << b, abs(a)),
        *(x, y),
        want=[x | y, x & y, x.astype("i1") << y.astype("i1"), x],
    )
    check(
        lambda a, b: (a < b, a >= b, a == b, a / b),
        x,
        y,
        want=[x < y, x >= y, x == y, x / (y * 1.0)],
    )


def test_logic_on_numbers_asks_whether_they_differ_from_zero(check):
    x, y = np.array([0, 3, 0, -2], np.int32), np.array([0.0, np.nan, 1.0, 0.0], np.float32)
    want = [np.logical_and(x, y), np.logical_or(x, y), np.logical_xor(x, y), np.logical_not(x)]
    check(
        lambda a, b: (
            tg.logical_and(a, b),
            tg.logical_or(a, b),
            tg.logical_xor(a, b),
            tg.logical_not(a),
        ),
        *(x, y),
        want=want,
    )
