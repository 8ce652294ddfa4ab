# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that nobody should pass, made from a description: arrays, liars, numbers, grids."""

from __future__ import annotations

import ctypes
import datetime
import decimal
import fractions
import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from tests._support.arrays import numpy_dtype

COMMON = ("float32", "int32")
DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"),
)
REFUSED = ("complex64", "complex128", ">f4", ">i4", "U3", "S2", "O", "M8[s]", "m8[ns]", "V4")
SIZES = (0, 1, 2, 5, 16, 16, 33)
LAYOUTS = (
    *("plain", "plain", "plain", "transposed", "strided", "reversed", "shifted", "odd"),
    *("broadcast", "endless", "window", "fortran"),
)
NUMBERS: tuple[Any, ...] = (
    *(0, 1, -1, 2, 3, 7, 16, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64),
    *(10**400, 0.0, -0.0, 0.5, 2.5, -1.5, 1e-320, 3e38, 1e300, True, False),
)


class Pair(NamedTuple):
    """A structure of two arguments."""

    first: object
    second: object


# Liars
class Tensor(ctypes.Structure):
    """DLPack's description of an array."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Managed(ctypes.Structure):
    """What a capsule of the first protocol holds."""

    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class Versioned(ctypes.Structure):
    """What a capsule of the second protocol holds."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_LEGACY, _VERSIONED, _OTHER = b"dltensor", b"dltensor_versioned", b"used_dltensor"


class Liar:
    """An array by DLPack, with some fields of its description changed."""

    def __init__(self, changes: dict[str, Any]) -> None:
        self.memory = (ctypes.c_float * 64)()
        rank = 1
        self.shape = (ctypes.c_int64 * 16)(*changes.get("shape", [16] * rank))
        self.strides = (ctypes.c_int64 * 16)(*changes.get("strides", [1] * 16))
        tensor = Tensor(ctypes.addressof(self.memory), 1, 0, rank, 2, 32, 1)
        tensor.shape = ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64))
        tensor.strides = ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64))
        for name in changes.get("null", ()):
            setattr(tensor, name, None)
        for name, value in changes.get("fields", {}).items():
            setattr(tensor, name, value)
        self.versioned = changes.get("versioned", False)
        self.name = changes.get("name")
        if self.versioned:
            self.managed: Any = Versioned(changes.get("major", 1), 0, tensor=tensor)
            self.managed.flags = changes.get("flags", 0)
        else:
            self.managed = Managed(tensor)

    def __dlpack__(self, **_: object) -> object:
        name = _OTHER if self.name == "other" else _VERSIONED if self.versioned else _LEGACY
        return _capsule(ctypes.addressof(self.managed), name, None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def lie(rng: random.Random) -> dict[str, Any]:
    """Changes of a description that a reader can see through."""
    fields = (
        *({"rank": r} for r in (-1, -(2**31), 0, 9, 33, 2**31 - 1)),
        *({"code": c} for c in (0, 1, 3, 5, 7, 99)),
        *({"bits": b} for b in (0, 1, 4, 64, 128)),
        *({"lanes": n} for n in (0, 2, 65535)),
        *({"device_type": d} for d in (0, -1, 4, 7, 12, 2**31 - 1)),
        *({"byte_offset": n} for n in (1, 4, 64)),
        {},
    )
    sizes = ([-1], [-(2**63)], [0], [2**62], [1], [16])
    found: dict[str, Any] = {"versioned": rng.random() < 0.5}
    draw = rng.random()
    if draw < 0.5:
        found["fields"] = rng.choice(fields)
    elif draw < 0.65:
        # A size beyond the memory is a lie that no one can see: the kernel would read there.
        found["shape"] = rng.choice(sizes[:3] + sizes[4:])
    elif draw < 0.8:
        found["null"] = rng.choice((["data"], ["shape"], ["strides"], ["data", "shape"]))
    elif draw < 0.9:
        found |= {"versioned": True, "major": rng.choice((0, 2, 99, 2**32 - 1))}
    else:
        found |= {"flags": rng.choice((1, 2, 2**63)), "name": rng.choice((None, "other"))}
    return found


class Raises:
    """Raises something from each of its methods."""

    def __init__(self, error: type[Exception] = RuntimeError) -> None:
        self._error = error

    def _raise(self, *_: object, **__: object) -> Any:
        raise self._error("no")

    __dlpack__ = __hash__ = __eq__ = __index__ = __float__ = __len__ = __iter__ = _raise
    __array__ = __bool__ = __repr__ = __str__ = _raise


class Answers:
    """Has every attribute."""

    def __getattr__(self, name: str) -> Any:
        return self if not name.startswith("__") else 3


class Interface:
    """An `__array_interface__` that is not to be trusted."""

    __array_interface__ = {"shape": (-3,), "typestr": "<f4", "data": (64, False), "version": 3}


class Cuda:
    """A device array where there is no device."""

    __cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (64, False), "version": 3}


def _nested() -> tuple[Any, ...]:
    found: tuple[Any, ...] = ()
    for _ in range(2000):
        found = (found,)
    return found


def _cyclic() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


OBJECTS: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "nan": lambda: math.nan,
    "infinity": lambda: math.inf,
    "complex": lambda: 1j,
    "text": lambda: "text",
    "bytes": lambda: b"bytes",
    "bytearray": lambda: bytearray(16),
    "memoryview": lambda: memoryview(bytearray(16)),
    "list": lambda: [1.0, 2.0],
    "cyclic": _cyclic,
    "dict": lambda: {"a": 1},
    "set": lambda: {1},
    "range": lambda: range(4),
    "tuple": lambda: (1, 2.0),
    "empty tuple": lambda: (),
    "nested": _nested,
    "pair": lambda: Pair(np.ones(4, np.float32), 2),
    "decimal": lambda: decimal.Decimal("1.5"),
    "fraction": lambda: fractions.Fraction(1, 3),
    "date": lambda: datetime.date(2020, 1, 1),
    "ellipsis": lambda: ...,
    "slice": lambda: slice(1, 2),
    "type": lambda: np.float32,
    "dtype": lambda: np.dtype("f4"),
    "function": lambda: print,
    "lambda": lambda: lambda x: x,
    "generator": lambda: (i for i in range(3)),
    "module": lambda: np,
    "masked": lambda: np.ma.masked_array(np.ones(4, np.float32), [0, 1, 0, 1]),
    "matrix": lambda: np.asmatrix(np.ones((4, 4), np.float32)),
    "record": lambda: np.zeros(4, [("a", "f4"), ("b", "i4")]),
    "rank 0": lambda: np.array(2.0, np.float32),
    "rank 9": lambda: np.ones((1,) * 9, np.float32),
    "rank 64": lambda: np.ones((1,) * 64, np.float32),
    "float16": lambda: np.float16(0.1),
    "bfloat16": lambda: ml_dtypes.bfloat16(0.1),
    "fp8": lambda: ml_dtypes.float8_e4m3fn(0.1),
    "int4": lambda: ml_dtypes.int4(1),
    "uint64": lambda: np.uint64(2**64 - 1),
    "numpy bool": lambda: np.bool_(True),
    "longdouble": lambda: np.longdouble(1.5),
    "datetime": lambda: np.datetime64("2020-01-01"),
    "numpy text": lambda: np.str_("a"),
    "raises": Raises,
    "raises attribute": lambda: Raises(AttributeError),
    "raises memory": lambda: Raises(MemoryError),
    "answers": Answers,
    "interface": Interface,
    "cuda": Cuda,
}


# Descriptions
def array(
    rng: random.Random, *, dtype: str | None = None, rank: int | None = None
) -> dict[str, Any]:
    """A description of an array."""
    if dtype is None:
        dtype = rng.choice(COMMON if rng.random() < 0.7 else DTYPES)
        if rng.random() < 0.03:
            dtype = rng.choice(REFUSED)
    if rank is None:
        rank = rng.choice((1, 1, 2, 2, 3)) if rng.random() < 0.95 else rng.choice((0, 4, 8, 9))
    return {
        "dtype": dtype,
        "shape": [rng.choice(SIZES if rank < 4 else SIZES[:3]) for _ in range(rank)],
        "layout": rng.choice(LAYOUTS),
        "locked": rng.random() < 0.04,
        "seed": rng.getrandbits(30),
    }


def argument(rng: random.Random, kind: str) -> dict[str, Any]:
    """A description of an argument for a parameter that wants an array ("a", "i") or number."""
    draw = rng.random()
    if draw < 0.04:
        return {"object": rng.choice(sorted(OBJECTS))}
    if draw < 0.06:
        return {"lie": lie(rng)}
    if draw < 0.07:
        kind = "n" if kind in "ai" else "a"
    if kind == "n":
        number = rng.choice(NUMBERS)
        return {"number": repr(number), "dtype": rng.choice((None, None, None, *DTYPES))}
    if kind == "i" and rng.random() < 0.9:
        return {"array": array(rng, dtype=rng.choice(("int32", "int64", "uint8")), rank=1)}
    return {"array": array(rng)}


GRIDS = (
    *("1", "1", "1", "2", "3", "(2,)", "(1, 2)", "(2, 1, 2)", "(1, 1, 1)"),
    *("0", "(0,)", "(3, 0)", "(2**62, 0)", "()", "(1, 1, 1, 1)", "-1", "(1, -1)", "1.0", "True"),
    *("None", "'3'", "[1]", "(1.5,)", "2**63", "2**64", "(2**32, 2**32)", "10**30", "np.int64(2)"),
    *("np.array(2)", "np.float32(1)", "(np.int32(1), 1)", "np.array([1, 2])", "float('nan')", "1j"),
    *("slice(3)", "...", "({},)", "(np.uint64(1),)", "b'1'", "range(2)"),
)


# Making them
def make(item: dict[str, Any], blocks: list[np.ndarray]) -> Any:
    """The argument of a description; the memory that it can reach is added to `blocks`."""
    if "object" in item:
        return OBJECTS[item["object"]]()
    if "lie" in item:
        return Liar(item["lie"])
    if "number" in item:
        number = eval(item["number"])
        if item["dtype"] is None:
            return number
        with np.errstate(all="ignore"):
            try:
                return numpy_dtype(item["dtype"]).type(number)
            except (OverflowError, ValueError, TypeError):
                return number
    if "same" in item:
        return _overlapping(blocks[item["same"] % len(blocks)], item) if blocks else None
    found = item["array"]
    dtype = numpy_dtype(found["dtype"])
    result = _arrange(found, dtype, np.random.default_rng(found["seed"]), blocks)
    result = np.asarray(result)
    if found["locked"]:
        result.flags.writeable = False
    return result


def _arrange(
    found: dict[str, Any], dtype: np.dtype, rng: np.random.Generator, blocks: list[np.ndarray]
) -> np.ndarray:
    shape, layout = tuple(found["shape"]), found["layout"]
    if dtype.kind in "OUSMmV" or dtype.byteorder == ">":
        return np.zeros(shape, dtype)
    room = {"strided": 2, "window": 1}.get(layout, 1)
    big = tuple(n * room + 3 for n in shape)
    if layout == "odd":  # not aligned to elements
        raw = np.zeros(math.prod(shape) * dtype.itemsize + 1, np.uint8)
        blocks.append(raw)
        return raw[1:].view(dtype).reshape(shape)
    with np.errstate(all="ignore"):
        base = rng.integers(-9, 10, big).astype(np.int8).astype(dtype)
    blocks.append(base)
    inner = tuple(slice(1, 1 + n * room, room) for n in shape)
    if layout == "transposed":
        base = np.ascontiguousarray(base.T)
        blocks[-1] = base
        return base.T[inner]
    if layout == "reversed":
        return base[tuple(slice(n, 0, -1) if n else slice(0, 0) for n in shape)]
    if not base.size:
        return base[inner]
    if layout == "broadcast":
        return np.broadcast_to(base.ravel()[0], shape)
    if layout == "endless" and shape:
        return np.broadcast_to(base.ravel()[0], (2**40, *shape[1:]))
    if layout == "window" and shape and math.prod(shape) > 4:
        flat = base.ravel()
        strides = tuple(dtype.itemsize for _ in shape)
        small = tuple(min(n, 2) for n in shape)
        view = flat.view(f"V{dtype.itemsize}")
        return np.lib.stride_tricks.as_strided(view, small, strides).view(dtype)
    if layout in ("plain", "fortran"):
        order = "F" if layout == "fortran" else "C"
        blocks[-1] = np.array(base[inner], order=order)
        return blocks[-1]
    return base[inner]


def _overlapping(base: np.ndarray, item: dict[str, Any]) -> np.ndarray:
    """Another view of memory that an earlier argument has."""
    if not base.shape or not base.size:
        return base
    return base[item["shift"] % base.shape[0] :] if item["shift"] else base[::-1]
