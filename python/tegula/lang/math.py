# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of real numbers, and rounding.

Integers become floats as in NumPy: 8 bits give float16, 16 bits float32, wider ones float64.
float16, bfloat16 and fp8 are computed in float32 and rounded once. `approx=True` permits the
hardware's approximation.
"""

from __future__ import annotations

from tegula.lang import _operands, dtypes, promotion
from tegula.lang._operands import TileLike
from tegula.lang.elementwise import emit_binary, emit_unary
from tegula.lang.tile import Tile


def _real(op: str, name: str, x: TileLike, approx: bool = False) -> Tile:
    value = _operands.tile(op, x)
    dtype = dtypes.float64 if value.weak else promotion.float_dtype(value.dtype)
    return emit_unary(name, _operands.cast(value, dtype, weak=value.weak), approx=approx)


def exp(x: TileLike, *, approx: bool = False) -> Tile:
    """E to the power `x`."""
    return _real("exp", "exp", x, approx)


def exp2(x: TileLike, *, approx: bool = False) -> Tile:
    """2 to the power `x`."""
    return _real("exp2", "exp2", x, approx)


def expm1(x: TileLike, *, approx: bool = False) -> Tile:
    """`exp(x) - 1`, accurate near 0."""
    return _real("expm1", "expm1", x, approx)


def log(x: TileLike, *, approx: bool = False) -> Tile:
    """The natural logarithm; NaN below 0."""
    return _real("log", "log", x, approx)


def log2(x: TileLike, *, approx: bool = False) -> Tile:
    """The logarithm to base 2; NaN below 0."""
    return _real("log2", "log2", x, approx)


def log10(x: TileLike, *, approx: bool = False) -> Tile:
    """The logarithm to base 10; NaN below 0."""
    return _real("log10", "log10", x, approx)


def log1p(x: TileLike, *, approx: bool = False) -> Tile:
    """`log(1 + x)`, accurate near 0."""
    return _real("log1p", "log1p", x, approx)


def sqrt(x: TileLike, *, approx: bool = False) -> Tile:
    """The square root, correctly rounded; NaN below 0."""
    return _real("sqrt", "sqrt", x, approx)


def rsqrt(x: TileLike, *, approx: bool = False) -> Tile:
    """`1 / sqrt(x)`."""
    return _real("rsqrt", "rsqrt", x, approx)


def cbrt(x: TileLike, *, approx: bool = False) -> Tile:
    """The cube root."""
    return _real("cbrt", "cbrt", x, approx)


def sin(x: TileLike, *, approx: bool = False) -> Tile:
    """The sine of `x` radians."""
    return _real("sin", "sin", x, approx)


def cos(x: TileLike, *, approx: bool = False) -> Tile:
    """The cosine of `x` radians."""
    return _real("cos", "cos", x, approx)


def tan(x: TileLike, *, approx: bool = False) -> Tile:
    """The tangent of `x` radians."""
    return _real("tan", "tan", x, approx)


def sinh(x: TileLike, *, approx: bool = False) -> Tile:
    """The hyperbolic sine."""
    return _real("sinh", "sinh", x, approx)


def cosh(x: TileLike, *, approx: bool = False) -> Tile:
    """The hyperbolic cosine."""
    return _real("cosh", "cosh", x, approx)


def tanh(x: TileLike, *, approx: bool = False) -> Tile:
    """The hyperbolic tangent."""
    return _real("tanh", "tanh", x, approx)


def arcsin(x: TileLike, *, approx: bool = False) -> Tile:
    """The inverse sine, in radians; NaN outside [-1, 1]."""
    return _real("arcsin", "asin", x, approx)


def arccos(x: TileLike, *, approx: bool = False) -> Tile:
    """The inverse cosine, in radians; NaN outside [-1, 1]."""
    return _real("arccos", "acos", x, approx)


def arctan(x: TileLike, *, approx: bool = False) -> Tile:
    """The inverse tangent, in radians."""
    return _real("arctan", "atan", x, approx)


def erf(x: TileLike, *, approx: bool = False) -> Tile:
    """The error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to `x`."""
    return _real("erf", "erf", x, approx)


def arctan2(y: TileLike, x: TileLike) -> Tile:
    """The angle of the point (x, y), in radians from -pi to pi."""
    values = [_operands.operand("arctan2", value) for value in (y, x)]
    dtype, weak = _operands.common_dtype("arctan2", values)
    dtype = dtypes.float64 if weak else promotion.float_dtype(dtype)
    tiles = [_operands.coerce("arctan2", value, dtype, weak=weak) for value in values]
    left, right = _operands.broadcast("arctan2", tiles)
    return emit_binary("atan2", left, right, weak)


def sigmoid(x: TileLike) -> Tile:
    """`1 / (1 + exp(-x))`."""
    value = _operands.tile("sigmoid", x)
    dtype = dtypes.float64 if value.weak else promotion.float_dtype(value.dtype)
    wide = dtypes.float32 if dtype.itemsize < 4 else dtype
    argument = _operands.cast(value, wide, weak=value.weak)
    return _operands.cast(1.0 / (exp(-argument) + 1.0), dtype, weak=value.weak)


def floor(x: TileLike) -> Tile:
    """The nearest whole number not above; integers stay as they are."""
    return _rounded("floor", "floor", x)


def ceil(x: TileLike) -> Tile:
    """The nearest whole number not below; integers stay as they are."""
    return _rounded("ceil", "ceil", x)


def trunc(x: TileLike) -> Tile:
    """The nearest whole number toward 0; integers stay as they are."""
    return _rounded("trunc", "trunc", x)


def round(x: TileLike) -> Tile:
    """The nearest whole number, ties to even; integers stay as they are."""
    return _rounded("round", "rint", x)


def rint(x: TileLike) -> Tile:
    """The nearest whole number as a float, ties to even."""
    return _real("rint", "rint", x)


def _rounded(op: str, name: str, x: TileLike) -> Tile:
    value = _operands.tile(op, x)
    return emit_unary(name, value) if value.dtype.is_float else value
