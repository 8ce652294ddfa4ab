# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tegula: kernels over tiles, written in Python, compiled for the machine at hand.

    import numpy as np, tegula as tg

    @tg.kernel
    def add(a: tg.Array, b: tg.Array, c: tg.Array, BLOCK: tg.Const):
        i = tg.program_id(0)
        tg.store(c, i, tg.load(a, i, BLOCK) + tg.load(b, i, BLOCK))

    add[tg.cdiv(n, 1024)](a, b, c, BLOCK=1024)

Everything public is here; the errors are in :mod:`tegula.errors`. Importing this package loads
NumPy but neither MLIR nor LLVM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from tegula import errors, lang
from tegula._compiled import Compiled, Decision, Report
from tegula._interpret import interpret
from tegula._placement import target
from tegula.errors import TegulaError
from tegula.kernel import Kernel, kernel
from tegula.lang import *  # noqa: F403

__version__ = "0.1.0"

__all__ = [
    "Compiled",
    "Decision",
    "Kernel",
    "Report",
    "TegulaError",
    "errors",
    "interpret",
    "kernel",
    "target",
]
__all__ += lang.__all__

if not TYPE_CHECKING:  # A type checker is to know what there is.

    def __getattr__(name: str) -> NoReturn:
        """Refuse what is not there, saying what to write instead."""
        from tegula.lang import _elsewhere

        _elsewhere.refuse(name, __all__)
