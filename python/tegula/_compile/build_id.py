# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Identifies this build of the compiler, for the keys of cached kernels.

A changed source file, library or code generator gives a new identity, so that neither a release nor
an edit in a development tree ever runs code of another compiler. Sizes and times are compared, not
contents: hashing the libraries would take longer than the cache saves.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

# What can influence code that is generated; the rest of the package cannot.
_FOLDERS = ("", "lang", "_trace", "_compile", "_runtime", "mlir/_mlir_libs", "mlir/dialects")
_SUFFIXES = (".py", ".so")


@functools.cache
def build_id() -> str:
    """A hash of what the compiler consists of."""
    digest = hashlib.blake2b(digest_size=16)
    root = str(Path(__file__).parents[1])
    for name, status in sorted(_parts(root), key=lambda part: part[0]):
        digest.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _parts(root: str) -> Iterator[tuple[str, os.stat_result]]:
    for folder in _FOLDERS:
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                found = [entry for entry in entries if entry.name.endswith(_SUFFIXES)]
        except OSError:
            continue
        for entry in found:
            with contextlib.suppress(FileNotFoundError):  # Removed meanwhile.
                yield f"{folder}/{entry.name}", entry.stat()
    spec = importlib.util.find_spec("llvmlite")
    if spec is not None and spec.origin is not None:
        yield "llvmlite", Path(spec.origin).with_name("_version.py").stat()
