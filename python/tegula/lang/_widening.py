# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a float64 tile got its dtype, for messages.

float64 that nobody asked for is a frequent surprise: float32 with int64 gives it, as in NumPy, and
all that is computed from there has it too. An error about such a tile shows the line where float64
first appeared, which may be far from the line that fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tegula._location import Frame
from tegula.errors import Note, note_at
from tegula.lang import dtypes
from tegula.lang._describe import made_at

if TYPE_CHECKING:
    from tegula.lang.tile import Tile


class Widening(NamedTuple):
    """The first float64 that a tile was made of.

    Attributes:
        origin: the place in the user's code.
        cause: why it is float64; "" if it was made so.
        edit: what to write there to keep it from being so.
    """

    origin: Frame | None
    cause: str = ""
    edit: str = "convert integers where float64 first appears: .astype(tg.float32)"


def inherited(of: Iterable[object], origin: Frame | None) -> Widening:
    """The widening of a float64 tile that was made of others."""
    found: Widening | None = None
    for value in of:
        known: Widening | None = getattr(value, "widened", None)
        if known is not None and (found is None or (known.cause and not found.cause)):
            found = known
    return found or Widening(origin)


def record(made: Sequence[Tile], given: Sequence[object], word: str = " with ") -> None:
    """Note for operands that were converted to float64 why that is."""
    fresh = [tile for tile, value in zip(made, given, strict=True) if tile is not value]
    if not fresh or fresh[0].dtype is not dtypes.float64:
        return
    strong = [value for value in given if not _is_weak(value)]
    wide = [value for value in strong if getattr(value, "widened", None)]
    if wide:
        known = inherited(wide, None)
    else:
        kinds = [str(getattr(value, "dtype", "")) for value in strong]
        if len(strong) < len(given):
            kinds.append("a Python number" if word != " with " else "a Python float")
        known = Widening(fresh[0].origin, f"{word.join(kinds)} gives float64")
    for tile in fresh:
        tile.widened = known


def _is_weak(value: object) -> bool:
    return bool(getattr(value, "weak", True))


def history(value: object) -> list[Note]:
    """Notes that show where a value was made and, if it is float64, where float64 first appeared.

    None for what is no tile.
    """
    if not hasattr(value, "widened"):
        return []
    tile: Tile = value  # type: ignore[assignment]
    made, known = made_at(tile), tile.widened
    if known is not None and known.origin == tile.origin:
        return [Note(f"{made.message}: {known.cause}", made.location) if known.cause else made]
    return [made, *first(value)]


def first(*values: object) -> list[Note]:
    """Notes on where float64 first appeared among what values were made of."""
    notes: list[Note] = []
    for value in values:
        known: Widening | None = getattr(value, "widened", None)
        if known is None or known.origin is None:
            continue
        if known.cause or known.origin != getattr(value, "origin", None):
            why = f": {known.cause}" if known.cause else ""
            note = note_at(f"float64 first appears here{why}", known.origin)
            notes += [note] if note not in notes else []
    return notes


def edit(*values: object) -> str:
    """What keeps float64 out, to be added to a help text; "" if none of the values is so."""
    for value in values:
        known: Widening | None = getattr(value, "widened", None)
        if known is not None and known.cause:
            return f"; or {known.edit}"
    return ""
