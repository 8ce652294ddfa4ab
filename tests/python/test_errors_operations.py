# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on tiles used wrongly: sorting, scans, packed numbers, slices, creation."""

from __future__ import annotations

import numpy as np

import tegula as tg
from tegula.errors import (
    ArgumentError,
    MissingAttributeError,
    ShapeError,
    TileTypeError,
    TracedValueError,
)
from tests._support.mistakes import Mistakes

MISTAKES = Mistakes("operations")
X = np.zeros((8, 8), np.float32)
V = np.zeros(8, np.float32)
TRACED = ("cpu",)


@MISTAKES.expect(ArgumentError, at="axis=1", says=("axis 1", "rank 1"), fix="-1")
def sort_along_an_axis_that_is_not_there():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.sort(a, axis=1))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="tg.topk(a, 9)", says=("9", "8"), fix="at most|k")
def topk_of_more_than_there_is():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.topk(a, 9)[0])

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.histogram(a, 4)", says="float32", fix="astype|int")
def histogram_of_floats():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.histogram(a, 4).astype(v.dtype))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="tg.histogram(tg.arange(8), 0)", says="0", fix="1|bins|element")
def histogram_without_bins():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.histogram(tg.arange(8), 0).astype(v.dtype))

    kernel[1](V)


@MISTAKES.expect(ArgumentError, at="tg.cumsum(a, 2)", says=("axis 2", "rank 1"), fix="-1")
def cumulative_sum_along_an_axis_that_is_not_there():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.cumsum(a, 2))

    kernel[1](V)


@MISTAKES.expect(
    ShapeError, at="tg.scan((a, b), 0, lambda x, y, z, w: (x, w))", says=(r"\(8,\)", r"\(4,\)")
)
def scan_of_tiles_of_two_shapes():
    @tg.kernel
    def kernel(v: tg.Array):
        a, b = tg.load(v, 0, 8), tg.load(v, 0, 4)
        tg.store(v, 0, tg.scan((a, b), 0, lambda x, y, z, w: (x, w))[0])

    kernel[1](V)


@MISTAKES.expect(
    TileTypeError, at="tg.scan((a, a), 0, lambda x, y, z, w: x)", says=("2", "1|one"), fix="return"
)
def scan_whose_function_returns_too_little():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.scan((a, a), 0, lambda x, y, z, w: x)[0])

    kernel[1](V)


@MISTAKES.expect(
    TileTypeError,
    at="tg.reduce(a, 0, lambda x, y: x > y)",
    says=("bool", "float32"),
    fix="astype|dtype",
)
def reduction_whose_function_returns_another_dtype():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.reduce(a, 0, lambda x, y: x > y))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.reduce(a, 0, lambda x: x)", says="2", fix="lambda|two|take")
def reduction_by_a_function_of_one_argument():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.reduce(a, 0, lambda x: x))

    kernel[1](V)


@MISTAKES.expect(
    ShapeError,
    at='tg.dot_scaled(a, s, "e2m1", a.T, None, "e2m1")',
    says=(r"\(8, 3\)", r"\(8, 16\)"),
    fix="K // 32",
)
def scales_that_do_not_fit_their_blocks():
    @tg.kernel
    def kernel(x: tg.Array):
        a, s = tg.zeros((8, 8), tg.uint8), tg.zeros((8, 3), tg.uint8)
        tg.store(x, (0, 0), tg.dot_scaled(a, s, "e2m1", a.T, None, "e2m1"))

    kernel[1](X)


@MISTAKES.expect(
    ArgumentError, at='tg.dot_scaled(a, None, "e3m2", a, None, "e3m2")', says="e3m2", fix="e2m1"
)
def scaled_product_of_an_unknown_format():
    @tg.kernel
    def kernel(x: tg.Array):
        a = tg.zeros((8, 8), tg.uint8)
        tg.store(x, (0, 0), tg.dot_scaled(a, None, "e3m2", a, None, "e3m2"))

    kernel[1](X)


@MISTAKES.expect(
    TileTypeError,
    at='tg.dot_scaled(a, None, "e4m3", a, None, "e4m3")',
    says=("float32", "float8_e4m3fn"),
    fix="astype|float8",
)
def scaled_product_of_wide_floats():
    @tg.kernel
    def kernel(x: tg.Array):
        a = tg.load(x, (0, 0), (8, 8))
        tg.store(x, (0, 0), tg.dot_scaled(a, None, "e4m3", a, None, "e4m3"))

    kernel[1](X)


@MISTAKES.expect(TileTypeError, at="tg.dot(a, a)", says="int32", fix="astype|int8|float")
def product_of_wide_integers():
    @tg.kernel
    def kernel(x: tg.Array):
        a = tg.zeros((8, 8), tg.int32)
        tg.store(x, (0, 0), tg.dot(a, a).astype(x.dtype))

    kernel[1](X)


@MISTAKES.expect(ShapeError, at="tg.pack_int4(a)", says=("7", "odd"), fix="neighbours")
def packing_of_an_odd_number():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.arange(7)
        tg.store(v, 0, tg.pack_int4(a).astype(v.dtype))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.pack_int4(a)", says="float32", fix="astype|int|pack_fp4")
def packing_of_floats_as_integers():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.pack_int4(a).astype(v.dtype))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.unpack_int4(a)", says=("bytes", "int64"), fix="byte")
def unpacking_of_wide_integers():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.arange(8)
        tg.store(v, 0, tg.unpack_int4(a).astype(v.dtype))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.decode_e8m0(a)", says=("uint8", "float32"), fix="bytes|view")
def scales_that_are_floats():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.decode_e8m0(a))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="a[9]", says=("9", "axis 0", "8"), fix="0 to 7")
def element_of_a_tile_that_is_not_there():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.full(8, a[9], v.dtype))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="a[8:]", says=("8", "axis 0"), fix="extent|element|keep")
def slice_of_a_tile_that_keeps_nothing():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a[8:])

    kernel[1](V)


@MISTAKES.expect(
    TracedValueError, at="a[i]", says="index", fix=r"tg\.take_along_axis", backends=TRACED
)
def element_of_a_tile_at_a_run_time_index():
    @tg.kernel
    def kernel(v: tg.Array):
        a, i = tg.load(v, 0, 8), tg.program_id(0)
        tg.store(v, 0, tg.full(8, a[i], v.dtype))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="a[a > 0]", says="bool", fix=r"tg\.where")
def tile_subscripted_by_a_mask():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a[a > 0])

    kernel[1](V)


@MISTAKES.expect(
    ShapeError,
    at="tg.take_along_axis(a, rows, 0)",
    says=(r"\(8, 8\)", r"\(8, 3\)"),
    fix="extent|broadcast|1",
)
def picks_that_do_not_fit_beside_their_axis():
    @tg.kernel
    def kernel(x: tg.Array):
        a, rows = tg.load(x, (0, 0), (8, 8)), tg.zeros((8, 3), tg.int32)
        tg.store(x, (0, 0), tg.take_along_axis(a, rows, 0))

    kernel[1](X)


@MISTAKES.expect(TileTypeError, at="tg.roll(a, 1.5)", says="1.5", fix="int|//")
def roll_by_a_float():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.roll(a, 1.5))

    kernel[1](V)


@MISTAKES.expect(ArgumentError, at="tg.flip(a, 3)", says=("axis 3", "rank 1"), fix="-1")
def flip_of_an_axis_that_is_not_there():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.flip(a, 3))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="tg.stack([a, b])", says=(r"\(8,\)", r"\(4,\)"), fix="shape|extent")
def stack_of_tiles_of_two_shapes():
    @tg.kernel
    def kernel(v: tg.Array):
        a, b = tg.load(v, 0, 8), tg.load(v, 0, 4)
        tg.store(v, 0, tg.stack([a, b]))

    kernel[1](V)


@MISTAKES.expect(
    TracedValueError, at="tg.arange(v.shape[0])", says="arange", fix=r"tg\.Const", backends=TRACED
)
def range_of_a_run_time_length():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.arange(v.shape[0]).astype(v.dtype))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="tg.arange(0, 8, 0)", says="0", fix="step")
def arange_with_step_zero():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.arange(0, 8, 0).astype(v.dtype))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at='a.astype("float33")', says="float33", fix="float32")
def cast_to_a_dtype_that_is_not_there():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a.astype("float33"))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="tg.zeros((65536, 65536), tg.float32)", says="65536", fix="smaller")
def tile_that_is_too_large():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.sum(tg.zeros((65536, 65536), tg.float32), axis=0))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.rand(3, a)", says="float32", fix="int")
def random_numbers_of_float_counters():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.rand(3, a))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.print(v)", says="'v'", fix=r"tg\.load\(v")
def print_of_an_array():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.print(v)

    kernel[1](V)


@MISTAKES.expect(
    TracedValueError,
    at="tg.static_range(n)",
    says="static_range",
    fix=r"tg\.range",
    backends=TRACED,
)
def unrolled_loop_over_a_run_time_value():
    @tg.kernel
    def kernel(v: tg.Array, n: tg.int64):
        for i in tg.static_range(n):
            tg.store(v, i, tg.zeros(1, v.dtype))

    kernel[1](V, 3)


@MISTAKES.expect(ArgumentError, at="tg.static_range(0, 8, 0)", says="0", fix="step")
def unrolled_loop_with_step_zero():
    @tg.kernel
    def kernel(v: tg.Array):
        for i in tg.static_range(0, 8, 0):
            tg.store(v, i, tg.zeros(1, v.dtype))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.range(v.shape[0] / 2)", says="float64", fix="//")
def loop_to_a_float():
    @tg.kernel
    def kernel(v: tg.Array):
        for i in tg.range(v.shape[0] / 2):
            tg.store(v, i, tg.zeros(1, v.dtype))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.cdiv(7.5, 2)", says="7.5", fix=r"ceil")
def ceiling_division_of_floats():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, tg.cdiv(7.5, 2), tg.zeros(1, v.dtype))

    kernel[1](V)


@MISTAKES.expect(
    MissingAttributeError, at="tg.relu", says="there is no tg.relu", fix=r"tg\.maximum\(x, 0\)"
)
def function_that_other_libraries_have():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.relu(tg.load(v, 0, 8)))

    kernel[1](np.zeros(8, np.float32))


@MISTAKES.expect(
    MissingAttributeError, at="tg.maximun", says="there is no tg.maximun", fix=r"tg\.maximum\?"
)
def function_that_is_misspelt():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.maximun(tg.load(v, 0, 8), 0))

    kernel[1](np.zeros(8, np.float32))


@MISTAKES.parametrize()
def test_a_wrong_operation_is_explained(mistake, on, request):
    MISTAKES.check(mistake, on, request.config.option.update_golden)
