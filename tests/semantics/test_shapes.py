# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Creation, broadcasting and rearrangement: any extents, row-major order, static shapes."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import (
    ArgumentError,
    ConstantRangeError,
    ShapeError,
    TileTypeError,
    TracedValueError,
)
from tests.semantics.compare import ALL, INTEGERS

X = np.arange(30, dtype=np.int32).reshape(2, 3, 5)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_constants_of_each_dtype(check, dtype):
    one, zero = np.ones((2, 3), "f4").astype(dtype), np.zeros((2, 3), "f4").astype(dtype)
    check(
        lambda p: (
            tg.zeros((2, 3), p.dtype),
            tg.ones((2, 3), p.dtype),
            tg.full((2, 3), 1, p.dtype),
        ),
        zero,
        want=[zero, one, one],
    )
    check(
        lambda p: (
            tg.zeros_like(p),
            tg.ones_like(p),
            tg.full_like(p, 1),
            tg.full((2, 3), tg.sum(p)).astype(p.dtype),
        ),
        zero,
        want=[zero, one, one, zero],
    )


def test_fills_take_the_dtype_of_the_value_or_the_one_given(check):
    x = np.float32(2.75)
    check(
        lambda p: (tg.full(2, p), tg.full(2, p, tg.int32), tg.full((2,), 3), tg.full([2], 0.5)),
        x,
        want=[np.full(2, x), np.full(2, 2, "i4"), np.full(2, 3), np.full(2, 0.5)],
    )
    check(lambda p: tg.full_like(p, 1, tg.uint8), x, want=np.uint8(1))


@pytest.mark.parametrize("dtype", [*INTEGERS, np.dtype("f4"), np.dtype("f2")], ids=str)
def test_sequences(check, dtype):
    x = np.zeros(1, dtype)
    check(
        lambda p: (
            tg.arange(100, dtype=p.dtype),
            tg.arange(3, 20, 4, p.dtype),
            tg.arange(9, 2, -3, p.dtype),
        ),
        x,
        want=[
            np.arange(100).astype(dtype),
            np.arange(3, 20, 4).astype(dtype),
            np.arange(9, 2, -3).astype(dtype),
        ],
    )


def test_sequences_at_the_ends_of_the_range(check):
    x = np.zeros(1, np.int8)
    check(
        lambda p: (
            tg.arange(128, dtype=tg.int8),
            tg.arange(-128, 128, 5, tg.int8),
            tg.arange(-128, 127, 200, tg.int8),
        ),
        x,
        want=[
            np.arange(128, dtype="i1"),
            np.arange(-128, 128, 5).astype("i1"),
            np.array([-128, 72], "i1"),
        ],
    )
    check(lambda p: (tg.arange(7), tg.arange(2, 7)), x, want=[np.arange(7), np.arange(2, 7)])


@pytest.mark.parametrize(
    "x, y",
    [((3,), (1,)), ((4, 1), (3,)), ((2, 1, 5), (7, 1)), ((), (3, 2)), ((1, 1), (5,))],
    ids=str,
)
def test_operands_broadcast(check, rng, x, y):
    a, b = rng.integers(-9, 9, x).astype("i4"), rng.integers(-9, 9, y).astype("i4")
    check(
        lambda p, q: (p + q, q - p, tg.where(p > q, p, q)),
        a,
        b,
        want=[a + b, b - a, np.maximum(a, b)],
    )


def test_indexing_adds_and_keeps_axes(check):
    check(
        lambda p: (p[None], p[:, None], p[..., None], p[:, :, None, :]),
        X,
        want=[X[None], X[:, None], X[..., None], X[:, :, None, :]],
    )
    check(
        lambda p: (p[:], p[...], p[None, ..., :], p[:, ..., None]),
        X,
        want=[X, X, X[None], X[..., None]],
    )
    check(
        lambda p: (p[None], p[..., None, None]),
        np.float32(3),
        want=[np.full(1, 3, "f4"), np.full((1, 1), 3, "f4")],
    )


def test_reshape(check):
    check(
        lambda p: (p.reshape(30), p.reshape(5, -1), tg.reshape(p, (3, 2, 1, 5)), p.ravel()),
        X,
        want=[X.ravel(), X.reshape(5, -1), X.reshape(3, 2, 1, 5), X.ravel()],
    )
    check(
        lambda p: (p.reshape(()), p.reshape(1, 1)),
        np.array([4]),
        want=[np.int64(4), np.array([[4]])],
    )


def test_transpose(check):
    check(
        lambda p: (
            p.T,
            tg.transpose(p, (1, 0, 2)),
            p.transpose(2, 0, 1),
            tg.permute(p, (-1, 1, 0)),
        ),
        X,
        want=[X.T, X.transpose(1, 0, 2), X.transpose(2, 0, 1), X.transpose(2, 1, 0)],
    )
    check(lambda p: (p.T, p.transpose()), np.arange(3), want=[np.arange(3)] * 2)
    want = [X.transpose(1, 2, 0), X.transpose(0, 2, 1)]
    check(lambda p: (p.permute(1, 2, 0), p.permute((0, 2, 1))), X, want=want)


@pytest.mark.contract("tile extents")
@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (17, 3), (64, 33)], ids=str)
def test_transpose_of_any_extents(check, rng, shape):
    x = rng.standard_normal(shape).astype("f4")
    check(lambda p: (p.T, p.T + 0), x, want=[x.T, x.T + 0])


def test_axes_of_extent_one(check):
    y = X[:, None, :, :, None]
    check(
        lambda p: (tg.squeeze(p), p.squeeze(1), p.squeeze((1, -1)), tg.expand_dims(p, (0, -1))),
        y,
        want=[y.squeeze(), y.squeeze(1), y.squeeze((1, -1)), np.expand_dims(y, (0, -1))],
    )


def test_broadcast_to(check):
    y = np.arange(3, dtype=np.int16)[:, None]
    check(
        lambda p: (
            tg.broadcast_to(p, (3, 4)),
            tg.broadcast_to(p, (2, 3, 4)),
            tg.broadcast_to(tg.sum(p), 2),
        ),
        y,
        want=[np.broadcast_to(y, (3, 4)), np.broadcast_to(y, (2, 3, 4)), np.full(2, 3)],
    )


def test_join_and_split(check):
    a, b = (
        np.arange(6, dtype=np.int32).reshape(2, 3),
        np.arange(6, 12, dtype=np.int32).reshape(2, 3),
    )
    pair = np.stack((a, b), -1)
    check(
        lambda p, q: (tg.join(p, q), tg.stack((p, q), axis=-1), tg.join(p, 0)),
        a,
        b,
        want=[pair, pair, np.stack((a, a * 0), -1)],
    )
    check(lambda p: tg.split(p), pair, want=[a, b])
    check(lambda p: tg.split(p), np.array([3, 4]), want=[np.int64(3), np.int64(4)])


def test_stack_and_concatenate(check):
    a, b = np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(6, dtype=np.float32).reshape(2, 3)
    check(
        lambda p, q: (
            tg.stack((p, q, p)),
            tg.stack([p, q], axis=1),
            tg.concatenate((p, q)),
            tg.concatenate([p, q, q], axis=1),
        ),
        *(a, b),
        want=[
            np.stack((a, b, a)),
            np.stack((a, b), 1),
            np.concatenate((a, b)),
            np.concatenate((a, b, b), 1),
        ],
    )
    c = np.arange(5)
    check(
        lambda p: (tg.concatenate((p, p[None].reshape(5))), tg.stack((tg.sum(p), 1, 2))),
        c,
        want=[np.tile(c, 2), np.array([10, 1, 2])],
    )
    check(
        lambda p: tg.concatenate((p, tg.zeros(3, tg.int64))),
        c,
        want=np.concatenate((c, np.zeros(3, int))),
    )


def test_a_chain_of_rearrangements(check, rng):
    """A rotation by halves, as in rotary embeddings."""
    x = rng.standard_normal((4, 6)).astype("f4")

    def rotate(p):
        low, high = tg.split(p.reshape(4, 2, 3).transpose(0, 2, 1))
        return tg.concatenate((-high, low), axis=1)

    check(rotate, x, want=np.concatenate((-x[:, 3:], x[:, :3]), 1))


def test_properties(check):
    def properties(p):
        assert p.shape == (2, 3, 5) and p.ndim == 3 and p.size == 30 and len(p) == 2
        assert p.dtype == tg.int32 and p.dtype is tg.int32 and p.dtype == np.int32
        assert tg.sum(p).shape == ()
        return p

    check(properties, X, want=X)


@pytest.mark.parametrize(
    "function, error, text",
    [
        (
            lambda p: tg.zeros((2, tg.program_id(0)), p.dtype),
            TracedValueError,
            "int64 scalar.* is a run-time value",
        ),
        (lambda p: tg.zeros(0, p.dtype), ShapeError, "at least 1, not 0"),
        (lambda p: tg.zeros(2.0, p.dtype), TileTypeError, "must be an integer, not 2.0"),
        (lambda p: tg.zeros((1,) * 9, p.dtype), ShapeError, "at most 8 axes"),
        (lambda p: tg.zeros((2**13, 2**13), p.dtype), ShapeError, "67108864 elements"),
        (
            lambda p: tg.zeros(2, "nonsense"),
            TileTypeError,
            "must be a Tegula dtype, not 'nonsense'",
        ),
        (lambda p: tg.full(2, p), ShapeError, "value must be a scalar"),
        (lambda p: tg.full(2, 1.5, tg.int32), TileTypeError, "1.5 is a float"),
        (lambda p: tg.arange(0), ShapeError, "no number from 0 before 0"),
        (lambda p: tg.arange(5, 3), ShapeError, "no number from 5 before 3"),
        (lambda p: tg.arange(0, 5, 0), ShapeError, "step must not be 0"),
        (lambda p: tg.arange(300, dtype=tg.uint8), ConstantRangeError, "0 to 299 do not fit uint8"),
        (lambda p: tg.arange(tg.program_id(0)), TracedValueError, "a bound must be known"),
        (lambda p: p.reshape(7), ShapeError, r"30 elements, which do not fill the shape \(7,\)"),
        (lambda p: p.reshape(-1, 7), ShapeError, "do not fill"),
        (lambda p: p.reshape(-1, -1), ShapeError, "only one extent"),
        (lambda p: p.transpose(0, 1), ArgumentError, "not a permutation"),
        (lambda p: tg.squeeze(p, 0), ShapeError, "axis 0 of .* has extent 2, not 1"),
        (lambda p: tg.broadcast_to(p, (3, 5)), ShapeError, "does not broadcast to"),
        (lambda p: p + tg.arange(4), ShapeError, r"\(2, 3, 5\) and \(4,\)"),
        (lambda p: tg.split(p), ShapeError, "last extent must be 2"),
        (lambda p: p[:, :, :, :], ShapeError, "4 indices, but .* has rank 3"),
        (lambda p: tg.concatenate((p, tg.arange(3))), ShapeError, "differ outside axis 0"),
        (lambda p: tg.concatenate(p), TileTypeError, "non-empty tuple or list"),
        (lambda p: tg.concatenate((1, 2)), ShapeError, "scalars have no axis"),
        (lambda p: tg.stack((p, tg.arange(3))), ShapeError, "differ"),
        (lambda p: list(p), TileTypeError, "cannot be iterated"),
        (lambda p: len(tg.sum(p)), TileTypeError, "has no length"),
        (lambda p: 3 in p, TileTypeError, "tg.any"),
        (lambda p: {p: 1}, TileTypeError, "cannot be a dict key"),
        (lambda p: bool(p > 0), ShapeError, "ambiguous: it has 30 elements"),
        (lambda p: float(p), ShapeError, "only a scalar has one value"),
    ],
)
def test_shapes_that_do_not_fit(run, function, error, text):
    with pytest.raises(error, match=text):
        run(function, [X], [X])
