# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How messages speak of a tile: its name or source text, dtype, shape and origin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from tegula._location import locate, user_frame
from tegula._show import show
from tegula.errors import Note, TracedValueError, note_at

if TYPE_CHECKING:
    from tegula.lang.tile import Tile

_LONGEST_TEXT = 48
_CALL = re.compile(r"(min|max)\(")


def describe(value: Tile) -> str:
    """Name or source text, dtype and shape of a tile, for messages."""
    kind = (
        f"{value.dtype} scalar"
        if value.shape == ()
        else f"{value.dtype} tile of shape {value.shape}"
    )
    text = value.name
    if text is None and value.origin is not None:
        text = locate(value.origin).text()
        if len(text) > _LONGEST_TEXT:
            text = text[: _LONGEST_TEXT - 3] + "..."
    article = "an" if kind.startswith("int") else "a"
    return f"`{text}` ({kind})" if text else f"{article} {kind}"


def made_at(value: Tile) -> Note:
    """A note that shows where a tile came from."""
    if value.name is not None:
        return note_at(f"{describe(value)} is a kernel argument", value.origin)
    return note_at(f"{describe(value)} was made here", value.origin)


def describe_given(value: Tile, given: object) -> str:
    """As :func:`describe`; a number of the user's that a tile was made of as it is written."""
    return describe(value) if value is given else show(given)


def made_at_given(value: Tile, given: object) -> list[Note]:
    """As :func:`made_at`; nothing for a number of the user's, which is in the line shown."""
    return [made_at(value)] if value is given else []


_NEEDS = {
    "bool": (
        "a condition",
        "conditions on run-time values work in `if`, `while`, `and`, `or`, `not` and `assert` "
        "statements of a kernel or of"
        " helpers it calls; elsewhere (comprehensions, lambdas, library code) write "
        "tg.where(condition, a, b)",
    ),
    "int": (
        "a Python int",
        "keep it a tile and convert with .astype(tg.int64); if it is a launch constant, declare "
        "the parameter as tg.Const",
    ),
    "index": (
        "a Python integer (an extent, an axis, a list index, a range bound)",
        "loop with `for i in tg.range(n)`; if it sizes a tile or selects from a list, declare the "
        "parameter as tg.Const",
    ),
    "float": (
        "a Python float",
        "keep it a tile, convert with .astype(tg.float32) and use tg.exp, tg.sqrt, ... instead of "
        "the math module; if it is"
        " a launch constant, declare the parameter as tg.Const",
    ),
    "item": (
        "its value",
        "only the interpreter has values: run the kernel inside `with tg.interpret():`",
    ),
    "array": (
        "its values as a NumPy array",
        "use the function of the same name in tg instead of NumPy's; or run the kernel inside "
        "`with tg.interpret():`",
    ),
}


def refuse_traced(value: Tile, need: str) -> NoReturn:
    """Raise the error for Python code that needs a run-time value now."""
    what, suggestion = _NEEDS[need]
    frame = user_frame() if need == "bool" else None
    builtin = None if frame is None else _CALL.match(locate(frame).text())
    if builtin is not None:
        what = f"to know which one {builtin[1]} returns"
        suggestion = (
            f"use tg.{builtin[1]}imum(a, b), or tg.{builtin[1]}(x) for the elements of a tile"
        )
    raise TracedValueError(
        f"{describe(value)} is only known when the kernel runs, but Python needs {what} now",
        notes=[made_at(value)],
        help=suggestion,
    )
