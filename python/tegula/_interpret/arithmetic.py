# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (NumPy's stubs leave the dtypes of most results open.)
"""Elementwise arithmetic as the language contract defines it, on NumPy arrays of one dtype.

float16 and bfloat16 are computed in float32 and rounded after each operation, which for + - * / and
sqrt equals rounding the exact result once (float32 has more than twice their digits plus two).
Transcendental functions on float32 are computed in float64, so that the interpreter is a reference
to measure others against.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tegula._interpret.casts import Values, narrow, widen
from tegula.lang.dtypes import DType

_Unary = Callable[[Values], Any]
_Binary = Callable[[Values, Values], Any]


def _erf(x: Values) -> Values:
    flat = [math.erf(value) for value in x.ravel().tolist()]
    return np.array(flat, dtype=np.float64).reshape(x.shape)


def _rsqrt(x: Values) -> Values:
    return 1.0 / np.sqrt(x)


# Correctly rounded in the dtype itself.
_EXACT_UNARY: dict[str, _Unary] = {
    "neg": np.negative,
    "abs": np.absolute,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "sqrt": np.sqrt,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
}
_TRANSCENDENTAL: dict[str, _Unary] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "rsqrt": _rsqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "erf": _erf,
    "cbrt": np.cbrt,
}


def unary(op: str, x: Values, dtype: DType) -> Values:
    """Apply a unary operation of :meth:`tegula._backend.Backend.unary`."""
    if op == "not":
        return np.asarray(np.invert(x))
    if not dtype.is_float:
        return np.asarray(_EXACT_UNARY[op](x))
    wide = widen(x, dtype)
    if op in _EXACT_UNARY:
        result = np.asarray(_EXACT_UNARY[op](wide))
        return result if result.dtype == np.bool_ else narrow(result, dtype)
    single = wide.dtype == np.float32
    result = np.asarray(_TRANSCENDENTAL[op](wide.astype(np.float64)))
    return narrow(result.astype(np.float32) if single else result, dtype)


def binary(op: str, x: Values, y: Values, dtype: DType) -> Values:
    """Apply a binary operation of :meth:`tegula._backend.Backend.binary`."""
    if not dtype.is_float:
        return np.asarray(_INTEGER[op](x, y))
    left, right = widen(x, dtype), widen(y, dtype)
    if op in _FLOAT:
        return narrow(np.asarray(_FLOAT[op](left, right)), dtype)
    single = left.dtype == np.float32
    result = np.asarray(
        _FLOAT_TRANSCENDENTAL[op](left.astype(np.float64), right.astype(np.float64))
    )
    return narrow(result.astype(np.float32) if single else result, dtype)


def _floor_divide(x: Values, y: Values) -> Values:
    quotient = np.floor_divide(x, np.where(y == 0, y.dtype.type(1), y))
    return np.where(y == 0, y.dtype.type(0), quotient)


def _remainder(x: Values, y: Values) -> Values:
    rest = np.remainder(x, np.where(y == 0, y.dtype.type(1), y))
    return np.where(y == 0, y.dtype.type(0), rest)


def _power(x: Values, y: Values) -> Values:
    zero, one = x.dtype.type(0), x.dtype.type(1)
    result = np.power(x, np.where(y < 0, zero, y))
    if x.dtype.kind == "u":
        return result
    of_minus_one = np.where(y & one, -one, one)
    of_negative = np.where(x == 1, one, np.where(x == -1, of_minus_one, zero))
    return np.where(y < 0, of_negative, result)


def _shift_left(x: Values, y: Values) -> Values:
    fits = (y >= 0) & (y < 8 * x.itemsize)
    zero = x.dtype.type(0)
    return np.where(fits, np.left_shift(x, np.where(fits, y, zero)), zero)


def _shift_right(x: Values, y: Values) -> Values:
    width = x.dtype.type(8 * x.itemsize - 1)
    fits = (y >= 0) & (y <= width)
    shifted = np.right_shift(x, np.where(fits, y, width))
    return shifted if x.dtype.kind == "i" else np.where(fits, shifted, x.dtype.type(0))


def _larger(pick: _Binary) -> _Binary:
    def larger(x: Values, y: Values) -> Values:
        # Of two zeros the sum is +0 unless both are -0, which is their maximum.
        return np.where((x == 0) & (y == 0), x + y, pick(x, y))

    return larger


def _smaller(pick: _Binary) -> _Binary:
    def smaller(x: Values, y: Values) -> Values:
        return np.where((x == 0) & (y == 0), -(-x + -y), pick(x, y))

    return smaller


_INTEGER: dict[str, _Binary] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "floordiv": _floor_divide,
    "mod": _remainder,
    "pow": _power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": _shift_left,
    "shr": _shift_right,
}
_FLOAT: dict[str, _Binary] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "maximum": _larger(np.maximum),
    "minimum": _smaller(np.minimum),
    "fmax": _larger(np.fmax),
    "fmin": _smaller(np.fmin),
}
_FLOAT_TRANSCENDENTAL: dict[str, _Binary] = {"pow": np.power, "atan2": np.arctan2}
_COMPARE: dict[str, _Binary] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def compare(op: str, x: Values, y: Values, dtype: DType) -> Values:
    """Apply a comparison of :meth:`tegula._backend.Backend.compare`."""
    return np.asarray(_COMPARE[op](widen(x, dtype), widen(y, dtype)))
