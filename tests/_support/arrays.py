# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Test arrays: random inputs in any memory layout, and outputs with guard bytes around them.

A kernel that writes outside its array, or between its elements, changes memory that belongs to
nobody: every array here is a view into a larger block whose other bytes are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np

LAYOUTS = ("contiguous", "transposed", "strided", "reversed")
"""Memory layouts of inputs and outputs. Inputs can be "broadcast" too: stride 0, read-only."""

GUARD = 3  # elements left and right of the array in each dimension of its block

FLOATS = ("float32", "float16", "bfloat16")

NUMPY_DTYPES = {
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float8_e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "float8_e5m2": np.dtype(ml_dtypes.float8_e5m2),
}


def numpy_dtype(name: str | np.dtype) -> np.dtype:
    """The NumPy dtype of a name, those of ml_dtypes included."""
    return NUMPY_DTYPES.get(str(name)) or np.dtype(name)


def is_float(dtype: np.dtype) -> bool:
    """Whether `dtype` is a floating-point type, those of ml_dtypes included."""
    return dtype.kind == "f" or dtype in NUMPY_DTYPES.values()


@dataclass
class Block:
    """A view, the memory around it and what that memory held when the test began."""

    base: np.ndarray
    take: Callable[[np.ndarray], np.ndarray]
    before: bytes = b""

    @property
    def array(self) -> np.ndarray:
        """The view that the test works with."""
        return self.take(self.base)

    def outside(self) -> bytes:
        """The bytes of the block that are not the view's."""
        mask = np.ones(self.base.shape, bool)
        self.take(mask)[...] = False
        return self.base.view(np.dtype((np.void, self.base.itemsize)))[mask].tobytes()


def make_block(shape: tuple[int, ...], dtype: np.dtype, layout: str, fill: int) -> Block:
    """A block of bytes `fill` whose view has `shape` and the named layout."""
    if layout == "aligned":
        base = aligned(np.empty(shape, dtype))
        block = Block(base, lambda base: base)
    else:
        step = {"strided": 2, "reversed": -1}.get(layout, 1)
        inner = shape[::-1] if layout == "transposed" else shape
        window = tuple(slice(GUARD, GUARD + n * abs(step)) for n in inner)
        stride = (slice(None, None, step),) * len(inner)

        def take(base: np.ndarray) -> np.ndarray:
            view = base[window][stride]
            return view.T if layout == "transposed" else view

        base = np.empty(tuple(n * abs(step) + 2 * GUARD for n in inner), dtype)
        block = Block(base, take)
    base.view(np.uint8)[...] = fill
    return block


def aligned(array: np.ndarray) -> np.ndarray:
    """A contiguous copy of `array` that starts at a multiple of 64 bytes."""
    room = np.empty(array.nbytes + 64, np.uint8)
    start = -room.__array_interface__["data"][0] % 64
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@dataclass
class Arrays:
    """Makes the arrays of one test; :meth:`verify` checks what must not have changed."""

    rng: np.random.Generator
    blocks: list[Block] = field(default_factory=list)
    inputs: list[tuple[np.ndarray, bytes]] = field(default_factory=list)

    def input(self, values: np.ndarray, layout: str = "contiguous") -> np.ndarray:
        """`values` in the given layout; "aligned" has no guards and a 64-byte aligned start."""
        if layout == "broadcast":
            first = values[:1].copy()
            array = np.broadcast_to(first, values.shape)
        elif layout == "aligned":
            array = aligned(values)
        else:
            array = make_block(values.shape, values.dtype, layout, 0x7F).array
            array[...] = values
        self.inputs.append((array, array.tobytes()))
        return array

    def normal(
        self,
        shape: tuple[int, ...],
        dtype: str | np.dtype = "float32",
        layout: str = "contiguous",
        scale: float = 1.0,
    ) -> np.ndarray:
        """Normally distributed values, rounded to `dtype`."""
        values = self.rng.standard_normal(shape) * scale
        return self.input(values.astype(numpy_dtype(dtype)), layout)

    def integers(
        self,
        low: int,
        high: int,
        shape: tuple[int, ...],
        dtype: str | np.dtype = "int32",
        layout: str = "contiguous",
    ) -> np.ndarray:
        """Integers low <= n < high."""
        return self.input(self.rng.integers(low, high, shape).astype(numpy_dtype(dtype)), layout)

    def output(
        self,
        shape: tuple[int, ...],
        dtype: str | np.dtype = "float32",
        layout: str = "contiguous",
        fill: float | None = None,
    ) -> np.ndarray:
        """A guarded array to write, poisoned (NaN, or 0x5A bytes) unless there is a `fill`."""
        dtype = numpy_dtype(dtype)
        block = make_block(shape, dtype, layout, 0xA5)
        if fill is not None:
            block.array[...] = fill
        elif is_float(dtype):
            block.array[...] = np.nan
        else:
            block.array[...] = np.frombuffer(b"\x5a" * dtype.itemsize, dtype)[0]
        block.before = block.outside()
        self.blocks.append(block)
        return block.array

    def verify(self) -> None:
        """Fail if a guard byte or an input has changed."""
        for array, before in self.inputs:
            assert array.tobytes() == before, f"an input of shape {array.shape} has changed"
        for block in self.blocks:
            shape = block.array.shape
            assert block.outside() == block.before, f"bytes around an output {shape} have changed"
