# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns of data access, products, NaNs and fp8 that other tile compilers got wrong.

The names of the tests say what went wrong elsewhere; values are checked on every backend.
"""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tests._support.arrays import LAYOUTS, numpy_dtype
from tests._support.compare import assert_close


@tg.kernel
def sum_twice(x: tg.Array, out: tg.Array, K: tg.Const, AXES: tg.Const):
    tile = tg.load(x, (0, 0, 0, 0), (5, 3, K, K))
    tg.store(out, (0, 0), tg.sum(tg.sum(tile, axis=AXES[0]), axis=AXES[1]))


@pytest.mark.case("two sums of a padded tile of rank 4")
@pytest.mark.parametrize("k", [4, 5, 8])
@pytest.mark.parametrize("axes", [(2, 2), (3, 2), (0, 0), (1, 0), (3, 0), (1, 2)], ids=str)
def test_two_sums_of_a_padded_tile_of_rank_4(backend, arrays, axes, k):
    x = arrays.integers(-9, 9, (5, 3, 4, 4), "float32")
    padded_x = np.pad(x, ((0, 0), (0, 0), (0, k - 4), (0, k - 4)))
    want = padded_x.sum(axis=axes[0]).sum(axis=axes[1])
    out = arrays.output(want.shape)
    sum_twice[1](x, out, K=k, AXES=axes)
    np.testing.assert_array_equal(out, want)


@tg.kernel
def row_sum(x: tg.Array, out: tg.Array, ROWS: tg.Const, N: tg.Const):
    tile = tg.load(x, (tg.program_id(0), 0), (ROWS, N))
    tg.store(out, tg.program_id(0), tg.sum(tile, axis=1))


@pytest.mark.case("sums over widths that are no power of two")
@pytest.mark.parametrize("n", [1, 96, 100, 120, 127, 466])
def test_a_sum_over_any_width(backend, arrays, n):
    x, out = arrays.integers(-9, 9, (6, n), "float32"), arrays.output((6,))
    row_sum[3](x, out, ROWS=2, N=n)
    np.testing.assert_array_equal(out, x.sum(axis=1))


@pytest.mark.case("sizes that are no multiple of the tile")
@pytest.mark.contract("tile extents")
@pytest.mark.parametrize(
    "rows, n, tile",
    [(1, 1, (32, 32)), (257, 257, (32, 288)), (33, 64, (64, 64)), (65537, 64, (512, 64))],
)
def test_sizes_that_are_no_multiple_of_the_tile(backend, arrays, rows, n, tile):
    x, out = arrays.integers(-9, 9, (rows, n), "float32"), arrays.output((rows,))
    row_sum[tg.cdiv(rows, tile[0])](x, out, ROWS=tile[0], N=tile[1])
    np.testing.assert_array_equal(out, x.sum(axis=1))


@tg.kernel
def products(a: tg.Array, b: tg.Array, out: tg.Array, SIZES: tg.Const, FORM: tg.Const):
    m, n, k = SIZES
    x, y = tg.load(a, (0, 0), (m, k)), tg.load(b, (0, 0), (n, k))
    forms = {
        "x @ y.T": lambda: x @ y.T,
        "(y @ x.T).T": lambda: (y @ x.T).T,
        "(x.T).T @ y.T": lambda: x.T.T @ tg.permute(y, (1, 0)),
    }
    tg.store(out, (0, 0), forms[FORM]())


@pytest.mark.case("transposed operands of a product")
@pytest.mark.parametrize("form", ["x @ y.T", "(y @ x.T).T", "(x.T).T @ y.T"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("m, n, k", [(16, 16, 16), (8, 32, 24), (17, 5, 40), (3, 64, 56)])
def test_products_of_transposed_operands(backend, arrays, m, n, k, layout, form):
    a = arrays.integers(-9, 9, (m, k), "float16", layout)
    b = arrays.integers(-9, 9, (n, k), "float16", layout)
    out = arrays.output((m, n), "float32", layout)
    products[1](a, b, out, SIZES=(m, n, k), FORM=form)
    np.testing.assert_array_equal(out, a.astype(np.float32) @ b.astype(np.float32).T)


@tg.kernel
def collapsed(a: tg.Array, b: tg.Array, out: tg.Array, SIZES: tg.Const, FORM: tg.Const):
    batch, m, n, k = SIZES
    if FORM == "the tile":
        x = tg.load(a, (0, 0, 0), (batch, m, k)).reshape(batch * m, k)
    else:
        x = tg.load(a.reshape(batch * m, k), (0, 0), (batch * m, k))
    product = tg.dot(x, tg.load(b, (0, 0), (n, k)).T)
    tg.store(out, (0, 0, 0), product.reshape(batch, m, n))


@pytest.mark.case("a product of a collapsed batch")
@pytest.mark.parametrize("form", ["the tile", "the array"])
@pytest.mark.parametrize("sizes", [(3, 5, 7, 8), (2, 16, 32, 16), (1, 1, 8, 24)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_a_product_of_a_collapsed_batch(backend, arrays, dtype, sizes, form):
    batch, m, n, k = sizes
    layout = "aligned" if form == "the array" else "contiguous"  # the latter has guards inside
    a = arrays.integers(-9, 9, (batch, m, k), dtype, layout)
    b = arrays.integers(-9, 9, (n, k), dtype)
    wide = "int32" if dtype == "int8" else "float32"
    out = arrays.output((batch, m, n), wide)
    collapsed[1](a, b, out, SIZES=sizes, FORM=form)
    np.testing.assert_array_equal(out, a.astype(wide) @ b.astype(wide).T)


@tg.kernel
def extremes(x: tg.Array, out: tg.Array, N: tg.Const):
    tile = tg.load(x, 0, N)
    low, high = tile, tg.full((N,), 1.0, tile.dtype)
    rows = [tg.maximum(low, high), tg.maximum(high, low), tg.minimum(low, high), tg.fmax(low, high)]
    rows += [tg.full((N,), f(tile), tile.dtype) for f in (tg.max, tg.min)]
    rows += [tg.full((N,), f(tile).astype(tile.dtype), tile.dtype) for f in (tg.argmax, tg.argmin)]
    for i, row in enumerate(rows):
        tg.store(out, (i, 0), row[None])


@pytest.mark.case("NaN in max, min, argmax")
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("places", [[], [0], [12], [3, 7], list(range(13))], ids=str)
def test_nan_propagates_and_arguments_stay_in_range(backend, arrays, places, dtype):
    values = arrays.rng.standard_normal(13)
    values[places] = np.nan
    x, out = arrays.input(values.astype(numpy_dtype(dtype))), arrays.output((8, 13), dtype)
    extremes[1](x, out, N=13)
    x = x.astype(np.float64)
    want = [np.maximum(x, 1), np.maximum(1, x), np.minimum(x, 1), np.fmax(x, 1)]
    want += [np.full(13, value) for value in (x.max(), x.min(), x.argmax(), x.argmin())]
    np.testing.assert_array_equal(out.astype(np.float64), want)


@tg.kernel
def ties(x: tg.Array, out: tg.Array):
    tile = tg.load(x, (0, 0), (3, 40))
    tg.store(out, (0, 0), tg.stack([tg.argmax(tile, axis=1), tg.argmin(tile, axis=1)]))


@pytest.mark.case("NaN in max, min, argmax")
def test_ties_of_argmax_give_the_lowest_index(backend, arrays):
    x, out = arrays.integers(0, 2, (3, 40), "int32"), arrays.output((2, 3), "int64")
    ties[1](x, out)
    np.testing.assert_array_equal(out, [x.argmax(axis=1), x.argmin(axis=1)])


@tg.kernel
def padded(x: tg.Array, out: tg.Array, PAD: tg.Const, N: tg.Const):
    loads = [tg.load(x, i, N, pad=PAD) for i in (-1, 0, 1, 1000)]
    for i, tile in enumerate(loads):
        tg.store(out, (i, 0), tile[None])


@pytest.mark.case("loads past an edge, again and again")
@pytest.mark.parametrize("pad", [0, -7, 99])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "int64"])
def test_loads_past_an_edge_give_the_pad_every_time(backend, arrays, dtype, pad):
    x, out = arrays.integers(0, 9, (11,), dtype), arrays.output((4, 8), dtype)
    for _ in range(2):
        padded[1](x, out, PAD=pad, N=8)
        want = np.full((4, 8), pad, x.dtype)
        want[1], want[2, :3] = x[:8], x[8:]
        np.testing.assert_array_equal(out, want)


@tg.kernel
def far_apart(row: tg.int32, pitch: tg.int32, table: tg.Array, out: tg.Array):
    offset = row.astype(tg.int64) * pitch
    beyond, inside = (tg.gather(table, (i,), pad=-1) for i in (offset, offset - 2**32 + 1))
    tg.store(out, 0, tg.stack([offset, beyond, inside, tg.int64(row * pitch)]))


@pytest.mark.case("offsets beyond 2^31")
@pytest.mark.contract("index arithmetic")
def test_offsets_beyond_32_bits_do_not_wrap_in_an_index(backend, arrays):
    table, out = arrays.integers(1, 9, (8,), "int64"), arrays.output((4,), "int64")
    far_apart[1](np.int32(2**16), np.int32(2**16), table, out)
    np.testing.assert_array_equal(out, [2**32, -1, table[1], 0])


@tg.kernel
def copy(x: tg.Array, y: tg.Array, BM: tg.Const, BN: tg.Const):
    i, j = tg.program_id(0), tg.program_id(1)
    tg.store(y, (i, j), tg.load(x, (i, j), (BM, BN)))


@pytest.mark.case("stores next to bytes that are not the array's")
@pytest.mark.contract("store past an edge")
@pytest.mark.parametrize("tile", [(16, 64), (3, 512), (1, 466)], ids=str)
def test_bytes_past_a_row_are_left_alone(backend, arrays, tile):
    pitched = arrays.output((20, 512), "int8", fill=77)
    x, y = arrays.integers(-99, 99, (20, 466), "int8"), pitched[:, :466]
    copy[tg.cdiv(20, tile[0]), tg.cdiv(466, tile[1])](x, y, BM=tile[0], BN=tile[1])
    np.testing.assert_array_equal(y, x)
    np.testing.assert_array_equal(pitched[:, 466:], np.full((20, 46), 77))


@tg.kernel
def used_often(counter: tg.Array, out: tg.Array, OP: tg.Const, N: tg.Const):
    where = 0 if N == 1 else tg.arange(N)
    before = OP(counter, (where,), tg.full((N,) if N > 1 else (), 3, counter.dtype))
    before = before.reshape(1, N)
    tg.store(out, (0, 0), before)
    tg.store(out, (1, 0), before + before)
    if tg.max(before) > 0:
        tg.store(out, (2, 0), before * 3)


# The operation, and what it makes of 5 and 3.
ONCE = {"add": 8, "max": 5, "min": 3, "xchg": 3, "and": 1, "or": 7, "xor": 6}


@pytest.mark.case("an atomic whose result is used several times")
@pytest.mark.parametrize("op", ONCE)
@pytest.mark.parametrize("lanes", [1, 7, 64])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_an_atomic_whose_result_is_used_often_runs_once(backend, arrays, dtype, lanes, op):
    counter = arrays.output((lanes,), dtype, fill=5)
    out = arrays.output((3, lanes), dtype)
    used_often[1](counter, out, OP=getattr(tg, f"atomic_{op}"), N=lanes)
    np.testing.assert_array_equal(out, np.full((3, lanes), [[5], [10], [15]]))
    np.testing.assert_array_equal(counter, np.full(lanes, ONCE[op]))


@tg.kernel
def atomics(a: tg.Array, value: tg.Array, before: tg.Array):
    index, new = tg.arange(8), tg.load(value, 0, 8)
    mask = index != 3
    results = [
        tg.atomic_add(a, (0, index), new, mask=mask, pad=-5),
        tg.atomic_max(a, (1, index), new, mask=mask, pad=-5),
        tg.atomic_min(a, (2, index), new, mask=mask, pad=-5),
        tg.atomic_xchg(a, (3, index), new, mask=mask, pad=-5),
        tg.atomic_cas(a, (4, index), 1, new, mask=mask, pad=-5),
        tg.atomic_add(a, (9, index), new, mask=mask, pad=-5),
    ]
    for i, result in enumerate(results):
        tg.store(before, (i, 0), result[None])


@pytest.mark.case("what atomics return, masked lanes")
@pytest.mark.contract("gather, scatter: index out of range (negative ones too), masked lane")
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_atomics_return_what_was_there_and_leave_masked_lanes_alone(backend, arrays, dtype):
    start = arrays.rng.integers(-3, 4, (5, 8)).astype(dtype)
    a, new = arrays.output((5, 8), dtype), arrays.integers(-3, 4, (8,), dtype)
    a[...] = start
    before = arrays.output((6, 8), dtype)
    atomics[1](a, new, before)
    mask = np.arange(8) != 3
    want = [start[0] + new, np.maximum(start[1], new), np.minimum(start[2], new), new]
    want.append(np.where(start[4] == 1, new, start[4]))
    np.testing.assert_array_equal(a, np.where(mask, want, start))
    np.testing.assert_array_equal(before[:5], np.where(mask, start, -5))
    np.testing.assert_array_equal(before[5], np.full(8, -5))


@tg.kernel
def nearest(points: tg.Array, centres: tg.Array, counts: tg.Array, K: tg.Const):
    score = tg.load(points, (tg.program_id(0), 0), (16, 8)) @ tg.load(centres, (0, 0), (K, 8)).T
    inside = tg.program_id(0) * 16 + tg.arange(16) < points.shape[0]
    tg.atomic_add(counts, (tg.argmin(score, axis=1),), 1, mask=inside)


@pytest.mark.case("a histogram of argmin of a product")
def test_a_histogram_of_the_argmin_of_a_product(backend, arrays):
    points, centres = arrays.integers(-9, 9, (300, 8), "float32"), arrays.normal((5, 8))
    counts = arrays.output((5,), "int32", fill=0)
    nearest[tg.cdiv(300, 16)](points, centres, counts, K=5)
    want = np.bincount(
        (points.astype(np.float64) @ centres.T.astype(np.float64)).argmin(1), minlength=5
    )
    np.testing.assert_array_equal(counts, want)


@tg.kernel
def centre(x: tg.Array, y: tg.Array):
    tile = tg.load(x, (0, 0, 0), (3, 5, 7))
    tg.store(y, (0, 0, 0), tile - tg.sum(tile, axis=1, keepdims=True))


@pytest.mark.case("the sum over the middle axis, subtracted")
def test_a_sum_over_the_middle_axis_is_subtracted(backend, arrays):
    x, y = arrays.integers(-9, 9, (3, 5, 7), "float32"), arrays.output((3, 5, 7))
    centre[1](x, y)
    np.testing.assert_array_equal(y, x - x.sum(axis=1, keepdims=True))


@tg.kernel
def wide(a: tg.Array, b: tg.Array, c: tg.Array, y: tg.Array):
    shape = (4, 65536)
    total = tg.load(a, (0, 0), shape) * tg.load(b, (0, 0), shape) + tg.load(c, (0, 0), shape)
    tg.store(y, (0, 0), total)


@pytest.mark.case("a very large elementwise tile")
def test_an_elementwise_tile_of_a_quarter_million_elements(backend, arrays):
    a, b, c = (arrays.integers(-9, 9, (4, 65536), "float32") for _ in "abc")
    y = arrays.output((4, 65536))
    wide[1](a, b, c, y)
    np.testing.assert_array_equal(y, a * b + c)


@tg.kernel
def convert(x: tg.Array, y: tg.Array, N: tg.Const):
    i = tg.program_id(0)
    tg.store(y, i, tg.load(x, i, N).astype(y.dtype))


def converted(arrays, x, dtype, block=1024):
    y = arrays.output(x.shape, dtype)
    convert[tg.cdiv(x.size, block)](x, y, N=block)
    return y


@pytest.mark.case("floats to fp8: one rounding, ties to even, saturation")
@pytest.mark.contract("float to fp8")
@pytest.mark.parametrize("fp8", ["float8_e4m3fn", "float8_e5m2"])
@pytest.mark.parametrize("source", ["float16", "bfloat16"])
def test_every_16_bit_float_rounds_to_fp8_once_and_saturates(backend, arrays, source, fp8):
    x = arrays.input(np.arange(2**16, dtype=np.uint16).view(numpy_dtype(source)))
    got = converted(arrays, x, fp8).astype(np.float64)
    fp8 = numpy_dtype(fp8)
    top = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}[fp8.name]
    with np.errstate(all="ignore"):
        want = np.clip(x.astype(np.float64), -top, top).astype(fp8).astype(np.float64)
    np.testing.assert_array_equal(got, want)


@pytest.mark.case("NaN and infinity of fp8")
@pytest.mark.parametrize("wide_dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("fp8", ["float8_e4m3fn", "float8_e5m2"])
def test_every_fp8_value_decodes_with_its_nans_and_infinities(backend, arrays, fp8, wide_dtype):
    x = arrays.input(np.arange(256, dtype=np.uint8).view(numpy_dtype(fp8)))
    got = converted(arrays, x, wide_dtype, 256)
    np.testing.assert_array_equal(got.astype(np.float64), x.astype(np.float64))


@pytest.mark.case("float32 just above a tie to fp8")
def test_a_float_just_above_a_tie_is_not_rounded_twice(backend, arrays):
    x = arrays.input(np.array([1.0625001, 1.0625, 1e6, -1e6, np.inf], np.float32))
    got = converted(arrays, x, "float8_e4m3fn", 8).astype(np.float64)
    np.testing.assert_array_equal(got, [1.125, 1.0, 448, -448, 448])


@tg.kernel
def quirks(out: tg.Array, nan: tg.float32, flag: tg.bool_, small: tg.uint16, large: tg.uint64):
    tg.store(out, 0, (nan != nan).astype(tg.int64))
    tg.store(out, 1, tg.int8(300).astype(tg.int64))
    tg.store(out, 2, flag.astype(tg.int64))
    total = small + large
    tg.static_assert(total.dtype == tg.uint64, f"uint16 + uint64 is {total.dtype}")
    tg.store(out, 3, (tg.int64(-7) // 2) * 100 + tg.int64(-7) % 3)
    tg.store(out, 4, (tg.int32(-1) < tg.uint32(1)).astype(tg.int64))
    tg.store(out, 5, tg.int64(7) // 0 + tg.int64(7) % 0)


@pytest.mark.case("signs, division, comparison and promotion")
def test_comparisons_division_and_promotion_are_those_of_numpy(backend, arrays):
    out = arrays.output((6,), "int64")
    quirks[1](out, float("nan"), True, 1, 2)
    np.testing.assert_array_equal(out, [1, 44, 1, -398, 1, 0])


@pytest.mark.case("a product of a long sum of fp16")
def test_a_product_accumulates_in_single_precision(backend, arrays):
    a, b = arrays.normal((8, 512), "float16"), arrays.normal((8, 512), "float16")
    out = arrays.output((8, 8))
    products[1](a, b, out, SIZES=(8, 8, 512), FORM="x @ y.T")
    assert_close(out, a.astype(np.float64) @ b.astype(np.float64).T, roundings=32.0)


@tg.kernel
def move(x: tg.Array, index: tg.Array, y: tg.Array, N: tg.Const):
    tile = tg.gather(x, (tg.load(index, 0, N),), pad=1)
    halves = tg.concatenate([tile, tile])
    tg.store(y, 0, tg.where(tg.arange(2 * N) < N, halves, halves))


@pytest.mark.case("bits of small floats that are only moved")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_moves_keep_every_bit_of_small_floats(backend, arrays, dtype):
    dtype = numpy_dtype(dtype)
    bits = np.dtype(f"u{dtype.itemsize}")
    # Subnormals, signalling NaNs, infinities and zeros of both signs are among the patterns.
    patterns = np.arange(0, 256**dtype.itemsize, 61 if bits.itemsize == 2 else 1).astype(bits)
    x, index = arrays.input(patterns.view(dtype)), arrays.input(np.arange(patterns.size))
    y = arrays.output((2 * patterns.size,), dtype)
    move[1](x, index, y, N=patterns.size)
    np.testing.assert_array_equal(y.view(bits), np.concatenate([patterns, patterns]))


@tg.kernel
def split_twice(x: tg.Array, out: tg.Array):
    tile = tg.load(x, 0, 8)
    pair = tg.stack([tile, tile + 1], axis=-1)
    parts = [*tg.split(pair), *tg.split(pair)]
    for i, part in enumerate(parts):
        tg.store(out, (i, 0), part[None])


@pytest.mark.case("a value that is stored again after another")
def test_a_value_stored_again_after_another_is_still_itself(backend, arrays):
    x, out = arrays.integers(-9, 9, (8,), "int32"), arrays.output((4, 8), "int32")
    split_twice[1](x, out)
    np.testing.assert_array_equal(out, [x, x + 1, x, x + 1])
