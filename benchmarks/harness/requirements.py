# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suites there are, and what this machine lacks for one. No suite is imported for that."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "suites"
SUITES = sorted(path.stem for path in FOLDER.glob("*_*.py") if not path.stem.startswith("_"))


def summary(suite: str) -> str:
    """The first line of a suite's docstring."""
    text = ast.get_docstring(ast.parse((FOLDER / f"{suite}.py").read_text())) or ""
    return text.partition("\n")[0]


def on_device(suite: str) -> bool:
    """Whether a suite runs on a device other than the processor."""
    return not suite.startswith("cpu_")


def missing(suite: str) -> str:
    """What a suite needs and this machine does not have, or ""."""
    return _missing_for_cuda() if suite.startswith("cuda_") else ""


@cache
def _missing_for_cuda() -> str:
    for name in ("torch", "triton"):
        if find_spec(name) is None:
            return f"{name} is not installed"
    torch: Any = import_module("torch")
    return "" if torch.cuda.is_available() else "PyTorch finds no NVIDIA GPU"
