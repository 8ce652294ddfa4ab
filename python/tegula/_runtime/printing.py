# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what kernels print; how a device's buffer records it is not needed here."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tegula import _native


def print_lines(lines: list[list[_native.PrintPart]]) -> None:
    """Write what kernels printed to `sys.stdout`, values as NumPy shows them."""
    shown = ["".join(map(_show, line)) for line in lines]
    _last.lines = shown
    sys.stdout.write("".join(f"{line}\n" for line in shown))


class _Last(threading.local):
    lines: Sequence[str] = ()


_last = _Last()
_OUTSIDE = " is outside"


def with_values(message: str, program: tuple[int, int, int]) -> str:
    """What a check that failed said, with the values that it printed before."""
    start = f"program {program}: "
    wanted = start + message.removesuffix(_OUTSIDE)
    found = (line for line in _last.lines if _OUTSIDE in line and line.startswith(wanted))
    return next(found, start + message).removeprefix(start)


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
