# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grid position, creation of tiles and access to arrays as IR."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tegula._trace.emitter import Emitter, Value
from tegula.lang import dtypes
from tegula.lang.array import Array
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile


class MemoryOps(Emitter):
    """See :class:`tegula._backend.Backend` for what the methods mean."""

    def program_id(self, axis: int) -> Value:
        """Position in the grid."""
        attributes = {"axis": self.types.i32_attr(axis)}
        return self.result("tile.program_id", self.types.i64, [], attributes)

    def num_programs(self, axis: int) -> Value:
        """Size of the grid."""
        attributes = {"axis": self.types.i32_attr(axis)}
        return self.result("tile.num_programs", self.types.i64, [], attributes)

    def view_size(self, view: Array, axis: int) -> Value:
        """Run-time size of an array."""
        attributes = {"axis": self.types.i32_attr(axis)}
        return self.result("tile.dim", self.types.i64, [self.operand(view)], attributes)

    def view_stride(self, view: Array, axis: int) -> Value:
        """Run-time stride of an array, in elements."""
        attributes = {"axis": self.types.i32_attr(axis)}
        return self.result("tile.stride", self.types.i64, [self.operand(view)], attributes)

    def overlap(self, first: Array, second: Array) -> bool:
        """Whether two array arguments share memory: part of what a kernel is specialized for."""
        pair = (first.handle.mlir.arg_number, second.handle.mlir.arg_number)
        return pair in self.aliases or pair[::-1] in self.aliases

    def table(self, values: npt.NDArray[Any], dtype: DType) -> Value:
        """A constant tile. Floats and bools are made of the integers of their bits."""
        packed: Any = np.ascontiguousarray(cast("Any", values))
        words: Any = packed.view(f"u{dtype.itemsize}")
        stored = dtypes.as_dtype(words.dtype)
        kind = self.types.of(stored, values.shape)
        text = words.astype(words.dtype.newbyteorder("<")).tobytes().hex()
        value = self.ir.Attribute.parse(f'dense<"0x{text}"> : {kind}', self.context)
        bits = self.result("arith.constant", kind, [], {"value": value})
        if dtype.is_int:
            return bits
        wanted = self.types.of(dtype, values.shape)
        if dtype.is_float:
            return self.result("tile.bitcast", wanted, [bits.mlir])
        return self.result("tile.cast", wanted, [bits.mlir])

    def full(self, value: Tile, shape: tuple[int, ...]) -> Value:
        """A tile with every element `value`."""
        kind = self.types.of(value.dtype, shape)
        return self.result("tile.full", kind, [self.operand(value)])

    def iota(self, size: int, dtype: DType) -> Value:
        """0, 1, 2, ..."""
        return self.result("tile.iota", self.types.of(dtype, (size,)), [])

    def subview(
        self,
        view: Array,
        offsets: Sequence[Tile],
        sizes: Sequence[Tile],
        dims: tuple[int, ...],
        steps: tuple[int, ...],
    ) -> Value:
        """A part of an array."""
        source = self.operand(view)
        operands = [source, *map(self.operand, offsets), *map(self.operand, sizes)]
        attributes = self._segments(1, len(offsets), len(sizes))
        attributes["dims"] = self._integers(dims)
        attributes["steps"] = self._integers(steps)
        kind = self.types.part(source.type, dims, steps)
        return self.result("tile.subview", kind, operands, attributes)

    def reshape_view(self, view: Array, sizes: Sequence[Tile], strides: Sequence[Tile]) -> Value:
        """An array with other sizes."""
        operands = [self.operand(view), *map(self.operand, sizes), *map(self.operand, strides)]
        kind = self.types.reshaped(operands[0].type, len(sizes))
        attributes = self._segments(1, len(sizes), len(strides))
        return self.result("tile.reshape_view", kind, operands, attributes)

    def _block(
        self, view: Array, index: Sequence[Tile], shape: tuple[int, ...], elements: bool
    ) -> tuple[Any, list[Any]]:
        """The view and tile index of a block; one that begins anywhere is a part of its own."""
        if not elements:
            return self.operand(view), [self.operand(i) for i in index]
        sizes = [Tile(self.constant(extent, dtypes.int64), dtypes.int64, ()) for extent in shape]
        axes = tuple(range(view.ndim))
        part = self.subview(view, index, sizes, axes, (1,) * view.ndim)
        return part.mlir, [self.constant_of(0, dtypes.int64)] * view.ndim

    def load(
        self,
        view: Array,
        index: Sequence[Tile],
        shape: tuple[int, ...],
        pad: Tile,
        elements: bool = False,
    ) -> Value:
        """The tile at a tile index, or that begins at an element."""
        pads = self._pad(pad)
        array, place = self._block(view, index, shape, elements)
        attributes = self._segments(1, len(index), len(pads))
        kind = self.types.of(view.dtype, shape)
        return self.result("tile.load", kind, [array, *place, *pads], attributes)

    def written(self) -> tuple[int, ...]:
        """Numbers of the arguments that something writes to."""
        return tuple(sorted(self._written))

    def _target(self, view: Array) -> Any:
        """The operand for an array that is written to."""
        value = self.operand(view)
        self._written.add(view.root.handle.mlir.arg_number)
        return value

    def store(
        self, view: Array, index: Sequence[Tile], value: Tile, elements: bool = False
    ) -> None:
        """Write the tile at a tile index, or that begins at an element."""
        tile = self.operand(value)
        self._target(view)
        array, place = self._block(view, index, value.shape, elements)
        self.emit("tile.store", (), [tile, array, *place])

    def gather(self, view: Array, index: Sequence[Tile], mask: Tile | None, pad: Tile) -> Value:
        """Single elements by index."""
        masks, pads = self._optional(mask), self._pad(pad)
        operands = [self.operand(view), *map(self.operand, index), *masks, *pads]
        shape = index[0].shape if index else mask.shape if mask is not None else ()
        attributes = self._segments(1, len(index), len(masks), len(pads))
        return self.result("tile.gather", self.types.of(view.dtype, shape), operands, attributes)

    def scatter(self, view: Array, index: Sequence[Tile], value: Tile, mask: Tile | None) -> None:
        """Write single elements by index."""
        masks = self._optional(mask)
        operands = [self.operand(value), self._target(view), *map(self.operand, index), *masks]
        self.emit("tile.scatter", (), operands, self._segments(1, 1, len(index), len(masks)))

    def atomic_rmw(
        self,
        kind: str,
        view: Array,
        index: Sequence[Tile],
        value: Tile,
        mask: Tile | None,
        pad: Tile,
    ) -> Value:
        """Combine single elements atomically; gives what was there."""
        masks, pads = self._optional(mask), self._pad(pad)
        new = self.operand(value)
        operands = [new, self._target(view), *map(self.operand, index), *masks, *pads]
        attributes = self._segments(1, 1, len(index), len(masks), len(pads))
        unsigned = "u" if value.dtype.kind != "i" and not value.dtype.is_float else ""
        name = unsigned + kind if kind in ("max", "min") else kind
        attributes["kind"] = self.types.attribute(f"#tile.atomic<{name}>")
        return self.result("tile.atomic_rmw", new.type, operands, attributes)

    def atomic_cas(
        self,
        view: Array,
        index: Sequence[Tile],
        compare: Tile,
        value: Tile,
        mask: Tile | None,
        pad: Tile,
    ) -> Value:
        """Compare and swap single elements atomically; gives what was there."""
        masks, pads = self._optional(mask), self._pad(pad)
        old, new = self.operand(compare), self.operand(value)
        operands = [old, new, self._target(view), *map(self.operand, index), *masks, *pads]
        attributes = self._segments(1, 1, 1, len(index), len(masks), len(pads))
        return self.result("tile.atomic_cas", new.type, operands, attributes)

    def _optional(self, value: Tile | None) -> list[Any]:
        return [] if value is None else [self.operand(value)]

    def _pad(self, pad: Tile) -> list[Any]:
        """The operand for a pad value; zero, the default, has none."""
        constant = pad.handle.constant
        if constant is not None and constant[0] == 0 and math.copysign(1, constant[0]) > 0:
            return []
        return [self.operand(pad)]

    def _integers(self, values: Sequence[int]) -> Any:
        return self.types.attribute(f"array<i64: {', '.join(map(str, values))}>")

    def _segments(self, *sizes: int) -> dict[str, Any]:
        text = ", ".join(map(str, sizes))
        return {"operandSegmentSizes": self.types.attribute(f"array<i32: {text}>")}
