# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One `dot` of whole arrays, compiled: extents, types and layouts that are blocked differently."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tegula as tg

pytestmark = pytest.mark.cpu

# input types -> accumulator
PAIRS = {
    "float32": np.float32,
    "float64": np.float64,
    "float16": np.float32,
    "bfloat16": np.float32,
    "float8_e4m3fn": np.float32,
    "float8_e5m2": np.float32,
    "int8": np.int32,
    "uint8": np.int32,
}
# (m, n, k): one element, vectors and few rows, less and more than a register block, ragged edges on
# every side, a reduction of several blocks.
SHAPES = [
    (1, 1, 1),
    (1, 40, 64),
    (3, 33, 40),
    (37, 1, 80),
    (5, 3, 2),
    (13, 32, 16),
    (31, 50, 17),
    (64, 64, 64),
    (9, 17, 600),
]
ORDERS = ["rows", "columns", "strided"]


@tg.kernel
def product(a: tg.Array, b: tg.Array, c: tg.Array, M: tg.Const, N: tg.Const, K: tg.Const):
    acc = tg.load(c, (0, 0), (M, N))
    tg.store(c, (0, 0), tg.dot(tg.load(a, (0, 0), (M, K)), tg.load(b, (0, 0), (K, N)), acc))


def make(rng: np.random.Generator, shape: tuple[int, int], dtype: np.dtype, order: str):
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    else:
        values = rng.standard_normal(shape).astype(dtype)
    if order == "columns":
        return np.asfortranarray(values)
    if order == "strided":
        wide = np.zeros((shape[0], 2 * shape[1] + 3), dtype)
        wide[:, : 2 * shape[1] : 2] = values
        return wide[:, : 2 * shape[1] : 2]
    return values


def check(rng: np.random.Generator, shape: tuple[int, int, int], name: str, orders: list[str]):
    m, n, k = shape
    dtype, acc = np.dtype(getattr(ml_dtypes, name, name)), np.dtype(PAIRS[name])
    a, b = make(rng, (m, k), dtype, orders[0]), make(rng, (k, n), dtype, orders[1])
    start = make(rng, (m, n), acc, orders[2])
    c = start.copy(order="K")
    product[1](a, b, c, M=m, N=n, K=k)
    again = start.copy(order="K")
    product[1](a, b, again, M=m, N=n, K=k)
    np.testing.assert_array_equal(c, again)
    if acc.kind == "i":
        want = start.astype(np.int64) + a.astype(np.int64) @ b.astype(np.int64)
        np.testing.assert_array_equal(c, want.astype(acc))
        return
    wide = [x.astype(np.float64) for x in (a, b, start)]
    want = wide[2] + wide[0] @ wide[1]
    magnitude = np.abs(wide[2]) + np.abs(wide[0]) @ np.abs(wide[1])
    # Each of k additions rounds once, in the accumulator's type.
    assert (np.abs(c - want) <= (k + 1) * np.finfo(acc).eps * magnitude).all()


@pytest.mark.parametrize("name", ["float32", "float16", "int8"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_of_every_extent(rng, shape, name):
    check(rng, shape, name, ["rows", "rows", "rows"])


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("b", ORDERS)
def test_products_of_every_type(rng, b, name):
    check(rng, (15, 20, 35), name, ["rows", b, "rows"])


@pytest.mark.parametrize("a", ORDERS)
@pytest.mark.parametrize("b", ORDERS)
@pytest.mark.parametrize("m", [1, 19])
def test_operands_of_every_layout(rng, m, a, b):
    check(rng, (m, 34, 48), "float32", [a, b, rng.choice(ORDERS)])


def test_bytes_that_overflow_f32_are_summed_exactly(rng):
    a, b = np.full((3, 1000), 255, np.uint8), np.full((1000, 17), 255, np.uint8)
    c = np.full((3, 17), 2**31 - 1, np.int32)
    product[1](a, b, c, M=3, N=17, K=1000)
    assert (c == np.int64(2**31 - 1 + 255 * 255 * 1000).astype(np.int32)).all()
