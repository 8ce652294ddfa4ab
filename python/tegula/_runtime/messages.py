# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels on a device print and assert, from the buffer that they record it in.

The buffer starts with four 32-bit numbers: bytes used, capacity, whether an assertion failed, and
one unused. Records follow, each a multiple of 16 bytes: the number of the message (from 1), the
program's position in the grid, then the values, row-major, each operand from a multiple of its
element's size. The launcher clears the buffer and sets the capacity. A record that does not fit is
dropped; `used` then exceeds the capacity.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tegula._runtime.printing import dtype, print_lines

if TYPE_CHECKING:
    from tegula import _native

HEADER_BYTES = 16
# Of the buffer that a launch gets.
BUFFER_BYTES = HEADER_BYTES + (4 << 20)
_RECORD_BYTES = 16


@dataclass(frozen=True)
class Print:
    """A print: the texts around its values, and what these are."""

    texts: tuple[str, ...]
    dtypes: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]

    def places(self) -> Iterator[tuple[str, tuple[int, ...], int, int]]:
        """Of each value: dtype, shape, and where its bytes begin and end in a record."""
        end = _RECORD_BYTES
        for name, shape in zip(self.dtypes, self.shapes, strict=True):
            size = dtype(name).itemsize
            begin = _round_up(end, size)
            end = begin + size * int(np.prod(shape, dtype=np.int64))
            yield name, shape, begin, end

    @property
    def size(self) -> int:
        """Bytes of a record."""
        return _round_up(max((end for *_, end in self.places()), default=_RECORD_BYTES))


@dataclass(frozen=True)
class Assert:
    """An assertion: its text, and where it is in the user's program."""

    message: str
    file: str
    line: int
    column: int

    @property
    def size(self) -> int:
        """Bytes of a record."""
        return _RECORD_BYTES


Message = Print | Assert


@dataclass(frozen=True)
class Report:
    """What the programs of a launch had to say.

    Attributes:
        lines: of each print its parts, as `print_lines` takes them; by program, then in order.
        failure: message, file, line, column and program of the first failed assertion: the one of
            the program with the lowest number. None if none failed.
        lost: whether records were dropped because the buffer was full.
    """

    lines: list[list[_native.PrintPart]]
    failure: tuple[str, str, int, int, tuple[int, int, int]] | None
    lost: bool


def describe(attribute: Any) -> list[dict[str, Any]]:
    """The kernel attribute `tegula.messages` (an MLIR attribute) as plain data for JSON."""
    described: list[dict[str, Any]] = []
    for entry in attribute:
        if "assert" in entry:
            described.append(
                {
                    "assert": entry["assert"].value,
                    "file": entry["file"].value,
                    "line": entry["line"].value,
                    "column": entry["column"].value,
                }
            )
        else:
            described.append(
                {
                    "texts": [text.value for text in entry["texts"]],
                    "dtypes": [name.value for name in entry["dtypes"]],
                    "shapes": [[extent.value for extent in shape] for shape in entry["shapes"]],
                }
            )
    return described


def parse(described: Sequence[dict[str, Any]]) -> list[Message]:
    """Messages from what `describe` gave."""
    return [
        Assert(entry["assert"], entry["file"], entry["line"], entry["column"])
        if "assert" in entry
        else Print(
            tuple(entry["texts"]), tuple(entry["dtypes"]), tuple(map(tuple, entry["shapes"]))
        )
        for entry in described
    ]


def new_buffer(num_bytes: int) -> bytes:
    """What the buffer, of this size in all, holds before a launch."""
    return struct.pack("<4I", 0, num_bytes - HEADER_BYTES, 0, 0).ljust(num_bytes, b"\0")


def decode(data: bytes, messages: Sequence[Message], grid: Sequence[int]) -> Report:
    """Read the buffer after a launch.

    Args:
        data: the buffer, at least the part that is used.
        messages: the kernel's messages.
        grid: the launch's grid; missing dimensions are 1.
    """
    used, capacity, failed, _ = struct.unpack_from("<4I", data)
    gx, gy, _ = (*grid, 1, 1, 1)[:3]
    records = [
        (x + gx * (y + gy * z), (x, y, z), message, record)
        for message, (x, y, z), record in _records(data, min(used, capacity), messages)
    ]
    records.sort(key=lambda record: record[0])  # Stable: the order within a program stays.
    lines: list[list[_native.PrintPart]] = []
    failure = None
    for _, program, message, record in records:
        if isinstance(message, Print):
            lines.append(_parts(message, record))
        elif failure is None:
            failure = (message.message, message.file, message.line, message.column, program)
    if failed and failure is None:
        failure = _lost_failure(messages)
    return Report(lines, failure, used > capacity)


def _records(
    data: bytes, used: int, messages: Sequence[Message]
) -> Iterator[tuple[Message, tuple[int, int, int], bytes]]:
    """Message, program and bytes of each record."""
    begin = HEADER_BYTES
    while begin + _RECORD_BYTES <= HEADER_BYTES + used:
        number, x, y, z = struct.unpack_from("<I3i", data, begin)
        if not 1 <= number <= len(messages):
            return  # Reserved by a record that was then too long.
        message = messages[number - 1]
        end = begin + message.size
        if end > HEADER_BYTES + used:
            return
        yield message, (x, y, z), data[begin:end]
        begin = end


def _parts(message: Print, record: bytes) -> list[_native.PrintPart]:
    """Texts and values in turn."""
    parts: list[_native.PrintPart] = [message.texts[0]]
    for text, (name, shape, begin, end) in zip(message.texts[1:], message.places(), strict=True):
        parts += [(name, shape, record[begin:end]), text]
    return parts


def _lost_failure(
    messages: Sequence[Message],
) -> tuple[str, str, int, int, tuple[int, int, int]]:
    """An assertion failed, but its record did not fit. With one assertion it is that one."""
    asserts = [message for message in messages if isinstance(message, Assert)]
    first = asserts[0]
    text = first.message if len(asserts) == 1 else "an assertion failed; too much was printed"
    return text, first.file, first.line, first.column, (0, 0, 0)


def print_report(report: Report) -> None:
    """Write what kernels printed to `sys.stdout`, and that not all of it fitted."""
    print_lines(report.lines)
    if report.lost:
        capacity = BUFFER_BYTES - HEADER_BYTES
        sys.stdout.write(f"(what else was printed did not fit into {capacity} bytes)\n")


def _round_up(value: int, multiple: int = _RECORD_BYTES) -> int:
    return -(-value // multiple) * multiple
