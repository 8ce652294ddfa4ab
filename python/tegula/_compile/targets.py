# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels can be compiled for.

A target is one object behind the :class:`Target` interface; nothing else in this package asks which
target it is. Targets come in families, one for each kind of device: a family is a module here that
makes its targets by name, and a module of the same name in :mod:`tegula._runtime` that launches.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from tegula import _runtime
from tegula._location import Location
from tegula.errors import ArgumentError, CompileError


@dataclass(frozen=True)
class Stage:
    """A level of IR that can be shown.

    Attributes:
        name: as in `--emit`.
        summary: what it is.
        pipeline: passes that lead to it from the stage before, or None if it is not MLIR.
        suffix: of files that hold it.
        binary: whether it is bytes, not text.
        external: whether a program makes it that need not be installed; dumps leave it out.
    """

    name: str
    summary: str
    pipeline: str | None
    suffix: str
    binary: bool = False
    external: bool = False


@dataclass(frozen=True)
class Availability:
    """Whether something can be done on this machine, why (not), and how to change that."""

    ok: bool
    reason: str
    fix: str = ""


@dataclass(frozen=True)
class Unit:
    """A kernel that the passes have lowered.

    Attributes:
        bitcode: a module of LLVM bitcode.
        entry: the function that is called from outside.
        properties: the `tegula.*` attributes that the passes left on the entry, without the prefix.
        location: of the kernel, for warnings.
    """

    bitcode: bytes
    entry: str
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])
    location: Location | None = None


class Target(Protocol):
    """One kind of processor that code is generated for."""

    @property
    def name(self) -> str:
        """As users write it."""
        ...

    @property
    def family(self) -> str:
        """Its family, which is also the module of :mod:`tegula._runtime` that runs its code."""
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

    def generate(self, unit: Unit) -> bytes:
        """The object file for a kernel.

        Raises:
            CompileError: the code cannot run here.
        """
        ...

    def show(self, unit: Unit, stage: str) -> str | bytes:
        """A stage below MLIR: LLVM IR, assembly or the object file.

        Raises:
            CompileError: the code cannot be made, or a program that shows it is missing.
        """
        ...

    def can_compile(self) -> Availability: ...

    def can_run(self) -> Availability: ...


class _Family(Protocol):
    """What the module of a family offers."""

    def make(self, name: str) -> Target:
        """The target of one of the family's names."""
        ...


# Fastest first. The names of a family's targets are here so that listing them imports nothing.
_FAMILIES: dict[str, tuple[str, ...]] = {
    "cuda": ("sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"),
    "rocm": ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"),
    "cpu": ("cpu",),
}
_targets: dict[str, Target] = {}


def families() -> tuple[str, ...]:
    """Kinds of devices, the fastest first."""
    return tuple(_FAMILIES)


def names(family: str | None = None) -> tuple[str, ...]:
    """All registered targets, or those of a family."""
    wanted = families() if family is None else (family,)
    return tuple(name for item in wanted for name in _FAMILIES[item])


def get(name: str) -> Target:
    """The target of a name; a family's name means the device of that kind in this machine.

    Raises:
        ArgumentError: there is no target of that name, or no such device.
    """
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(
            f"a target is named by a string, not {type(name).__name__}",
            help=f"choose one of: {', '.join(names())}",
        )
    target = _targets.get(name)
    if target is not None:
        return target
    family = next((key for key, known in _FAMILIES.items() if name in known), None)
    if family is None and name in _FAMILIES:
        return get(_present(name))
    if family is None:
        near = difflib.get_close_matches(name, names(), n=1, cutoff=0.75)
        guess = f"did you mean {near[0]!r}? " if near else ""
        raise ArgumentError(
            f"there is no target {name!r}", help=f"{guess}choose one of: {', '.join(names())}"
        )
    module = cast("_Family", importlib.import_module(f"tegula._compile.{family}"))
    target = _targets[name] = module.make(name)
    return target


def _present(family: str) -> str:
    name = _runtime.get(family).architecture()
    if name is None:
        raise ArgumentError(
            f"there is no device for the target {family!r} in this machine",
            help=f"to compile without one, choose one of: {', '.join(_FAMILIES[family])}",
        )
    return name


def representative(family: str) -> Target:
    """The target for this machine's device of a family, else the family's first."""
    return get(_runtime.get(family).architecture() or _FAMILIES[family][0])


def best() -> str:
    """The name of the fastest target that this machine can compile for and run on.

    Raises:
        CompileError: nothing works here.
    """
    for family in _FAMILIES:
        name = _runtime.get(family).architecture()
        if name is not None and get(name).can_compile().ok and get(name).can_run().ok:
            return name
    raise CompileError(
        "no target works on this machine", help="`tegula doctor` says what is missing"
    )
