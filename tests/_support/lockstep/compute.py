# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that compute element by element, as functions of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tegula._interpret import fma as exact
from tegula.lang import dtypes
from tests._support.lockstep.values import Type, to_unsigned

Array = np.ndarray
Compute = Callable[..., Any]


def _unsigned(compute: Compute) -> Compute:
    def run(*values: Array) -> Array:
        return compute(*map(to_unsigned, values)).view(values[0].dtype)

    return run


def _shift(compute: Compute) -> Compute:
    """Shifts by the width or more are poison: some value that a test would notice."""

    def run(x: Array, y: Array) -> Array:
        width = 8 * x.dtype.itemsize
        amount = to_unsigned(y)
        shifted = compute(x, np.minimum(amount, width - 1).view(y.dtype))
        return np.where(amount < width, shifted, x.dtype.type(0x55))

    return run


def _division(compute: Compute) -> Compute:
    """Division by zero is undefined; a lane that is not active may do it."""

    def run(x: Array, y: Array) -> Array:
        return compute(x, np.where(y == 0, y.dtype.type(1), y))

    return run


def _truncated(x: Array, y: Array) -> Array:
    quotient = np.floor_divide(x, y)
    return quotient + ((quotient < 0) & (quotient * y != x)).astype(x.dtype)


def _larger(x: Array, y: Array) -> Array:
    """NaN wins; +0 counts as larger than -0."""
    return np.where((x == 0) & (y == 0), x + y, np.maximum(x, y)).astype(x.dtype)


def _smaller(x: Array, y: Array) -> Array:
    zeros = (x == 0) & (y == 0)
    return np.where(zeros, np.where(np.signbit(x), x, y), np.minimum(x, y)).astype(x.dtype)


def _fma(x: Array, y: Array, z: Array) -> Array:
    kind = next(d for d in dtypes.ALL if d.numpy == x.dtype)
    return exact.fma(x, y, z, kind)


def _wide(compute: Compute) -> Compute:
    """Math functions in float64, rounded once."""

    def run(*values: Array) -> Array:
        return compute(*(v.astype(np.float64) for v in values)).astype(values[0].dtype)

    return run


def _abs(x: Array) -> Array:
    return np.abs(x).astype(x.dtype)


def _negate(x: Array) -> Array:
    return (-x).astype(x.dtype)


SAME: dict[str, Compute] = {
    "arith.addi": lambda x, y: x ^ y if x.dtype == np.bool_ else x + y,
    "arith.subi": lambda x, y: x ^ y if x.dtype == np.bool_ else x - y,
    "arith.muli": lambda x, y: x & y if x.dtype == np.bool_ else x * y,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shli": _shift(np.left_shift),
    "arith.shrsi": _shift(np.right_shift),
    "arith.shrui": _shift(_unsigned(np.right_shift)),
    "arith.divsi": _division(_truncated),
    "arith.remsi": _division(lambda x, y: x - _truncated(x, y) * y),
    "arith.floordivsi": _division(np.floor_divide),
    "arith.divui": _division(_unsigned(np.floor_divide)),
    "arith.remui": _division(_unsigned(np.remainder)),
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": _unsigned(np.maximum),
    "arith.minui": _unsigned(np.minimum),
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.negf": _negate,
    "arith.maximumf": _larger,
    "arith.minimumf": _smaller,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "math.fma": _fma,
    "math.absf": _abs,
    "math.absi": _abs,
    "math.exp": _wide(np.exp),
    "math.exp2": _wide(np.exp2),
    "math.log": _wide(np.log),
    "math.log2": _wide(np.log2),
    "math.sqrt": _wide(np.sqrt),
    "math.rsqrt": _wide(lambda x: 1 / np.sqrt(x)),
    "math.floor": _wide(np.floor),
    "math.ceil": _wide(np.ceil),
    "math.sin": _wide(np.sin),
    "math.cos": _wide(np.cos),
    "math.tanh": _wide(np.tanh),
}

_INT_PREDICATES: list[tuple[Compute, bool]] = [
    *((np.equal, False), (np.not_equal, False)),
    *((np.less, False), (np.less_equal, False), (np.greater, False), (np.greater_equal, False)),
    *((np.less, True), (np.less_equal, True), (np.greater, True), (np.greater_equal, True)),
]


def compare_ints(predicate: int, x: Array, y: Array) -> Array:
    """arith.cmpi by its predicate's number."""
    compute, unsigned = _INT_PREDICATES[predicate]
    return compute(to_unsigned(x), to_unsigned(y)) if unsigned else compute(x, y)


_ORDERED: list[Compute] = [
    np.equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    lambda x, y: (x < y) | (x > y),
    lambda x, y: (x == x) & (y == y),
]


def compare_floats(predicate: int, x: Array, y: Array) -> Array:
    """arith.cmpf by its predicate's number: false, six ordered, ord, six unordered, uno, true."""
    unordered = (x != x) | (y != y)
    if predicate == 0:
        return np.zeros(x.shape, bool)
    if predicate <= 7:
        return _ORDERED[predicate - 1](x, y) & ~unordered
    if predicate <= 13:
        return _ORDERED[predicate - 8](x, y) | unordered
    return unordered if predicate == 14 else np.ones(x.shape, bool)


def _float_to_int(x: Array, kind: Type, *, unsigned: bool) -> Array:
    target = np.dtype(f"u{kind.dtype.itemsize}") if unsigned else kind.dtype
    limits = np.iinfo(target)
    wide = np.nan_to_num(x.astype(np.float64), nan=0.0)
    inside = (wide > float(limits.min) - 1) & (wide < float(limits.max) + 1)
    return np.where(inside, np.trunc(wide), 0).astype(target).view(kind.dtype)


def convert(name: str, x: Array, source: Type, kind: Type) -> Array:
    """Conversions between types of one shape."""
    operation = name.split(".")[1]
    if operation == "extsi" or (operation == "sitofp" and source.element == "i1"):
        return (-x.astype(np.int8) if x.dtype == np.bool_ else x).astype(kind.dtype)
    if operation in ("extui", "uitofp", "index_castui"):
        return to_unsigned(x).astype(kind.dtype)
    if operation == "trunci" and kind.element == "i1":
        return (x & 1).astype(bool)
    if operation in ("fptosi", "fptoui"):
        return _float_to_int(x, kind, unsigned=operation == "fptoui")
    return x.astype(kind.dtype)


CONVERSIONS = {
    f"arith.{name}"
    for name in (
        *("extsi", "extui", "trunci", "extf", "truncf", "sitofp", "uitofp", "fptosi", "fptoui"),
        *("index_cast", "index_castui"),
    )
}
