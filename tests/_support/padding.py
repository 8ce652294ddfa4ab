# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels with every tile padded to powers of two, as targets do that need them.

The CPU target has no need of padding; running what it makes of padded kernels shows that padding
changes no answer.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PASSES = "builtin.module(canonicalize,cse,tile-pad-extents)"
_EXTENTS = re.compile(r"tensor<((?:\d+x)+)")


def check(module: Any) -> None:
    """Fail where an extent of a tile is no power of two."""
    for extents in _EXTENTS.findall(str(module)):
        for extent in map(int, extents.rstrip("x").split("x")):
            assert extent & (extent - 1) == 0, f"tensor<{extents}...> is left in\n{module}"


@contextlib.contextmanager
def padded() -> Iterator[None]:
    """Within it, kernels are padded before they go through the CPU pipeline."""
    from tegula._compile import pass_manager, pipeline
    from tegula._compile.cpu import CpuTarget

    lower, fingerprint = pipeline.lower, CpuTarget.fingerprint

    def pad_and_lower(module: Any, passes: str, dump: Path | None = None) -> Any:
        pass_manager.run(module, PASSES)
        check(module)
        return lower(module, passes, dump)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "lower", pad_and_lower)
        patch.setattr(CpuTarget, "fingerprint", lambda self: fingerprint(self) + " padded")
        yield
