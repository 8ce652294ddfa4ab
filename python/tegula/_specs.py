# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that are only described: `float32[128,?]` stands for any of that kind.

A compiled kernel depends on the kind of an array, not on what it holds: its dtype, its rank, unit
strides, alignment, and which sizes 16 divides. `Kernel.compile` and the command line share this.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tegula._trace import tree
from tegula.errors import ArgumentError
from tegula.lang import dtypes
from tegula.lang.dtypes import DType

if TYPE_CHECKING:
    from tegula.kernel import Kernel

Array: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[Any]]
KIND = re.compile(r"\s*(?P<dtype>\w+)\s*\[(?P<sizes>[\d?,\s]*)\]\s*")
# An unknown size: 16 does not divide it.
_UNKNOWN_SIZE = 17


def numpy_dtype(name: str) -> np.dtype[Any]:
    """NumPy's dtype for one of ours.

    Raises:
        ValueError: there is none of that name.
    """
    try:
        return np.dtype(dtypes.as_dtype(name).numpy)
    except Exception:
        known = ", ".join(item.name for item in dtypes.ALL)
        raise ValueError(f"there is no dtype {name!r}; choose one of: {known}") from None


def of_kind(match: re.Match[str]) -> Array:
    """An array of the kind that :data:`KIND` matched.

    Raises:
        ValueError: there is no such dtype, or the array is too large to be described.
    """
    items = [item.strip() for item in match["sizes"].split(",") if item.strip()]
    shape = tuple(_UNKNOWN_SIZE if item == "?" else int(item) for item in items)
    dtype = numpy_dtype(match["dtype"])
    try:
        return aligned_empty(shape, dtype)
    except (MemoryError, OverflowError, ValueError):
        raise ValueError("too large; only the divisibility of its sizes by 16 matters") from None


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """A new array whose data starts at a multiple of 64 bytes; pages not used take no memory."""
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    raw: Any = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    result: Array = raw[start : start + size].view(dtype).reshape(shape)
    return result


def resolve(
    kernel: Kernel, args: Iterable[object], keywords: Mapping[str, object]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments to specialize a kernel for, where some are only described.

    A string such as "float32[128,?]" gives an array, a dtype a number; all else is itself, and so
    is what compile-time parameters get.

    Raises:
        ArgumentError: a description means nothing.
    """
    constants = {spec[0] for spec in kernel.specs if spec[1] == "const"}

    def one(name: str, value: object) -> Any:
        if name in constants:
            return value
        if name in kernel.structured:
            return tree.thaw(tree.freeze(value), lambda leaf: _leaf(name, leaf))
        return _leaf(name, value)

    names = list(inspect.signature(kernel.function).parameters)
    values = list(args)
    named = [one(name, value) for name, value in zip(names, values, strict=False)]
    rest = values[len(named) :]  # too many, which the launcher refuses
    return named + rest, {name: one(name, value) for name, value in keywords.items()}


def _leaf(name: str, value: object) -> Any:
    if isinstance(value, DType):
        return value.numpy.type(0)
    match = KIND.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value
    try:
        return of_kind(match)
    except ValueError as error:
        raise ArgumentError(
            f"{name}={value!r}: {error}",
            help="describe an array by its dtype and sizes, ? where 16 may not divide one: "
            f'{name}="float32[128,?]"',
        ) from None
