# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that other tile compilers got wrong: rounding, NaN, signs, masks, atomics, far offsets.

Where `test_field_data.py` has an instance of a fault, the whole kind is here.
"""

from __future__ import annotations

import numpy as np
import pytest

import tegula as tg
from tests._support.arrays import LAYOUTS, numpy_dtype

FP8 = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}


@tg.kernel
def convert(x: tg.Array, y: tg.Array, N: tg.Const):
    i = tg.program_id(0)
    tg.store(y, i, tg.load(x, i, N).astype(y.dtype))


@pytest.mark.case("float32 just above a tie to fp8")
@pytest.mark.parametrize("fp8", FP8)
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_floats_around_every_tie_to_fp8_round_once(backend, arrays, source, fp8):
    dtype = numpy_dtype(fp8)
    table = np.arange(128, dtype=np.uint8).view(dtype).astype(source)
    table = table[np.isfinite(table)]  # ascending, from 0 to the largest
    ties = (table[:-1] + table[1:]) / 2  # exact: fp8 has few digits
    even = np.where(np.arange(ties.size) % 2 == 0, table[:-1], table[1:])
    above, below = np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf)
    beyond = np.array([FP8[fp8] * 1.01, 3e38, np.inf], source)
    x = np.concatenate([ties, above, below, beyond])
    want = np.concatenate([even, table[1:], table[:-1], np.full(3, FP8[fp8], source)])
    x, want = np.concatenate([x, -x]), np.concatenate([want, -want])
    x, y = arrays.input(x.astype(source)), arrays.output(x.shape, fp8)
    convert[tg.cdiv(x.size, 256)](x, y, N=256)
    np.testing.assert_array_equal(y.astype(np.float64), want.astype(np.float64))


@pytest.mark.case("fp8 formats that the hardware lacks")
def test_fp8_formats_without_infinity_and_zero_are_refused(backend, arrays):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x, y = np.zeros(8, ml_dtypes.float8_e4m3fnuz), arrays.output((8,))
    with pytest.raises(tg.TegulaError, match="float8_e4m3fnuz"):
        convert[1](x, y, N=8)


@tg.kernel
def both_orders(a: tg.Array, b: tg.Array, out: tg.Array, N: tg.Const):
    x, y = tg.load(a, 0, N), tg.load(b, 0, N)
    for i, f in enumerate((tg.maximum, tg.minimum, tg.fmax, tg.fmin)):
        tg.store(out, (2 * i, 0), f(x, y)[None])
        tg.store(out, (2 * i + 1, 0), f(y, x)[None])


@pytest.mark.case("NaN in either operand of max, min, fmax, fmin")
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_nan_in_either_operand_gives_the_same(backend, arrays, dtype):
    dtype = numpy_dtype(dtype)
    values = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, 1.5, -2.0])
    a, b = (arrays.input(x.ravel().astype(dtype)) for x in np.meshgrid(values, values))
    out = arrays.output((8, a.size), dtype)
    both_orders[1](a, b, out, N=a.size)
    a, b = a.astype(np.float64), b.astype(np.float64)
    for i, f in enumerate((np.maximum, np.minimum, np.fmax, np.fmin)):
        for row in (2 * i, 2 * i + 1):
            np.testing.assert_array_equal(out[row].astype(np.float64), f(a, b))


@tg.kernel
def combined(x: tg.Array, out: tg.Array, N: tg.Const):
    i = tg.arange(N)
    first, second = i < 5, (i >= 5) & (i < 9)
    a = tg.gather(x, (i,), mask=first)
    b = tg.gather(x, (i,), mask=second)
    c = tg.load(x, 0, N)  # past the edge: zeros
    tg.store(out, 0, tg.where(first, a, tg.where(second, b, c)))
    tg.store(out, 1, a + b)


@pytest.mark.case("masked loads, with and without a pad value")
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8"])
def test_masked_lanes_without_a_pad_are_zero_every_time(backend, arrays, dtype):
    x = arrays.integers(1, 9, (11,), dtype)
    for _ in range(3):
        out = arrays.output((32,), dtype)
        combined[1](x, out, N=16)
        np.testing.assert_array_equal(out[:16], np.pad(x, (0, 5)))
        np.testing.assert_array_equal(out[16:], np.pad(x[:9], (0, 7)))


@tg.kernel
def copy_block(x: tg.Array, y: tg.Array, PAD: tg.Const, SHAPE: tg.Const):
    i, j = tg.program_id(0), tg.program_id(1)
    tg.store(y, (i, j), tg.load(x, (i - 1, j - 1), SHAPE, pad=PAD))


@pytest.mark.case("a pad value other than 0")
@pytest.mark.parametrize("pad", [-7.0, float("-inf"), float("nan")])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_edge_and_corner_of_a_copy_has_the_pad(backend, arrays, layout, pad):
    x, y = arrays.integers(-9, 9, (13, 21), "float32", layout), arrays.output((24, 48))
    copy_block[3, 3](x, y, PAD=pad, SHAPE=(8, 16))
    want = np.full((24, 48), pad, np.float32)
    want[8:21, 16:37] = x
    np.testing.assert_array_equal(y, want)


@tg.kernel
def last_block(x: tg.Array, y: tg.Array, row: tg.int32, column: tg.int32):
    tg.store(y, (0, 0), tg.load(x, (row, column), (1, 8)))
    tg.store(x, (row, column), tg.full((1, 8), 5, x.dtype))


@pytest.mark.case("blocks beyond 2^31 elements")
@pytest.mark.contract("index arithmetic")
def test_blocks_beyond_2_to_the_31_elements_are_the_right_ones(backend):
    # Untouched pages of zeros take no memory.
    x, y = np.zeros((3, 2**30), np.int8), np.full((1, 8), -1, np.int8)
    x[2, -8:] = np.arange(1, 9)
    last_block[1](x, y, 2, 2**27 - 1)
    np.testing.assert_array_equal(y[0], np.arange(1, 9))
    np.testing.assert_array_equal(x[2, -8:], np.full(8, 5))
    assert not x[2, -16:-8].any() and not x[0, -16:].any() and not x[0, :16].any()


SIGNED = ("int8", "int16", "int32", "int64")


@tg.kernel
def arithmetic(a: tg.Array, b: tg.Array, out: tg.Array, less: tg.Array, N: tg.Const):
    x, y = tg.load(a, 0, N), tg.load(b, 0, N)
    tg.store(out, (0, 0), (x // y)[None])
    tg.store(out, (1, 0), (x % y)[None])
    tg.store(less, 0, (x < y).astype(tg.int8) + (x == y).astype(tg.int8) * 2)


@pytest.mark.case("division and remainder of run-time integers")
@pytest.mark.parametrize("dtype", [*SIGNED, *("u" + name for name in SIGNED)])
def test_division_and_remainder_of_run_time_integers_are_those_of_numpy(backend, arrays, dtype):
    info = np.iinfo(dtype)
    values = [v for v in (info.min, info.min + 1, -7, -2, -1, 0, 1, 2, 3, 7, info.max)]
    values = np.array([v for v in values if v >= info.min], dtype)
    a, b = (arrays.input(x.ravel()) for x in np.meshgrid(values, values))
    out, less = arrays.output((2, a.size), dtype), arrays.output((a.size,), "int8")
    arithmetic[1](a, b, out, less, N=a.size)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, [a // b, a % b])
    np.testing.assert_array_equal(less, (a < b) + 2 * (a == b))


@tg.kernel
def compare(a: tg.Array, b: tg.Array, out: tg.Array, N: tg.Const):
    x, y = tg.load(a, 0, N), tg.load(b, 0, N)
    for i, mask in enumerate((x < y, x <= y, x == y, x > y)):
        tg.store(out, (i, 0), mask.astype(tg.int8)[None])
    tg.store(out, (4, 0), (tg.sum((x < y).astype(tg.int64)) > 0).astype(tg.int8).reshape(1, 1))


@pytest.mark.case("signed against unsigned integers")
@pytest.mark.parametrize(
    "pair", [("int8", "uint8"), ("int32", "uint32"), ("int16", "uint64")], ids=str
)
def test_signed_and_unsigned_integers_compare_by_value(backend, arrays, pair):
    a, b = (np.array([np.iinfo(d).min, np.iinfo(d).max, 0, 1, 5], d) for d in pair)
    a[3] = -1
    a, b = (arrays.input(x.ravel()) for x in np.meshgrid(a, b))
    out = arrays.output((5, a.size), "int8")
    compare[1](a, b, out, N=a.size)
    exact = [
        (int(x) < int(y), int(x) <= int(y), int(x) == int(y), int(x) > int(y))
        for x, y in zip(a, b, strict=True)
    ]
    np.testing.assert_array_equal(out[:4], np.array(exact).T)
    assert out[4, 0] == 1


@tg.kernel
def counted(x: tg.Array, out: tg.Array, N: tg.Const, BINS: tg.Const):
    tg.store(out, 0, tg.histogram(tg.load(x, 0, N), BINS))


@pytest.mark.case("a histogram: counts beyond the dtype, elements outside")
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_a_histogram_counts_beyond_its_dtype_and_drops_what_is_outside(backend, arrays, dtype):
    info = np.iinfo(dtype)
    values = [3] * 300 + [0, 6, 7, 8, info.max, info.min, -1 if info.min < 0 else 9]
    x, out = arrays.input(np.array(values, dtype)), arrays.output((7,), "int32")
    counted[1](x, out, N=len(values), BINS=7)
    zeros = values.count(0)
    np.testing.assert_array_equal(out, [zeros, 0, 0, 300, 0, 0, 1])


@tg.kernel
def scalar_atomics(a: tg.Array, before: tg.Array, active: tg.bool_):
    for i, (f, value) in enumerate(
        [
            (tg.atomic_add, 3),
            (tg.atomic_max, 9),
            (tg.atomic_min, -9),
            (tg.atomic_xchg, 4),
            (tg.atomic_and, 6),
            (tg.atomic_or, 8),
            (tg.atomic_xor, 5),
        ]
    ):
        old = f(a, (i,), value, mask=active, pad=-5)
        tg.store(before, i, old)
        tg.store(before, i + 7, old * 2 + old)
    tg.store(before, 14, tg.atomic_cas(a, (7,), 2, 77, mask=active, pad=-5))


@pytest.mark.case("what scalar atomics return")
@pytest.mark.parametrize("active", [True, False])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_scalar_atomics_return_what_was_there(backend, arrays, dtype, active):
    a, before = arrays.output((8,), dtype, fill=2), arrays.output((15,), dtype)
    scalar_atomics[1](a, before, active)
    if active:
        np.testing.assert_array_equal(a, [5, 9, -9, 4, 2, 10, 7, 77])
        np.testing.assert_array_equal(before, [2] * 7 + [6] * 7 + [2])
    else:
        np.testing.assert_array_equal(a, np.full(8, 2))
        np.testing.assert_array_equal(before, [-5] * 7 + [-15] * 7 + [-5])


@tg.kernel
def transposed(x: tg.Array, y: tg.Array, BM: tg.Const, BN: tg.Const):
    i, j = tg.program_id(0), tg.program_id(1)
    tg.store(y, (j, i), tg.load(x, (i, j), (BM, BN)).T)


@pytest.mark.case("a transposed tile, stored")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("tile", [(16, 16), (8, 32), (5, 3)], ids=str)
def test_a_transposed_tile_is_stored(backend, arrays, tile, layout):
    x, y = (
        arrays.integers(-9, 9, (33, 21), "float16", layout),
        arrays.output((21, 33), "float16", layout),
    )
    transposed[tg.cdiv(33, tile[0]), tg.cdiv(21, tile[1])](x, y, BM=tile[0], BN=tile[1])
    np.testing.assert_array_equal(y, x.T)


@tg.kernel
def product(a: tg.Array, b: tg.Array, out: tg.Array, BK: tg.Const, AT: tg.Const, BT: tg.Const):
    m, n = 16, 32
    k = a.shape[0] if AT else a.shape[1]
    acc = tg.zeros((m, n), tg.float32)
    for i in tg.range(tg.cdiv(k, BK)):
        x = tg.load(a, (i, 0), (BK, m)).T if AT else tg.load(a, (0, i), (m, BK))
        y = tg.load(b, (0, i), (n, BK)).T if BT else tg.load(b, (i, 0), (BK, n))
        acc = tg.dot(x, y, acc)
    tg.store(out, (0, 0), acc)


@pytest.mark.case("products whose K is 24, 40 or 56")
@pytest.mark.parametrize("bk", [16, 24, 40, 56])
@pytest.mark.parametrize("at, bt", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("layout", ["contiguous", "transposed"])
def test_a_loop_over_blocks_of_any_depth_uses_all_of_it(backend, arrays, bk, at, bt, layout):
    a = arrays.integers(-9, 9, (100, 16) if at else (16, 100), "float16", layout)
    b = arrays.integers(-9, 9, (32, 100) if bt else (100, 32), "float16", layout)
    out = arrays.output((16, 32))
    product[1](a, b, out, BK=bk, AT=at, BT=bt)
    a, b = (x.astype(np.float32) for x in (a.T if at else a, b.T if bt else b))
    np.testing.assert_array_equal(out, a @ b)


@tg.kernel
def centred(x: tg.Array, y: tg.Array, SHAPE: tg.Const, AXIS: tg.Const):
    tile = tg.load(x, (0, 0, 0), SHAPE)
    tg.store(y, (0, 0, 0), tile - tg.expand_dims(tg.sum(tile, axis=AXIS), AXIS))


@pytest.mark.case("the sum over any axis, subtracted")
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 7), (2, 8, 16)], ids=str)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_sum_over_any_axis_is_subtracted(backend, arrays, axis, shape):
    x, y = arrays.integers(-9, 9, shape, "float32"), arrays.output(shape)
    centred[1](x, y, SHAPE=shape, AXIS=axis)
    np.testing.assert_array_equal(y, x - x.sum(axis=axis, keepdims=True))
