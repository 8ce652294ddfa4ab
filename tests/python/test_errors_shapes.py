# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes, ranks and axes that do not fit: each mistake is explained at the user's line."""

from __future__ import annotations

import numpy as np

import tegula as tg
from tegula.errors import ArgumentError, ShapeError, TileTypeError
from tests._support.mistakes import Mistakes

MISTAKES = Mistakes("shapes")
X = np.zeros((8, 8), np.float32)
V = np.zeros(8, np.float32)


@MISTAKES.expect(ShapeError, at="tg.dot(a, b)", says=(r"\(4, 16\)", r"\(8, 4\)", "16", "8"))
def dot_with_inner_sizes_that_differ():
    @tg.kernel
    def kernel(x: tg.Array):
        a = tg.load(x, (0, 0), (4, 16))
        b = tg.load(x, (0, 0), (8, 4))
        tg.store(x, (0, 0), tg.dot(a, b))

    kernel[1](X)


@MISTAKES.expect(ShapeError, at="a @ a", says=r"\(8,\)", fix="sum|None")
def dot_of_vectors():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a @ a)

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="tg.dot(a, b)", says=(r"\(2, 4, 4\)", r"\(3, 4, 4\)"))
def dot_of_batches_that_differ():
    @tg.kernel
    def kernel(v: tg.Array):
        a, b = tg.zeros((2, 4, 4), tg.float32), tg.zeros((3, 4, 4), tg.float32)
        tg.store(v, 0, tg.sum(tg.dot(a, b), axis=(1, 2)))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="tg.dot(a, a, acc)", says=(r"\(4, 8\)", r"\(8, 8\)"))
def dot_into_an_accumulator_of_another_shape():
    @tg.kernel
    def kernel(x: tg.Array):
        a = tg.load(x, (0, 0), (8, 8))
        acc = tg.zeros((4, 8), tg.float32)
        tg.store(x, (0, 0), tg.dot(a, a, acc))

    kernel[1](X)


@MISTAKES.expect(ShapeError, at="a + b", says=(r"\(4,\)", r"\(3,\)"))
def operands_that_do_not_broadcast():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 4)
        b = tg.load(v, 0, 3)
        tg.store(v, 0, a + b)

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="tg.load(x, i, 8)", says=("2",), fix=r"\(i|one index|each|per dim")
def load_of_a_matrix_by_one_index():
    @tg.kernel
    def kernel(x: tg.Array):
        i = tg.program_id(0)
        tg.store(x, (i, 0), tg.load(x, i, 8))

    kernel[1](X)


@MISTAKES.expect(ShapeError, at="tg.load(x, (0, 0), (4, 4, 4))", says=(r"\(4, 4, 4\)", "2"))
def load_of_a_tile_of_another_rank():
    @tg.kernel
    def kernel(x: tg.Array):
        a = tg.load(x, (0, 0), (4, 4, 4))
        tg.store(x, (0, 0), a)

    kernel[1](X)


@MISTAKES.expect(ShapeError, at="tg.load(v, 0, 0)", says="0", fix="")
def tile_without_elements():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v, 0, 0))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="tg.store(x, (0, 0), a)", says=(r"\(8,\)", "2"))
def store_of_a_tile_of_another_rank():
    @tg.kernel
    def kernel(x: tg.Array):
        a = tg.zeros((8,), tg.float32)
        tg.store(x, (0, 0), a)

    kernel[1](X)


@MISTAKES.expect(ShapeError, at="a.reshape(3, 4)", says=(r"\(8,\)", r"\(3, 4\)", "8 elements"))
def reshape_to_another_number_of_elements():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a.reshape(3, 4))

    kernel[1](V)


@MISTAKES.expect(ArgumentError, at="tg.permute(a, (0, 0))", says=r"\(0, 0\)")
def permutation_that_names_an_axis_twice():
    @tg.kernel
    def kernel(x: tg.Array):
        a = tg.load(x, (0, 0), (8, 8))
        tg.store(x, (0, 0), tg.permute(a, (0, 0)))

    kernel[1](X)


@MISTAKES.expect(ArgumentError, at="axis=2", says=("axis 2", "rank 2"))
def reduction_along_an_axis_that_is_not_there():
    @tg.kernel
    def kernel(v: tg.Array, x: tg.Array):
        a = tg.load(x, (0, 0), (8, 8))
        tg.store(v, 0, tg.sum(a, axis=2))

    kernel[1](V, X)


@MISTAKES.expect(ShapeError, at="tg.concatenate([a, b], axis=0)", says=(r"\(4, 8\)", r"\(4, 4\)"))
def concatenation_of_sizes_that_differ():
    @tg.kernel
    def kernel(x: tg.Array):
        a, b = tg.zeros((4, 8), tg.float32), tg.zeros((4, 4), tg.float32)
        tg.store(x, (0, 0), tg.concatenate([a, b], axis=0))

    kernel[1](X)


@MISTAKES.expect(ShapeError, at="tg.split(a)", says=(r"\(8, 8\)", "2"))
def split_of_an_axis_that_is_not_two():
    @tg.kernel
    def kernel(x: tg.Array):
        a = tg.load(x, (0, 0), (8, 8))
        low, high = tg.split(a)
        tg.store(x, (0, 0), low + high)

    kernel[1](X)


@MISTAKES.expect(ShapeError, at="tg.gather(x, (rows,))", says=("1", "2"))
def gather_with_too_few_indices():
    @tg.kernel
    def kernel(v: tg.Array, x: tg.Array):
        rows = tg.arange(8)
        tg.store(v, 0, tg.gather(x, (rows,)))

    kernel[1](V, X)


@MISTAKES.expect(ShapeError, at="tg.gather(v, (rows,), mask=mask)", says=(r"\(4,\)", r"\(8,\)"))
def gather_with_a_mask_of_another_shape():
    @tg.kernel
    def kernel(v: tg.Array):
        rows = tg.arange(8)
        mask = tg.arange(4) < 2
        tg.store(v, 0, tg.gather(v, (rows,), mask=mask))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="tg.squeeze(a, 1)", says=(r"\(1, 8\)", "8"))
def squeeze_of_an_axis_that_is_not_one():
    @tg.kernel
    def kernel(v: tg.Array, x: tg.Array):
        a = tg.load(x, (0, 0), (1, 8))
        tg.store(v, 0, tg.squeeze(a, 1))

    kernel[1](V, X)


@MISTAKES.expect(ShapeError, at="tg.broadcast_to(a, (8, 4))", says=(r"\(8,\)", r"\(8, 4\)"))
def broadcast_that_does_not_stretch():
    @tg.kernel
    def kernel(v: tg.Array, x: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(x, (0, 0), tg.broadcast_to(a, (8, 4)))

    kernel[1](V, X)


@MISTAKES.expect(ArgumentError, at="tg.program_id(3)", says="3", fix="")
def program_id_of_a_fourth_axis():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, tg.program_id(3), tg.zeros((8,), tg.float32))

    kernel[1](V)


@MISTAKES.expect(
    ShapeError,
    at="a + tg.arange(3)",
    says=(
        r"\(8,\) and \(3,\)",
        r"`a` \(float32 tile|`tg.load\(v, 0, 8\)` \(float32",
        r"`tg.arange\(3\)` \(int64",
    ),
    fix="None",
)
def shapes_that_do_not_broadcast_with_dtypes_that_promote():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, a + tg.arange(3))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.zeros((8, None), tg.float32)", says="None", fix="tg.Const")
def an_extent_that_is_none():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.zeros((8, None), tg.float32))

    kernel[1](V)


@MISTAKES.parametrize()
def test_a_shape_that_does_not_fit_is_explained(mistake, on, request):
    MISTAKES.check(mistake, on, request.config.option.update_golden)
