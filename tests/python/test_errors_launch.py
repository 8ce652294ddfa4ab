# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are declared or called wrongly: each mistake is explained at the user's line."""

from __future__ import annotations

import numpy as np

import tegula as tg
from tegula.errors import LaunchError, OutsideKernelError, StoreError, TileTypeError
from tests._support.mistakes import Mistakes

MISTAKES = Mistakes("launch")
V = np.zeros(8, np.float32)


@tg.kernel
def fill(v: tg.Array, value: tg.float32, BLOCK: tg.Const):
    """Fill a vector: the kernel that the mistakes below call."""
    tg.store(v, tg.program_id(0), tg.full((BLOCK,), value, v.dtype))


@MISTAKES.expect(LaunchError, at="fill[1](V, 1.0)", says="BLOCK", fix="BLOCK=")
def call_without_a_const():
    fill[1](V, 1.0)


@MISTAKES.expect(LaunchError, at="fill[1](V, BLOCK=8)", says="value", fix="")
def call_without_an_argument():
    fill[1](V, BLOCK=8)


@MISTAKES.expect(LaunchError, at="WARPS=4", says="WARPS", fix="")
def call_with_an_argument_that_is_not_there():
    fill[1](V, 1.0, BLOCK=8, WARPS=4)


@MISTAKES.expect(LaunchError, at="BLOCK=[8]", says=("BLOCK", "list"), fix="tuple")
def const_that_is_not_hashable():
    fill[1](V, 1.0, BLOCK=[8])


@MISTAKES.expect(LaunchError, at="fill(V, 1.0, BLOCK=8)", says="fill", fix=r"fill\[")
def call_without_a_grid():
    fill(V, 1.0, BLOCK=8)


@MISTAKES.expect(LaunchError, at="fill[1, 2, 3, 4]", says="4", fix="")
def grid_of_four_dimensions():
    fill[1, 2, 3, 4](V, 1.0, BLOCK=8)


@MISTAKES.expect(LaunchError, at="fill[-1]", says="-1", fix="")
def grid_that_is_negative():
    fill[-1](V, 1.0, BLOCK=8)


@MISTAKES.expect(
    LaunchError,
    at='a["SIZE"]',
    says="'SIZE', which the kernel does not have",
    fix="v, value, BLOCK",
)
def grid_function_that_asks_for_what_is_not_there():
    fill[lambda a: tg.cdiv(8, a["SIZE"])](V, 1.0, BLOCK=8)


@MISTAKES.expect(
    LaunchError,
    at='fill[lambda a: 8 / a["BLOCK"]](V, 1.0, BLOCK=8)',
    says=("1.0", "float"),
    fix="//|cdiv",
)
def grid_function_that_gives_a_float():
    fill[lambda a: 8 / a["BLOCK"]](V, 1.0, BLOCK=8)


@MISTAKES.expect(
    LaunchError, at="fill[lambda a: lambda b: 1](V, 1.0, BLOCK=8)", says="not a grid", fix="cdiv"
)
def grid_function_that_gives_a_function():
    fill[lambda a: lambda b: 1](V, 1.0, BLOCK=8)


@MISTAKES.expect(LaunchError, at="fill[lambda a: 1](V, 1.0)", says="BLOCK", fix="add BLOCK=")
def grid_function_without_a_const():
    fill[lambda a: 1](V, 1.0)


@MISTAKES.expect(LaunchError, at="fill[8 / 8]", says=("1.0", "float"), fix="//|cdiv")
def grid_that_is_a_float():
    fill[8 / 8](V, 1.0, BLOCK=8)


@MISTAKES.expect(LaunchError, at="fill[1](c, 1.0, BLOCK=8)", says="complex128", fix="float")
def array_of_an_unsupported_dtype():
    c = np.zeros(8, complex)
    fill[1](c, 1.0, BLOCK=8)


@MISTAKES.expect(LaunchError, at="fill[1](words, 1.0, BLOCK=8)", says="v", fix="")
def array_of_strings():
    words = np.array(["a", "b"])
    fill[1](words, 1.0, BLOCK=8)


class Guarded:
    """An array whose library keeps its memory to itself."""

    def __dlpack__(self, **_options: object) -> object:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")


@MISTAKES.expect(
    LaunchError,
    at="fill[1](guarded, 1.0, BLOCK=8)",
    says=("'v'", "Guarded", "BufferError: Can't export"),
    fix=r"detach\(\)",
)
def array_that_gives_no_access():
    guarded = Guarded()
    fill[1](guarded, 1.0, BLOCK=8)


class Nonsense:
    """Its method returns something else than the protocol says."""

    def __dlpack__(self, **_options: object) -> object:
        return 3


@MISTAKES.expect(
    LaunchError, at="fill[1](nonsense, 1.0, BLOCK=8)", says=("v", "capsule"), fix="asarray"
)
def array_that_exports_nonsense():
    nonsense = Nonsense()
    fill[1](nonsense, 1.0, BLOCK=8)


@MISTAKES.expect(LaunchError, at="fill[1]([0.0] * 8, 1.0, BLOCK=8)", says="list", fix="np|array")
def list_in_place_of_an_array():
    fill[1]([0.0] * 8, 1.0, BLOCK=8)


@MISTAKES.expect(LaunchError, at="fill[1](V, V, BLOCK=8)", says=("value", "float32"), fix="")
def array_in_place_of_a_scalar():
    fill[1](V, V, BLOCK=8)


@MISTAKES.expect(LaunchError, at='fill[1](V, "one", BLOCK=8)', says=("value", "str"), fix="")
def string_in_place_of_a_scalar():
    fill[1](V, "one", BLOCK=8)


@MISTAKES.expect(LaunchError, at="count[1](V, 2**40)", says=("n", "int32", str(2**40)), fix="int64")
def scalar_that_does_not_fit_its_dtype():
    @tg.kernel
    def count(v: tg.Array, n: tg.int32):
        tg.store(v, 0, tg.full((1,), n, tg.int32).astype(tg.float32))

    count[1](V, 2**40)


@MISTAKES.expect(LaunchError, at="fill[1](V.astype('>f4'), 1.0, BLOCK=8)", says=">f4|byte", fix="")
def array_of_the_other_byte_order():
    fill[1](V.astype('>f4'), 1.0, BLOCK=8)  # fmt: skip


@MISTAKES.expect(
    StoreError,
    at="fill[1](zeros, 1.0, BLOCK=8)",
    says=("'v'", "read-only", "declared here"),
    fix="copy",
    backends=("cpu",),
)
def launch_that_would_write_to_a_read_only_array():
    zeros = np.broadcast_to(np.float32(0), (8,))
    fill[1](zeros, 1.0, BLOCK=8)


@MISTAKES.expect(
    StoreError,
    at="fill[1](zeros, 1.0, BLOCK=8)",
    says=("'v'", "read-only", "written here"),
    fix="copy",
    backends=("interpreter",),
)
def interpreted_store_to_a_read_only_array():
    zeros = np.broadcast_to(np.float32(0), (8,))
    fill[1](zeros, 1.0, BLOCK=8)


@MISTAKES.expect(OutsideKernelError, at="tg.load(V, 0, 8)", says="load", fix=r"@tg\.kernel")
def operation_outside_a_kernel():
    tg.load(V, 0, 8)


@MISTAKES.expect(TileTypeError, at="return tg.load(v, 0, 8)", says="return", fix=r"tg\.store")
def kernel_that_returns_a_value():
    @tg.kernel
    def kernel(v: tg.Array):
        return tg.load(v, 0, 8)

    kernel[1](V)


@MISTAKES.parametrize()
def test_a_wrong_call_is_explained(mistake, on, request):
    MISTAKES.check(mistake, on, request.config.option.update_golden)
