# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grid position, loops, and what is decided when a kernel is compiled."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from tegula._show import show
from tegula._source import return_in
from tegula.errors import (
    ArgumentError,
    ShapeError,
    StaticAssertionError,
    TileTypeError,
    TracedValueError,
)
from tegula.lang import _check, _operands, compare, dtypes, elementwise
from tegula.lang._describe import describe, made_at
from tegula.lang._operands import TileLike
from tegula.lang.tile import Tile

if TYPE_CHECKING:
    # The parameter is the value itself, of whatever type the caller gives.
    Const: TypeAlias = Any
else:

    class Const:
        """Annotation of a compile-time parameter.

        Any hashable Python value, available in the kernel as itself.
        """


@dataclass(frozen=True)
class ConstValue:
    """A compile-time argument on its way to a kernel."""

    value: Any


def program_id(axis: int) -> Tile:
    """This program's position in the grid along axis 0, 1 or 2, an int64 scalar.

    Raises:
        ArgumentError: another axis.
    """
    place = _grid_axis("program_id", axis)
    return Tile(_operands.backend("program_id").program_id(place), dtypes.int64, ())


def num_programs(axis: int) -> Tile:
    """The grid's size along axis 0, 1 or 2, an int64 scalar.

    Raises:
        ArgumentError: another axis.
    """
    place = _grid_axis("num_programs", axis)
    return Tile(_operands.backend("num_programs").num_programs(place), dtypes.int64, ())


def _grid_axis(op: str, axis: int) -> int:
    _operands.backend(op)
    place = _check.static_int(op, axis, "the axis", "axis")
    if place not in (0, 1, 2):
        raise ArgumentError(
            f"{op}: the axis must be 0, 1 or 2, not {place}",
            argument="axis",
            help="a grid has up to three axes; fold further ones into one of them with // and %",
        )
    return place


class range:
    """A loop of the compiled kernel.

    `for i in tg.range(stop)`, `(start, stop)` or `(start, stop, step)`.

    Bounds are integers or integer scalars; `i` is an int64 scalar. A run-time step of 0 gives no
    iteration. Python's own `range` and :func:`static_range` unroll instead.

    Raises:
        TileTypeError: a bound is not an integer.
        ShapeError: a bound is a tile.
        ArgumentError: the step is the constant 0.
    """

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: TileLike, stop: TileLike | None = None, step: TileLike = 1) -> None:
        """Check the bounds."""
        _operands.backend("range")
        first, last = (0, start) if stop is None else (start, stop)
        self.start: Tile | int = _bound("start", first)
        self.stop: Tile | int = _bound("stop", last)
        self.step: Tile | int = _bound("step", step)
        if isinstance(self.step, int) and self.step == 0:
            raise ArgumentError(
                "range: the step must not be 0",
                argument="step",
                help="use a positive step, or a negative one to count down",
            )

    def __iter__(self) -> Iterator[Tile]:
        """Run the loop in the interpreter. A traced loop is compiled and never gets here.

        Raises:
            TracedValueError: Python iterates over the range while a kernel is traced.
        """
        backend = _operands.backend("range")
        if not backend.is_interpreter:
            raise TracedValueError(
                "tg.range is a loop of the compiled kernel and cannot be iterated over by Python "
                "here",
                help="use a `for` statement, or tg.static_range (unrolled) in comprehensions and "
                "calls such as list(...)",
            )
        start, stop, step = (int(value) for value in (self.start, self.stop, self.step))
        for value in builtins.range(start, stop, step) if step else ():
            yield Tile(backend.constant(value, dtypes.int64), dtypes.int64, ())

    def __repr__(self) -> str:
        """The three bounds."""
        return f"tg.range({self.start}, {self.stop}, {self.step})"


def _bound(name: str, value: object) -> Tile | int:
    given = _operands.operand("range", value, name)
    if isinstance(given, Tile):
        if not given.dtype.is_int:
            raise TileTypeError(
                f"range: {name} must be an integer, not {describe(given)}",
                notes=[made_at(given)],
                argument=name,
                help="use // or .astype(tg.int64)",
            )
        if given.shape != ():
            raise ShapeError(
                f"range: {name} must be a scalar, not {describe(given)}",
                notes=[made_at(given)],
                argument=name,
                help="reduce it first, for example with tg.max(x)",
            )
        return _operands.cast(given, dtypes.int64)
    return _check.static_int("range", given, name)


def static_range(start: int, stop: int | None = None, step: int = 1) -> builtins.range:
    """Python's `range` of static integers, which unrolls: every iteration is compiled on its own.

    Raises:
        TracedValueError: a bound is a run-time value; use :class:`range`.
        ArgumentError: the step is 0.
    """
    # Of one bound, `start` is the end.
    bounds = {"start": start} if stop is None else {"start": start, "stop": stop}
    bounds["step"] = step
    for name, bound in bounds.items():
        if isinstance(bound, Tile):
            raise TracedValueError(
                f"static_range: a bound must be known when the kernel is compiled, but "
                f"{describe(bound)} is a run-time value",
                notes=[made_at(bound)],
                argument=name,
                help="loop with `for i in tg.range(n)`, or declare the parameter as tg.Const",
            )
    *begin, last, stride = (
        _check.static_int("static_range", bound, "a bound", name) for name, bound in bounds.items()
    )
    if stride == 0:
        raise ArgumentError(
            "static_range: the step must not be 0",
            argument="step",
            help="use a positive step, or a negative one to count down",
        )
    return builtins.range(begin[0] if begin else 0, last, stride)


@overload
def cdiv(x: int, y: int) -> int: ...
@overload
def cdiv(x: Tile, y: TileLike) -> Tile: ...
@overload
def cdiv(x: TileLike, y: Tile) -> Tile: ...
def cdiv(x: TileLike, y: TileLike) -> Tile | int:
    """`x / y` rounded up.

    Of Python integers, also outside kernels (for grids), or of integer tiles (by zero gives 0).

    Raises:
        TileTypeError: an operand is not an integer.
    """
    if not isinstance(x, Tile) and not isinstance(y, Tile):
        return _static_cdiv(x, y)
    for name, value in (("x", x), ("y", y)):
        if isinstance(value, float) or (isinstance(value, Tile) and not value.dtype.is_int):
            shown = describe(value) if isinstance(value, Tile) else show(value)
            raise TileTypeError(
                f"cdiv: {name} must be an integer, not {shown}",
                argument=name,
                help="for floats use tg.ceil(x / y)",
            )
    inexact = compare.not_equal(elementwise.remainder(x, y), 0)
    return elementwise.floor_divide(x, y) + inexact


def _static_cdiv(x: object, y: object) -> int:
    for name, value in (("x", x), ("y", y)):
        if isinstance(value, float):
            raise TileTypeError(
                f"cdiv: {name} must be an integer, not {show(value)}",
                argument=name,
                help="for floats use math.ceil(x / y), or integers from the start",
            )
    divisor = _check.static_int("cdiv", y, "y")
    if divisor == 0:
        raise ArgumentError(
            "cdiv: the divisor is 0",
            argument="y",
            help="divide by the extent of a tile, which is at least 1",
        )
    return -(-_check.static_int("cdiv", x, "x") // divisor)


def static_assert(condition: object, message: str = "") -> None:
    """Check a condition on Python values when the kernel is compiled.

    Raises:
        StaticAssertionError: it does not hold.
        TracedValueError: it is a run-time value; write `assert condition, message`.
    """
    if isinstance(condition, Tile):
        raise TracedValueError(
            f"static_assert: {describe(condition)} is only known when the kernel runs",
            notes=[made_at(condition)],
            help="check it at run time: assert condition, message",
        )
    if not condition:
        raise StaticAssertionError(
            "static_assert failed" + (f": {message}" if message else ""),
            help="pass other constants or kinds of arguments, or change the assertion",
        )


def check_result(result: object, code: CodeType | None) -> None:
    """Check what a kernel's function returned.

    Raises:
        TileTypeError: anything but None.
    """
    if result is not None:
        raise TileTypeError(
            "a kernel returns nothing, but this one returned "
            + (describe(result) if isinstance(result, Tile) else f"{show(result)}"),
            notes=[made_at(result)] if isinstance(result, Tile) else (),
            help="write results to an array argument with tg.store",
            location=None if code is None else return_in(code),
        )
