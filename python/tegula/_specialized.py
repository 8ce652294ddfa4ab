# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel for certain kinds of arguments and certain constants: what is traced and compiled.

The key under which it is cached is made here too, of all that its code depends on.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from tegula import _native, _runtime
from tegula._boundary import boundary
from tegula._compile import KernelSource, Loaded, load
from tegula._show import show
from tegula._structures import too_deep
from tegula._trace.dependencies import Dependencies
from tegula._trace.tracer import Signature, Trace, symbol_name, trace
from tegula.errors import ArgumentError, LaunchError

if TYPE_CHECKING:
    from tegula.kernel import Kernel


class Specialized:
    """A kernel for certain kinds of arguments and certain constants.

    Attributes:
        kernel: the kernel.
        signature: kinds of arguments, and constants.
    """

    def __init__(self, kernel: Kernel, signature: Signature) -> None:
        self.kernel = kernel
        self.signature = signature
        self._checked = kernel.checked

    @boundary
    def trace(self) -> Trace:
        """The `tile` IR, made anew.

        Raises:
            TegulaError: the kernel does something that the language refuses.
        """
        return self._trace(self._dependencies())

    @boundary
    def load(self, target: str | None = None) -> Loaded:
        """The launchable kernel, out of a cache or compiled now.

        Args:
            target: a registered target; None: that of the device where the arrays are.

        Raises:
            DeviceError: no target has code for that device.
            CompileError: the compiler cannot lower the kernel.
            TegulaError: see :meth:`trace`.
        """
        known = self._dependencies()
        guards: list[_native.Guard] = [*known.guards]

        def run() -> Any:
            module = self._trace(known).module
            guards[:] = known.guards
            return module

        family, index = self.signature.place
        target = target or _runtime.architecture(family, index)
        name = symbol_name(self.kernel.function.__name__)
        source = KernelSource(name, self._key(known), run, lambda: known.complete)
        return load(source, target, guards, index)

    def check_place(self, target: str) -> None:
        """Refuse a target that cannot reach the arrays.

        Raises:
            LaunchError: it runs on another kind of device.
        """
        from tegula._compile import targets

        family, index = self.signature.place
        if targets.get(target).family != family:
            raise LaunchError(
                f"the arrays are on {family} device {index}, which {target} is no target for",
                help="copy them to the host, or launch outside of tg.target",
            )

    @boundary
    def ir(self, stage: str = "tile", target: str = "cpu") -> str:
        """The text of the kernel at a stage of compilation.

        Args:
            stage: "tile", or a stage of the target.
            target: a registered target.

        Raises:
            ArgumentError: there is no such target, or it has no such stage.
            CompileError: the compiler cannot lower the kernel.
        """
        from tegula._compile import pipeline, targets

        known = [item.name for item in targets.get(target).stages()]
        if stage not in known:
            raise ArgumentError(
                f"{target} has no stage {show(stage)}", help=f"choose one of: {', '.join(known)}"
            )
        module = self.trace().module
        if stage == "tile":
            return str(module)
        text = pipeline.stage(module, targets.get(target), stage)
        return text if isinstance(text, str) else text.decode(errors="replace")

    def _trace(self, known: Dependencies) -> Trace:
        kernel = self.kernel
        traced = trace(
            kernel.function,
            kernel.parameters,
            self.signature,
            fast_math=kernel.fast_math,
            checked=self._checked,
            hints=kernel.hints._asdict(),
            dependencies=known,
            regroup=kernel.regroup,
        )
        if self._checked:
            from tegula._compile import pipeline

            pairs = zip(kernel.parameters, self.signature.entries, strict=True)
            pipeline.insert_checks(traced.module, [n for n, e in pairs if e[0] != "const"])
        return traced

    def _dependencies(self) -> Dependencies:
        found = Dependencies()
        found.add(self.kernel.function)
        try:
            for entry in self.signature.entries:
                found.add(entry[1:])
        except RecursionError:
            raise too_deep() from None
        return found

    def _key(self, known: Dependencies) -> bytes:
        signature = self.signature
        kinds = [e[:1] if e[0] == "const" else e for e in signature.entries]
        kernel = self.kernel
        flags = (kernel.fast_math, self._checked, kernel.hints, kernel.parameters)
        rest = repr((kinds, signature.aliases, flags, sys.version_info[:2]))
        unique = b"" if known.complete else os.urandom(16)
        return known.digest() + rest.encode() + unique
