# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which dtype mixed operands give: NumPy 2's rules, weak scalars, exact comparisons."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

import tegula as tg
from tegula.errors import (
    ArgumentError,
    ConstantRangeError,
    PromotionError,
    TileTypeError,
)
from tests.semantics.compare import ALL, BFLOAT16, FLOATS, FLOATS8, INTEGERS

PLAIN = [dtype for dtype in ALL if dtype not in (BFLOAT16, *FLOATS8)]
ONE = {dtype: np.ones(2, np.float32).astype(dtype) for dtype in ALL}
BOOL = np.dtype("?")


@pytest.mark.contract("dtype promotion")
@pytest.mark.parametrize(
    "x, y",
    [p for p in combinations_with_replacement(PLAIN, 2) if p != (BOOL, BOOL)],
    ids=str,
)
def test_pairs_of_dtypes_promote_as_numpy_does(check, x, y):
    a, b = ONE[x], ONE[y]
    check(
        lambda p, q: (p + q, q * p, tg.maximum(p, q)), a, b, want=[a + b, b * a, np.maximum(a, b)]
    )
    check(lambda p, q: (p / q, p // q, p % q), a, b, want=[a / b, a // b, a % b])


@pytest.mark.parametrize(
    "other, want",
    [
        *(("?", BFLOAT16), ("i1", BFLOAT16), ("u1", BFLOAT16), (BFLOAT16, BFLOAT16)),
        *(("i2", "f4"), ("u2", "f4"), ("i4", "f8"), ("u4", "f8"), ("i8", "f8"), ("u8", "f8")),
        *(("f2", "f4"), ("f4", "f4"), ("f8", "f8")),
    ],
    ids=str,
)
def test_bfloat16_promotes_like_float16(check, other, want):
    result = np.full(2, 2, np.float32).astype(want)
    check(lambda p, q: (p + q, q + p), ONE[BFLOAT16], ONE[np.dtype(other)], want=[result, result])


@pytest.mark.contract("dtype promotion")
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, *FLOATS8], ids=str)
def test_python_scalars_are_weak(check, dtype):
    a = ONE[dtype]
    three, half = np.full(2, 3, "f4").astype(dtype), np.full(2, 0.5, "f4").astype(dtype)
    check(lambda p: (p + 2, 2 + p, p * True), a, want=[three, three, a])
    if dtype in INTEGERS:
        check(lambda p: (p + 0.5, p / 2), a, want=[np.full(2, 1.5), np.full(2, 0.5)])
    else:
        check(lambda p: (p * 0.5, p - 0.5), a, want=[half, half])


def test_python_scalars_raise_the_kind_of_booleans(check):
    a = ONE[BOOL]
    check(lambda p: (p + 1, p + 0.5, p & True), a, want=[np.full(2, 2), np.full(2, 1.5), a])


def test_numpy_scalars_are_strong(check):
    a = ONE[np.dtype("i1")]
    check(
        lambda p: (p + np.int32(1), np.float32(2) * p, np.int64(3) - p, p < np.float64(2)),
        a,
        want=[a + np.int32(1), np.float32(2) * a, np.int64(3) - a, a < np.float64(2)],
    )


def test_typed_scalars_are_strong(check):
    a = ONE[np.dtype("f4")]
    check(lambda p: (p + tg.float64(1), p + tg.int8(1)), a, want=[np.full(2, 2.0), a + np.int8(1)])


@pytest.mark.contract("dtype promotion")
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_a_constant_that_does_not_fit_is_an_error(run, dtype):
    info = np.iinfo(dtype)
    for value in (int(info.max) + 1, int(info.min) - 1):
        with pytest.raises(ConstantRangeError, match=f"{value} does not fit {dtype}"):
            run(lambda p, v=value: p + v, [ONE[dtype]], [ONE[dtype]])


@pytest.mark.parametrize("x, y", [(x, y) for x in FLOATS8 for y in ALL if x != y], ids=str)
def test_fp8_mixes_with_nothing(run, x, y):
    with pytest.raises(PromotionError, match=rf"(?s){x}|{y}.*storage format.*astype"):
        run(lambda p, q: p + q, [ONE[x], ONE[y]], [ONE[x]])


def test_mixed_signs_compare_by_value(check):
    a = np.array([-1, 0, 5, 2**63 - 1], np.int64)
    b = np.array([2**64 - 1, 0, 5, 2**63], np.uint64)
    x, y = (np.ascontiguousarray(v) for v in (np.repeat(a, 4), np.tile(b, 4)))
    rows = list(zip(x.tolist(), y.tolist(), strict=True))
    want = [
        np.array([f(p, q) for p, q in rows])
        for f in (int.__lt__, int.__le__, int.__gt__, int.__ge__)
    ]
    check(lambda p, q: (p < q, p <= q, p > q, p >= q), x, y, want=want)
    check(lambda p, q: (q > p, q >= p, q < p, q <= p), x, y, want=want)
    equal = np.array([p == q for p, q in rows])
    check(lambda p, q: (p == q, q == p, p != q), x, y, want=[equal, equal, ~equal])


@pytest.mark.contract("dtype promotion")
@pytest.mark.parametrize("x, y", list(combinations_with_replacement(INTEGERS, 2)), ids=str)
def test_all_integer_pairs_compare_by_value(check, x, y):
    a = np.array([np.iinfo(x).min, 0, 1, np.iinfo(x).max], x)
    b = np.array([np.iinfo(y).min, 0, 1, np.iinfo(y).max], y)
    p, q = np.repeat(a, 4), np.tile(b, 4)
    less = np.array([u < v for u, v in zip(p.tolist(), q.tolist(), strict=True)])
    check(lambda u, v: (u < v, v > u), p, q, want=[less, less])


def test_integers_and_floats_compare_as_floats(check):
    a, b = np.array([2**24 + 1, 3], np.int32), np.array([2**24, 3.5], np.float32)
    check(lambda p, q: (p > q, p < q), a, b, want=[a > b, a < b])


def test_uint16_with_uint64_gives_uint64(check):
    a, b = np.array([7], np.uint16), np.array([2**40], np.uint64)
    check(lambda p, q: p + q, a, b, want=np.array([2**40 + 7], np.uint64))


def test_shifts_promote_both_sides(check):
    a, b = np.array([1], np.int32), np.array([40], np.uint8)
    check(lambda p, q: (p << q, q << p), a, b, want=[np.array([0], "i4"), np.array([80], "i4")])


def test_where_promotes_its_branches(check):
    mask, a = np.array([True, False]), np.array([1, 2], np.int16)
    check(
        lambda m, p: (
            tg.where(m, p, 0.5),
            tg.where(m, p, 7),
            tg.where(m, 1, 0),
            tg.where(m, 1.0, 0),
        ),
        *(mask, a),
        want=[
            np.where(mask, a, 0.5),
            np.where(mask, a, np.int16(7)),
            np.where(mask, 1, 0),
            np.where(mask, 1.0, 0),
        ],
    )


@pytest.mark.parametrize(
    "function, error, text",
    [
        (lambda p: -(p > 0), TileTypeError, "negative is not defined for booleans"),
        (lambda p: (p > 0) - (p > 0), TileTypeError, "subtract is not defined for booleans"),
        (lambda p: p**-1, ArgumentError, "negative power -1"),
        (lambda p: p << 1.0, TileTypeError, "not the float 1.0"),
        (lambda p: ~(p + 0.5), TileTypeError, "not a float64 tile"),
        (lambda p: p & p.astype(tg.uint64), PromotionError, "no common integer dtype"),
        (lambda p: p + "x", TileTypeError, "must be a tile or a number"),
        (lambda p: p - [1], TileTypeError, "a list"),
        (lambda p: np.sin(p), TileTypeError, "use tg.sin"),
        (lambda p: np.zeros(2) + p, TileTypeError, "np.add works on NumPy arrays"),
        (lambda p: p.astype("complex64"), TileTypeError, "must be a Tegula dtype"),
        (lambda p: p + np.complex64(1), TileTypeError, "complex64"),
        (lambda p: p + 10**400 * 1 + 0.5, ConstantRangeError, "does not fit int64"),
        (lambda p: p.astype(tg.float32) * 10**400, ConstantRangeError, "too large for a float"),
        (lambda p: tg.sign(p > 0), TileTypeError, "sign is not defined for booleans"),
        (lambda p: tg.clip(p), ArgumentError, "both bounds are None"),
        (lambda p: tg.fma(p > 0, p > 0, p > 0), TileTypeError, "fma is not defined for bool"),
    ],
)
def test_operands_that_do_not_fit(run, function, error, text):
    with pytest.raises(error, match=text):
        run(function, [np.ones(2, np.int64)], [np.ones(2, np.int64)])
