# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays with other sizes: what NumPy reshapes without a copy, and a clear error for the rest."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import tegula as tg
from tegula.errors import KernelAssertionError, ShapeError, TileTypeError

A = np.arange(4 * 6 * 10, dtype=np.int32).reshape(4, 6, 10) + 1


@tg.kernel
def read(a: tg.Array, o: tg.Array, facts: tg.Array, VIEW: tg.Const, SHAPE: tg.Const, n: tg.int64):
    """The view's first block into `o`; its sizes and strides into `facts`."""
    view = VIEW(a, n)
    tg.store(o, (0,) * len(SHAPE), tg.load(view, (0,) * len(SHAPE), SHAPE, pad=-1))
    for axis in range(view.ndim):
        tg.store(facts, (0, axis), view.shape[axis])
        tg.store(facts, (1, axis), view.strides[axis])


@tg.kernel
def write(a: tg.Array, x: tg.Array, VIEW: tg.Const, SHAPE: tg.Const, n: tg.int64):
    tg.store(VIEW(a, n), (0,) * len(SHAPE), tg.load(x, (0,) * len(SHAPE), SHAPE))


VIEWS = {
    "flat": lambda a, n: a.reshape(-1),
    "flat of run-time size": lambda a, n: a.reshape(n * 60),
    "the first two axes": lambda a, n: a.reshape(n * 6, 10),
    "the last two axes": lambda a, n: a.reshape((n, -1)),
    "an axis in two": lambda a, n: a.reshape(2, 2, 6, 10),
    "other axes altogether": lambda a, n: a.reshape(n * 2, 3, 5, 2),
    "axes of one element": lambda a, n: a.reshape(1, -1, 1),
    "a row": lambda a, n: a[1, 2].reshape(2, 5),
    "rows of a part": lambda a, n: a[1:].reshape(3, -1),
    "every second of the first axis": lambda a, n: a[::2].reshape(2, 60),
    "part of the last axis": lambda a, n: a[:, :, 2:5].reshape(24, 3),
    "backwards along one axis": lambda a, n: a[::-1].reshape(4, 3, 20),
    "transposed": lambda a, n: a.transpose(1, 0, 2)[:, :, ::-1].reshape(2, 3, 4, 10),
    "a column": lambda a, n: a[:, :, 3:4].reshape(24),
    "a part of it": lambda a, n: a.reshape(-1)[7:29:3],
    "reshaped twice": lambda a, n: a.reshape(24, -1)[n:].reshape(-1).reshape(10, 20)[1:, ::2],
    "nothing": lambda a, n: a[n:].reshape(5, 0),
}


def numpy_view(view, a):
    """What NumPy makes of it, which shares the array's memory."""
    found = view(a, 4)
    assert found.size == 0 or np.shares_memory(found, a)
    return found


@pytest.mark.contract("`a.reshape(...)` of an array")
@pytest.mark.parametrize("view", VIEWS)
def test_views_read_as_numpy_reshapes_them(backend, view):
    want = numpy_view(VIEWS[view], A)
    shape = (16,) if want.ndim == 1 else (4, 32) if want.ndim == 2 else (2, 4, 2, 8)[-want.ndim :]
    o, facts = np.zeros(shape, np.int32), np.zeros((2, want.ndim), np.int64)
    read[1](A, o, facts, VIEW=VIEWS[view], SHAPE=shape, n=4)
    assert tuple(facts[0]) == want.shape
    expected = np.full(shape, -1, np.int32)
    block = tuple(slice(0, min(n, m)) for n, m in zip(want.shape, shape, strict=True))
    expected[block] = want[block]
    np.testing.assert_array_equal(o, expected)
    if want.size:
        steps = [s for s, size in zip(facts[1], want.shape, strict=True) if size > 1]
        known = [s // 4 for s, size in zip(want.strides, want.shape, strict=True) if size > 1]
        assert steps == known


@pytest.mark.contract("`a.reshape(...)` of an array")
@pytest.mark.parametrize("view", VIEWS)
def test_views_write_where_numpy_would(backend, view, rng):
    got, want = A.copy(), A.copy()
    target = numpy_view(VIEWS[view], want)
    shape = (2, 3, 2, 4)[-target.ndim :]
    x = rng.integers(0, 99, shape, np.int32)
    write[1](got, x, VIEW=VIEWS[view], SHAPE=shape, n=4)
    block = tuple(slice(0, min(n, m)) for n, m in zip(target.shape, shape, strict=True))
    target[block] = x[block]
    np.testing.assert_array_equal(got, want)


@tg.kernel
def pick(a: tg.Array, o: tg.Array, m: tg.int64, n: tg.int64):
    """Single elements of an array of other sizes, and of a part of it; atomics too."""
    view = a.reshape(m, n)
    rows, columns = tg.arange(8)[:, None] - 1, tg.arange(8)[None, :] - 2
    tg.store(o, (0, 0), tg.gather(view, (rows, columns), pad=-1))
    tg.scatter(view[1:], (rows, columns), tg.zeros((8, 8), a.dtype), rows == columns)
    tg.atomic_add(view, (0, 0), 1000)


def test_single_elements(backend):
    got, o = A.copy(), np.zeros((8, 8), np.int32)
    pick[1](got, o, 30, 8)
    want = A.copy()
    view = want.reshape(30, 8)
    expected = np.full((8, 8), -1, np.int32)
    expected[1:, 2:] = view[:7, :6]
    for i in range(6):
        view[1 + i, i] = 0
    view[0, 0] += 1000
    np.testing.assert_array_equal(o, expected)
    np.testing.assert_array_equal(got, want)


@tg.kernel
def three_dims(a: tg.Array, o: tg.Array, x: tg.int64, y: tg.int64, z: tg.int64):
    tg.store(o, (0, 0, 0), tg.load(a.reshape(x, y, z), (0, 0, 0), (16, 16, 16), pad=-1))


def _shapes(count):
    return [
        (x, y, count // x // y)
        for x in range(1, count + 1)
        for y in range(1, count + 1)
        if count % (x * y) == 0
    ]


@pytest.mark.case("other sizes of an array that is not contiguous")
@pytest.mark.contract("`a.reshape(...)` of an array")
def test_exactly_what_numpy_refuses_is_refused(backend, rng):
    base = np.arange(1 << 10, dtype=np.int32)
    for _ in range(12):
        shape = tuple(rng.choice([1, 2, 3, 4], 3))
        order = rng.permutation(3)
        steps = [0, 0, 0]
        reach = 1
        for axis in order:
            steps[axis] = int(reach * rng.choice([1, 1, 1, 2]))
            reach = steps[axis] * shape[axis]
        a = np.lib.stride_tricks.as_strided(base, shape, [4 * step for step in steps])
        for sizes in _shapes(a.size)[:: max(1, len(_shapes(a.size)) // 6)]:
            o = np.zeros((16, 16, 16), np.int32)
            want = a.reshape(sizes)
            if np.shares_memory(want, base):
                three_dims[1](a, o, *sizes)
                x, y, z = (min(size, 16) for size in sizes)
                np.testing.assert_array_equal(o[:x, :y, :z], want[:x, :y, :z])
            else:
                with pytest.raises(KernelAssertionError, match="without a copy"):
                    three_dims[1](a, o, *sizes)


@pytest.mark.contract("`a.reshape(...)` of an array")
@pytest.mark.parametrize(
    "sizes",
    [
        (4, 6, 11),
        (-1, 6, 10),
        (0, 6, 10),
        (1 << 32, 1 << 32, 0),
        (1 << 33, 1 << 31, 240),
        (2, 6, 10),
    ],
    ids=str,
)
def test_sizes_that_do_not_fit_are_refused(backend, sizes):
    o = np.full((16, 16, 16), 9, np.int32)
    with pytest.raises(KernelAssertionError, match="another product than the array 'a' has"):
        three_dims[1](A, o, *sizes)
    assert set(np.unique(o)) <= {-1, 9}


@tg.kernel
def any_view(a: tg.Array, o: tg.Array, VIEW: tg.Const, n: tg.int64):
    tg.store(o, 0, tg.load(VIEW(a, n), 0, 4))


@pytest.mark.parametrize(
    ("view", "error", "text"),
    [
        (lambda a, n: a.reshape(-1, -1), ShapeError, "only one size of the array 'a' may be -1"),
        (lambda a, n: a.reshape(-2), ShapeError, "a size of the array 'a' is -2"),
        (lambda a, n: a.reshape(()), ShapeError, "of rank 3 cannot get 0 axes"),
        (lambda a, n: a.reshape(2.0), TileTypeError, "must be an integer, not 2.0"),
        (lambda a, n: a.reshape(n * 1.5), TileTypeError, "the sizes of the array 'a' are integers"),
    ],
)
def test_mistakes(backend, view, error, text):
    with pytest.raises(error, match=text):
        any_view[1](A, A.copy(), VIEW=view, n=4)


def test_all_pairs_of_shapes(backend):
    shapes = ((240,), (24, 10), (4, 60), (2, 12, 10), (6, 4, 5, 2), (1, 240, 1))
    for first, second in pairwise(shapes):
        o, facts = np.zeros((2,) * len(second), np.int32), np.zeros((2, len(second)), np.int64)
        a = A.reshape(first)
        view = lambda x, n, second=second: x.reshape(second)  # noqa: E731
        read[1](a, o, facts, VIEW=view, SHAPE=o.shape, n=0)
        block = tuple(slice(0, min(n, 2)) for n in second)
        np.testing.assert_array_equal(o[block], a.reshape(second)[block])
