# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads compiled kernels and launches them: one module per kind of device, nothing else.

`tegula._native` does the work of a launch; what is here runs once per kernel. A device's module has
`load`, which turns an artifact into code in its memory, and `specialize`, which makes that code
launchable.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from tegula import _native
    from tegula._compile.artifact import Artifact


class Device(Protocol):
    """What the module of a device offers."""

    def architecture(self, device: int | None = None) -> str | None:
        """The target for a device of this kind, by default the current one.

        None if there is no device, or no target has code for it. Cheap.
        """
        ...

    def current_device(self) -> int:
        """The number of the device that this thread uses."""
        ...

    def load(self, artifact: Artifact, device: int) -> Any:
        """Code in the memory of a device, for as long as the object lives.

        Raises:
            tegula._native.ObjectError: the artifact is damaged, or not for this device.
        """
        ...

    def specialize(
        self, code: Any, artifact: Artifact, guards: Sequence[_native.Guard]
    ) -> _native.Specialization:
        """What the launcher calls."""
        ...


def get(family: str) -> Device:
    """The module for the devices of a family of targets."""
    return cast("Device", importlib.import_module(f"tegula._runtime.{family}"))


def architecture(family: str, device: int) -> str:
    """The target for a device where arrays are.

    Raises:
        DeviceError: no target has code for it.
    """
    name = get(family).architecture(device)
    if name is None:
        from tegula.errors import DeviceError

        raise DeviceError(
            f"no target has code for {family} device {device}, where the arrays are",
            help="`tegula doctor` says what is missing; tg.target(...) names a target",
        )
    return name
