# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (NumPy's stubs leave the dtypes of most results open.)
"""Kernel arguments as NumPy arrays that share their memory.

From NumPy, DLPack (PyTorch, JAX, CuPy on pinned memory, ...).

NumPy's own DLPack import refuses bfloat16 and fp8 and makes arrays of older producers read-only, so
the capsule is read here. The layout is that of dlpack.h, version 1.
"""

from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from tegula._launch_errors import NO_ACCESS_HELP
from tegula._show import show
from tegula.errors import LaunchError
from tegula.lang import dtypes

_HOST_DEVICES = (1, 3, 11, 13)  # CPU, CUDA pinned, ROCm pinned, CUDA managed
_READ_ONLY = 1
_TYPES: dict[tuple[int, int], npt.DTypeLike] = {
    **{(0, 8 * size): np.dtype(f"i{size}") for size in (1, 2, 4, 8)},
    **{(1, 8 * size): np.dtype(f"u{size}") for size in (1, 2, 4, 8)},
    **{(2, 8 * size): np.dtype(f"f{size}") for size in (2, 4, 8)},
    (4, 16): np.dtype(ml_dtypes.bfloat16),
    (6, 8): np.dtype(np.bool_),
    (10, 8): np.dtype(ml_dtypes.float8_e4m3fn),
    (12, 8): np.dtype(ml_dtypes.float8_e5m2),
}


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


class _Memory:
    """Keeps a capsule, and so the producer's memory, alive while NumPy arrays use it."""

    def __init__(self, capsule: object, interface: dict[str, Any]) -> None:
        self.capsule = capsule
        self.__array_interface__ = interface


def as_numpy(value: object, name: str) -> npt.NDArray[Any]:
    """An array that shares memory with an argument.

    Raises:
        LaunchError: it is not an array, not in host memory, or has a dtype or layout that kernels
            do not support.
    """
    if isinstance(value, np.ndarray):
        array: npt.NDArray[Any] = np.asarray(value)
    elif hasattr(value, "__dlpack__"):
        array = _from_dlpack(value, name)
    elif hasattr(value, "__array_interface__"):
        array = np.asarray(value)
    else:
        raise LaunchError(
            f"the argument {name!r} must be an array, not {type(value).__name__} {show(value)}",
            help="pass a NumPy array, or an object that speaks DLPack (PyTorch, JAX, CuPy)",
        )
    return _check(array, name)


def is_array(value: object) -> bool:
    """Whether an argument is an array of some library, rather than a number."""
    if isinstance(value, np.generic):
        return False
    return any(
        hasattr(value, name)
        for name in ("__dlpack__", "__array_interface__", "__cuda_array_interface__")
    )


def _check(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    if dtypes.from_numpy(array.dtype) is None:
        swapped = not array.dtype.isnative
        fix = (
            "array.astype(array.dtype.newbyteorder('='))" if swapped else "array.astype(np.float32)"
        )
        raise LaunchError(
            f"the array {name!r} has dtype {array.dtype}, which kernels do not support",
            help=f"convert it first, for example {fix}",
        )
    if any(stride % array.itemsize for stride in array.strides):
        raise LaunchError(
            f"the array {name!r} has strides {array.strides} in bytes, which are not multiples of "
            f"its"
            f" {array.itemsize}-byte elements",
            help="pass a copy: np.ascontiguousarray(array)",
        )
    return array


def _from_dlpack(source: object, name: str) -> npt.NDArray[Any]:
    value: Any = source
    try:
        try:
            capsule = value.__dlpack__(max_version=(1, 0))
        except TypeError:
            capsule = value.__dlpack__()
    except MemoryError:
        raise
    except Exception as error:
        raise LaunchError(
            f"the argument {name!r}: {type(value).__name__} does not give access to its memory: "
            f"{type(error).__name__}: {error}",
            help=NO_ACCESS_HELP,
        ) from error
    tensor, read_only = _open(capsule, name, type(value).__name__)
    if tensor.device_type not in _HOST_DEVICES:
        raise LaunchError(
            f"the array {name!r} is in the memory of a device, which tg.interpret() cannot reach",
            help="copy it to the host first, for example tensor.cpu()",
        )
    dtype = _TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if dtype is None:
        raise LaunchError(
            f"the array {name!r} has a dtype (DLPack code {tensor.code}, {tensor.bits} bits) that "
            f"kernels do not support",
            help="convert it first, for example tensor.float()",
        )
    return _array(capsule, tensor, np.dtype(dtype), read_only)


def _open(capsule: object, name: str, owner: str) -> tuple[_Tensor, bool]:
    """The tensor in a capsule, and whether it may only be read."""
    api = ctypes.pythonapi
    api.PyCapsule_IsValid.argtypes = (ctypes.py_object, ctypes.c_char_p)
    api.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    if api.PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        pointer = api.PyCapsule_GetPointer(capsule, b"dltensor_versioned")
        managed = _Versioned.from_address(pointer)
        return managed.tensor, bool(managed.flags & _READ_ONLY)
    if api.PyCapsule_IsValid(capsule, b"dltensor"):
        return _Tensor.from_address(api.PyCapsule_GetPointer(capsule, b"dltensor")), False
    raise LaunchError(
        f"the argument {name!r}: {owner}.__dlpack__ returned no usable DLPack capsule",
        help="pass a NumPy array, or anything that speaks DLPack; np.asarray(...) makes one",
    )


def _array(
    capsule: object, tensor: _Tensor, dtype: np.dtype[Any], read_only: bool
) -> npt.NDArray[Any]:
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    if 0 in shape:
        return np.empty(shape, dtype)
    strides = None
    if tensor.strides:
        strides = tuple(tensor.strides[i] * dtype.itemsize for i in range(tensor.ndim))
    interface = {
        "version": 3,
        "shape": shape,
        "strides": strides,
        "data": ((tensor.data or 0) + tensor.byte_offset, read_only),
        "typestr": f"<u{dtype.itemsize}",
    }
    return np.asarray(_Memory(capsule, interface)).view(dtype)
