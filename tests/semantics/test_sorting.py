# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting, selection and counting: NaN above all numbers, ties to the lowest position."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import ArgumentError, ShapeError, TileTypeError
from tests.semantics.compare import ALL, INTEGERS, edge_values, is_float

SIZES = (1, 2, 3, 8, 13, 64, 100)


def ranks(x: np.ndarray) -> np.ndarray:
    """Small integers in the order of the elements along the last axis; NaN last, zeros equal."""
    wide = x.astype("f8") if is_float(x.dtype) else x
    return np.unique(wide, return_inverse=True)[1].reshape(x.shape)


def order(x: np.ndarray, descending: bool = False) -> np.ndarray:
    """Stable positions along the last axis."""
    keys = -ranks(x) if descending else ranks(x)
    return np.argsort(keys, axis=-1, kind="stable")


def draw(dtype: np.dtype, rng, shape: tuple[int, ...]) -> np.ndarray:
    """Edge values, many of them several times."""
    values = edge_values(dtype, rng, 60)
    return rng.choice(values, shape)


def same_order(got: np.ndarray, want: np.ndarray) -> None:
    """Equal elements, whatever the sign of zeros and the bits of NaN."""
    assert got.dtype == want.dtype
    wide = (got.astype("f8"), want.astype("f8")) if is_float(got.dtype) else (got, want)
    np.testing.assert_array_equal(*wide)


@pytest.mark.contract("`sort`, `argsort`, `topk`")
@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_of_each_dtype(run, rng, dtype, descending):
    x = draw(dtype, rng, (3, 21))
    want = np.take_along_axis(x, order(x, descending), -1)
    (got,) = run(lambda p: tg.sort(p, descending=descending), [x], [want])
    same_order(got, want)
    if is_float(dtype):  # -0.0 before 0.0, and no zero is lost
        signs = np.signbit(got.astype("f8"))
        zero = got.astype("f8") == 0
        np.testing.assert_array_equal(
            (signs & zero).sum(), (np.signbit(x.astype("f8")) & (x.astype("f8") == 0)).sum()
        )


@pytest.mark.contract("`sort`, `argsort`, `topk`")
@pytest.mark.parametrize("size", SIZES)
def test_sort_and_argsort_of_any_extent(run, rng, size):
    x = rng.integers(-9, 9, (2, size)).astype("f4")
    x[0, rng.integers(size)] = np.nan
    wants = [np.sort(x), order(x), order(x, True)]
    got = run(lambda p: (tg.sort(p), tg.argsort(p), tg.argsort(p, descending=True)), [x], wants)
    same_order(got[0], wants[0])
    np.testing.assert_array_equal(got[1], wants[1])
    np.testing.assert_array_equal(got[2], wants[2])


@pytest.mark.parametrize("axis", [0, 1, 2, -2])
def test_sort_along_each_axis(check, rng, axis):
    x = rng.integers(-50, 50, (5, 6, 7), np.int32)
    check(
        lambda p: (tg.sort(p, axis), tg.argsort(p, axis)),
        x,
        want=[np.sort(x, axis), np.argsort(x, axis, kind="stable")],
    )


@pytest.mark.contract("`sort`, `argsort`, `topk`")
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_argsort_of_each_dtype_gives_ties_in_order(check, rng, dtype):
    x = draw(dtype, rng, (2, 37))
    check(
        lambda p: (tg.argsort(p), tg.argsort(p, descending=True)),
        x,
        want=[order(x), order(x, True)],
    )


@pytest.mark.contract("`sort`, `argsort`, `topk`")
@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("k", [1, 4, 11])
@pytest.mark.parametrize("largest", [True, False])
def test_topk_of_each_dtype(check, rng, dtype, k, largest):
    x = draw(dtype, rng, (3, 25))
    positions = order(x, largest)[:, :k]
    check(
        lambda p: tg.topk(p, k, largest=largest),
        x,
        want=[np.take_along_axis(x, positions, -1), positions],
    )


def test_topk_along_another_axis_and_of_all(check, rng):
    x = rng.standard_normal((9, 4)).astype("f4")
    positions = np.argsort(-x, axis=0, kind="stable")
    check(
        lambda p: (*tg.topk(p, 3, axis=0), *tg.topk(p, 9, 0)),
        x,
        want=[
            np.take_along_axis(x, positions[:3], 0),
            positions[:3],
            np.take_along_axis(x, positions, 0),
            positions,
        ],
    )


@pytest.mark.contract("`histogram`: element below 0 or from `bins` on")
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_histogram_of_each_dtype(check, rng, dtype):
    x = rng.integers(0, 12, (5, 20)).astype(dtype) - np.array(2, dtype)
    want = np.array([(x == b).sum() for b in range(9)], "i4")
    check(lambda p: tg.histogram(p, 9), x, want=want)


@pytest.mark.contract("`histogram`: element below 0 or from `bins` on")
def test_histogram_of_more_bins_than_the_dtype_has_values(check, rng):
    x = rng.integers(-128, 128, 300).astype("i1")
    want = np.array([(x == b).sum() for b in range(300)], "i4")
    check(lambda p: tg.histogram(p, 300), x, want=want)


def test_a_histogram_in_a_loop_adds_up(check, rng):
    x = rng.integers(0, 7, (4, 50))

    def count(p):
        total = tg.zeros(7, tg.int32)
        for _ in tg.range(tg.sum(p[:1, :1]) * 0 + 3):
            total = total + tg.histogram(p, 7)
        return total

    check(count, x, want=np.bincount(x.ravel(), minlength=7).astype("i4") * 3)


X = np.arange(6, dtype=np.int32).reshape(2, 3)


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda p: tg.sort(p, 2), ArgumentError, "axis 2 is out of range"),
        (lambda p: tg.sort(tg.sum(p)), ArgumentError, "axis -1 is out of range for rank 0"),
        (lambda p: tg.topk(p, 4), ShapeError, "k is 4, but axis 1 .* has extent 3"),
        (lambda p: tg.topk(p, 0), ShapeError, "k must be at least 1"),
        (lambda p: tg.histogram(p * 0.5, 4), TileTypeError, "counts integers, not"),
        (lambda p: tg.histogram(p, 0), ShapeError, "number of bins must be at least 1"),
    ],
)
def test_mistakes(check, function, error, text):
    with pytest.raises(error, match=text):
        check(function, X, want=X)
