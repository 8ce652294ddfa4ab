# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said when a tile or an array view lacks an attribute: what to write instead."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NoReturn

from tegula.errors import MissingAttributeError
from tegula.lang._describe import describe, made_at

if TYPE_CHECKING:
    from tegula.lang.array import Array
    from tegula.lang.tile import Tile

# Names that other array libraries use, and what to write where tiles or views have it.
_ATTRIBUTES = {
    "bfloat16": "astype(tg.bfloat16)",
    "dim": "ndim",
    "double": "astype(tg.float64)",
    "flatten": "ravel()",
    "float": "astype(tg.float32)",
    "half": "astype(tg.float16)",
    "int": "astype(tg.int32)",
    "long": "astype(tg.int64)",
    "numel": "size",
    "swapaxes": "transpose(axes)",
    "t": "T",
    "to": "astype(dtype)",
    "type": "astype(dtype)",
}
# And with functions or operators.
_WRITTEN = {
    "cat": "tg.concatenate([{}, y])",
    "expand": "tg.broadcast_to({}, shape)",
    "fill": "tg.full_like({}, value)",
    "masked_fill": "tg.where(mask, value, {})",
    "matmul": "{} @ y",
    "mm": "{} @ y",
    "mul": "{} * y",
    "pow": "{} ** y",
    "softmax": "e = tg.exp({0} - {0}.max(1, keepdims=True)); e / tg.sum(e, 1, keepdims=True)",
    "sub": "{} - y",
    "unsqueeze": "{}[:, None]",
}
_UNCHANGED = "leave it out: tiles are values, which nothing changes"


_INTERNAL = ("base", "handle", "name", "origin", "owner", "root", "weak", "widened")


def of_tile(tile: Tile, name: str) -> NoReturn:
    """Refuse an attribute of a tile.

    Raises:
        MissingAttributeError: always; a bare AttributeError for what protocols look up.
    """
    if name.startswith("_"):
        raise AttributeError(name)
    raise MissingAttributeError(
        f"{describe(tile)} has no attribute {name!r}",
        notes=[made_at(tile)],
        help=_instead(type(tile), name, tile.name or "x"),
    )


def of_array(array: Array, name: str) -> NoReturn:
    """Refuse an attribute of an array view.

    Raises:
        MissingAttributeError: always; a bare AttributeError for what protocols look up.
    """
    if name.startswith("_"):
        raise AttributeError(name)
    from tegula.lang.tile import Tile

    shown = array.name or "a"
    help = f"load a tile first: tg.load({shown}, index, shape)"
    if not hasattr(Tile, name):
        help = _instead(type(array), name, shown)
    raise MissingAttributeError(
        f"the array view {shown!r} ({array.dtype}, rank {array.ndim}) has no attribute {name!r}",
        help=help,
    )


def _instead(kind: type, name: str, shown: str) -> str:
    from tegula import lang

    if name in lang.__all__:
        return f"it is a function: tg.{name}({shown}, ...)"
    known = [item for item in dir(kind) if not item.startswith("_") and item not in _INTERNAL]
    if name in _ATTRIBUTES and _ATTRIBUTES[name].partition("(")[0] in known:
        return f"write {shown}.{_ATTRIBUTES[name]}"
    if name in _WRITTEN:
        return f"write {_WRITTEN[name].format(shown)}"
    if name in ("clone", "contiguous", "copy", "detach"):
        return _UNCHANGED
    near = difflib.get_close_matches(name, known, n=1)
    guess = f"did you mean {near[0]!r}? " if near else ""
    return f"{guess}there are: {', '.join(known)}; the functions in tg do the rest"
