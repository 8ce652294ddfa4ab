# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where in the user's source something happens.

A position is first captured as a :data:`Frame` (code object and instruction offset), which costs a
fraction of a microsecond and keeps no frame, hence no local variable, alive. :func:`locate` turns
it into file, line and columns when a message or an IR location needs them. Code that the tracer
rewrites keeps file names and positions, so both the traced and the interpreted function resolve to
what the user wrote.
"""

from __future__ import annotations

import functools
import itertools
import linecache
import os
import sys
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import TypeAlias, TypeVar

# An instruction by its offset, or a parameter by its name.
Frame: TypeAlias = tuple[CodeType, int | str]
_F = TypeVar("_F", bound=FunctionType)

_PACKAGE = __file__.rpartition(os.sep)[0] + os.sep
# Ready-made kernels are written like a user's: errors inside them should show their source.
_KERNELS = _PACKAGE + "ops" + os.sep
_STDLIB = os.__file__.rpartition(os.sep)[0] + os.sep
_entries: set[CodeType] = set()


@dataclass(frozen=True)
class Location:
    """A span of source text.

    Lines and columns count from 1; columns are None where Python does not record them.
    """

    file: str
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    function: str = ""

    def __str__(self) -> str:
        """`file:line:column`, or `file:line` without a column."""
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")

    def source_line(self) -> str:
        """The first line of the span without its line end, or "" if the file cannot be read."""
        return linecache.getline(self.file, self.line).rstrip()

    def text(self) -> str:
        """The source text of the span, its lines joined and stripped, or "" without columns."""
        if self.column is None or self.end_line is None or self.end_column is None:
            return ""
        lines = [linecache.getline(self.file, n) for n in range(self.line, self.end_line + 1)]
        lines[-1] = lines[-1][: self.end_column - 1]
        lines[0] = lines[0][self.column - 1 :]
        return " ".join(line.strip() for line in lines)


@functools.cache
def is_own_file(filename: str) -> bool:
    """Whether a file belongs to this package's machinery (its kernels in `ops` do not)."""
    return filename.startswith(_PACKAGE) and not filename.startswith(_KERNELS)


@functools.cache
def is_user_file(filename: str) -> bool:
    """Whether a code object's file is the user's: neither ours, nor NumPy's, nor Python's own."""
    if is_own_file(filename) or filename.startswith("<frozen"):
        return False
    if "site-packages" in filename:
        return f"{os.sep}numpy{os.sep}" not in filename
    return not filename.startswith(_STDLIB)


def kernel_entry(function: _F) -> _F:
    """Mark a function of ours that calls the kernel's Python function.

    Call chains shown to users end there.
    """
    _entries.add(function.__code__)
    return function


def user_frame() -> Frame | None:
    """The innermost frame of the user's code on this thread's stack."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        code = frame.f_code
        if is_user_file(code.co_filename):
            return code, frame.f_lasti
        frame = frame.f_back
    return None


def user_frames() -> list[Frame]:
    """The user's frames, innermost first, out to the kernel function.

    Outside a kernel the innermost one only.
    """
    frames: list[Frame] = []
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        code = frame.f_code
        if code in _entries:
            return frames
        if is_user_file(code.co_filename):
            frames.append((code, frame.f_lasti))
        frame = frame.f_back
    return frames[:1]


def place_of_traceback(traceback: TracebackType | None) -> Location | None:
    """The innermost place in the user's code in a traceback."""
    found: Frame | None = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_user_file(code.co_filename):
            found = code, traceback.tb_lasti
        traceback = traceback.tb_next
    return None if found is None else locate(found)


def place_of_recursion(traceback: TracebackType | None) -> Location | None:
    """The place in the user's code from which a function was called that was running already."""
    seen: dict[CodeType, Frame] = {}
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_user_file(code.co_filename):
            if code in seen:
                return locate(seen[code])
            seen[code] = code, traceback.tb_lasti
        traceback = traceback.tb_next
    return None


@functools.lru_cache(maxsize=4096)
def locate(frame: Frame) -> Location:
    """Resolve a captured frame to the span of the expression that it was executing."""
    code, lasti = frame
    name = code.co_name
    if isinstance(lasti, str):
        from tegula._source import parameter

        return parameter(code, lasti) or Location(code.co_filename, code.co_firstlineno)
    if sys.version_info >= (3, 11):
        found = next(itertools.islice(code.co_positions(), lasti // 2, None), (None,) * 4)
        line, end_line, start, end = found
        if line is not None and end_line is not None and start is not None and end is not None:
            column = characters(code.co_filename, line, start)
            end_column = characters(code.co_filename, end_line, end)
            return Location(code.co_filename, line, column, end_line, end_column, name)
        if line is not None:
            return Location(code.co_filename, line, function=name)
    for start, end, line in code.co_lines():
        if start <= lasti < end and line is not None:
            return Location(code.co_filename, line, function=name)
    return Location(code.co_filename, code.co_firstlineno, function=name)


def characters(filename: str, line: int, offset: int) -> int:
    """The column, from 1, of a UTF-8 byte offset in a line."""
    text = linecache.getline(filename, line)
    if text.isascii():
        return offset + 1
    return len(text.encode()[:offset].decode(errors="replace")) + 1
