# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that cannot be made as declared, arguments that no kernel takes, targets, budgets."""

from __future__ import annotations

import ctypes

import numpy as np

import tegula as tg
from tegula.errors import ArgumentError, CompileError, LaunchError, TileTypeError
from tests._support.mistakes import Mistakes

MISTAKES = Mistakes("declared")
V = np.zeros(8, np.float32)
ONCE = ("cpu",)  # neither interpreted nor compiled


@tg.kernel
def fill(v: tg.Array, value: tg.float32 = 0.0, BLOCK: tg.Const = 8):
    """The kernel that the mistakes below call."""
    tg.store(v, tg.program_id(0), tg.full((BLOCK,), value, v.dtype))


@MISTAKES.expect(
    ArgumentError, at="tg.kernel(warps=4)", says="warps", fix="num_warps", backends=ONCE
)
def option_of_another_library():
    @tg.kernel(warps=4)
    def kernel(v: tg.Array):
        tg.store(v, 0, tg.zeros(8, tg.float32))


@MISTAKES.expect(TileTypeError, at="tg.kernel", says="type", fix="def", backends=ONCE)
def class_in_place_of_a_function():
    @tg.kernel
    class Scale:
        pass


@MISTAKES.expect(TileTypeError, at="tg.kernel", says="'kernel'", fix=r"tg\.store", backends=ONCE)
def kernel_that_is_a_coroutine():
    @tg.kernel
    async def kernel(v: tg.Array):
        tg.store(v, 0, tg.zeros(8, tg.float32))


@MISTAKES.expect(TileTypeError, at="tg.kernel", says="yield", fix=r"tg\.store", backends=ONCE)
def kernel_that_yields():
    @tg.kernel
    def kernel(v: tg.Array):
        yield tg.load(v, 0, 8)


@MISTAKES.expect(TileTypeError, at="tg.kernel", says=r"\*arrays", fix="name", backends=ONCE)
def kernel_of_any_number_of_arguments():
    @tg.kernel
    def kernel(*arrays: tg.Array):
        tg.store(arrays[0], 0, tg.zeros(8, tg.float32))


@MISTAKES.expect(TileTypeError, at="tg.kernel(np.exp)", says="exp", fix="def", backends=ONCE)
def function_of_another_library():
    tg.kernel(np.exp)


@MISTAKES.expect(LaunchError, at="kernel[1](V)", says=("hashable", "list"), fix="tuple")
def default_of_a_constant_that_is_not_hashable():
    @tg.kernel
    def kernel(v: tg.Array, SHAPE: tg.Const = [8]):  # noqa: B006
        tg.store(v, 0, tg.zeros(SHAPE, tg.float32))

    kernel[1](V)


@MISTAKES.expect(LaunchError, at="fill(v)", says=("'fill'", "grid"), fix="undecorated")
def kernel_called_by_a_kernel():
    @tg.kernel
    def kernel(v: tg.Array):
        fill(v)

    kernel[1](V)


@MISTAKES.expect(LaunchError, at="fill[1](V, 1.0, 8, 8)", says=("3", "4"), fix="leave")
def call_with_too_many_arguments():
    fill[1](V, 1.0, 8, 8)


@MISTAKES.expect(LaunchError, at="value=2.0", says="'value'", fix="once")
def call_that_gives_an_argument_twice():
    fill[1](V, 1.0, value=2.0)


@MISTAKES.expect(LaunchError, at="kernel[1](V)", says=("'p'", "tuple", "ndarray"), fix="tuple")
def array_in_place_of_a_tuple():
    @tg.kernel
    def kernel(p: tuple):
        tg.store(p[0], 0, tg.load(p[1], 0, 8))

    kernel[1](V)


@MISTAKES.expect(LaunchError, at="fill[1](nested)", says="", fix=r"asarray|array")
def list_of_arrays():
    nested = [V, V]
    fill[1](nested)


@MISTAKES.expect(
    LaunchError, at="fill[1](V.reshape((1,) * 8 + (8,)))", says=("8", "9"), fix="dimensions"
)
def array_of_nine_dimensions():
    fill[1](V.reshape((1,) * 8 + (8,)))


@MISTAKES.expect(
    LaunchError, at="fill[1](np.array(1.0))", says="rank 0", fix=r"reshape\(1\)", backends=("cpu",)
)
def array_without_a_dimension():
    fill[1](np.array(1.0))


@MISTAKES.expect(LaunchError, at="fill[1](odd)", says=("element size", "4"), fix="copy|contig")
def array_between_the_places_of_its_elements():
    odd = np.zeros(33, np.uint8)[1:].view(np.float32)
    fill[1](odd)


@MISTAKES.expect(LaunchError, at="fill[1](masked)", says="mask", fix=r"np\.|array")
def masked_array():
    masked = np.ma.masked_array(V, V > 0)
    fill[1](masked)


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_uint8 * 4),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p * 2),
    )


class Exported:
    """An array of another library by DLPack."""

    def __init__(self, device: int, sizes: int) -> None:
        self.sizes = (ctypes.c_int64 * 1)(sizes)
        self.tensor = _Tensor(V.ctypes.data, (device, 0), 1, (2, 32, 1, 0))
        self.tensor.shape = ctypes.addressof(self.sizes)

    def __dlpack__(self, **_options: object) -> object:
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = (
            ctypes.py_object,
            (ctypes.c_void_p, ctypes.c_char_p) * 1 + (ctypes.c_void_p,),
        )
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


@MISTAKES.expect(LaunchError, at="fill[1](array)", says=("device", "4"), fix="device")
def array_on_a_device_without_a_target():
    array = Exported(device=4, sizes=8)  # OpenCL's
    fill[1](array)


@MISTAKES.expect(LaunchError, at="fill[1](array)", says="negative", fix="asarray")
def array_that_describes_itself_wrongly():
    array = Exported(device=1, sizes=-8)
    fill[1](array)


@MISTAKES.expect(LaunchError, at="fill[2**40, 2**40]", says="too many programs", fix="grid|int")
def grid_of_too_many_programs():
    fill[2**40, 2**40](V)


@MISTAKES.expect(LaunchError, at="fill[V.shape, 1]", says=r"\(8,\)", fix=r"tg\.cdiv")
def grid_that_holds_a_shape():
    fill[V.shape, 1](V)


@MISTAKES.expect(ArgumentError, at='tg.target("sm_99")', says="sm_99", fix="sm_90a", backends=ONCE)
def target_that_is_not_there():
    with tg.target("sm_99"):
        fill[1](V)


@MISTAKES.expect(
    ArgumentError, at='fill.specialize(V).ir("ptx")', says="ptx", fix="asm", backends=ONCE
)
def stage_of_another_target():
    fill.specialize(V).ir("ptx")


@MISTAKES.expect(
    CompileError,
    at="tg.dot(x, y)",
    says="too much|shared memory",
    fix="smaller tiles",
    backends=ONCE,
)
def product_that_is_too_large_for_a_gpu():
    X = np.zeros((1024, 1024), np.float32)

    @tg.kernel
    def kernel(a: tg.Array, b: tg.Array, c: tg.Array):
        x, y = tg.load(a, (0, 0), (256, 1024)), tg.load(b, (0, 0), (1024, 256))
        tg.store(c, (0, 0), tg.dot(x, y))

    kernel.specialize(X, X, X).ir("llvm", "sm_90a")


@MISTAKES.parametrize()
def test_a_wrong_declaration_is_explained(mistake, on, request):
    MISTAKES.check(mistake, on, request.config.option.update_golden)
