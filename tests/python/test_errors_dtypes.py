# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dtypes that do not mix, constants that do not fit: each is explained at the user's line."""

from __future__ import annotations

import math

import numpy as np

import tegula as tg
from tegula.errors import (
    ArgumentError,
    ConstantRangeError,
    MissingAttributeError,
    PromotionError,
    ShapeError,
    TileTypeError,
    TracedValueError,
)
from tests._support.arrays import numpy_dtype
from tests._support.mistakes import Mistakes

MISTAKES = Mistakes("dtypes")
X = np.zeros((8, 8), np.float32)
H = np.zeros((8, 8), np.float16)
N = np.zeros(8, np.int32)
B = np.zeros(8, np.uint8)
V = np.zeros(8, np.float32)


@MISTAKES.expect(TileTypeError, at="tg.dot(a, b)", says=("float32", "float16"), fix=r"\.astype\(")
def dot_of_two_dtypes():
    @tg.kernel
    def kernel(x: tg.Array, h: tg.Array):
        a = tg.load(x, (0, 0), (8, 8))
        b = tg.load(h, (0, 0), (8, 8))
        tg.store(x, (0, 0), tg.dot(a, b))

    kernel[1](X, H)


@MISTAKES.expect(
    TileTypeError, at="tg.store(h, (0, 0), a)", says=("float32", "float16"), fix=r"\.astype\("
)
def store_of_another_dtype():
    @tg.kernel
    def kernel(x: tg.Array, h: tg.Array):
        a = tg.load(x, (0, 0), (8, 8))
        tg.store(h, (0, 0), a)

    kernel[1](X, H)


@MISTAKES.expect(TileTypeError, at="tg.load(v, i, 8)", says="float", fix="//|astype|int")
def tile_index_that_is_a_float():
    @tg.kernel
    def kernel(v: tg.Array):
        i = tg.program_id(0) / 2
        tg.store(v, 0, tg.load(v, i, 8))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.gather(v, (a,))", says="float32", fix="astype|int")
def gather_index_that_is_a_float():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.gather(v, (a,)))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="a & 1", says="float32", fix="")
def bitwise_operator_on_floats():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a & 1)

    kernel[1](V)


@MISTAKES.expect(ConstantRangeError, at="a + 300", says=("300", "uint8"), fix="astype|tg.")
def constant_that_does_not_fit():
    @tg.kernel
    def kernel(b: tg.Array):
        a = tg.load(b, 0, 8)
        tg.store(b, 0, a + 300)

    kernel[1](B)


@MISTAKES.expect(ConstantRangeError, at="tg.full((8,), -1, tg.uint8)", says=("-1", "uint8"))
def fill_value_that_does_not_fit():
    @tg.kernel
    def kernel(b: tg.Array):
        tg.store(b, 0, tg.full((8,), -1, tg.uint8))

    kernel[1](B)


@MISTAKES.expect(
    PromotionError, at="a + b", says=("float8_e4m3fn", "float8_e5m2"), fix=r"\.astype\("
)
def sum_of_two_kinds_of_float8():
    @tg.kernel
    def kernel(x: tg.Array, y: tg.Array, v: tg.Array):
        a, b = tg.load(x, 0, 8), tg.load(y, 0, 8)
        tg.store(v, 0, (a + b).astype(tg.float32))

    eights = (np.zeros(8, numpy_dtype(name)) for name in ("float8_e4m3fn", "float8_e5m2"))
    kernel[1](*eights, V)


@MISTAKES.expect(TileTypeError, at="mask=m", says="int64", fix="")
def mask_that_is_not_bool():
    @tg.kernel
    def kernel(v: tg.Array):
        m = tg.arange(8)
        tg.store(v, 0, tg.gather(v, (tg.arange(8),), mask=m))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="a.view(tg.float16)", says=("float32", "float16"))
def bit_cast_to_another_width():
    @tg.kernel
    def kernel(v: tg.Array, h: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(h, (0, 0), a.view(tg.float16)[None])

    kernel[1](V, H)


@MISTAKES.expect(TileTypeError, at="tg.atomic_and(v, (tg.arange(8),), a)", says="float32", fix="")
def atomic_bit_operation_on_floats():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.atomic_and(v, (tg.arange(8),), a)

    kernel[1](V)


@MISTAKES.expect(
    TileTypeError, at="tg.atomic_add(n, (tg.arange(8),), a)", says=("float32", "int32")
)
def atomic_with_a_value_of_another_dtype():
    @tg.kernel
    def kernel(n: tg.Array, v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.atomic_add(n, (tg.arange(8),), a)

    kernel[1](N, V)


@MISTAKES.expect(TracedValueError, at="math.exp(a)", says="", fix=r"tg\.exp", backends=("cpu",))
def function_of_the_math_module():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.sum(tg.load(v, 0, 8))
        tg.store(v, 0, tg.full((8,), math.exp(a), tg.float32))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="np.exp(a)", says="", fix=r"tg\.exp")
def function_of_numpy():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, np.exp(a))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="a + TABLE", says="array of shape", fix="argument|pass")
def numpy_array_from_outside():
    TABLE = np.zeros(1 << 17)

    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a + TABLE)

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="v + 1", says="v", fix=r"tg\.load")
def arithmetic_on_an_array():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, v + 1)

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="v[0]", says="", fix=r"tg\.gather")
def subscript_of_an_array():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.full((8,), v[0], tg.float32))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="a[0]", says="", fix="where")
def assignment_to_an_element_of_a_tile():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        a[0] = 1
        tg.store(v, 0, a)

    kernel[1](V)


@MISTAKES.expect(ArgumentError, at='precision="tf23"', says="tf23", fix="tf32")
def precision_that_is_not_known():
    @tg.kernel
    def kernel(x: tg.Array):
        a = tg.load(x, (0, 0), (8, 8))
        tg.store(x, (0, 0), tg.dot(a, a, precision="tf23"))

    kernel[1](X)


@MISTAKES.expect(MissingAttributeError, at="a.exp", says="a.*float32.*exp", fix=r"tg\.exp\(x")
def a_function_that_is_no_method():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a.exp())

    kernel[1](V)


@MISTAKES.expect(MissingAttributeError, at="a.to", says="to", fix=r"x\.astype\(dtype\)")
def a_method_of_another_library():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a.to(tg.float16))

    kernel[1](V)


@MISTAKES.expect(
    MissingAttributeError, at="a.softmax", says="softmax", fix=r"e = tg\.exp\(x - x\.max"
)
def a_method_that_takes_two_steps():
    @tg.kernel
    def kernel(x: tg.Array):
        a = tg.load(x, (0, 0), (8, 8))
        tg.store(x, (0, 0), a.softmax(1))

    kernel[1](X)


@MISTAKES.expect(MissingAttributeError, at="tg.atomic_sub", fix=r"tg\.atomic_add\(a, i, -x\)")
def an_atomic_that_another_does():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.atomic_sub(v, 0, 1.0)

    kernel[1](V)


@MISTAKES.expect(MissingAttributeError, at="tg.atomic_load", fix=r"tg\.atomic_or\(a, i, 0\)")
def an_atomic_load():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.atomic_load(v, 0))

    kernel[1](V)


@MISTAKES.expect(MissingAttributeError, at="tg.threadIdx", fix=r"whole tiles.*tg\.arange\(n\)")
def the_number_of_a_thread():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, tg.threadIdx.x, 1.0)

    kernel[1](V)


@MISTAKES.expect(MissingAttributeError, at="v.sum", says="'v'.*sum", fix=r"tg\.load\(v, index")
def a_method_of_an_array():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, v.sum())

    kernel[1](V)


@MISTAKES.expect(MissingAttributeError, at="v.stride", says="stride", fix="did you mean 'strides'")
def a_misspelt_attribute():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, v.stride, tg.load(v, 0, 8))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="mask=1", says="a mask is a tile of bool, not 1", fix="< n")
def mask_that_is_a_number():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.gather(v, (tg.arange(8),), mask=1))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="a + None", says="None")
def operand_that_is_none():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a + None)

    kernel[1](V)


@MISTAKES.parametrize()
def test_a_dtype_that_does_not_fit_is_explained(mistake, on, request):
    MISTAKES.check(mistake, on, request.config.option.update_golden)
