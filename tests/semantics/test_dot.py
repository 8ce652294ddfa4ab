# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products: accumulator dtypes, batches, any extents, exact on whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import ArgumentError, ShapeError, TileTypeError
from tests.semantics.compare import FLOATS, FLOATS8

INT8 = (np.dtype("i1"), np.dtype("u1"))
EXTENTS = [(1, 1, 1), (2, 3, 4), (16, 16, 16), (17, 5, 40), (8, 32, 24), (3, 64, 56), (33, 1, 7)]


def accumulator(dtype):
    return (
        np.dtype("i4")
        if dtype in INT8
        else np.dtype("f8")
        if dtype == np.dtype("f8")
        else np.dtype("f4")
    )


def operands(rng, dtype, a, b):
    low = 0 if dtype.kind == "u" else -3
    return (rng.integers(low, 4, shape).astype(np.float32).astype(dtype) for shape in (a, b))


@pytest.mark.contract("tile extents")
@pytest.mark.parametrize("m, n, k", EXTENTS)
@pytest.mark.parametrize("dtype", [*FLOATS, *FLOATS8, *INT8], ids=str)
def test_products(check, rng, dtype, m, n, k):
    a, b = operands(rng, dtype, (m, k), (k, n))
    c = rng.integers(-9, 9, (m, n)).astype(accumulator(dtype))
    product = (a.astype("f8") @ b.astype("f8")).astype(accumulator(dtype))
    check(
        lambda p, q, r: (tg.dot(p, q), p @ q, tg.dot(p, q, r), p.dot(q)),
        *(a, b, c),
        want=[product, product, product + c, product],
    )


@pytest.mark.parametrize("dtype", [np.dtype("f4"), np.dtype("f2"), np.dtype("i1")], ids=str)
def test_batches(check, rng, dtype):
    a, b = operands(rng, dtype, (3, 5, 8), (3, 8, 7))
    product = (a.astype("f8") @ b.astype("f8")).astype(accumulator(dtype))
    check(
        lambda p, q: (
            tg.dot(p, q),
            tg.dot(p, q, tg.ones((3, 5, 7), tg.int32 if dtype.kind == "i" else tg.float32)),
        ),
        a,
        b,
        want=[product, product + 1],
    )


def test_transposed_operands(check, rng):
    a, b = operands(rng, np.dtype("f4"), (8, 5), (7, 8))
    check(lambda p, q: (tg.dot(p.T, q.T), (q @ p).T), a, b, want=[a.T @ b.T, (b @ a).T])


@pytest.mark.contract("`tg.dot`")
def test_integers_accumulate_in_32_bits(check):
    a, b = np.full((1, 300), 127, np.int8), np.full((300, 1), -128, np.int8)
    check(lambda p, q: tg.dot(p, q), a, b, want=np.array([[300 * 127 * -128]], np.int32))
    c, d = np.full((1, 300), 255, np.uint8), np.full((300, 1), 255, np.uint8)
    top = np.array([[2**31 - 1]], np.int32)
    want = top + np.int32(300 * 255 * 255)
    check(lambda p, q, r: tg.dot(p, q, r), c, d, top, want=want)


@pytest.mark.contract("`tg.dot`")
def test_narrow_floats_accumulate_in_float32(check):
    a, b = np.full((1, 4096), 1, np.float16), np.full((4096, 1), 1, np.float16)
    check(lambda p, q: tg.dot(p, q), a, b, want=np.array([[4096]], np.float32))
    c, d = np.full((1, 2), 300, np.float16), np.full((2, 1), 300, np.float16)
    check(lambda p, q: tg.dot(p, q), c, d, want=np.array([[180000]], np.float32))


def test_tf32_may_be_asked_for(check, rng):
    a, b = operands(rng, np.dtype("f4"), (8, 16), (16, 8))
    check(lambda p, q: tg.dot(p, q, precision="tf32"), a, b, want=a @ b)


@pytest.mark.contract("`tg.dot`")
def test_close_to_float64(check, rng):
    a, b = rng.standard_normal((20, 30)).astype("f4"), rng.standard_normal((30, 10)).astype("f4")
    exact = a.astype("f8") @ b.astype("f8")
    check(
        lambda p, q: tg.abs(tg.dot(p, q).astype(tg.float64) - tg.full((20, 10), 0.0)).max() < 1e3,
        a,
        b,
        want=np.True_,
    )
    limit = 1e-5 * np.abs(a).max() * np.abs(b).max() * 30

    def near(p, q, r):
        return tg.all(tg.abs(tg.dot(p, q) - r) <= float(limit))

    check(near, a, b, exact.astype("f4"), want=np.True_)


@pytest.mark.parametrize(
    "function, error, text",
    [
        (
            lambda p: tg.dot(p, p),
            ShapeError,
            r"inner extents differ: a is \(2, 3\) and b is \(2, 3\)",
        ),
        (lambda p: tg.dot(p, p[None]), ShapeError, "batches of a"),
        (lambda p: tg.dot(p, 2.0), ShapeError, "b must have rank 2"),
        (lambda p: tg.sum(p, 0) @ p.T, ShapeError, "a must have rank 2"),
        (
            lambda p: tg.dot(p, p.T.astype(tg.float16)),
            TileTypeError,
            "a is float32 but b is float16",
        ),
        (
            lambda p: tg.dot(p.astype(tg.int32), p.T.astype(tg.int32)),
            TileTypeError,
            "int32 is not supported",
        ),
        (lambda p: tg.dot(p, p.T, tg.zeros((2, 2), tg.float64)), TileTypeError, "acc is float64"),
        (
            lambda p: tg.dot(p, p.T, tg.zeros((3, 3), tg.float32)),
            ShapeError,
            r"acc has shape \(3, 3\)",
        ),
        (lambda p: tg.dot(p, p.T, precision="fp4"), ArgumentError, "'fp4' is unknown"),
        (
            lambda p: tg.dot(p.astype(tg.float16), p.T.astype(tg.float16), precision="tf32"),
            ArgumentError,
            "is for float32",
        ),
    ],
)
def test_products_that_do_not_fit(run, function, error, text):
    with pytest.raises(error, match=text):
        run(function, [np.zeros((2, 3), np.float32)], [np.zeros((2, 2), np.float32)])
