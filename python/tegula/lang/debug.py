# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeing and checking run-time values: `tg.print` and `assert`."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from tegula.errors import KernelAssertionError, TileTypeError
from tegula.lang import _check, _operands
from tegula.lang.array import Array
from tegula.lang.elementwise import as_bool
from tegula.lang.tile import Tile


def print(*args: object) -> None:
    """Print one line for each program: texts and values, separated by spaces.

    Values print as NumPy prints them.

    Raises:
        TileTypeError: an argument is an array.
    """
    backend = _operands.backend("print")
    parts: list[str | Tile] = []
    for number, arg in enumerate(args):
        if isinstance(arg, Array):
            raise TileTypeError(
                f"print: {arg.name!r} is an array view, not a value",
                help=f"load a tile of it first: tg.print(tg.load({arg.name or 'a'}, index, shape))",
            )
        item = arg if isinstance(arg, Tile) else str(arg)
        if number:
            _append(parts, " ")
        _append(parts, _operands.tile("print", item) if isinstance(item, Tile) else item)
    backend.print(parts)


def _append(parts: list[str | Tile], item: str | Tile) -> None:
    """Add an item, joining neighbouring texts."""
    if isinstance(item, str) and parts and isinstance(parts[-1], str):
        parts[-1] += item
    else:
        parts.append(item)


def format_value(value: npt.NDArray[Any]) -> str:
    """The text of a printed value: the same from the interpreter and from compiled code."""
    return str(value if value.ndim else value[()])


def check(condition: object, message: object = None) -> None:
    """What `assert condition, message` does in a kernel.

    At once for Python values, at run time for a boolean scalar.

    Raises:
        KernelAssertionError: a Python condition does not hold.
        ShapeError: the condition is a tile of several elements.
    """
    text = "assertion failed" if message is None else str(message)
    if not isinstance(condition, Tile):
        if not condition:
            raise KernelAssertionError(
                text, help="pass arguments for which it holds, or change the assertion"
            )
        return
    _check.one_truth("assert", condition)
    value = _operands.tile("assert", condition)
    value.owner.assert_(as_bool(value), text)
