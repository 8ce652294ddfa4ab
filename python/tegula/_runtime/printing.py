# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what kernels print; how a device's buffer records it is not needed here."""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tegula import _native


# What a failed check has to say starts with it (tile-insert-checks).
_REPORT = "\x1f"
_reports: deque[str] = deque(maxlen=1024)


def print_lines(lines: list[list[_native.PrintPart]]) -> None:
    """Write what kernels printed to `sys.stdout`, values as NumPy shows them.

    Reports of failed checks are kept for :func:`take_report` instead.
    """
    texts = ["".join(map(_show, line)) for line in lines]
    _reports.extend(text for text in texts if text.startswith(_REPORT))
    sys.stdout.write("".join(f"{text}\n" for text in texts if not text.startswith(_REPORT)))


def take_report(message: str, program: tuple[int, int, int]) -> str | None:
    """What the failed check of a message has to say, if it is a check's; forgets all reports."""
    place, _, what = message.rpartition(": ")
    start = f"{_REPORT}program {program}: {place}: {what.removesuffix(' is outside')} "
    found = [text for text in _reports if text.startswith(start)]
    _reports.clear()
    return found[0].partition("): ")[2] if found else None


def _show(part: _native.PrintPart) -> str:
    if isinstance(part, str):
        return part
    name, shape, data = part
    flat: Any = np.frombuffer(data, dtype(name))
    values = flat.reshape(shape)
    return str(values if shape else values[()])


def dtype(name: str) -> np.dtype[np.generic]:
    """NumPy's dtype of a name in messages."""
    if name.startswith(("bfloat", "float8")):
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)
