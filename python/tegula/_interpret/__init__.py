# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interpreter.

Runs a kernel's own Python function on NumPy, so that `print`, `breakpoint()` and pdb work inside
it.

It is the reference for what compiled kernels must compute. Programs run one after another, x
fastest.
"""

from __future__ import annotations

from tegula._interpret.runner import interpret, is_active, run

__all__ = ["interpret", "is_active", "run"]
