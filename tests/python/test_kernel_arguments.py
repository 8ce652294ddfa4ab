# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Declaring kernels, binding their arguments, and what they are specialized for."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest

import tegula as tg
from tegula.errors import LaunchError, TileTypeError
from tests.kernels.vector_add import vector_add

F = np.arange(32, dtype=np.float32)


def entries(kernel, *arguments, **constants):
    return kernel.specialize(*arguments, **constants).signature.entries


@tg.kernel
def everything(a, b: tg.Array, n: tg.int32, s, K: tg.Const = 4, *, flag: tg.Const = False):
    """A kernel with each kind of parameter."""
    if flag:
        tg.store(b, 0, tg.load(a, 0, K) * s + tg.float32(n))
    else:
        tg.store(b, 0, tg.load(a, 0, K))


def test_what_a_kernel_says_of_itself():
    assert everything.__name__ == "everything"
    assert everything.__doc__ == "A kernel with each kind of parameter."
    assert everything.__module__ == __name__
    assert everything.parameters == ("a", "b", "n", "s", "K", "flag")
    assert everything.__wrapped__ is everything.function
    assert repr(everything) == "<tegula kernel everything(a, b, n, s, K, flag)>"
    assert isinstance(everything, tg.Kernel)
    assert pickle.loads(pickle.dumps(vector_add)) is vector_add


def test_defaults_names_and_keyword_only_parameters(backend):
    b = np.zeros(8, np.float32)
    everything[1](F, b, 3, 2.0)
    assert b.tolist() == [0, 1, 2, 3, 0, 0, 0, 0]
    everything[1](s=2.0, n=np.int32(3), b=b, a=F, flag=True, K=8)
    assert b.tolist() == (F[:8] * 2 + 3).tolist()


def test_positional_only_parameters(backend):
    @tg.kernel
    def kernel(a, b, /, c: tg.Const):
        tg.store(b, 0, tg.load(a, 0, c))

    b = np.zeros(8, np.float32)
    kernel[1](F, b, c=8)
    assert (b == F[:8]).all()


def test_annotations_in_every_form():
    dtype = tg.float16

    def plain(a: tg.Array, n: dtype, K: tg.Const):
        pass

    plain.__annotations__ = {"a": tg.Array, "n": tg.float16, "K": tg.Const}

    @tg.kernel
    def texts(a: tg.Array, n: dtype, K: tg.Const, other: unknown, k: int):  # noqa: F821
        pass

    assert entries(tg.kernel(plain), F, 1, 2)[1:] == (("scalar", "float16", False), ("const", 2))
    found = entries(texts, F, 1, 2, 3, 4)
    assert found[1:] == (
        ("scalar", "float16", False),
        ("const", 2),
        ("scalar", "int64", True),
        ("scalar", "int64", True),
    )


def test_scalars_are_weak_or_have_the_dtype_of_numpy_scalars():
    @tg.kernel
    def kernel(a, b, c, d, e):
        pass

    assert entries(kernel, True, 2, 2.5, np.uint8(3), np.float16(1)) == (
        ("scalar", "bool", True),
        ("scalar", "int64", True),
        ("scalar", "float64", True),
        ("scalar", "uint8", False),
        ("scalar", "float16", False),
    )


def test_arrays_are_specialized_by_layout():
    @tg.kernel
    def kernel(a: tg.Array):
        pass

    def layout(array):
        return entries(kernel, array)[0]

    base = np.zeros((64, 48), np.float32)
    assert base.ctypes.data % 16 == 0
    assert layout(base) == ("array", "float32", (False, True), 16, (16, 16), (16, 1), True)
    assert layout(base.T) == ("array", "float32", (True, False), 16, (16, 16), (1, 16), True)
    assert layout(base[:, 1:]) == ("array", "float32", (False, True), 4, (16, 1), (16, 1), True)
    assert layout(base[::2, ::2])[2:] == ((False, False), 16, (16, 1), (16, 1), True)


def test_arrays_that_overlap_are_told():
    @tg.kernel
    def kernel(a: tg.Array, K: tg.Const, b: tg.Array, c: tg.Array):
        pass

    a = np.zeros(64, np.float32)

    def aliases(*arrays):
        return kernel.specialize(arrays[0], 1, *arrays[1:]).signature.aliases

    assert aliases(a[:32], a[32:], a.copy()) == ()
    assert aliases(a, a[4:8], a[8:]) == ((0, 1), (0, 2))
    assert aliases(a[:0], a, a.copy()) == ()


def test_constants_of_many_kinds(backend):
    def double(x):
        return x * 2.0 if x.ndim else x

    @tg.kernel
    def kernel(b: tg.Array, f: tg.Const, dtype: tg.Const, shape: tg.Const, name: tg.Const):
        value = f(tg.full(shape, 3, dtype))
        tg.store(b, 0, value.astype(b.dtype) if name == "a" else 1.0)

    b = np.zeros(4, np.float32)
    kernel[1](b, double, tg.float16, (4,), "a")
    assert (b == 6).all()
    kernel[1](b, tg.exp2, tg.float32, (4,), name="a")
    assert (b == 8).all()


def test_scalars_are_stored_in_turn(backend):
    @tg.kernel
    def kernel(c: tg.Array, a, b):
        tg.store(c, 0, a)
        tg.store(c, 1, b)
        tg.store(c, 2, a)

    c = np.zeros(3, np.int64)
    kernel[1](c, 5, 7)
    assert c.tolist() == [5, 7, 5]


def test_equal_constants_of_other_types_are_other_specializations():
    @tg.kernel
    def kernel(b: tg.Array, K: tg.Const):
        tg.store(b, 0, 10.0 if isinstance(K, bool) else 20.0 if isinstance(K, int) else 30.0)

    seen = []
    for constant in (1, True, 1.0, 1):
        b = np.zeros(1, np.float32)
        kernel[1](b, constant)
        seen.append(b[0])
    assert seen == [20, 10, 30, 20]


def test_decorator_with_options_and_static_methods(backend):
    class Kernels:
        @tg.kernel
        @staticmethod
        def first(b: tg.Array):
            tg.store(b, 0, 1.0)

        @staticmethod
        @tg.kernel(fast_math=True)
        def second(b: tg.Array):
            tg.store(b, 1, 2.0)

    b = np.zeros(2, np.float32)
    Kernels.first[1](b)
    Kernels().second[1](b)
    assert b.tolist() == [1, 2]
    assert Kernels.second.fast_math and not Kernels.first.fast_math
    assert "tile.fast_math" in Kernels.second.specialize(b).ir()


def test_what_cannot_be_a_kernel():
    with pytest.raises(TileTypeError, match="needs a function, not int 3"):
        tg.kernel(3)
    with pytest.raises(TileTypeError, match="needs a function, not builtin_function"):
        tg.kernel(len)
    with pytest.raises(TileTypeError, match=r"has the parameter \*args"):

        @tg.kernel
        def variadic(*args):
            pass

    with pytest.raises(TileTypeError, match="without `async` and `yield`"):

        @tg.kernel
        def generator(a):
            yield a


def test_grids(backend):
    @tg.kernel
    def kernel(c: tg.Array):
        x, y, z = (tg.program_id(i) for i in range(3))
        w, h = tg.num_programs(0), tg.num_programs(1)
        tg.store(c, x + w * (y + h * z), 1 + x + 10 * y + 100 * z)

    for grid, shape in [
        (3, (1, 1, 3)),
        ((2, 3), (1, 3, 2)),
        ((2, 1, 2), (2, 1, 2)),
        ((3,), (1, 1, 3)),
    ]:
        c = np.zeros(shape, np.int64)
        kernel[grid](c.reshape(-1))
        z, y, x = np.indices(shape)
        assert (c == 1 + x + 10 * y + 100 * z).all()
    c = np.zeros(1, np.int64)
    kernel[0](c)
    kernel[2, 0](c)
    kernel[np.int64(1)](c)
    assert c[0] == 1
    assert kernel[2, 3].grid == (2, 3, 1)


@pytest.mark.parametrize(
    "arguments, constants, message",
    [
        ((), {}, "'a'"),
        ((F,), {}, "'b'"),
        ((F, F, 1, 2, 3, 4, 5), {}, "takes"),
        ((F, F, 1, 2), {"a": F}, "'a'"),
        ((F, F, 1, 2), {"unknown": 1}, "unknown"),
        ((F, F, "x", 2), {}, "'n'"),
        ((F, F, 2**31, 2), {}, "int32"),
        ((F, 3, 1, 2), {}, "'b'"),
        (({}, F, 1, 2), {}, "'a'"),
        ((F, F, 1, 2, [1]), {}, "'K'"),
        ((F, F, 1, 2, F), {}, "'K'"),
        ((F, F.astype(complex), 1, 2), {}, "complex"),
        ((F, F.astype(object), 1, 2), {}, "object"),
    ],
)
def test_arguments_that_do_not_fit(arguments, constants, message, backend):
    with pytest.raises(LaunchError, match=message) as caught:
        everything[1](*arguments, **constants)
    place = caught.value.location
    assert place.file == __file__ and place.source_line().strip().startswith("everything[1](")


def test_a_kernel_called_inside_a_kernel_is_refused():
    @tg.kernel
    def kernel(b: tg.Array):
        everything(b, b, 1, 2)

    with pytest.raises(LaunchError, match="called without a grid"):
        kernel[1](F.copy())


def test_kernels_from_many_threads():
    @tg.kernel
    def kernel(b: tg.Array, K: tg.Const):
        for i in tg.range(b.shape[0]):
            if i % K == 0:
                tg.store(b, i, float(K))

    results: dict[int, np.ndarray] = {}

    def work(number):
        b = np.zeros(12, np.float32)
        for _ in range(3):
            kernel[1](b, number % 4 + 1)
        results[number] = b

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, b in results.items():
        k = number % 4 + 1
        assert b.tolist() == [k if i % k == 0 else 0 for i in range(12)]


def test_interpreter_is_chosen_by_thread_and_scope():
    seen = []

    @tg.kernel
    def kernel(b: tg.Array):
        seen.append(type(tg.load(b, 0, 1).handle).__name__)
        tg.store(b, 0, 1.0)

    b = np.zeros(1, np.float32)
    with tg.interpret():
        kernel[1](b)
        with tg.interpret():
            kernel[1](b)
        kernel[1](b)
    kernel[1](b)
    kernel[1](b)
    assert seen == ["ndarray"] * 3 + ["Value"]
