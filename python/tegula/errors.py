# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The errors that Tegula raises, and how they show themselves.

Every error says what is wrong with the values involved, shows the user's source line with carets,
where each conflicting value came from (notes), through which helpers the line was reached, and what
to write instead (`help`). `str(error)` is that whole text; the parts are attributes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

from tegula._location import Frame, Location, is_own_file, locate, user_frames
from tegula._source import keyword_in

_E = TypeVar("_E", bound=BaseException)


@dataclass(frozen=True)
class Note:
    """A remark that belongs to an error, usually with the place where a value was made."""

    message: str
    location: Location | None = None


class TegulaError(Exception):
    """Base of all errors of this package.

    Args:
        message: what is wrong, with the values.
        notes: remarks with places of their own.
        help: what to write instead.
        argument: the parameter that it is about; a call that gives it by name is shown there.
        location: where; by default the innermost line of the user's code on the stack.
        calls: the calls that led there, innermost first; by default those of the stack, out to the
            kernel.
    """

    def __init__(
        self,
        message: str,
        *,
        notes: Iterable[Note | None] = (),
        help: str | None = None,
        argument: str | None = None,
        location: Location | None = None,
        calls: Iterable[Location] | None = None,
    ) -> None:
        """Capture the place and the calls unless given."""
        super().__init__(message)
        self.message = message
        self.notes = tuple(note for note in notes if note is not None)
        self.help = help
        if location is None:
            places = [locate(frame) for frame in user_frames()]
            location = places[0] if places else None
            calls = places[1:] if calls is None else calls
        if location is not None and argument is not None:
            location = keyword_in(location, argument)
        self.location = location
        self.calls = tuple(calls or ())

    def __str__(self) -> str:
        """The whole rendered text."""
        return render(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel between processes (worker pools) with all their parts."""
        parts = (self.message, self.notes, self.help, self.location, self.calls)
        return _rebuild, (type(self), parts), self.__dict__


def _rebuild(kind: type[TegulaError], parts: tuple[Any, ...]) -> TegulaError:
    message, notes, help_text, location, calls = parts
    return kind(message, notes=notes, help=help_text, location=location, calls=calls)


class OutsideKernelError(TegulaError, RuntimeError):
    """An operation of the language was used where no kernel is being traced or interpreted."""


class TileTypeError(TegulaError, TypeError):
    """A value of the wrong kind or dtype."""


class MissingAttributeError(TegulaError, AttributeError):
    """A tile or an array view was asked for an attribute that it does not have."""


class PromotionError(TileTypeError):
    """Dtypes that do not combine without an explicit conversion."""


class ShapeError(TegulaError, ValueError):
    """Shapes, ranks or extents that do not fit."""


class ArgumentError(TegulaError, ValueError):
    """An argument outside its allowed values (an axis, a precision, an option)."""


class ConstantRangeError(TegulaError, OverflowError):
    """A Python constant that its dtype cannot hold."""


class TracedValueError(TegulaError, TypeError):
    """Python needs a concrete value where the kernel only has one at run time."""


class ControlFlowError(TegulaError, TypeError):
    """Control flow on run-time values that cannot be compiled as written."""


class CompileError(TegulaError, RuntimeError):
    """The compiler refused a kernel."""


class DeviceError(TegulaError, RuntimeError):
    """A device's driver reports an error: of a launch, or of a kernel that ran before."""


class PerformanceWarning(UserWarning):
    """A kernel is right, but slower than it need be."""


class LaunchError(TegulaError, ValueError):
    """A kernel was called with a grid or arguments that do not fit it."""


class StoreError(TegulaError, ValueError):
    """A kernel writes to an array that may not be written."""


class StaticAssertionError(TegulaError, AssertionError):
    """A `tg.static_assert` failed."""


class KernelAssertionError(TegulaError, AssertionError):
    """An `assert` inside a kernel failed while it ran.

    Attributes:
        program: grid position (x, y, z) of the first program that failed, or None if unknown.
    """

    program: tuple[int, int, int] | None = None


def render(error: TegulaError) -> str:
    """The text of an error: message, source with carets, notes, calls and help."""
    lines = [error.message]
    if error.location is not None:
        lines += source_excerpt(error.location)
    for note in error.notes:
        lines.append(f"note: {note.message}")
        if note.location is not None:
            lines += source_excerpt(note.location)
    for call in error.calls:
        lines += ["note: called from here", *source_excerpt(call)]
    if error.help:
        lines.append(f"help: {error.help}")
    return "\n".join(lines)


def source_excerpt(place: Location) -> list[str]:
    """The lines that show a place.

    Its address, then the source line with carets if it can be read.
    """
    where = f" in {place.function}" if place.function and place.function != "<module>" else ""
    lines = [f"  --> {place}{where}"]
    source = place.source_line()
    if not source:
        return lines
    number = str(place.line)
    gutter = " " * len(number)
    start = len(source) - len(source.lstrip())
    end = len(source)
    if place.column is not None:
        start = place.column - 1
        if place.end_line == place.line and place.end_column is not None:
            end = place.end_column - 1
    # Tabs stay tabs so that the carets line up in any terminal.
    lead = "".join("\t" if char == "\t" else " " for char in source[:start])
    carets = "^" * max(end - start, 1)
    return [*lines, f" {gutter} |", f" {number} | {source}", f" {gutter} | {lead}{carets}"]


def note_at(message: str, frame: Frame | None) -> Note:
    """A note about the place that a frame was captured at."""
    return Note(message, locate(frame) if frame is not None else None)


def strip_traceback(error: _E, *, full: bool = False) -> _E:
    """Drop this package's own frames from an error's traceback, unless `full`; return the error.

    Followed by a bare `raise` in the handler that caught the error, no frame of ours remains: such
    a `raise` does not add the frame that it is in. What the error came of is not shown either,
    except for its cause.
    """
    error.__cause__ = error.__cause__  # which also hides the context
    if full:
        return error
    kept: list[TracebackType] = []
    step = error.__traceback__
    while step is not None:
        if not is_own_file(step.tb_frame.f_code.co_filename):
            kept.append(step)
        step = step.tb_next
    chain: TracebackType | None = None
    for step in reversed(kept):
        chain = TracebackType(chain, step.tb_frame, step.tb_lasti, step.tb_lineno)
    if sys.version_info < (3, 11) and sys.exc_info()[1] is error:
        _replace_handled(error, chain)
    return error.with_traceback(chain)


def _replace_handled(error: BaseException, chain: TracebackType | None) -> None:
    """Python 3.10 raises again with the traceback that it kept when it caught an error."""
    import ctypes

    parts = [ctypes.py_object(part) for part in (type(error), error, chain)]
    for part in parts:  # PyErr_SetExcInfo takes references over.
        ctypes.pythonapi.Py_IncRef(part)
    ctypes.pythonapi.PyErr_SetExcInfo.restype = None
    ctypes.pythonapi.PyErr_SetExcInfo(*parts)
