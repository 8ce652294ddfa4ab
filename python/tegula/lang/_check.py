# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of arguments that many operations share: extents, axes, index tuples."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

from tegula._show import show
from tegula.errors import ArgumentError, ShapeError, TileTypeError, TracedValueError
from tegula.lang._describe import describe, made_at
from tegula.lang.tile import Tile

# The largest tile that is accepted; larger ones are mistakes that no target could hold.
MAX_ELEMENTS = 1 << 24
MAX_RANK = 8


def one_truth(op: str, condition: Tile) -> None:
    """A tile that is true or false as a whole.

    Raises:
        ShapeError: it is no scalar.
    """
    if condition.shape != ():
        raise ShapeError(
            f"{op}: the truth of {describe(condition)} is ambiguous: it has {condition.size} "
            f"elements",
            notes=[made_at(condition)],
            help="reduce it first, with tg.all(...) or tg.any(...)",
        )


def extent(op: str, value: object, what: str = "a tile extent", argument: str | None = None) -> int:
    """A static positive integer.

    Args:
        op: what to call the operation in an error.
        value: what was given.
        what: what to call it.
        argument: the name of its parameter, if `what` is another.

    Raises:
        TracedValueError: it is a tile, whose value is only known at run time.
        TileTypeError: it is not an integer.
        ShapeError: it is below 1.
    """
    number = static_int(op, value, what, argument)
    if number < 1:
        raise ShapeError(
            f"{op}: {what} must be at least 1, not {number}",
            argument=argument or what,
            help="tiles have elements; an array may be empty: loads from it give the pad value",
        )
    return number


def static_int(op: str, value: object, what: str, argument: str | None = None) -> int:
    """A Python or NumPy integer. Arguments as :func:`extent`.

    Raises:
        TracedValueError: it is a tile.
        TileTypeError: it is anything else.
    """
    if isinstance(value, Tile):
        fix = f"make it a constant of the kernel: declare the parameter as `{value.name}: tg.Const`"
        raise TracedValueError(
            f"{op}: {what} must be known when the kernel is compiled, but {describe(value)} is a "
            f"run-time value",
            notes=[made_at(value)],
            argument=argument or what,
            help=fix
            if value.name
            else "use a Python int, or a kernel parameter annotated with tg.Const",
        )
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TileTypeError(
            f"{op}: {what} must be an integer, not {show(value)}",
            argument=argument or what,
            help="pass a Python int, such as 128 or a parameter annotated with tg.Const",
        ) from None


def shape(op: str, value: object, argument: str = "shape") -> tuple[int, ...]:
    """A shape: a static positive integer, or a sequence of them. Arguments as :func:`extent`.

    Raises:
        TracedValueError, TileTypeError, ShapeError: see :func:`extent`; or too many axes or
        elements.
    """
    extents = tuple(extent(op, item, argument=argument) for item in sequence(value))
    if len(extents) > MAX_RANK:
        raise ShapeError(
            f"{op}: a tile has at most {MAX_RANK} axes, not the {len(extents)} of {extents}",
            argument=argument,
            help="merge axes with reshape",
        )
    if prod(extents) > MAX_ELEMENTS:
        raise ShapeError(
            f"{op}: a tile of shape {extents} has {prod(extents)} elements; at most {MAX_ELEMENTS} "
            f"are supported",
            argument=argument,
            help="process the array in smaller tiles, with more programs or a `tg.range` loop",
        )
    return extents


def sequence(value: object) -> tuple[Any, ...]:
    """One item or a sequence of items as a tuple."""
    if isinstance(value, (tuple, list)):
        return tuple(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return (value,)


def axis(op: str, value: object, ndim: int, argument: str = "axis") -> int:
    """An axis as a number from 0 to ndim - 1.

    Raises:
        ArgumentError: it is outside the rank.
        TracedValueError, TileTypeError: see :func:`static_int`.
    """
    number = static_int(op, value, "axis", argument)
    if not -ndim <= number < ndim:
        allowed = f"{-ndim} to {ndim - 1}" if ndim else "none: it is a scalar"
        raise ArgumentError(
            f"{op}: axis {number} is out of range for rank {ndim} (allowed: {allowed})",
            argument=argument,
            help="axes count from 0, or from -1 backwards",
        )
    return number % ndim


def axes(op: str, value: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """Axes in ascending order; None means all.

    Raises:
        ArgumentError: one is outside the rank or given twice.
    """
    if value is None:
        return tuple(range(ndim))
    found = tuple(axis(op, item, ndim) for item in sequence(value))
    if len(set(found)) != len(found):
        raise ArgumentError(
            f"{op}: axes {value} name one axis twice", argument="axis", help="name each axis once"
        )
    return tuple(sorted(found))
