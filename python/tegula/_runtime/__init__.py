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

    def architecture(self) -> str | None:
        """The target for this machine's device of this kind, or None if it has none. Cheap."""
        ...

    def load(self, artifact: Artifact) -> Any:
        """Code in the device's memory, for as long as the object lives."""
        ...

    def specialize(
        self, code: Any, artifact: Artifact, guards: Sequence[_native.Guard]
    ) -> _native.Specialization:
        """What the launcher calls."""
        ...


def get(target: str) -> Device:
    """The module for the devices of a registered target."""
    return cast("Device", importlib.import_module(f"tegula._runtime.{target}"))
