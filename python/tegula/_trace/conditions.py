# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Telling run-time conditions from plain ones, and errors that are about a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, cast

from tegula import _backend
from tegula._location import Location, locate, user_frames
from tegula.errors import TileTypeError
from tegula.lang import dtypes
from tegula.lang.elementwise import as_bool
from tegula.lang.tile import Tile, describe, made_at

if TYPE_CHECKING:
    from tegula._trace.backend import MlirBackend


class _Place(TypedDict):
    location: Location | None
    calls: list[Location]


def tracing() -> MlirBackend | None:
    """The backend of the kernel that this thread is tracing, or None."""
    backend = _backend.current()
    if backend is None or backend.is_interpreter:
        return None
    return cast("MlirBackend", backend)


def is_traced(value: object) -> bool:
    """Whether a condition is only known when the kernel runs.

    Raises:
        ShapeError: it is a tile of several elements, whose truth means nothing.
        TileTypeError: it belongs to another run of a kernel.
    """
    if not isinstance(value, Tile) or value.owner.is_interpreter:
        return False
    if value.shape != ():
        bool(value)  # explains why not
    if value.owner is not tracing():
        raise TileTypeError(
            f"{describe(value)} belongs to another run of a kernel and cannot be a condition here",
            notes=[made_at(value)],
            help="do not keep tiles in globals, attributes or closures between kernel calls",
        )
    return True


def truth(value: Any) -> Tile:
    """A condition as a boolean scalar."""
    backend = tracing()
    assert backend is not None
    if not isinstance(value, Tile):
        return Tile(backend.constant(bool(value), dtypes.bool_), dtypes.bool_, ())
    return as_bool(value)


def here() -> Location | None:
    """The user's current expression."""
    frames = user_frames()
    return locate(frames[0]) if frames else None


def at(place: Location | None) -> _Place:
    """Arguments of an error about another place in the function that is running."""
    places = [locate(frame) for frame in user_frames()]
    return {"location": place or (places[0] if places else None), "calls": places[1:]}
