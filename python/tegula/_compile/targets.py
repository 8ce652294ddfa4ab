# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels can be compiled for.

A target is one object behind the :class:`Target` interface; nothing else in this package asks which
target it is. GPUs register themselves here in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tegula.errors import ArgumentError, CompileError


@dataclass(frozen=True)
class Stage:
    """A level of IR that can be shown.

    Attributes:
        name: as in `--emit`.
        summary: what it is.
        pipeline: passes that lead to it from the stage before, or None if it is not MLIR.
        suffix: of files that hold it.
    """

    name: str
    summary: str
    pipeline: str | None
    suffix: str


@dataclass(frozen=True)
class Availability:
    """Whether something can be done on this machine, why (not), and how to change that."""

    ok: bool
    reason: str
    fix: str = ""


class Target(Protocol):
    """One kind of device."""

    @property
    def name(self) -> str:
        """As users write it."""
        ...

    def fingerprint(self) -> str:
        """What code depends on besides the kernel; equal texts run each other's code. Cheap."""
        ...

    def pipeline(self) -> str:
        """The passes from `tile` IR to the LLVM dialect, for MLIR's parser."""
        ...

    def stages(self) -> tuple[Stage, ...]:
        """All levels from `tile` IR to the object file, in order."""
        ...

    def generate(self, bitcode: bytes, entry: str) -> bytes:
        """The object file for a module of LLVM bitcode, of which `entry` is called.

        Raises:
            CompileError: the code cannot run here.
        """
        ...

    def show(self, bitcode: bytes, stage: str, entry: str) -> str | bytes:
        """A stage below MLIR: LLVM IR, assembly or the object file."""
        ...

    def can_compile(self) -> Availability: ...

    def can_run(self) -> Availability: ...


def _cpu() -> Target:
    from tegula._compile.cpu import CpuTarget

    return CpuTarget()


_factories: dict[str, Callable[[], Target]] = {"cpu": _cpu}
_targets: dict[str, Target] = {}
_FASTEST_FIRST = ("cpu",)


def names() -> tuple[str, ...]:
    """All registered targets."""
    return tuple(_factories)


def get(name: str) -> Target:
    """The target of a name.

    Raises:
        ArgumentError: there is none of that name.
    """
    target = _targets.get(name)
    if target is None:
        if name not in _factories:
            raise ArgumentError(
                f"there is no target {name!r}", help=f"choose one of: {', '.join(_factories)}"
            )
        target = _targets[name] = _factories[name]()
    return target


def best() -> str:
    """The name of the fastest kind of device that this machine can compile for and run on.

    Raises:
        CompileError: nothing works here.
    """
    for name in _FASTEST_FIRST:
        if name in _factories and get(name).can_compile().ok and get(name).can_run().ok:
            return name
    raise CompileError(
        "no target works on this machine", help="`tegula doctor` says what is missing"
    )
