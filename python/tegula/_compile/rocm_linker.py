# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links an AMD GPU's object file to a code object, which is what drivers load.

LLVM's `ld.lld` does it: ROCm's own where there is one, else any on the PATH. Version 14, which some
systems still have, does not know the present code objects, so the version is checked.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tegula import _env
from tegula._compile.targets import Unit
from tegula.errors import CompileError

OLDEST = 19
_FIX = f"apt-get install lld-{OLDEST}, or install ROCm and set ROCM_PATH to where it is"
_NEWEST_NAME = 24
_SECONDS = 60


@dataclass(frozen=True)
class Linker:
    """A program that links code objects.

    Attributes:
        path: of the program.
        version: as it says of itself.
    """

    path: str
    version: str


_found: Linker | None = None


def find() -> Linker:
    """The linker to use. What was found stays so for the process.

    Raises:
        CompileError: there is none, or all are too old.
    """
    global _found  # noqa: PLW0603
    if _found is not None:
        return _found
    old: Linker | None = None
    for path in _candidates():
        version = _version(path)
        if version is None:
            continue
        linker = Linker(path, version)
        if int(version.split(".")[0]) >= OLDEST:
            _found = linker
            return linker
        old = old or linker
    raise CompileError(
        f"{old.path} is version {old.version}, but code for AMD GPUs needs ld.lld {OLDEST} or newer"
        if old is not None
        else f"there is no linker for AMD GPUs: ld.lld {OLDEST} or newer is neither in ROCm nor on "
        "the PATH",
        help=_FIX,
    )


def link(code: bytes, unit: Unit) -> bytes:
    """The code object of a kernel's object file.

    Raises:
        CompileError: there is no linker, or it fails.
    """
    place = unit.location
    linker = find()
    with tempfile.TemporaryDirectory(prefix="tegula-") as folder:
        source, result = Path(folder, "kernel.o"), Path(folder, "kernel.hsaco")
        source.write_bytes(code)
        # No undefined symbol may be left for a loader to stumble over.
        command = [linker.path, "-shared", "--no-undefined", str(source), "-o", str(result)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            text = f"the linker {linker.path} does not run: {error}"
            raise CompileError(text, location=place, help=_FIX) from error
        if done.returncode != 0:
            text = f"{linker.path} cannot link the code of {unit.entry!r}: {done.stderr}"
            raise CompileError(text, location=place, help=_FIX)
        return result.read_bytes()


def _candidates() -> Iterator[str]:
    """Linkers that may be here, the best first, each once."""
    seen: set[str] = set()
    names = ["ld.lld", *(f"ld.lld-{n}" for n in range(_NEWEST_NAME, OLDEST - 1, -1))]
    paths = [str(folder / "llvm" / "bin" / "ld.lld") for folder in _env.rocm_folders()]
    for path in (*paths, *map(shutil.which, names)):
        if path is not None and path not in seen and Path(path).is_file():
            seen.add(path)
            yield path


def _version(path: str) -> str | None:
    """What `--version` says, or None if it does not run or is something else."""
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"LLD (\d+(\.\d+)*)", done.stdout)
    return match.group(1) if match else None
