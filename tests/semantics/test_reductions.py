# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans: dtypes, axes, NaN, ties, custom combines in order."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import ArgumentError, ShapeError, TileTypeError
from tests.semantics.compare import ALL, BFLOAT16, FLOATS, FLOATS8, INTEGERS

BOOL = np.dtype("?")
SHAPE = (3, 5, 7)
AXES = [None, 0, 1, 2, -1, (0, 2), (0, 1, 2)]
SIZES = [1, 2, 3, 17, 96, 100, 120, 127, 128, 257]


def whole(rng, dtype, shape=SHAPE):
    """Small whole numbers, whose sums are exact in every dtype."""
    low = 0 if dtype.kind in "bu" else -2
    return (
        rng.integers(low, 2 if dtype in (BOOL, *FLOATS8) else 4, shape)
        .astype(np.float32)
        .astype(dtype)
    )


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES, ids=str)
def test_axes(check, rng, axis, keepdims):
    x = whole(rng, np.dtype("f4"))
    functions = ("sum", "max", "min", "mean")
    want = [getattr(np, f)(x, axis=axis, keepdims=keepdims) for f in functions]
    check(
        lambda p: tuple(getattr(tg, f)(p, axis=axis, keepdims=keepdims) for f in functions[:3]),
        x,
        want=want[:3],
    )
    check(lambda p: p.mean(axis, keepdims=keepdims), x, want=want[3], ulp=1)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_sums_and_products_of_each_dtype(check, rng, dtype):
    x = whole(rng, dtype, (4, 4))
    wide = x.astype("f8")
    result = np.sum(np.zeros(1, dtype)).dtype if dtype.kind in "biu" else dtype
    want = [wide.sum(1).astype("f4").astype(result), wide.prod(1).astype("f4").astype(result)]
    check(lambda p: (tg.sum(p, axis=1), tg.prod(p, axis=1)), x, want=want)


@pytest.mark.parametrize("dtype", ["i2", "i8", "u4", "f4", "f8"])
def test_sums_of_products(check, rng, dtype):
    x, y = (whole(rng, np.dtype(dtype), (4, 6)) for _ in "xy")
    table = whole(rng, np.dtype(dtype), (6, 3))
    want = (x * y).sum(1), (x[:, :, None] * table).sum(1)
    check(
        lambda p, q, t: (tg.sum(p * q, axis=1), tg.sum(p[:, :, None] * t, axis=1)),
        x,
        y,
        table,
        want=want,
    )


@pytest.mark.contract("tile extents")
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["i4", "f4"])
def test_sums_of_any_size(check, rng, n, dtype):
    x = rng.integers(-99, 99, (2, n)).astype(dtype)
    check(
        lambda p: (tg.sum(p, axis=1), tg.max(p, axis=1), tg.sum(p)),
        x,
        want=[x.sum(1), x.max(1), x.sum()],
    )


@pytest.mark.contract("integer overflow")
def test_sums_wrap_in_64_bits_and_narrow_dtypes_may_be_asked_for(check):
    x = np.full(4, 2**62, np.int64)
    check(lambda p: tg.sum(p), x, want=np.int64(0))
    y = np.full(4, 100, np.int8)
    check(lambda p: (tg.sum(p, dtype=tg.int8), tg.sum(p)), y, want=[np.int8(-112), np.int64(400)])
    z = np.array([True, True, False])
    check(lambda p: (tg.sum(p), tg.sum(p, dtype=tg.float32)), z, want=[np.int64(2), np.float32(2)])


@pytest.mark.parametrize("dtype", [np.dtype("f2"), BFLOAT16], ids=str)
def test_narrow_floats_add_up_in_float32(check, dtype):
    x = np.ones(3000, np.float32).astype(dtype)
    want = np.float32(3000).astype(dtype)
    check(lambda p: (tg.sum(p), tg.mean(p)), x, want=[want, np.float32(1).astype(dtype)])


@pytest.mark.contract("`max`, `min`, `argmax`, `argmin`, `maximum`, `minimum`")
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_extremes_and_their_places(check, rng, dtype):
    x = whole(rng, dtype, (6, 9))
    wide = x.astype("f8")
    values = [wide.max(1).astype("f4").astype(dtype), wide.min(1).astype("f4").astype(dtype)]
    check(lambda p: (tg.max(p, axis=1), tg.min(p, axis=1)), x, want=values)
    check(
        lambda p: (tg.argmax(p, axis=1), tg.argmin(p, axis=0)),
        x,
        want=[wide.argmax(1), wide.argmin(0)],
    )
    check(lambda p: (tg.argmax(p), p.argmin()), x, want=[wide.argmax(), wide.argmin()])


@pytest.mark.contract("`max`, `min`, `argmax`, `argmin`, `maximum`, `minimum`")
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_extremes_at_the_ends_of_the_range(check, dtype):
    info = np.iinfo(dtype)
    x = np.array([0, info.max, info.min, 1, info.max, info.min], dtype)
    check(lambda p: (tg.max(p), tg.min(p)), x, want=[dtype.type(info.max), dtype.type(info.min)])
    check(
        lambda p: (tg.argmax(p), tg.argmin(p)), x, want=[np.int64(x.argmax()), np.int64(x.argmin())]
    )


@pytest.mark.contract("`max`, `min`, `argmax`, `argmin`, `maximum`, `minimum`")
@pytest.mark.parametrize("places", [(0,), (3,), (8,), (2, 5), tuple(range(9))], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_propagates_and_its_first_place_wins(check, rng, dtype, places):
    x = rng.standard_normal((2, 9)).astype(dtype)
    x[0, list(places)] = np.nan
    wide = x.astype("f8")
    want = [wide.max(1).astype(dtype), wide.min(1).astype(dtype), wide.argmax(1), wide.argmin(1)]
    check(
        lambda p: (
            tg.max(p, axis=1),
            tg.min(p, axis=1),
            tg.argmax(p, axis=1),
            tg.argmin(p, axis=1),
        ),
        x,
        want=want,
    )
    check(lambda p: tg.isnan(tg.sum(p, axis=1)), x, want=np.isnan(wide.sum(1)))


def test_of_two_zeros_plus_is_larger(check):
    for values in ([0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0], [0.0, 0.0]):
        x = np.array(values, np.float32)
        signs = np.signbit(x)
        want = [np.float32(-0.0 if signs.all() else 0.0), np.float32(-0.0 if signs.any() else 0.0)]
        check(lambda p: (tg.max(p), tg.min(p)), x, want=want)
        check(lambda p: (tg.argmax(p), tg.argmin(p)), x, want=[np.int64(0), np.int64(0)])


def test_any_and_all(check):
    x = np.array([[0, 0, 0], [0, 2, 0], [1, 2, 3]], np.float32)
    check(lambda p: (tg.any(p, axis=1), tg.all(p, axis=1)), x, want=[x.any(1), x.all(1)])
    check(lambda p: (p.any(), p.all()), x, want=[np.True_, np.False_])
    y = np.array([np.nan, 1.0])
    check(lambda p: tg.all(p), y, want=np.True_)


def test_mean_variance_and_deviation(check, rng):
    # Means well away from 0: near it the terms cancel, and no bound in ulp of the result holds.
    x = rng.standard_normal((4, 50)) + 1.0
    want = [x.mean(1), x.var(1), x.std(1), x.var(1, ddof=1)]
    check(
        lambda p: (tg.mean(p, 1), tg.var(p, 1), tg.std(p, 1), tg.var(p, 1, ddof=1)),
        x,
        want=want,
        ulp=16,
    )
    y = np.arange(6, dtype=np.int32)
    check(lambda p: (tg.mean(p), tg.var(p)), y, want=[y.mean(), y.var()], ulp=2)


def test_scalars_reduce_to_themselves(check):
    x = np.float32(3)
    check(lambda p: (tg.sum(p), tg.max(p), tg.mean(p)), x, want=[x, x, x])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_running_sums(check, rng, dtype, axis, reverse):
    x = whole(rng, dtype, (4, 6))
    result = np.cumsum(np.zeros(1, dtype)).dtype if dtype.kind in "biu" else dtype
    wide = np.flip(x, axis).astype("f8") if reverse else x.astype("f8")
    sums = np.cumsum(wide, axis)
    want = (np.flip(sums, axis) if reverse else sums).astype("f4").astype(result)
    check(lambda p: tg.cumsum(p, axis, reverse=reverse), x, want=want)


@pytest.mark.contract("tile extents")
@pytest.mark.parametrize("n", SIZES)
def test_running_sums_of_any_size(check, rng, n):
    x = rng.integers(-99, 99, n).astype(np.int32)
    products = np.cumprod(x.astype(np.int64))
    check(lambda p: (tg.cumsum(p), tg.cumprod(p)), x, want=[np.cumsum(x, dtype="i8"), products])


def test_running_products(check):
    x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    want = [np.cumprod(x, 1), np.cumprod(x[:, ::-1], 1)[:, ::-1]]
    check(lambda p: (tg.cumprod(p, 1), tg.cumprod(p, 1, reverse=True)), x, want=want)


def affine(a0, b0, a1, b1):
    """Compose x -> a0*x + b0 with x -> a1*x + b1: associative, not commutative."""
    return a0 * a1, b0 * a1 + b1


@pytest.mark.parametrize("n", [1, 2, 7, 32, 100])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_custom_reduction_keeps_the_order(check, rng, n, axis):
    shape = (n, 3) if axis == 0 else (3, n)
    a, b = (rng.integers(-3, 4, shape).astype(np.int64) for _ in range(2))
    left, right = (np.moveaxis(x, axis, 0) for x in (a, b))
    state = left[0], right[0]
    for i in range(1, n):
        state = affine(*state, left[i], right[i])
    check(lambda p, q: tg.reduce((p, q), axis, affine), a, b, want=state)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [1, 2, 7, 32, 100])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_custom_scan_keeps_the_order(check, rng, n, axis, reverse):
    shape = (n, 3) if axis == 0 else (3, n)
    a, b = (rng.integers(-3, 4, shape).astype(np.int64) for _ in range(2))
    left, right = (np.moveaxis(x, axis, 0) for x in (a, b))
    states = {}
    order = range(n - 1, -1, -1) if reverse else range(n)
    state = None
    for i in order:
        element = left[i], right[i]
        if state is None:
            state = element
        else:
            state = affine(*element, *state) if reverse else affine(*state, *element)
        states[i] = state
    want = [np.moveaxis(np.stack([states[i][k] for i in range(n)]), 0, axis) for k in range(2)]
    check(lambda p, q: tg.scan((p, q), axis, affine, reverse=reverse), a, b, want=want)


def test_a_custom_reduction_of_one_tile_to_a_scalar(check):
    x = np.array([5, 3, 8, 1], np.int32)
    check(lambda p: tg.reduce(p, 0, lambda a, b: tg.where(a > b, a, b)), x, want=np.int32(8))
    check(lambda p: tg.scan(p, 0, tg.maximum), x, want=np.maximum.accumulate(x))


def test_a_combine_may_branch_on_its_elements(check):
    def larger(a, b):
        if a > b:
            return a
        return b

    x = np.array([[5, 3, 8, 1], [2, 9, 4, 7]], np.int32)
    check(
        lambda p: (tg.reduce(p, 1, larger), tg.scan(p, 1, larger)),
        x,
        want=[x.max(1), np.maximum.accumulate(x, 1)],
    )


def test_a_combine_may_ignore_an_operand_or_use_constants(check):
    x = np.array([[5, 3, 8], [2, 9, 4]], np.int32)
    check(lambda p: tg.reduce(p, 1, lambda a, b: b), x, want=x[:, -1])
    check(lambda p: tg.reduce(p, 1, lambda a, b: 7), x, want=np.array([7, 7], np.int32))


def test_a_combine_of_mixed_dtypes(check):
    """Argmax written by hand: a value and its place reduce together."""

    def better(value0, place0, value1, place1):
        take = value1 > value0
        return tg.where(take, value1, value0), tg.where(take, place1, place0)

    x = np.array([[1, 7, 7], [9, 2, 5]], np.float32)
    check(
        lambda p: tg.reduce((p, tg.broadcast_to(tg.arange(3), (2, 3))), 1, better),
        x,
        want=[x.max(1), x.argmax(1)],
    )


@pytest.mark.parametrize(
    "function, error, text",
    [
        (lambda p: tg.sum(p, axis=2), ArgumentError, "axis 2 is out of range for rank 2"),
        (lambda p: tg.sum(p, axis=(0, -2)), ArgumentError, "name one axis twice"),
        (lambda p: tg.sum(p, axis=1.5), TileTypeError, "axis must be an integer"),
        (lambda p: tg.reduce(p, 5, tg.add), ArgumentError, "axis 5"),
        (lambda p: tg.reduce((), 0, tg.add), TileTypeError, "at least one tile"),
        (lambda p: tg.reduce((p, p[None]), 0, affine), ShapeError, "must have one shape"),
        (lambda p: tg.reduce(p, 0, lambda a, b: (a, b)), TileTypeError, "returned 2 values for 1"),
        (
            lambda p: tg.reduce(p, 0, lambda a, b: a + 0.5),
            TileTypeError,
            "returned .* for a tile of int32",
        ),
        (lambda p: tg.scan(p, 0, lambda a, b: p), ShapeError, "fn must return scalars"),
        (lambda p: tg.scan(p, 0, 3), TileTypeError, "fn must be a function"),
        (lambda p: tg.var(p, ddof=10), ArgumentError, "ddof must be an integer below the 6"),
        (lambda p: tg.cumsum(p, 3), ArgumentError, "axis 3"),
    ],
)
def test_reductions_that_do_not_fit(run, function, error, text):
    with pytest.raises(error, match=text):
        run(function, [np.zeros((2, 3), np.int32)], [np.zeros(3, np.int32)])
