# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of any library: the interpreter's reading of DLPack, against capsules made by hand."""

from __future__ import annotations

import ctypes
import gc
import weakref

import ml_dtypes
import numpy as np
import pytest

import tegula as tg
from tegula._interpret import run
from tegula.errors import LaunchError, StoreError

pytestmark = pytest.mark.interpreter

CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
ML_CODES = {"bfloat16": 4, "float8_e4m3fn": 10, "float8_e5m2": 12}


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("type", ctypes.c_uint8 * 2),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


class Producer:
    """An array of another library: speaks DLPack and nothing else."""

    def __init__(self, array, versioned=False, device=1, code=None, read_only=False, dense=False):
        self.array, self.versioned, self.read_only = array, versioned, read_only
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
        kind = ML_CODES.get(array.dtype.name, CODES.get(array.dtype.kind))
        self.tensor = Tensor(
            data=array.__array_interface__["data"][0] - 16,
            device=(device, 0),
            ndim=array.ndim,
            type=(kind if code is None else code, 8 * array.itemsize),
            lanes=1,
            shape=ctypes.addressof(self.shape),
            strides=None if dense else ctypes.addressof(self.strides),
            byte_offset=16,
        )

    def __dlpack_device__(self):
        return tuple(self.tensor.device)

    def __dlpack__(self, **options):
        if options and not self.versioned:
            raise TypeError("an old producer takes no options")
        if self.versioned:
            managed, name = (
                Versioned((1, 0), None, None, self.read_only, self.tensor),
                b"dltensor_versioned",
            )
        else:
            managed, name = Managed(self.tensor, None, None), b"dltensor"
        self.managed, self.name = managed, name
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = (
            ctypes.py_object,
            (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
        )
        return new(ctypes.addressof(managed), name, None)


def interpret_double(a, o):
    """The runner itself, without the front end's checks before it."""
    run(double_tile, (1, 1, 1), {"a": a, "o": o})


def double_tile(a, o):
    tile = tg.load(a, (0, 0), (3, 4))
    tg.store(o, (0, 0), tile if a.dtype == tg.bool_ else (tile * 2).astype(o.dtype))


double = tg.kernel(double_tile)


@pytest.fixture(autouse=True)
def interpreted():
    with tg.interpret():
        yield


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize(
    "dtype",
    [
        "?",
        "i1",
        "i8",
        "u2",
        "u8",
        "f2",
        "f4",
        "f8",
        ml_dtypes.bfloat16,
        ml_dtypes.float8_e4m3fn,
        ml_dtypes.float8_e5m2,
    ],
)
def test_each_dtype_shares_memory(dtype, versioned):
    a = (np.arange(12).reshape(3, 4) % 5).astype(np.float32).astype(dtype)
    out = np.zeros((3, 4), dtype)
    double[1](Producer(a, versioned), Producer(out, versioned))
    want = a if dtype == "?" else (a.astype("f4") * 2).astype(dtype)
    assert out.tobytes() == want.tobytes()


def test_strides_and_their_absence():
    base = np.arange(48, dtype=np.float32).reshape(6, 8)
    for a, dense in [
        (base[::2, ::-2], False),
        (base[:4, :3].T, False),
        (np.ascontiguousarray(base[:3, :4]), True),
    ]:
        out = np.zeros((3, 4), np.float32)
        double[1](Producer(a, dense=dense), out)
        assert (out == a * 2).all()


def test_read_only_producers():
    a, out = np.ones((3, 4), np.float32), np.zeros((3, 4), np.float32)
    double[1](Producer(a, versioned=True, read_only=True), out)
    assert (out == 2).all()
    with pytest.raises(StoreError, match="'o' is read-only"):
        double[1](a, Producer(out, versioned=True, read_only=True))


def test_the_memory_is_kept_while_a_kernel_uses_it():
    from tegula._interpret.arrays import as_numpy

    producer = Producer(np.ones((3, 4), np.float32))
    array = as_numpy(producer, "a")
    assert array.base is not None and array.sum() == 12
    capsule = weakref.ref(array.base) if hasattr(array.base, "__weakref__") else None
    del array
    gc.collect()
    assert capsule is None or capsule() is None


def test_empty_arrays():
    out = np.ones((3, 4), np.float32)
    double[1](Producer(np.zeros((0, 4), np.float32)), out)
    assert (out == 0).all()


@pytest.mark.parametrize(
    "argument, text",
    [
        (Producer(np.ones((3, 4), "f4"), device=2), "in the memory of a device.*tensor.cpu"),
        (Producer(np.ones((3, 4), "f4"), code=5), "DLPack code 5, 32 bits"),
        (np.ones((3, 4), "c8"), "has dtype complex64.*convert it first"),
        (np.ones((3, 4), ">f4"), "has dtype >f4.*newbyteorder"),
        (np.ones((3, 4), object), "has dtype object"),
        (np.array([["a"] * 4] * 3), "has dtype <U1"),
        (np.zeros((3, 4), "f4,i1")["f0"], "strides .* in bytes, which are not multiples"),
        ([[1.0]], "is list.*pass an array or a number"),
        (None, "is NoneType None"),
        ("text", "is str 'text'"),
    ],
)
def test_arguments_that_kernels_cannot_take(argument, text):
    with pytest.raises(LaunchError, match=f"(?s){text}"):
        interpret_double(argument, np.zeros((3, 4), np.float32))


def test_a_tensor_that_gives_no_access():
    class Locked(Producer):
        def __dlpack__(self, **options):
            raise BufferError("requires grad")

    with pytest.raises(LaunchError, match=r"(?s)requires grad.*\.detach\(\)"):
        interpret_double(Locked(np.ones((3, 4), "f4")), np.zeros((3, 4), np.float32))


def test_numbers_that_kernels_cannot_take():
    def kernel(o, n):
        tg.store(o, 0, n)

    out = np.zeros(1)
    for number, text in [(2**63, "does not fit int64"), (np.complex64(1), "has dtype complex64")]:
        with pytest.raises(LaunchError, match=text):
            run(kernel, (1, 1, 1), {"o": out, "n": number})
    run(kernel, (1, 1, 1), {"o": out, "n": np.float16(0.5).astype(np.float64)})
    assert out.tolist() == [0.5]


def test_subclasses_and_arrays_by_interface():
    class Labelled(np.ndarray):
        pass

    class Interface:
        def __init__(self, array):
            self.array = array
            self.__array_interface__ = array.__array_interface__

    a, out = np.ones((3, 4), np.float32), np.zeros((3, 4), np.float32)
    interpret_double(Interface(a), out.view(Labelled))
    assert (out == 2).all()
