# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Access to arrays: edges, pads, masks, any layout. Nothing outside an array is read or written."""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tegula.errors import ConstantRangeError, ShapeError, StoreError, TileTypeError
from tests._support.arrays import LAYOUTS
from tests.semantics.compare import ALL, FLOATS, assert_same


@tg.kernel
def load_block(a: tg.Array, o: tg.Array, i: tg.int64, j: tg.int64, SHAPE: tg.Const, PAD: tg.Const):
    tile = tg.load(a, (i, j), SHAPE) if PAD is None else tg.load(a, (i, j), SHAPE, pad=PAD)
    tg.store(o, (0, 0), tile)


def block(a, i, j, shape, pad=0):
    """The reference: element by element."""
    out = np.full(shape, pad, np.float64).astype(a.dtype)
    for y, x in np.ndindex(shape):
        row, column = i * shape[0] + y, j * shape[1] + x
        if 0 <= row < a.shape[0] and 0 <= column < a.shape[1]:
            out[y, x] = a[row, column]
    return out


@pytest.mark.contract("load past an edge, or a tile wholly outside")
@pytest.mark.parametrize("pad", [None, 7])
@pytest.mark.parametrize("layout", [*LAYOUTS, "broadcast"])
@pytest.mark.parametrize("i, j", [(0, 0), (1, 2), (2, 0), (-1, 0), (0, -1), (50, 0), (0, 2**40)])
def test_a_load_gives_the_pad_outside(backend, arrays, i, j, layout, pad):
    a, out = arrays.integers(-9, 9, (10, 17), "float32", layout), arrays.output((4, 7))
    load_block[1](a, out, i, j, SHAPE=(4, 7), PAD=pad)
    assert_same(out, block(a, i, j, (4, 7), pad or 0))


@pytest.mark.contract("load past an edge, or a tile wholly outside")
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_a_load_of_each_dtype(backend, dtype):
    a = (np.arange(12).reshape(3, 4) % 2).astype(np.float32).astype(dtype)
    out = np.ones((2, 3), np.float32).astype(dtype)
    load_block[1](a, out, 1, 1, SHAPE=(2, 3), PAD=None)
    assert_same(out, block(a, 1, 1, (2, 3)))


@pytest.mark.contract("load past an edge, or a tile wholly outside")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_pad_may_be_infinite(backend, dtype):
    a, out = np.zeros((1, 1), np.float32).astype(dtype), np.zeros((1, 2), np.float32).astype(dtype)
    load_block[1](a, out, 0, 0, SHAPE=(1, 2), PAD=-np.inf)
    assert out.astype("f4").tolist() == [[0, -np.inf]]


@pytest.mark.contract("load past an edge, or a tile wholly outside")
@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_a_load_of_an_empty_array_is_all_pad(backend, shape):
    out = np.zeros((2, 2), np.float32)
    load_block[1](np.zeros(shape, np.float32), out, 0, 0, SHAPE=(2, 2), PAD=3)
    assert (out == 3).all()


@pytest.mark.contract("index arithmetic")
def test_an_index_times_an_extent_does_not_wrap(backend):
    a, out = np.ones((4, 4), np.float32), np.zeros((4, 4), np.float32)
    for index in (2**62, -(2**62), 2**63 - 1):
        load_block[1](a, out, index, 0, SHAPE=(4, 4), PAD=5)
        assert (out == 5).all()


@tg.kernel
def store_block(o: tg.Array, i: tg.int64, j: tg.int64, SHAPE: tg.Const):
    tg.store(o, (i, j), tg.full(SHAPE, 1, o.dtype))


@pytest.mark.contract("store past an edge")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("i, j", [(0, 0), (1, 2), (2, 0), (-1, 0), (0, -1), (50, 0), (0, 2**40)])
def test_a_store_drops_what_is_outside(backend, arrays, i, j, layout):
    out = arrays.output((10, 17), "int8", layout)
    out[...] = 0
    store_block[1](out, i, j, SHAPE=(4, 7))
    want = np.zeros((10, 17), np.int8)
    for y, x in np.ndindex(4, 7):
        if 0 <= i * 4 + y < 10 and 0 <= j * 7 + x < 17:
            want[i * 4 + y, j * 7 + x] = 1
    assert_same(np.ascontiguousarray(out), want)


@pytest.mark.contract("store past an edge")
@pytest.mark.parametrize("shape", [(0, 5), (5, 0)])
def test_a_store_to_an_empty_array_does_nothing(backend, shape):
    store_block[1](np.zeros(shape, np.float32), 0, 0, SHAPE=(2, 2))


def test_a_scalar_is_stored_as_one_element(backend):
    @tg.kernel
    def kernel(o: tg.Array, p: tg.Array):
        tg.store(o, 2, 7)
        tg.store(p, (1, 0), tg.sum(tg.load(o, 0, 4)) + 1)

    out, other = np.zeros(4, np.int64), np.zeros((2, 2), np.int64)
    kernel[1](out, other)
    assert out.tolist() == [0, 0, 7, 0]
    assert other.tolist() == [[0, 0], [8, 0]]


@pytest.mark.contract("tile extents")
@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
def test_each_rank(backend, rng, rank):
    @tg.kernel
    def kernel(a: tg.Array, o: tg.Array, RANK: tg.Const):
        where = (tg.program_id(0),) + (0,) * (RANK - 1)
        tg.store(o, where, tg.load(a, where, (2,) + (4,) * (RANK - 1)))

    a = rng.integers(0, 99, (5,) + (3,) * (rank - 1)).astype(np.int16)
    out = np.zeros_like(a)
    kernel[3](a, out, RANK=rank)
    assert_same(out, a)


def test_shapes_and_strides_are_those_of_the_view(backend):
    @tg.kernel
    def kernel(a: tg.Array, o: tg.Array):
        for i, value in enumerate((*a.shape, *a.strides)):
            tg.store(o, i, value)

    out = np.zeros(4, np.int64)
    kernel[1](np.zeros((6, 8), np.float32)[::2, ::-1], out)
    assert out.tolist() == [3, 8, 16, -1]


@tg.kernel
def gather_pairs(
    a: tg.Array, rows: tg.Array, columns: tg.Array, mask: tg.Array, o: tg.Array, N: tg.Const
):
    i, j, m = tg.load(rows, 0, N), tg.load(columns, 0, N), tg.load(mask, 0, N)
    tg.store(o, 0, tg.gather(a, (i, j), mask=m, pad=-1))


@pytest.mark.contract("gather, scatter: index out of range (negative ones too), masked lane")
@pytest.mark.parametrize("index_dtype", ["i1", "i4", "i8", "u1", "u8"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_gather_gives_the_pad_outside_and_where_masked(backend, arrays, rng, layout, index_dtype):
    a = arrays.integers(0, 99, (5, 7), "float32", layout)
    low = -3 if np.dtype(index_dtype).kind == "i" else 0
    rows = rng.integers(low, 9, 64).astype(index_dtype)
    columns = rng.integers(low, 9, 64).astype(index_dtype)
    mask = rng.integers(0, 2, 64).astype(bool)
    out = arrays.output((64,))
    gather_pairs[1](a, rows, columns, mask, out, N=64)
    want = [
        a[r, c] if m and 0 <= r < 5 and 0 <= c < 7 else -1
        for r, c, m in zip(rows.tolist(), columns.tolist(), mask, strict=True)
    ]
    assert out.tolist() == want


@pytest.mark.contract("gather, scatter: index out of range (negative ones too), masked lane")
def test_huge_indices_are_outside(backend):
    rows = np.array([2**63 - 1, -(2**63), 2**32, 0, 1], np.int64)
    out = np.zeros(5, np.float32)
    gather_pairs[1](np.full((1, 1), 5, np.float32), rows, rows * 0, rows == rows, out, N=5)
    assert out.tolist() == [-1, -1, -1, 5, -1]


@pytest.mark.contract("gather, scatter: index out of range (negative ones too), masked lane")
@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_a_gather_from_an_empty_array_is_all_pad(backend, shape):
    zeros, out = np.zeros(4, np.int32), np.zeros(4, np.float32)
    gather_pairs[1](np.zeros(shape, np.float32), zeros, zeros, zeros == 0, out, N=4)
    assert (out == -1).all()


def test_indices_and_mask_broadcast(backend):
    @tg.kernel
    def kernel(a: tg.Array, o: tg.Array):
        i, j = tg.arange(3)[:, None], tg.arange(4)[None, :]
        tg.store(o, (0, 0), tg.gather(a, (i, j), mask=i <= j))

    a, out = np.arange(12, dtype=np.int32).reshape(3, 4) + 1, np.zeros((3, 4), np.int32)
    kernel[1](a, out)
    assert_same(out, np.triu(a))


def test_scalar_indices_give_scalars(backend):
    @tg.kernel
    def kernel(a: tg.Array, o: tg.Array):
        value = tg.gather(a, (tg.program_id(0), 1))
        tg.scatter(o, tg.program_id(0), value * 2)

    a, out = np.arange(6, dtype=np.int32).reshape(3, 2), np.zeros(3, np.int32)
    kernel[3](a, out)
    assert out.tolist() == [2, 6, 10]


@pytest.mark.contract("gather, scatter: index out of range (negative ones too), masked lane")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_scatter_drops_what_is_outside_or_masked(backend, arrays, layout):
    @tg.kernel
    def kernel(o: tg.Array, rows: tg.Array, columns: tg.Array, mask: tg.Array):
        i, j, m = tg.load(rows, 0, 16), tg.load(columns, 0, 16), tg.load(mask, 0, 16)
        tg.scatter(o, (i, j), tg.arange(16, dtype=tg.int32) + 1, mask=m)

    rows = np.array([0, 1, 2, 3, -1, 5, 2**40, -(2**40), 0, 1, 2, 3, 4, 4, 4, 4])
    columns = np.array([0, 1, 2, 3, 0, 0, 0, 0, -1, 7, 6, 5, 4, 3, 2, 1])
    mask = np.arange(16) % 5 != 0
    out = arrays.output((5, 7), "int32", layout)
    out[...] = 0
    kernel[1](out, rows, columns, mask)
    want = np.zeros((5, 7), np.int32)
    for lane, (r, c, m) in enumerate(zip(rows, columns, mask, strict=True)):
        if m and 0 <= r < 5 and 0 <= c < 7:
            want[r, c] = lane + 1
    assert_same(np.ascontiguousarray(out), want)


@pytest.mark.contract("lanes of one scatter or atomic in one program")
def test_the_last_lane_of_a_scatter_wins(backend):
    @tg.kernel
    def kernel(o: tg.Array):
        tg.scatter(o, (tg.arange(64) // 32,), tg.arange(64, dtype=tg.int32))

    out = np.zeros(2, np.int32)
    kernel[1](out)
    assert out.tolist() == [31, 63]


@pytest.mark.contract("arrays that overlap in memory")
def test_a_loaded_tile_does_not_change_with_the_array(backend):
    @tg.kernel
    def kernel(o: tg.Array):
        before = tg.load(o, 0, 4)
        tg.store(o, 0, before * 0)
        tg.store(o, 1, before)

    out = np.arange(8, dtype=np.float32)
    kernel[1](out)
    assert out.tolist() == [0, 0, 0, 0, 0, 1, 2, 3]


@pytest.mark.contract("arrays that overlap in memory")
def test_overlapping_arguments_see_each_other(backend):
    @tg.kernel
    def kernel(a: tg.Array, b: tg.Array):
        tg.store(b, 0, tg.load(a, 0, 4) + 1)
        tg.store(a, 1, tg.load(a, 0, 4) * 10)

    memory = np.arange(8, dtype=np.float32)
    kernel[1](memory, memory[:4])
    assert memory.tolist() == [1, 2, 3, 4, 10, 20, 30, 40]


def test_a_read_only_array_can_be_loaded_but_not_stored_to(backend):
    @tg.kernel
    def copy(a: tg.Array, o: tg.Array):
        tg.store(o, 0, tg.load(a, 0, 4))

    a, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    a.flags.writeable = False
    copy[1](a, out)
    assert_same(out, a)
    with pytest.raises(StoreError, match="read-only"):
        copy[1](out, a)


def test_a_store_needs_the_dtype_of_the_array(backend):
    @tg.kernel
    def kernel(o: tg.Array, FORM: tg.Const):
        tg.store(o, 0, FORM())

    out = np.zeros(4, np.int32)
    for form, error, text in [
        (lambda: tg.arange(4), TileTypeError, r"has dtype int64, but the array 'o' has int32"),
        (lambda: tg.zeros(4, tg.float32), TileTypeError, "has dtype float32"),
        (lambda: 1.5, TileTypeError, "1.5 does not fit the array 'o' of int32"),
        (lambda: 2**31, ConstantRangeError, "2147483648 does not fit int32"),
        (lambda: tg.zeros((4, 1), tg.int32), ShapeError, "has rank 1, but .* has rank 2"),
    ]:
        with pytest.raises(error, match=text):
            kernel[1](out, FORM=form)


def test_a_run_time_python_number_adapts_to_the_array(backend):
    @tg.kernel
    def kernel(o: tg.Array, p: tg.Array, n, x):
        tg.store(o, 0, n)
        tg.store(p, 0, x)
        tg.store(p, 1, n)

    out, other = np.zeros(1, np.int8), np.zeros(2, np.float16)
    kernel[1](out, other, 300, 1.1)
    assert out.tolist() == [44]
    assert other.tolist() == [np.float16(1.1), 300]
