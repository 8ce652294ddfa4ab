# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays accessed wrongly: views, offsets, atomics, assumptions, checked accesses."""

from __future__ import annotations

import numpy as np

import tegula as tg
from tegula.errors import (
    ArgumentError,
    KernelAssertionError,
    LaunchError,
    ShapeError,
    StaticAssertionError,
    TileTypeError,
    TracedValueError,
)
from tests._support.mistakes import Mistakes

MISTAKES = Mistakes("memory")
X = np.zeros((8, 8), np.float32)
V = np.zeros(8, np.float32)
N = np.zeros(8, np.int32)
TRACED = ("cpu",)


@MISTAKES.expect(ShapeError, at="v[1:, 1:]", says=("2 indices", "'v'", "rank 1"), fix="at most")
def part_of_an_array_with_too_many_indices():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v[1:, 1:], 0, 4))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="v[::0]", says=("'v'", "0"), fix="step")
def part_of_an_array_with_step_zero():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v[::0], 0, 4))

    kernel[1](V)


@MISTAKES.expect(
    TracedValueError, at="v[::n]", says="step", fix=r"tg\.Const|tg\.gather", backends=TRACED
)
def part_of_an_array_with_a_run_time_step():
    @tg.kernel
    def kernel(v: tg.Array, n: tg.int64):
        tg.store(v, 0, tg.load(v[::n], 0, 4))

    kernel[1](V, 2)


@MISTAKES.expect(TileTypeError, at="v[tg.arange(4)]", says="'v'", fix=r"tg\.gather\(v")
def array_subscripted_by_a_tile():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, v[tg.arange(4)])

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="v.reshape(-1, -1)", says=("'v'", "-1", "2"), fix="one")
def array_reshaped_to_two_unknown_sizes():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v.reshape(-1, -1)[0], 0, 4))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="v.reshape(-2, 4)", says=("'v'", "-2"), fix="0 or more")
def array_reshaped_to_a_negative_size():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v.reshape(-2, 4)[0], 0, 4))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="v.reshape(2.0, 4)", says=("'v'", "2.0"), fix="int")
def array_reshaped_to_a_float():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v.reshape(2.0, 4)[0], 0, 4))

    kernel[1](V)


@MISTAKES.expect(KernelAssertionError, at="v.reshape(3, 3)", says="'v'", fix="-1|size|elements")
def array_reshaped_to_another_number_of_elements():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v.reshape(3, 3)[0], 0, 4))

    kernel[1](V)


@MISTAKES.expect(
    ArgumentError, at="x.transpose(0, 0)", says=(r"\(0, 0\)", "'x'"), fix="0 to 1 once"
)
def array_transposed_by_no_permutation():
    @tg.kernel
    def kernel(x: tg.Array):
        tg.store(x, (0, 0), tg.load(x.transpose(0, 0), (0, 0), (4, 4)))

    kernel[1](X)


@MISTAKES.expect(ArgumentError, at="tg.load(v, 0)", says="shape", fix=r"tg\.load\(v, index, shape")
def load_without_a_shape():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v, 0))

    kernel[1](V)


@MISTAKES.expect(
    ArgumentError, at="tg.load(v, 0, 4, offset=2)", says="either", fix=r"offset=.*in elements"
)
def load_at_an_index_and_an_offset():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v, 0, 4, offset=2))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="offset=3", says=("'x'", "rank 2", "1"), fix=r"\(")
def load_at_one_offset_of_a_matrix():
    @tg.kernel
    def kernel(x: tg.Array):
        tg.store(x, (0, 0), tg.load(x, offset=3, shape=(4, 4)))

    kernel[1](X)


@MISTAKES.expect(TileTypeError, at="offset=1.5", says="1.5", fix="//|astype")
def load_at_an_offset_that_is_a_float():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v, offset=1.5, shape=4))

    kernel[1](V)


@MISTAKES.expect(ArgumentError, at="tg.store(v, 0)", says="tile is missing", fix=r"tg\.store\(")
def store_without_a_tile():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0)

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.load(a, 0, 4)", says="array parameter", fix="argument")
def load_from_a_tile():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.store(v, 0, tg.load(a, 0, 4))

    kernel[1](V)


@MISTAKES.expect(
    TileTypeError, at="tg.store(tg.load(v, 0, 8), 0, v)", says="array parameter", fix="argument"
)
def store_with_its_arguments_exchanged():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(tg.load(v, 0, 8), 0, v)

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="tg.load(v, tg.arange(4), 1)", says=r"\(4,\)", fix=r"tg\.gather")
def load_at_a_tile_of_indices():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v, tg.arange(4), 1))

    kernel[1](V)


@MISTAKES.expect(ShapeError, at="pad=tg.zeros(8, tg.float32)", says=r"\(8,\)", fix=r"tg\.where")
def pad_that_is_a_tile():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.load(v, 0, 8, pad=tg.zeros(8, tg.float32)))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="pad=0.5", says=("0.5", "int32"), fix=r"tg\.int32")
def pad_that_does_not_fit_the_array():
    @tg.kernel
    def kernel(n: tg.Array):
        tg.store(n, 0, tg.load(n, 0, 8, pad=0.5))

    kernel[1](N)


@MISTAKES.expect(
    ShapeError, at="tg.scatter(v, (rows,), values)", says=(r"\(4,\)", r"\(3,\)"), fix="broadcast|1"
)
def scatter_of_values_that_do_not_broadcast():
    @tg.kernel
    def kernel(v: tg.Array):
        rows, values = tg.arange(4), tg.zeros(3, tg.float32)
        tg.scatter(v, (rows,), values)

    kernel[1](V)


@MISTAKES.expect(
    TileTypeError, at="tg.atomic_add(b, (0,), True)", says=("bool", "'b'"), fix="dtype|integers"
)
def atomic_on_an_array_of_booleans():
    @tg.kernel
    def kernel(b: tg.Array):
        tg.atomic_add(b, (0,), True)

    kernel[1](np.zeros(4, bool))


@MISTAKES.expect(
    TileTypeError,
    at="tg.atomic_cas(n, (0,), 0.5, 1)",
    says=("0.5", "int32", "'n'"),
    fix=r"tg\.int32|astype",
)
def atomic_exchange_that_compares_with_another_dtype():
    @tg.kernel
    def kernel(n: tg.Array):
        tg.atomic_cas(n, (0,), 0.5, 1)

    kernel[1](N)


@MISTAKES.expect(
    ShapeError, at="tg.atomic_add(x, (tg.arange(8),), 1.0)", says=("'x'", "rank 2"), fix=r"\(i, j\)"
)
def atomic_with_too_few_indices():
    @tg.kernel
    def kernel(x: tg.Array):
        tg.atomic_add(x, (tg.arange(8),), 1.0)

    kernel[1](X)


# What a kernel relies on
@MISTAKES.expect(
    KernelAssertionError,
    at='tg.assume(n % 16 == 0, "n is a multiple of 16")',
    says=("n is a multiple of 16",),
    fix="pass|argument",
)
def assumption_that_does_not_hold():
    @tg.kernel
    def kernel(v: tg.Array, n: tg.int64):
        tg.assume(n % 16 == 0, "n is a multiple of 16")
        tg.store(v, 0, tg.zeros(1, tg.float32))

    kernel[1](V, 20)


@MISTAKES.expect(
    StaticAssertionError, at="tg.assume(BLOCK % 16 == 0)", says="assum", fix="constant|pass"
)
def assumption_on_a_constant_that_does_not_hold():
    @tg.kernel
    def kernel(v: tg.Array, BLOCK: tg.Const):
        tg.assume(BLOCK % 16 == 0)
        tg.store(v, 0, tg.zeros(BLOCK, tg.float32))

    kernel[1](V, BLOCK=8)


@MISTAKES.expect(ShapeError, at="tg.assume(a > 0)", says=r"\(8,\)", fix=r"tg\.all")
def assumption_on_a_whole_tile():
    @tg.kernel
    def kernel(v: tg.Array):
        a = tg.load(v, 0, 8)
        tg.assume(a > 0)
        tg.store(v, 0, a)

    kernel[1](V)


@MISTAKES.expect(LaunchError, at="tg.no_alias(a, b)", says=("'a'", "'b'", "overlap"), fix="copy")
def arrays_that_overlap_where_the_kernel_says_they_do_not():
    @tg.kernel
    def kernel(a: tg.Array, b: tg.Array):
        tg.no_alias(a, b)
        tg.store(a, 0, tg.load(b, 0, 4))

    kernel[1](V[:5], V[4:])


@MISTAKES.expect(TileTypeError, at="tg.no_alias(v)", says="two arrays", fix=r"tg\.no_alias\(a, b")
def no_alias_of_one_array():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.no_alias(v)
        tg.store(v, 0, tg.zeros(1, tg.float32))

    kernel[1](V)


@MISTAKES.expect(TileTypeError, at="tg.no_alias(v, v[4:])", says="'v'.*twice", fix="different")
def no_alias_of_an_array_with_its_own_part():
    @tg.kernel
    def kernel(v: tg.Array):
        tg.no_alias(v, v[4:])
        tg.store(v, 0, tg.zeros(1, tg.float32))

    kernel[1](V)


# Checked kernels
CHECKED = ("array 'v' along axis 0", r"program \(0, 0, 0\)")


@MISTAKES.expect(KernelAssertionError, at="tg.load(v, i, 4)", says=CHECKED, fix="program|tiles")
def checked_load_of_a_tile_outside():
    @tg.kernel(checked=True)
    def kernel(v: tg.Array, o: tg.Array, i: tg.int64):
        tg.store(o, 0, tg.load(v, i, 4))

    kernel[1](V, V.copy(), 2)


@MISTAKES.expect(
    KernelAssertionError, at="tg.load(v, offset=i, shape=4)", says=CHECKED, fix="program|offset"
)
def checked_load_at_an_offset_outside():
    @tg.kernel(checked=True)
    def kernel(v: tg.Array, o: tg.Array, i: tg.int64):
        tg.store(o, 0, tg.load(v, offset=i, shape=4))

    kernel[1](V, V.copy(), 9)


@MISTAKES.expect(
    KernelAssertionError,
    at="tg.store(v, i, tg.zeros(4, v.dtype))",
    says=CHECKED,
    fix="program|tile",
)
def checked_store_of_a_tile_outside():
    @tg.kernel(checked=True)
    def kernel(v: tg.Array, i: tg.int64):
        tg.store(v, i, tg.zeros(4, v.dtype))

    kernel[1](V, -1)


@MISTAKES.expect(
    KernelAssertionError, at="tg.gather(v, (tg.arange(4) + n,))", says=CHECKED, fix="mask"
)
def checked_gather_of_an_element_outside():
    @tg.kernel(checked=True)
    def kernel(v: tg.Array, o: tg.Array, n: tg.int64):
        tg.store(o, 0, tg.gather(v, (tg.arange(4) + n,)))

    kernel[1](V, V.copy(), 5)


@MISTAKES.expect(
    KernelAssertionError, at="tg.scatter(v, (tg.arange(4) + n,), 1.0)", says=CHECKED, fix="mask"
)
def checked_scatter_to_an_element_outside():
    @tg.kernel(checked=True)
    def kernel(v: tg.Array, n: tg.int64):
        tg.scatter(v, (tg.arange(4) + n,), 1.0)

    kernel[1](V, 5)


@MISTAKES.expect(
    KernelAssertionError, at="tg.atomic_add(v, (tg.arange(4) + n,), 1)", says=CHECKED, fix="mask"
)
def checked_atomic_on_an_element_outside():
    @tg.kernel(checked=True)
    def kernel(v: tg.Array, n: tg.int64):
        tg.atomic_add(v, (tg.arange(4) + n,), 1)

    kernel[1](N, 5)


@MISTAKES.expect(KernelAssertionError, at="tg.atomic_cas(v, (n,), 0, 1)", says=CHECKED, fix="mask")
def checked_exchange_of_an_element_outside():
    @tg.kernel(checked=True)
    def kernel(v: tg.Array, n: tg.int64):
        tg.atomic_cas(v, (n,), 0, 1)

    kernel[1](N, 8)


@MISTAKES.parametrize()
def test_a_wrong_access_is_explained(mistake, on, request):
    MISTAKES.check(mistake, on, request.config.option.update_golden)
