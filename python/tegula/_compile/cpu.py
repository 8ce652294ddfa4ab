# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host processor as a target.

Code generation is imported where it is used: a kernel that the cache holds needs the fingerprint
only.
"""

from __future__ import annotations

import functools
import importlib.util
import platform

from tegula import _native
from tegula._compile.targets import Availability, Stage, Target, Unit

_TRANSLATOR = "tegula.mlir._mlir_libs._tegulaToLlvm"


class CpuTarget:
    """Compiles for, and runs on, the machine that it runs on."""

    name = "cpu"
    family = "cpu"

    def fingerprint(self) -> str:
        """Processor and instruction sets."""
        return _native.host_fingerprint()

    def pipeline(self) -> str:
        """The whole CPU pipeline with the host's vector unit as parameters."""
        return f"builtin.module(tegula-cpu-pipeline{{{_vector_options()}}})"

    def stages(self) -> tuple[Stage, ...]:
        """From `tile` over linalg, buffers and loops to machine code."""

        def phase(name: str, options: str = "") -> str:
            return f"builtin.module(tegula-cpu-{name}-phase{options})"

        return (
            Stage("tile", "what the tracer made", "builtin.module()", "mlir"),
            Stage("linalg", "computations on tensors", phase("tensor"), "mlir"),
            Stage("buffers", "computations on memory", phase("buffer"), "mlir"),
            Stage("loops", "loops over vectors", phase("loop", f"{{{_vector_options()}}}"), "mlir"),
            Stage("llvm-dialect", "LLVM as MLIR", phase("llvm"), "mlir"),
            Stage("llvm", "LLVM IR as translated", None, "ll"),
            Stage("llvm-opt", "LLVM IR after optimization", None, "ll"),
            Stage("asm", "assembly", None, "s"),
            Stage("obj", "object file", None, "o", binary=True),
        )

    def generate(self, unit: Unit) -> bytes:
        """See :class:`~tegula._compile.targets.Target`."""
        from tegula._compile import codegen

        return codegen.compile_bitcode(unit.bitcode, unit.entry)

    def show(self, unit: Unit, stage: str) -> str | bytes:
        """See :class:`~tegula._compile.targets.Target`."""
        from tegula._compile import codegen

        return codegen.show(unit.bitcode, stage, unit.entry)

    def can_compile(self) -> Availability:
        """Needs llvmlite and the MLIR bindings, both parts of an installation."""
        if importlib.util.find_spec("llvmlite") is None:
            return Availability(False, "llvmlite is missing", "pip install 'llvmlite>=0.50,<0.51'")
        try:
            found = importlib.util.find_spec(_TRANSLATOR) is not None
        except ImportError:
            found = False
        if not found:
            return Availability(False, "the MLIR bindings are missing", "pip install tegula again")
        from tegula._compile import codegen

        host = codegen.host()
        return Availability(True, f"LLVM {codegen.llvm_version()} for {host.cpu}")

    def can_run(self) -> Availability:
        """The host can always run what it compiled."""
        threads = _native.num_threads()
        return Availability(True, f"{platform.machine()}, {threads} threads")


def make(_name: str) -> Target:
    """The target of the only name."""
    return CpuTarget()


@functools.cache
def _vector_options() -> str:
    from tegula._compile import codegen

    host = codegen.host()
    return f"vector-bits={host.vector_bits} vector-registers={host.vector_registers}"
