# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise arithmetic, selection and conversion, with NumPy's names, promotion and broadcasting.

fp8 is a storage format: arithmetic on it is done in float32 and rounded back once, here, so that
backends never see fp8 arithmetic. Booleans follow NumPy (`+` is or, `*` is and, `-` is an error).
"""

from __future__ import annotations

import numpy as np

from tegula.errors import ArgumentError, TileTypeError
from tegula.lang import _operands, _widening, dtypes
from tegula.lang._describe import describe, made_at
from tegula.lang._operands import TileLike
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile


def binary(
    op: str, name: str, x: TileLike, y: TileLike, *, on_bool: str | DType | None = None
) -> Tile:
    """Promote, broadcast and emit a binary operation.

    Args:
        op: the public name, for messages.
        name: the backend's name.
        x: left operand.
        y: right operand.
        on_bool: for two booleans, another backend operation, or the dtype to compute in; None
            refuses them.
    """
    values = (_operands.operand(op, x), _operands.operand(op, y))
    (left, right), dtype, weak = _operands.promote(op, *values)
    if dtype is dtypes.bool_:
        if weak:
            left, right = (_operands.cast(side, dtypes.int64, weak=True) for side in (left, right))
        elif isinstance(on_bool, DType):
            left, right = (_operands.cast(side, on_bool) for side in (left, right))
        elif on_bool is None:
            raise TileTypeError(
                f"{op} is not defined for booleans",
                notes=[made_at(left), made_at(right)],
                help="use ^ or != for exclusive or, or convert with .astype(tg.int32)",
            )
        else:
            name = on_bool
    return emit_binary(name, left, right, weak)


def emit_binary(name: str, x: Tile, y: Tile, weak: bool = False) -> Tile:
    """One backend operation on operands of one dtype and shape; fp8 by way of float32."""
    if x.dtype.is_fp8:
        wide = emit_binary(
            name, _operands.cast(x, dtypes.float32), _operands.cast(y, dtypes.float32)
        )
        return _operands.cast(wide, x.dtype)
    return Tile(x.owner.binary(name, x, y), x.dtype, x.shape, weak=weak, of=(x, y))


def emit_unary(name: str, x: Tile, *, approx: bool = False) -> Tile:
    """One backend operation that keeps dtype and shape; fp8 by way of float32."""
    if x.dtype.is_fp8:
        return _operands.cast(
            emit_unary(name, _operands.cast(x, dtypes.float32), approx=approx), x.dtype
        )
    return Tile(x.owner.unary(name, x, approx=approx), x.dtype, x.shape, weak=x.weak, of=(x,))


def add(x: TileLike, y: TileLike) -> Tile:
    """`x + y`; integers wrap; for booleans, or."""
    return binary("add", "add", x, y, on_bool="or")


def subtract(x: TileLike, y: TileLike) -> Tile:
    """`x - y`; integers wrap.

    Raises:
        TileTypeError: both are booleans.
    """
    return binary("subtract", "sub", x, y)


def multiply(x: TileLike, y: TileLike) -> Tile:
    """`x * y`; integers wrap; for booleans, and."""
    return binary("multiply", "mul", x, y, on_bool="and")


def divide(x: TileLike, y: TileLike) -> Tile:
    """`x / y` in floating point; integers and booleans give float64."""
    values = [_operands.operand("divide", x), _operands.operand("divide", y)]
    dtype, weak = _operands.common_dtype("divide", values)
    if not dtype.is_float:
        given, values = (
            values,
            [_operands.coerce("divide", v, dtypes.float64, weak=weak) for v in values],
        )
        _widening.record(values, given, " / ")
    (left, right), _, weak = _operands.promote("divide", *values)
    return emit_binary("truediv", left, right, weak)


def floor_divide(x: TileLike, y: TileLike) -> Tile:
    """`x // y`, rounded toward negative infinity.

    Integers: by zero gives 0; the least value by -1 wraps. Floats: from the exact remainder as in
    NumPy, so 1.0 // 0.1 is 9; by zero gives x / y. float16, bfloat16 and fp8 are
    computed in float32.
    """
    values = (_operands.operand("floor_divide", x), _operands.operand("floor_divide", y))
    dtype, _ = _operands.common_dtype("floor_divide", values)
    if not dtype.is_float:
        return binary("floor_divide", "floordiv", x, y, on_bool=dtypes.int8)
    (left, right), dtype, weak = _operands.promote("floor_divide", *values)
    if dtype.itemsize < 4:
        wide = _float_floor_divide(
            *(_operands.cast(side, dtypes.float32) for side in (left, right))
        )
        return _operands.cast(wide, dtype)
    return _operands.cast(_float_floor_divide(left, right), dtype, weak=weak)


def _float_floor_divide(x: Tile, y: Tile) -> Tile:
    """Divide as NumPy does, written in language operations so that every target agrees."""
    rest = emit_binary("mod", abs(x), abs(y))
    rest = where(x < 0, -rest, rest)
    exact = (x - rest) / y
    exact = where((rest != 0) & ((y < 0) ^ (rest < 0)), exact - 1, exact)
    whole = emit_unary("floor", exact)
    whole = where(exact - whole > 0.5, whole + 1, whole)
    quotient = x / y
    whole = where(exact == 0, quotient * 0, whole)
    return where(y == 0, quotient, whole)


def remainder(x: TileLike, y: TileLike) -> Tile:
    """`x % y`, with the sign of `y`; by zero 0 for integers, NaN for floats."""
    return binary("remainder", "mod", x, y, on_bool=dtypes.int8)


def power(x: TileLike, y: TileLike) -> Tile:
    """`x ** y`.

    Integers wrap; a negative run-time exponent gives the exact result truncated (0, except for
    bases 1 and -1; base 0 gives 0). A constant exponent 2 multiplies.

    Raises:
        ArgumentError: an integer to a negative constant power, as in NumPy.
    """
    if isinstance(y, int) and not isinstance(y, (bool, np.generic)) and isinstance(x, Tile):
        if y < 0 and not x.dtype.is_float:
            raise ArgumentError(
                f"power: {describe(x)} is an integer and cannot be raised to the negative power "
                f"{y}",
                notes=[made_at(x)],
                help=f"convert the base: x.astype(tg.float32) ** {y}",
            )
        if y == 2 and x.dtype is not dtypes.bool_:
            return multiply(x, x)
    return binary("power", "pow", x, y, on_bool=dtypes.int8)


def maximum(x: TileLike, y: TileLike) -> Tile:
    """The larger; NaN if either is NaN; +0 is larger than -0."""
    return binary("maximum", "maximum", x, y, on_bool="or")


def minimum(x: TileLike, y: TileLike) -> Tile:
    """The smaller; NaN if either is NaN; -0 is smaller than +0."""
    return binary("minimum", "minimum", x, y, on_bool="and")


def fmax(x: TileLike, y: TileLike) -> Tile:
    """The larger; the other operand where one is NaN."""
    return _ignore_nan("fmax", "maximum", x, y, on_bool="or")


def fmin(x: TileLike, y: TileLike) -> Tile:
    """The smaller; the other operand where one is NaN."""
    return _ignore_nan("fmin", "minimum", x, y, on_bool="and")


def _ignore_nan(op: str, on_int: str, x: TileLike, y: TileLike, on_bool: str) -> Tile:
    dtype, _ = _operands.common_dtype(op, (_operands.operand(op, x), _operands.operand(op, y)))
    return binary(op, op if dtype.is_float else on_int, x, y, on_bool=on_bool)


def clip(x: TileLike, min: TileLike | None = None, max: TileLike | None = None) -> Tile:
    """`minimum(maximum(x, min), max)`.

    A bound of None, or an integer constant beyond the dtype, does not clip.

    Raises:
        ArgumentError: both bounds are None.
    """
    if min is None and max is None:
        raise ArgumentError("clip: both bounds are None", help="give min, max or both")
    value = _operands.tile("clip", x)
    for name, bound in (("min", min), ("max", max)):
        _operands.operand("clip", 0 if bound is None else bound, name)
    for bound, function in ((min, maximum), (max, minimum)):
        if bound is not None and not _beyond(bound, value.dtype, lower=function is maximum):
            value = function(value, bound)
    return value


def _beyond(bound: TileLike, dtype: DType, *, lower: bool) -> bool:
    if not dtype.is_int or isinstance(bound, (Tile, float, np.generic)):
        return False
    return bound <= dtype.min if lower else bound >= dtype.max


def negative(x: TileLike) -> Tile:
    """`-x`; integers wrap.

    Raises:
        TileTypeError: `x` is boolean.
    """
    value = _operands.tile("negative", x)
    if value.dtype is dtypes.bool_ and not value.weak:
        raise TileTypeError(
            "negative is not defined for booleans",
            notes=[made_at(value)],
            help="write ~x for not, or convert with .astype(tg.int32)",
        )
    return emit_unary("neg", _weak_int(value))


def positive(x: TileLike) -> Tile:
    """`+x`."""
    return _weak_int(_operands.tile("positive", x))


def _weak_int(value: Tile) -> Tile:
    """A weak boolean counts as a Python int."""
    if value.weak and value.dtype is dtypes.bool_:
        return _operands.cast(value, dtypes.int64, weak=True)
    return value


def abs(x: TileLike) -> Tile:
    """The absolute value; the least integer stays itself."""
    value = _weak_int(_operands.tile("abs", x))
    return value if value.dtype.kind in "bu" else emit_unary("abs", value)


def sign(x: TileLike) -> Tile:
    """-1, 0 or 1 in the dtype of `x`; NaN gives NaN.

    Raises:
        TileTypeError: `x` is boolean.
    """
    value = _operands.tile("sign", x)
    if value.dtype is dtypes.bool_:
        raise TileTypeError(
            "sign is not defined for booleans",
            notes=[made_at(value)],
            help="convert first: x.astype(tg.int8)",
        )
    negative_part = (
        where(value < 0, _operands.constant("sign", -1, value.dtype), value)
        if value.dtype.kind != "u"
        else value
    )
    result = where(value > 0, 1, negative_part)
    return result + 0 if value.dtype.is_float else result


def where(condition: TileLike, x: TileLike, y: TileLike) -> Tile:
    """`x` where the condition holds, else `y`; both are evaluated.

    A non-boolean condition holds where it is not 0.
    """
    mask = as_bool(_operands.tile("where", condition, "condition"))
    (left, right), dtype, weak = _operands.promote(
        "where", _operands.operand("where", x), _operands.operand("where", y)
    )
    if mask.shape != left.shape:
        mask, left, right = _operands.broadcast("where", (mask, left, right))
    weak = weak and mask.weak
    handle = mask.owner.select(mask, left, right)
    return Tile(handle, dtype, left.shape, weak=weak, of=(left, right))


def as_bool(x: Tile) -> Tile:
    """Whether elements differ from 0 (NaN does)."""
    return x if x.dtype is dtypes.bool_ else _operands.cast(x, dtypes.bool_)


def fma(x: TileLike, y: TileLike, z: TileLike) -> Tile:
    """`x * y + z` rounded once.

    Raises:
        TileTypeError: the promoted dtype is boolean or fp8.
    """
    values = [_operands.operand("fma", value) for value in (x, y, z)]
    (a, b, c), dtype, weak = _operands.promote("fma", *values)
    if dtype.is_int:
        return a * b + c
    if dtype is dtypes.bool_ or dtype.is_fp8:
        raise TileTypeError(
            f"fma is not defined for {dtype}",
            notes=[made_at(a)],
            help="convert operands with .astype(tg.float32)",
        )
    return Tile(a.owner.fma(a, b, c), dtype, a.shape, weak=weak, of=(a, b, c))


def isnan(x: TileLike) -> Tile:
    """Whether elements are NaN; false for integers."""
    return _classify("isnan", x, False)


def isinf(x: TileLike) -> Tile:
    """Whether elements are an infinity; false for integers."""
    return _classify("isinf", x, False)


def isfinite(x: TileLike) -> Tile:
    """Whether elements are neither NaN nor an infinity; true for integers."""
    return _classify("isfinite", x, True)


def _classify(op: str, x: TileLike, of_integers: bool) -> Tile:
    value = _operands.tile(op, x)
    if not value.dtype.is_float:
        return _operands.stretch(_operands.constant(op, of_integers, dtypes.bool_), value.shape)
    if value.dtype.is_fp8:
        value = _operands.cast(value, dtypes.float32)
    return Tile(value.owner.unary(op, value), dtypes.bool_, value.shape)
