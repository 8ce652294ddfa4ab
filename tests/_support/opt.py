# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running `tegula-opt` from Python tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path


@cache
def find_opt() -> str:
    """The installed `tegula-opt`: on PATH, or beside this Python where that is not activated."""
    beside = shutil.which("tegula-opt", path=str(Path(sys.executable).parent))
    found = shutil.which("tegula-opt") or beside
    if found is None:
        raise FileNotFoundError("tegula-opt is not installed; pip install .[test]")
    return found


def run_opt(text: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run `tegula-opt` on `text`; the caller looks at the status."""
    return subprocess.run(
        [find_opt(), *flags], input=text, capture_output=True, text=True, check=False
    )


def optimize(text: str, *flags: str) -> str:
    """What `tegula-opt` makes of `text`, which it must accept."""
    done = run_opt(text, *flags)
    assert done.returncode == 0, f"{done.stderr}\n--- input\n{text}"
    return done.stdout
