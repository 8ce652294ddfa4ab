# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of tiles picked by index tiles, slices, mirrors and rotations."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import ArgumentError, ShapeError, TileTypeError, TracedValueError
from tests.semantics.compare import ALL

X = np.arange(30, dtype=np.int32).reshape(2, 3, 5)


def taken(x: np.ndarray, index: np.ndarray, axis: int, pad=0) -> np.ndarray:
    """NumPy's take_along_axis with a pad value outside."""
    inside = (index >= 0) & (index < x.shape[axis])
    found = np.take_along_axis(x, np.where(inside, index, 0).astype("i8"), axis)
    return np.where(inside, found, np.asarray(pad, x.dtype))


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_elements_taken_from_each_dtype(check, rng, dtype):
    x = rng.integers(0, 2, (6, 7)).astype("f4").astype(dtype)
    index = rng.integers(-3, 10, (6, 9))
    want = taken(x, index, 1)
    check(lambda p, i: tg.take_along_axis(p, i, 1), x, index, want=want)


@pytest.mark.contract("`tg.take_along_axis`: index out of range (negative ones too)")
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("integer", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_elements_taken_along_each_axis_by_each_integer(check, rng, axis, integer):
    shape = list(X.shape)
    shape[axis] = 4
    index = rng.integers(-2, 7, shape).astype(integer)
    check(lambda p, i: tg.take_along_axis(p, i, axis), X, index, want=taken(X, index, axis))


@pytest.mark.contract("`tg.take_along_axis`: index out of range (negative ones too)")
def test_indices_at_the_ends_of_their_range_are_outside(check):
    x = np.arange(5, dtype="f4") + 1
    for integer in ("i4", "i8", "u8"):
        info = np.iinfo(integer)
        index = np.array([info.min, info.max, 4, 5, 0, info.max - 1], integer)
        want = np.where(
            (index >= 0) & (index < 5), x[np.clip(index, 0, 4).astype("i8")], x.dtype.type(0)
        )
        check(lambda p, i: tg.take_along_axis(p, i, 0), x, index, want=want)


@pytest.mark.contract("`tg.take_along_axis`: index out of range (negative ones too)")
def test_a_pad_value_stands_for_elements_outside(check):
    x, index = np.arange(5, dtype="f4"), np.array([-1, 0, 4, 5])
    check(
        lambda p, i: (
            tg.take_along_axis(p, i, 0, pad=-0.0),
            tg.take_along_axis(p, i, 0, pad=tg.float32(7)),
            tg.take_along_axis(p, i, 0, float("nan")),
        ),
        x,
        index,
        want=[taken(x, index, 0, pad) for pad in (-0.0, 7, np.nan)],
    )


def test_extents_beside_the_axis_broadcast(check):
    x = np.arange(12, dtype="i4").reshape(1, 12)
    rows = np.array([[0], [5], [11]])
    check(
        lambda p, i: tg.take_along_axis(p, i, 1),
        x,
        rows,
        want=np.take_along_axis(x.repeat(3, 0), rows, 1),
    )


def test_a_loop_takes_from_the_tile_that_it_carries(check, rng):
    x, index = rng.integers(0, 99, (3, 8)), rng.permuted(np.tile(np.arange(8), (3, 1)), axis=1)

    def shuffle(p, i):
        q = p
        for _ in tg.range(tg.sum(p * 0) + 3):
            q = tg.take_along_axis(q, i, 1)
        return p, q

    want = x
    for _ in range(3):
        want = np.take_along_axis(want, index, 1)
    check(shuffle, x, index, want=[x, want])


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda p: tg.take_along_axis(p, 1.5 * p, 0), TileTypeError, "indices must be integers"),
        (lambda p: tg.take_along_axis(p, tg.arange(3), 0), ShapeError, "has rank 3, but the ind"),
        (lambda p: tg.take_along_axis(p, p, 3), ArgumentError, "axis 3 is out of range"),
        (
            lambda p: tg.take_along_axis(p, tg.zeros((2, 2, 2), tg.int32), 0),
            ShapeError,
            r"\(2, 2, 2\) differs from .* in more than axis 0",
        ),
        (lambda p: tg.take_along_axis(p, p, 0, pad=0.5), TileTypeError, "pad 0.5 is not a scalar"),
    ],
)
def test_mistakes(check, function, error, text):
    with pytest.raises(error, match=text):
        check(function, X, want=X)


SLICES = (
    np.s_[1:],
    np.s_[:, 1:3],
    np.s_[..., ::2],
    np.s_[..., 1::2],
    np.s_[..., 2:10],
    np.s_[..., ::-1],
    np.s_[..., -3:],
    np.s_[..., 9:2:-3],
    np.s_[..., :6],
    np.s_[..., 6:],
    np.s_[..., 3:6],
    np.s_[..., 10:1:-2],
    np.s_[::-1, ::-1, ::-1],
    np.s_[1, :, 5],
    np.s_[-1],
    np.s_[:, None, 2, ::3],
    np.s_[None, ..., 11, None],
    np.s_[0:2, 0:3, 0:12],
    np.s_[..., 100:3:-4],
    np.s_[1, 2, 3],
)


@pytest.mark.contract("`x[i:j]` of a tile")
@pytest.mark.parametrize("key", SLICES, ids=repr)
def test_static_slices(check, rng, key):
    x = rng.integers(-99, 99, (2, 3, 12)).astype("i2")
    check(lambda p: p[key], x, want=x[key])


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_slices_of_each_dtype(check, rng, dtype):
    x = rng.integers(0, 2, (4, 6)).astype("f4").astype(dtype)
    check(
        lambda p: (p[1:3, ::2], tg.flip(p), tg.roll(p, 2, 1)),
        x,
        want=[x[1:3, ::2], np.flip(x), np.roll(x, 2, 1)],
    )


@pytest.mark.contract("`x[i:j]` of a tile")
@pytest.mark.parametrize("size", [1, 2, 7, 16, 24])
def test_every_contiguous_and_strided_part(check, size):
    x = np.arange(size, dtype="i4")
    for step in (1, 2, 3, 4, -1, -2, -4):
        for start in range(0, size, 3):
            key = np.s_[start::step]
            check(lambda p, key=key: p[key], x, want=x[key])


def test_flip_of_axes(check):
    check(
        lambda p: (tg.flip(p), tg.flip(p, 1), tg.flip(p, (0, -1))),
        X,
        want=[np.flip(X), np.flip(X, 1), np.flip(X, (0, -1))],
    )


@pytest.mark.parametrize("shift", [0, 1, 4, 5, -1, 13, -(2**40)])
def test_roll_by_static_and_run_time_shifts(check, shift):
    check(
        lambda p, s: (tg.roll(p, shift, 2), tg.roll(p, tg.sum(s), 2), tg.roll(p, shift)),
        X,
        np.array([shift]),
        want=[np.roll(X, shift, 2), np.roll(X, shift, 2), np.roll(X, shift)],
    )


def test_roll_by_shifts_of_each_integer(check):
    for integer in ("i1", "u1", "i4", "u8"):
        for shift in (np.iinfo(integer).max, np.iinfo(integer).min):
            s = np.array([shift], integer)
            want = np.roll(X, int(shift) % 5, 2)
            check(lambda p, s: tg.roll(p, tg.max(s), 2), X, s, want=want)


@pytest.mark.contract("`x[i:j]` of a tile")
@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda p: p[5:], ShapeError, "the slice 5: keeps nothing of axis 0, whose extent is 2"),
        (lambda p: p[::0], ShapeError, "step of a slice must not be 0"),
        (lambda p: p[2], ShapeError, "index 2 is out of range for axis 0, whose extent is 2"),
        (lambda p: p[0, 0, 0, 0], ShapeError, "4 indices, but .* has rank 3"),
        (lambda p: p[p > 0], TileTypeError, "takes slices, integers, None and `...`, not"),
        (lambda p: p[1.5], TileTypeError, "takes slices, integers, None and `...`, not 1.5"),
        (lambda p: p[: tg.sum(p)], TracedValueError, "must be known when the kernel is compiled"),
        (lambda p: p[tg.sum(p)], TracedValueError, "must be known when the kernel is compiled"),
        (lambda p: tg.roll(p, 0.5, 0), TileTypeError, "the shift must be an integer"),
        (lambda p: tg.flip(p, (0, 0)), ArgumentError, "name one axis twice"),
    ],
)
def test_mistakes_in_slices(check, function, error, text):
    with pytest.raises(error, match=text):
        check(function, X, want=X)
