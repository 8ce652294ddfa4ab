# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Explains variables that have no value because of what a run-time branch or loop did.

The rewriter deletes such a variable, so that the line that reads it fails as Python's own unbound
variables do, at the exact place. The reason is remembered here and takes the place of that error.
"""

from __future__ import annotations

import re
from types import TracebackType

from tegula._location import Frame, Location, is_user_file, locate
from tegula._trace.conditions import tracing
from tegula._trace.sites import Site
from tegula.errors import ControlFlowError, Note

_QUOTED = re.compile(r"'([^']+)'")
_Key = tuple[str, str, str]


class Reason:
    """Why a variable has no value, and the place to show."""

    def __init__(self, message: str, note: Note, suggestion: str) -> None:
        self.message = message
        self.note = note
        self.suggestion = suggestion


def record_branch(site: Site, name: str, missing: int) -> None:
    """A variable is set in one arm of an `if` only; `missing` is the other one."""
    place = site.assignment(1 - missing, name) or site.place()
    which = "first" if missing else "other"
    message = f"`{name}` is set in only one branch of a run-time `if`"
    note = Note(f"the {which} branch sets it here", place)
    _record(site, name, Reason(message, note, f"set `{name}` before the `if`, or in both branches"))


def record_loop(site: Site, name: str) -> None:
    """A variable is set inside a loop that may run zero times."""
    message = f"`{name}` is only set inside a run-time loop, which may run zero times"
    note = Note("the loop sets it here", site.assignment(0, name) or site.place())
    _record(site, name, Reason(message, note, f"set `{name}` before the loop"))


def _record(site: Site, name: str, reason: Reason) -> None:
    backend = tracing()
    assert backend is not None
    backend.unbound[site.file, site.function, name] = reason


def explain(error: BaseException, reasons: dict[_Key, Reason]) -> None:
    """Raise the reason for a NameError, if a run-time branch or loop is it.

    Raises:
        ControlFlowError: see above.
    """
    quoted = _QUOTED.search(str(error))
    places = _places(error.__traceback__)
    if quoted is None or not places:
        return
    file, function = places[0].file, places[0].function
    reason = reasons.get((file, function, quoted[1]))
    if reason is not None:
        raise ControlFlowError(
            reason.message,
            notes=[reason.note],
            help=reason.suggestion,
            location=places[0],
            calls=places[1:],
        ) from None


def _places(traceback: TracebackType | None) -> list[Location]:
    """The user's frames of a traceback, innermost first."""
    frames: list[Frame] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_user_file(code.co_filename):
            frames.append((code, traceback.tb_lasti))
        traceback = traceback.tb_next
    return [locate(frame) for frame in reversed(frames)]
