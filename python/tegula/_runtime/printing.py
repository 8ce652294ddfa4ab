# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what kernels print; how a device's buffer records it is not needed here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tegula import _native


def print_lines(lines: list[list[_native.PrintPart]]) -> None:
    """Write what kernels printed to `sys.stdout`, values as NumPy shows them."""
    text = "".join("".join(map(_show, line)) + "\n" for line in lines)
    sys.stdout.write(text)


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
