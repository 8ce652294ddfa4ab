# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of arrays, and blocks that begin anywhere: NumPy's slices, pad and drop past edges."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import ArgumentError, ShapeError, TileTypeError, TracedValueError

A = np.arange(12 * 17, dtype=np.int32).reshape(12, 17) + 1


@tg.kernel
def read_part(
    a: tg.Array,
    o: tg.Array,
    sizes: tg.Array,
    PART: tg.Const,
    SHAPE: tg.Const,
    i: tg.int64,
    j: tg.int64,
):
    """The part's first block into `o`, and its sizes into `sizes`."""
    part = PART(a, i, j)
    tg.store(o, (0,) * len(SHAPE), tg.load(part, (0,) * len(SHAPE), SHAPE, pad=-1))
    for axis, size in enumerate(part.shape):
        tg.store(sizes, axis, size)


@tg.kernel
def write_part(a: tg.Array, x: tg.Array, PART: tg.Const, SHAPE: tg.Const, i: tg.int64, j: tg.int64):
    """A block of `x` to the part."""
    part = PART(a, i, j)
    tg.store(part, (0,) * len(SHAPE), tg.load(x, (0,) * len(SHAPE), SHAPE))


@tg.kernel
def gather_part(a: tg.Array, o: tg.Array, PART: tg.Const, i: tg.int64, j: tg.int64):
    """Single elements of a part of rank 2, by indices that go past its edges."""
    part = PART(a, i, j)
    rows, columns = tg.arange(8)[:, None] - 2, tg.arange(16)[None, :] - 3
    tg.store(o, (0, 0), tg.gather(part, (rows, columns), pad=-1))
    tg.scatter(part, (rows, columns), (rows * 100 - columns).astype(part.dtype), rows != columns)


def padded(x: np.ndarray, shape: tuple[int, ...], pad: int = -1) -> np.ndarray:
    out = np.full(shape, pad, x.dtype)
    block = tuple(slice(0, min(n, m)) for n, m in zip(x.shape, shape, strict=True))
    out[block] = x[block]
    return out


PARTS = {
    "rows": (lambda a, i, j: a[i:j], lambda a, i, j: a[i:j]),
    "columns": (lambda a, i, j: a[:, i:j], lambda a, i, j: a[:, i:j]),
    "every second": (lambda a, i, j: a[i::2, ::3], lambda a, i, j: a[i::2, ::3]),
    "backwards": (lambda a, i, j: a[j:i:-2, ::-1], lambda a, i, j: a[j:i:-2, ::-1]),
    "transposed": (lambda a, i, j: a.T, lambda a, i, j: a.T),
    "part of transposed": (lambda a, i, j: a.T[i:j, 1::2], lambda a, i, j: a.T[i:j, 1::2]),
    "part of a part": (
        lambda a, i, j: a[i:j][1:, ::2][::-1, 1:j],
        lambda a, i, j: a[i:j][1:, ::2][::-1, 1:j],
    ),
    "transposed twice": (
        lambda a, i, j: a[1:].transpose(1, 0)[i:].permute(1, 0)[..., ::2],
        lambda a, i, j: a[1:].transpose(1, 0)[i:].T[..., ::2],
    ),
    "from the end": (lambda a, i, j: a[-j:, -3:], lambda a, i, j: a[-j:, -3:]),
}
BOUNDS = ((2, 9), (0, 12), (5, 5), (11, 3), (-4, -1), (-100, 100), (3, 2**62))


@pytest.mark.contract("a part of an array (`a[i:j]`, `a[i]`, `a.T`)")
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_parts_read_as_numpy_slices_them(backend, part, bounds):
    function, reference = PARTS[part]
    i, j = bounds
    want = reference(A, i, j)
    o, sizes = np.zeros((8, 16), np.int32), np.zeros(2, np.int64)
    read_part[1](A, o, sizes, PART=function, SHAPE=(8, 16), i=i, j=j)
    assert tuple(sizes) == want.shape
    np.testing.assert_array_equal(o, padded(want, (8, 16)))


@pytest.mark.contract("a part of an array (`a[i:j]`, `a[i]`, `a.T`)")
@pytest.mark.parametrize("part", PARTS)
def test_parts_write_where_numpy_would(backend, part, rng):
    function, reference = PARTS[part]
    x = rng.integers(0, 99, (5, 7), np.int32)
    got, want = A.copy(), A.copy()
    write_part[1](got, x, PART=function, SHAPE=(5, 7), i=2, j=9)
    target = reference(want, 2, 9)
    block = tuple(slice(0, min(n, m)) for n, m in zip(target.shape, x.shape, strict=True))
    target[block] = x[block]
    np.testing.assert_array_equal(got, want)


@pytest.mark.contract("a part of an array (`a[i:j]`, `a[i]`, `a.T`)")
@pytest.mark.parametrize("part", PARTS)
def test_single_elements_of_parts(backend, part):
    function, reference = PARTS[part]
    got, o = A.copy(), np.zeros((8, 16), np.int32)
    gather_part[1](got, o, PART=function, i=1, j=10)
    want = A.copy()
    target = reference(want, 1, 10)
    expected = np.full((8, 16), -1, np.int32)
    for r in range(8):
        for c in range(16):
            row, column = r - 2, c - 3
            if 0 <= row < target.shape[0] and 0 <= column < target.shape[1]:
                expected[r, c] = target[row, column]
                if row != column:
                    target[row, column] = row * 100 - column
    np.testing.assert_array_equal(o, expected)
    np.testing.assert_array_equal(got, want)


@pytest.mark.contract("a part of an array (`a[i:j]`, `a[i]`, `a.T`)")
@pytest.mark.parametrize("i", [0, 3, 11, -1, -12, 12, -13, 2**62])
def test_an_integer_drops_an_axis(backend, i):
    o, sizes = np.zeros(20, np.int32), np.zeros(1, np.int64)
    read_part[1](A, o, sizes, PART=lambda a, i, j: a[i], SHAPE=(20,), i=i, j=0)
    row = A[i] if -12 <= i < 12 else A[0, :0]
    assert sizes[0] == len(row)
    np.testing.assert_array_equal(o, padded(row, (20,)))
    read_part[1](A, o, sizes, PART=lambda a, i, j: a[1:, i][::-1], SHAPE=(20,), i=i, j=0)
    column = A[1:, i][::-1] if -17 <= i < 17 else A[:0, 0]
    assert sizes[0] == len(column)
    np.testing.assert_array_equal(o, padded(column, (20,)))


@tg.kernel
def blur(a: tg.Array, o: tg.Array, BLOCK: tg.Const):
    """A 3x3 box filter: nine windows that overlap, three of which begin before the array."""
    m, n = tg.program_id(0) * BLOCK, tg.program_id(1) * BLOCK
    total = tg.zeros((BLOCK, BLOCK), o.dtype)
    for dm in (-1, 0, 1):
        for dn in (-1, 0, 1):
            total = total + tg.load(a, offset=(m + dm, n + dn), shape=(BLOCK, BLOCK))
    tg.store(o, offset=(m, n), tile=total)


@pytest.mark.case("windows that overlap, or begin before the array")
@pytest.mark.contract("`tg.load(a, offset=...)` that begins before the array")
@pytest.mark.parametrize("block", [4, 5, 16])
def test_windows_overlap_and_begin_before_the_array(backend, block):
    o = np.zeros_like(A)
    blur[-(-12 // block), -(-17 // block)](A, o, BLOCK=block)
    wide = np.pad(A, 1)
    want = sum(wide[r : r + 12, c : c + 17] for r in range(3) for c in range(3))
    np.testing.assert_array_equal(o, want)


@tg.kernel
def shifted(a: tg.Array, o: tg.Array, i: tg.int64, j: tg.int64):
    tg.store(o, (0, 0), tg.load(a, offset=(i, j), shape=(6, 5), pad=7))


@tg.kernel
def put(a: tg.Array, x: tg.Array, i: tg.int64, j: tg.int64):
    tg.store(a[1:, ::2], offset=(i, j), tile=tg.load(x, (0, 0), (6, 5)))


@pytest.mark.case("run-time offsets that are no multiple of the tile")
@pytest.mark.contract("`tg.load(a, offset=...)` that begins before the array")
@pytest.mark.parametrize(
    "place",
    [(0, 0), (3, 4), (-2, -3), (9, 15), (-6, 0), (12, 0), (2**63 - 1, 0), (-(2**63), 2**40)],
    ids=str,
)
def test_blocks_that_begin_anywhere(backend, place, rng):
    i, j = place
    o = np.zeros((6, 5), np.int32)
    shifted[1](A, o, i, j)
    want = np.full((6, 5), 7, np.int32)
    x, got, expected = rng.integers(0, 99, (6, 5), np.int32), A.copy(), A.copy()
    part = expected[1:, ::2]
    for r in range(6):
        for c in range(5):
            if 0 <= i + r < 12 and 0 <= j + c < 17:
                want[r, c] = A[i + r, j + c]
            if 0 <= i + r < part.shape[0] and 0 <= j + c < part.shape[1]:
                part[i + r, j + c] = x[r, c]
    np.testing.assert_array_equal(o, want)
    put[1](got, x, i, j)
    np.testing.assert_array_equal(got, expected)


@tg.kernel
def shift_in_place(a: tg.Array):
    """Reads of a part that an earlier store changed see the change."""
    tg.store(a[4:], 0, tg.load(a, 0, 4))
    tg.store(a[2:], 0, tg.load(a[3:7], 0, 4))


@pytest.mark.case("stores to one part of an array, loads of another")
@pytest.mark.contract("arrays that overlap in memory")
def test_parts_of_one_array_see_each_others_stores(backend):
    got, want = np.arange(10, dtype="f4"), np.arange(10, dtype="f4")
    shift_in_place[1](got)
    want[4:8] = want[:4].copy()
    want[2:6] = want[3:7].copy()
    np.testing.assert_array_equal(got, want)


@tg.kernel
def sums(a: tg.Array, o: tg.Array):
    """A part made in a loop, for each row."""
    for i in tg.range(a.shape[0]):
        row = a[i]
        total = tg.zeros((), a.dtype)
        for k in tg.range(tg.cdiv(row.shape[0], 4)):
            total = total + tg.sum(tg.load(row, k, 4)).astype(a.dtype)
        tg.store(o[i:], 0, total)


def test_parts_in_loops(backend):
    o = np.zeros(12, np.int32)
    sums[1](A, o)
    np.testing.assert_array_equal(o, A.sum(1))


@pytest.mark.contract("a part of an array (`a[i:j]`, `a[i]`, `a.T`)")
def test_parts_of_arrays_with_any_strides(backend):
    base = np.arange(4000, dtype="f4").reshape(40, 100)
    for a in (base.T, base[::-1, ::3], base[5:, ::-2], np.broadcast_to(base[0], (40, 100))):
        o, sizes = np.zeros((8, 16), "f4"), np.zeros(2, np.int64)
        read_part[1](a, o, sizes, PART=lambda a, i, j: a[i::3, j:][::-1], SHAPE=(8, 16), i=1, j=2)
        np.testing.assert_array_equal(o, padded(a[1::3, 2:][::-1], (8, 16)))


@tg.kernel
def mistake(a: tg.Array, o: tg.Array, n: tg.int64, FUNCTION: tg.Const):
    FUNCTION(a, o, n)


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda a, o, n: a[1, 2], TileTypeError, "names a single element, not a part"),
        (lambda a, o, n: a[1, 2, 3], ShapeError, "3 indices, but 'a' has rank 2"),
        (lambda a, o, n: a[::n], TracedValueError, "the step of a slice must be known"),
        (lambda a, o, n: a[::0], ShapeError, "must not be 0"),
        (lambda a, o, n: a[None], TileTypeError, "named by slices and integers, not None"),
        (lambda a, o, n: a[1.5:], TileTypeError, "named by slices and integers, not 1.5"),
        (lambda a, o, n: a.transpose(0, 0), ArgumentError, "are not a permutation of the 2 axes"),
        (lambda a, o, n: tg.load(a, shape=(2, 2)), ArgumentError, "either a tile index or an off"),
        (
            lambda a, o, n: tg.load(a, (0, 0), (2, 2), offset=(0, 0)),
            ArgumentError,
            "either a tile index or an offset",
        ),
        (lambda a, o, n: tg.load(a, (0, 0)), ArgumentError, "the shape of the tile is missing"),
        (lambda a, o, n: tg.store(o, offset=(0, 0)), ArgumentError, "the tile is missing"),
        (lambda a, o, n: tg.load(a, offset=3, shape=(2, 2)), ShapeError, "has rank 2, but 1 ind"),
    ],
)
def test_mistakes(backend, function, error, text):
    with pytest.raises(error, match=text):
        mistake[1](A, A.copy(), 2, FUNCTION=function)
