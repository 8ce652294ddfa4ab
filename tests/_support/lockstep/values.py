# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR types as NumPy dtypes, and constants as arrays.

A value is an array whose first dimension is the thread; a vector's dimensions follow. Integers are
signed, pointers are addresses in int64.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import ml_dtypes
import numpy as np

DTYPES = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "index": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
}
FLOATS = {name for name in DTYPES if "f" in name}


class Type(NamedTuple):
    """A scalar, vector or pointer type."""

    shape: tuple[int, ...]
    element: str
    dtype: np.dtype
    space: int | None = None

    @property
    def is_float(self) -> bool:
        return self.element in FLOATS

    @property
    def bits(self) -> int:
        """Width of an element."""
        return 1 if self.element == "i1" else 8 * self.dtype.itemsize

    @property
    def count(self) -> int:
        """Elements of one thread."""
        return int(np.prod(self.shape, dtype=np.int64))


@cache
def parse_type(text: str) -> Type:
    """What an MLIR type is here."""
    pointer = re.fullmatch(r"!llvm\.ptr(?:<(\d+)>)?", text)
    if pointer:
        return Type((), "ptr", np.dtype(np.int64), int(pointer[1] or 0))
    vector = re.fullmatch(r"vector<((?:\d+x)*)(.+)>", text)
    if vector:
        inner = parse_type(vector[2])
        shape = tuple(int(n) for n in vector[1].split("x") if n)
        return Type(shape, inner.element, inner.dtype, inner.space)
    if text not in DTYPES:
        raise NotImplementedError(f"type {text}")
    return Type((), text, DTYPES[text])


def to_unsigned(value: np.ndarray) -> np.ndarray:
    """The same bits as unsigned integers."""
    return value if value.dtype == np.bool_ else value.view(f"u{value.dtype.itemsize}")


def to_bytes(value: np.ndarray) -> np.ndarray:
    """[threads, bytes] as in memory; a bool takes a byte."""
    flat = np.ascontiguousarray(value).reshape(value.shape[0], -1)
    return flat.view(np.uint8)


def from_bytes(data: np.ndarray, kind: Type) -> np.ndarray:
    """Undo `to_bytes`."""
    flat = np.ascontiguousarray(data)
    cast = flat != 0 if kind.element == "i1" else flat.view(kind.dtype)
    return cast.reshape(data.shape[0], *kind.shape)


def _literal(text: str, kind: Type) -> np.generic:
    text = text.strip()
    if text in ("true", "false"):
        return np.bool_(text == "true")
    if kind.is_float and text.startswith("0x"):
        return np.array(int(text, 16)).astype(f"u{kind.dtype.itemsize}").view(kind.dtype)[()]
    if kind.is_float:
        return np.float64(text).astype(kind.dtype)
    if kind.element == "i1":
        return np.bool_(int(text) != 0)
    return np.array(int(text), object).astype(np.int64).astype(kind.dtype)[()]


def parse_constant(text: str, kind: Type) -> np.ndarray:
    """The value that an attribute prints as, one thread's."""
    dense = re.match(r"dense<(.*)> : ", text, re.DOTALL)
    body = dense[1] if dense else text.split(" : ")[0]
    if body.startswith('"'):
        raw = np.frombuffer(bytes.fromhex(body.strip('"')[2:]), np.uint8)
        if kind.element == "i1":
            raw = np.unpackbits(raw, bitorder="little")[: kind.count]
        return from_bytes(raw[None], kind)[0]
    items = [_literal(item, kind) for item in re.sub(r"[\[\]]", "", body).split(",")]
    flat = np.array(items, kind.dtype)
    return np.broadcast_to(flat, kind.count).reshape(kind.shape).copy()
