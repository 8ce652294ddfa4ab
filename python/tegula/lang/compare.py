# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons and logic.

Integers of any two dtypes, and Python integers of any size, compare by their exact values.
"""

from __future__ import annotations

from tegula.lang import _operands, dtypes
from tegula.lang._operands import Operand, TileLike
from tegula.lang.elementwise import as_bool, emit_binary, emit_unary
from tegula.lang.tile import Tile

_SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def equal(x: TileLike, y: TileLike) -> Tile:
    """`x == y`; NaN equals nothing."""
    return _compare("equal", "eq", x, y)


def not_equal(x: TileLike, y: TileLike) -> Tile:
    """`x != y`; NaN differs from everything."""
    return _compare("not_equal", "ne", x, y)


def less(x: TileLike, y: TileLike) -> Tile:
    """`x < y`."""
    return _compare("less", "lt", x, y)


def less_equal(x: TileLike, y: TileLike) -> Tile:
    """`x <= y`."""
    return _compare("less_equal", "le", x, y)


def greater(x: TileLike, y: TileLike) -> Tile:
    """`x > y`."""
    return _compare("greater", "gt", x, y)


def greater_equal(x: TileLike, y: TileLike) -> Tile:
    """`x >= y`."""
    return _compare("greater_equal", "ge", x, y)


def logical_and(x: TileLike, y: TileLike) -> Tile:
    """Whether both differ from 0."""
    return _logical("logical_and", "and", x, y)


def logical_or(x: TileLike, y: TileLike) -> Tile:
    """Whether one or both differ from 0."""
    return _logical("logical_or", "or", x, y)


def logical_xor(x: TileLike, y: TileLike) -> Tile:
    """Whether exactly one differs from 0."""
    return _logical("logical_xor", "xor", x, y)


def logical_not(x: TileLike) -> Tile:
    """Whether elements are 0."""
    return emit_unary("not", as_bool(_operands.tile("logical_not", x)))


def _logical(op: str, name: str, x: TileLike, y: TileLike) -> Tile:
    left, right = (as_bool(_operands.tile(op, value)) for value in (x, y))
    left, right = _operands.broadcast(op, (left, right))
    return emit_binary(name, left, right, left.weak and right.weak)


def _compare(op: str, name: str, x: TileLike, y: TileLike) -> Tile:
    values = (_operands.operand(op, x), _operands.operand(op, y))
    for direction, ordered in ((name, values), (_SWAPPED[name], values[::-1])):
        known = _by_range(op, direction, *ordered)
        if known is not None:
            return known
    left, right = (_widen_weak(value, other) for value, other in (values, values[::-1]))
    if isinstance(left, Tile) and isinstance(right, Tile):
        if left.dtype is dtypes.int64 and right.dtype is dtypes.uint64:
            return _mixed(op, name, left, right)
        if left.dtype is dtypes.uint64 and right.dtype is dtypes.int64:
            return _mixed(op, _SWAPPED[name], right, left)
    (a, b), _, _ = _operands.promote(op, left, right)
    return _emit(name, a, b)


def _emit(name: str, x: Tile, y: Tile) -> Tile:
    if x.dtype.is_fp8:
        x, y = (_operands.cast(side, dtypes.float32) for side in (x, y))
    return Tile(x.owner.compare(name, x, y), dtypes.bool_, x.shape)


def _by_range(op: str, name: str, x: Operand, y: Operand) -> Tile | None:
    """The result where an integer tile meets a Python integer outside its range, else None."""
    if not isinstance(x, Tile) or not x.dtype.is_int or isinstance(y, (Tile, bool, float)):
        return None
    if x.dtype.min <= y <= x.dtype.max:
        return None
    above = y > x.dtype.max
    result = name == "ne" or (name in ("lt", "le") if above else name in ("gt", "ge"))
    return _operands.stretch(_operands.constant(op, result, dtypes.bool_), x.shape)


def _widen_weak(value: Operand, other: Operand) -> Operand:
    """A run-time weak integer keeps its 64 bits.

    Comparing in the other's narrow dtype would wrap it.
    """
    if not isinstance(value, Tile) or not value.weak or value.dtype is not dtypes.int64:
        return value
    is_int = isinstance(other, Tile) and other.dtype.is_int
    return _operands.cast(value, dtypes.int64) if is_int else value


def _mixed(op: str, name: str, signed: Tile, unsigned: Tile) -> Tile:
    """Compare int64 with uint64 exactly: a negative number is below, others compare as unsigned."""
    signed, unsigned = _operands.broadcast(op, (signed, unsigned))
    below = _compare(op, "lt", signed, 0)
    result = _emit(name, _operands.cast(signed, dtypes.uint64), unsigned)
    if name in ("lt", "le", "ne"):
        return emit_binary("or", below, result)
    return emit_binary("and", emit_unary("not", below), result)
