# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise primitives as IR.

`arith` and `math` are used where they mean what the language says, else `tile`.
"""

from __future__ import annotations

from tegula._trace.emitter import Emitter, Value
from tegula._trace.mlir_types import element_name
from tegula.lang import dtypes
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile

_MATH = {
    "rint": "roundeven",
    **{
        name: name
        for name in (
            *("floor", "ceil", "trunc", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
            *("sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
            *("asin", "acos", "atan", "erf", "cbrt"),
        )
    },
}
_CLASSES = {"isnan": "nan", "isinf": "inf", "isfinite": "finite"}
_FLOAT = {
    "add": "arith.addf",
    "sub": "arith.subf",
    "mul": "arith.mulf",
    "truediv": "arith.divf",
    "mod": "tile.fmod",
    "pow": "math.powf",
    "maximum": "arith.maximumf",
    "minimum": "arith.minimumf",
    "fmax": "arith.maxnumf",
    "fmin": "arith.minnumf",
    "atan2": "math.atan2",
}
_INTEGER = {
    "add": "arith.addi",
    "sub": "arith.subi",
    "mul": "arith.muli",
    "and": "arith.andi",
    "or": "arith.ori",
    "xor": "arith.xori",
    "floordiv": "tile.floordiv",
    "mod": "tile.floormod",
    "pow": "tile.ipow",
    "shl": "tile.shl",
    "shr": "tile.shr",
}
# Operations of `tile` whose meaning depends on the signedness of integers.
_SIGNED = ("floordiv", "mod", "pow", "shl", "shr")
_EXTREMES = {"maximum": ("arith.maxsi", "arith.maxui"), "minimum": ("arith.minsi", "arith.minui")}
# Numbers of the predicates of arith.cmpi (signed, unsigned) and arith.cmpf (NaN compares unequal).
_PREDICATES = {
    "eq": (0, 0, 1),
    "ne": (1, 1, 13),
    "lt": (2, 6, 4),
    "le": (3, 7, 5),
    "gt": (4, 8, 2),
    "ge": (5, 9, 3),
}


class ElementwiseOps(Emitter):
    """See :class:`tegula._backend.Backend` for what the methods mean."""

    def unary(self, op: str, x: Tile, *, approx: bool = False) -> Value:
        """`math` operations, negation, complement, absolute value and class tests."""
        value = self.operand(x)
        kind = value.type
        if op in _MATH:
            flags = {"fastmath": self.types.attribute("#arith.fastmath<afn>")} if approx else None
            return self.result(f"math.{_MATH[op]}", kind, [value], flags)
        if op in _CLASSES:
            test = self.types.attribute(f"#tile.fpclass<{_CLASSES[op]}>")
            result = self.types.of(dtypes.bool_, x.shape)
            return self.result("tile.fpclass", result, [value], {"kind": test})
        if op == "abs":
            return self.result("math.absf" if x.dtype.is_float else "math.absi", kind, [value])
        if op == "not":
            ones = self.constant_of(True if x.dtype.kind == "b" else -1, x.dtype, x.shape)
            return self.result("arith.xori", kind, [value, ones])
        assert op == "neg", op
        if x.dtype.is_float:
            return self.result("arith.negf", kind, [value])
        return self.result("arith.subi", kind, [self.constant_of(0, x.dtype, x.shape), value])

    def binary(self, op: str, x: Tile, y: Tile) -> Value:
        """Operations on two operands of one dtype and shape."""
        left, right = self.operand(x), self.operand(y)
        if x.dtype.is_float:
            return self.result(_FLOAT[op], left.type, [left, right])
        unsigned = x.dtype.kind != "i"
        if op in _EXTREMES:
            return self.result(_EXTREMES[op][unsigned], left.type, [left, right])
        flags = {"is_unsigned": self.types.unit} if unsigned and op in _SIGNED else None
        return self.result(_INTEGER[op], left.type, [left, right], flags)

    def compare(self, op: str, x: Tile, y: Tile) -> Value:
        """Comparisons."""
        signed, unsigned, ordered = _PREDICATES[op]
        if x.dtype.is_float:
            name, number = "arith.cmpf", ordered
        else:
            name, number = "arith.cmpi", signed if x.dtype.kind == "i" else unsigned
        return self.result(
            name,
            self.types.of(dtypes.bool_, x.shape),
            [self.operand(x), self.operand(y)],
            {"predicate": self.types.attribute(f"{number} : i64")},
        )

    def select(self, condition: Tile, x: Tile, y: Tile) -> Value:
        """Elements of x where the condition holds, else of y."""
        left = self.operand(x)
        operands = [self.operand(condition), left, self.operand(y)]
        return self.result("arith.select", left.type, operands)

    def fma(self, x: Tile, y: Tile, z: Tile) -> Value:
        """Multiply and add, rounded once."""
        first = self.operand(x)
        return self.result("math.fma", first.type, [first, self.operand(y), self.operand(z)])

    def cast(self, x: Tile, dtype: DType) -> Value:
        """Convert elements; changing only the signedness changes nothing in the IR."""
        source = x.dtype
        if element_name(source) == element_name(dtype):
            return x.handle
        flags: dict[str, object] = {}
        if source.kind in "bu":
            flags["from_unsigned"] = self.types.unit
        if source.is_float and dtype.kind == "u":
            flags["to_unsigned"] = self.types.unit
        return self.result("tile.cast", self.types.of(dtype, x.shape), [self.operand(x)], flags)

    def bitcast(self, x: Tile, dtype: DType) -> Value:
        """Reinterpret bits."""
        if element_name(x.dtype) == element_name(dtype):
            return x.handle
        return self.result("tile.bitcast", self.types.of(dtype, x.shape), [self.operand(x)])
