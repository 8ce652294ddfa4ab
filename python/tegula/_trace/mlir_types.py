# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the language's dtypes and shapes to MLIR types and constants, within one MLIR context."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from tegula.lang.dtypes import DType

_NAMES = {
    "bool": "i1",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "float8_e4m3fn": "f8E4M3FN",
    "float8_e5m2": "f8E5M2",
}


def element_name(dtype: DType) -> str:
    """The MLIR name of an element type. Integers are signless: signedness is on operations."""
    return _NAMES.get(dtype.name) or f"i{8 * dtype.itemsize}"


class Types:
    """Types, and attributes of constants, each made once.

    Args:
        ir: the module of MLIR's Python bindings.
        context: the MLIR context they live in.
    """

    def __init__(self, ir: Any, context: Any) -> None:
        self._ir = ir
        self._context = context
        self._elements: dict[str, Any] = {}
        self._tensors: dict[tuple[str, tuple[int, ...]], Any] = {}
        self._attributes: dict[str, Any] = {}
        self.i64 = self.parse("i64")
        self.i1 = self.parse("i1")
        self.unknown = ir.Location.unknown(context)
        self.unit = ir.UnitAttr.get(context)

    def parse(self, text: str) -> Any:
        """The type that MLIR writes as `text`."""
        found = self._elements.get(text)
        if found is None:
            found = self._elements[text] = self._ir.Type.parse(text, self._context)
        return found

    def attribute(self, text: str) -> Any:
        """The attribute that MLIR writes as `text`."""
        found = self._attributes.get(text)
        if found is None:
            found = self._attributes[text] = self._ir.Attribute.parse(text, self._context)
        return found

    def of(self, dtype: DType, shape: tuple[int, ...] = ()) -> Any:
        """The type of a tile: a ranked tensor, or for shape () the element type."""
        name = _NAMES.get(dtype.name) or f"i{8 * dtype.itemsize}"
        if not shape:
            return self.parse(name)
        found = self._tensors.get((name, shape))
        if found is None:
            found = self._ir.RankedTensorType.get(shape, self.parse(name), loc=self.unknown)
            self._tensors[name, shape] = found
        return found

    def part(self, view: Any, dims: tuple[int, ...], steps: tuple[int, ...]) -> Any:
        """The type of a part of a view: what of its strides is known is known of the part's."""
        sizes, element, options = _parts(view)
        known = re.search(r"strides = \[(.*?)\]", options)
        strides = known[1].split(", ") if known else ["?"] * len(sizes)
        scaled = [
            "?" if strides[dim] == "?" else str(int(strides[dim]) * step)
            for dim, step in zip(dims, steps, strict=True)
        ]
        rest = f", strides = [{', '.join(scaled)}]" if set(scaled) != {"?"} else ""
        return self.parse(f"!tile.view<{'?x' * len(dims)}{element}{rest}>")

    def reshaped(self, view: Any, rank: int) -> Any:
        """The type of a view's elements in any other sizes."""
        _, element, _ = _parts(view)
        return self.parse(f"!tile.view<{'?x' * rank}{element}>")

    def i32_attr(self, value: int) -> Any:
        """A 32-bit integer attribute."""
        return self.attribute(f"{value} : i32")

    def number(self, value: bool | int | float, dtype: DType, shape: tuple[int, ...] = ()) -> Any:
        """The attribute of a constant, with every element `value`; floats round once."""
        element = self.of(dtype)
        if dtype.is_float:
            scalar = self._ir.FloatAttr.get(element, rounded(float(value), dtype), self.unknown)
        else:
            scalar = self._ir.IntegerAttr.get(element, signed(int(value), dtype))
        if not shape:
            return scalar
        return self._ir.DenseElementsAttr.get_splat(self.of(dtype, shape), scalar)


def rounded(value: float, dtype: DType) -> float:
    """A number as fp8 holds it: rounded to nearest even, saturating. Other types round in MLIR."""
    if not dtype.is_fp8 or math.isnan(value):
        return value
    clipped = min(max(value, dtype.min), dtype.max)
    with np.errstate(all="ignore"):
        return float(np.float64(clipped).astype(dtype.numpy))


def signed(value: int, dtype: DType) -> int:
    """The signed number with the same bits, which is what MLIR takes."""
    bits = 8 * dtype.itemsize
    if dtype.kind == "b":
        return int(bool(value))
    return value - (1 << bits) if value >= 1 << (bits - 1) else value


def _parts(view: Any) -> tuple[list[str], str, str]:
    """The sizes, the element type and the options of a view's type, as texts."""
    kind, _, options = str(view).removeprefix("!tile.view<").removesuffix(">").partition(", ")
    *sizes, element = kind.split("x")
    return sizes, element, options
