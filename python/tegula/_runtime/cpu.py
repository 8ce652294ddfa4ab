# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on the host: map the object file, hand its entry to the launcher, print for it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Protocol

from tegula import _env, _native
from tegula._compile.artifact import ENTRY_SUFFIX, Artifact
from tegula._runtime import printing


class Code(Protocol):
    """Machine code in memory, for as long as the object lives."""

    def address(self, name: str) -> int | None:
        """Address of a function, or None."""
        ...


def architecture(device: int | None = None) -> str:
    """There is always a processor."""
    return "cpu"


def current_device() -> int:
    """All processors are one device."""
    return 0


def load(artifact: Artifact, device: int = 0) -> Code:
    """Map an artifact's object file.

    Raises:
        ObjectError: the object is damaged, or calls what does not exist here.
    """
    start()
    if sys.platform == "linux" and artifact.code[18:20] == b"\x3e\x00":  # ELF for x86-64
        return _native.load_object(artifact.code)
    from tegula._runtime import mcjit

    return mcjit.load_object(artifact.code)


def specialize(
    code: Code, artifact: Artifact, guards: Sequence[_native.Guard]
) -> _native.Specialization:
    """What the launcher calls.

    Raises:
        ObjectError: the code has no entry of the kernel's name.
    """
    entry = artifact.name + ENTRY_SUFFIX
    address = code.address(entry)
    if address is None:
        raise _native.ObjectError(f"the object file has no function {entry!r}")
    return _native.Specialization(address, writes=artifact.writes, owner=code, guards=guards)


@functools.cache
def start() -> None:
    """Set up the launcher for this process; the first load does it."""
    _native.set_num_threads(_env.num_threads())
    _native.set_print_hook(printing.print_lines)
