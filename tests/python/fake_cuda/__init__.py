# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A driver library that records its calls, and arrays that claim to be on its devices."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tegula import _native
from tegula._compile.artifact import Artifact
from tegula._launch_errors import launch_error

CUDA = 2


class Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("id", ctypes.c_int32))


class DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("rank", ctypes.c_int32),
        ("dtype", DataType),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


TensorFromObject = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Tensor))
CurrentStream = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)
)


class Exchange(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("managed_from_object", ctypes.c_void_p),
        ("managed_to_object", ctypes.c_void_p),
        ("tensor_from_object", TensorFromObject),
        ("current_stream", CurrentStream),
    )


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class DeviceArray:
    """An array of int64 in the fake's memory, which is the host's, exported by DLPack."""

    def __init__(self, values: np.ndarray, device: int = 0) -> None:
        self.values = np.ascontiguousarray(values, np.int64)
        self._size = (ctypes.c_int64 * 1)(self.values.size)
        self._stride = (ctypes.c_int64 * 1)(1)
        self.managed = Managed()
        tensor = self.managed.tensor
        tensor.data = self.values.ctypes.data
        tensor.device = Device(CUDA, device)
        tensor.rank = 1
        tensor.dtype = DataType(0, 64, 1)
        tensor.sizes, tensor.strides = self._size, self._stride

    def __dlpack__(self, **options: object) -> Any:
        return _new_capsule(ctypes.addressof(self.managed), b"dltensor", None)


class FastArray(DeviceArray):
    """One whose type offers DLPack's C interface; its stream is `FastArray.stream`."""

    stream = 0

    def __dlpack__(self, **options: object) -> Any:
        raise AssertionError("the C interface is there to be used")


@TensorFromObject
def _tensor_from_object(address: int, result: Any) -> int:
    array: Any = ctypes.cast(address, ctypes.py_object).value
    ctypes.memmove(result, ctypes.addressof(array.managed.tensor), ctypes.sizeof(Tensor))
    return 0


@CurrentStream
def _current_stream(_type: int, _device: int, result: Any) -> int:
    result[0] = FastArray.stream
    return 0


# A capsule does not copy its name.
_EXCHANGE_NAME = b"dlpack_exchange_api"
_exchange = Exchange(1, 3, None, None, None, None, _tensor_from_object, _current_stream)
FastArray.__dlpack_c_exchange_api__ = _new_capsule(  # type: ignore[attr-defined]
    ctypes.addressof(_exchange), _EXCHANGE_NAME, None
)


class FakeDriver:
    """The library, with what it recorded."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.library = ctypes.CDLL(str(path))
        self.library.fake_log.restype = ctypes.c_char_p
        self.reset()

    def reset(self, parameters: int = 4) -> None:
        self.library.fake_reset(parameters)

    def fail(self, call: str, code: int) -> None:
        self.library.fake_fail({"launch": 1, "load": 2, "allocate": 3}[call], code)

    @property
    def log(self) -> list[str]:
        return self.library.fake_log().decode().splitlines()


def build(folder: Path) -> FakeDriver:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("a C compiler is needed")
    path = folder / "libfakecuda.so"
    source = Path(__file__).with_name("driver.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", source, "-o", path], check=True)
    return FakeDriver(path)


def artifact(name: str = "fill", **properties: Any) -> Artifact:
    found = {"num_warps": 4, "num_lanes": 32, "shared_bytes": 0, **properties}
    return Artifact(name, "sm_90a", b"image of " + name.encode(), (0,), json.dumps(found))


def fill(x: Any, value: Any) -> None:
    """Stands for a kernel's function."""


class Launcher:
    """A dispatcher whose kernels come from `artifact`."""

    def __init__(self, runtime: Any, home: tuple[str, int] = ("cpu", 0), **options: Any) -> None:
        self.runtime = runtime
        self.options = options
        self.signatures: list[_native.Signature] = []
        missing = _native.MISSING
        parameters = [("x", "array", None, missing), ("value", "scalar", "int64", missing)]

        def error(*details: Any) -> BaseException:
            return launch_error(fill, *details)

        self.dispatcher = _native.Dispatcher("fill", parameters, self.compile, error, home)

    def compile(
        self, signature: _native.Signature, _arguments: tuple[Any, ...]
    ) -> _native.Specialization:
        self.signatures.append(signature)
        made = artifact(**self.options)
        code = self.runtime.load(made, signature[2][1])
        return self.runtime.specialize(code, made, ())

    def __getitem__(self, grid: Any) -> _native.Launch:
        return self.dispatcher[grid]
