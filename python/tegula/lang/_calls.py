# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of functions of the language with arguments that they do not take.

Python's TypeError for them says neither what there is nor what to write; this module does, after
the fact, so that right calls cost nothing.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from types import TracebackType
from typing import Any

from tegula._location import Location, is_own_file, is_user_file, locate
from tegula.errors import TegulaError, TileTypeError

_REFUSED = re.compile(
    r"(?P<kind>Tile\.)?(?P<name>\w+)\(\) "
    r"(got an unexpected keyword argument '(?P<keyword>\w+)'|missing |takes |got multiple values)"
)
_EDGES = "leave it out: past an edge a load gives `pad` and a store writes nothing"
_LEFT = "leave it out: the compiler chooses"
# By keyword of other libraries, what to write.
_INSTEAD = {
    "allow_tf32": 'write precision="tf32", or leave it out for full precision',
    "boundary_check": _EDGES,
    "cache_modifier": _LEFT,
    "dim": "write axis",
    "eviction_policy": _LEFT,
    "input_precision": 'write precision="tf32", or leave it out for full precision',
    "keep_dims": "write keepdims",
    "keepdim": "write keepdims",
    "mask": f"{_EDGES}; choose elements with tg.where(mask, x, y), or with the mask of tg.gather "
    "and tg.scatter",
    "order": _LEFT,
    "other": "write pad",
    "out_dtype": "write .astype(dtype) of the result",
    "padding_mode": "write pad=0, or another number",
    "padding_option": "write pad=0, or another number",
    "return_indices": "write tg.argmax or tg.argmin for the positions",
    "sem": _LEFT,
    "volatile": _LEFT,
}


def explained(error: TypeError) -> TileTypeError | None:
    """A better error for a call that Python refused, or None if it is not of one of ours."""
    found = _REFUSED.match(str(error))
    if isinstance(error, TegulaError) or found is None:
        return None
    places, is_inside = _places(error.__traceback__)
    function = _function(found["name"], is_method=found["kind"] is not None)
    if function is None or is_inside or not places:
        return None
    shown = f"x.{found['name']}" if found["kind"] else f"tg.{found['name']}"
    text = places[-1].text()
    if text and not found["kind"] and not re.match(rf"(\w+\.)+{found['name']}\s*\(", text):
        return None  # a function of the user's that has the same name
    parameters = _parameters(function, is_method=found["kind"] is not None)
    signature = f"{shown}({', '.join(parameters)})"
    return TileTypeError(
        str(error).replace(f"{found['kind'] or ''}{found['name']}()", f"{shown}()", 1),
        help=f"{_edit(found['keyword'], parameters)}its parameters: {signature}",
        argument=found["keyword"],
        location=places[-1],
        calls=reversed(places[:-1]),
    )


def _places(traceback: TracebackType | None) -> tuple[list[Location], bool]:
    """The user's places in a traceback, outermost first, and whether a function of ours failed."""
    places: list[Location] = []
    is_inside = False
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_user_file(code.co_filename):
            places.append(locate((code, traceback.tb_lasti)))
            is_inside = False
        elif is_own_file(code.co_filename) and _is_language(code.co_filename):
            is_inside = True
        traceback = traceback.tb_next
    return places, is_inside


def _is_language(file: str) -> bool:
    return file.startswith(__file__.rpartition("_calls")[0])


def _function(name: str, *, is_method: bool) -> Callable[..., Any] | None:
    from tegula import lang

    owner: object = lang.Tile if is_method else lang
    found = getattr(owner, name, None) if is_method or name in lang.__all__ else None
    return found if callable(found) else None


def _parameters(function: Callable[..., Any], *, is_method: bool) -> list[str]:
    """Parameters as they are written in a call, with their defaults."""
    items = list(inspect.signature(function).parameters.values())[is_method:]
    return [str(item.replace(annotation=inspect.Parameter.empty)) for item in items]


def _edit(keyword: str | None, parameters: list[str]) -> str:
    if keyword is None:
        return ""
    names = [text.partition("=")[0].strip() for text in parameters]
    if keyword in _INSTEAD:
        return f"{_INSTEAD[keyword]}; "
    near = difflib.get_close_matches(keyword, names, n=1)
    return f"did you mean {near[0]}? " if near else ""
