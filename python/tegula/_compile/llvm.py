# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM optimization and code generation for devices without a C library, by llvmlite.

LLVM ends the process when it meets an operation that a processor lacks, so every function that a
module calls is checked before LLVM sees it. Fast math stays off: each floating-point operation says
itself what may be done to it.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tegula._compile.targets import Unit
from tegula.errors import CompileError

# llvmlite locks single calls; a target machine is used over several.
_lock = threading.Lock()

# Intrinsics that LLVM has code for on every device, without a library and exactly rounded.
_EVERYWHERE = re.compile(
    r"llvm\.(abs|smax|smin|umax|umin|scmp|ucmp|bitreverse|bswap|ctlz|ctpop|cttz|fshl|fshr"
    r"|[su](add|sub)\.sat|[su](add|sub|mul)\.with\.overflow"
    r"|ceil|floor|trunc|rint|nearbyint|roundeven|round|fabs|copysign|fma|fmuladd|sqrt"
    r"|maximum|minimum|maxnum|minnum|maximumnum|minimumnum|fptosi\.sat|fptoui\.sat|is\.fpclass"
    r"|memcpy|memmove|memset|assume|ptrmask|lifetime|dbg|experimental\.noalias\.scope\.decl"
    r"|vector\.(reduce|insert|extract)|masked\.(load|store))\."
    r"|llvm\.(assume|trap|debugtrap|ptrmask|experimental\.noalias\.scope\.decl)$"
)


def _binding() -> Any:
    from llvmlite import binding  # pyright: ignore[reportMissingTypeStubs]

    return binding


@functools.cache
def _initialized() -> Any:
    binding = _binding()
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    return binding


def version() -> str:
    """The version of LLVM inside llvmlite."""
    return ".".join(map(str, _binding().llvm_version_info))


@dataclass(frozen=True)
class Generator:
    """Makes code for one processor.

    Attributes:
        triple: LLVM's name of the kind of machine.
        cpu: LLVM's name of the processor.
        features: LLVM's feature string.
        accepts: whether the processor has an intrinsic of its own kind.
        repair: the text of optimized IR without what the code generator fails on, or None if there
            is nothing of it.
    """

    triple: str
    cpu: str
    features: str
    accepts: Callable[[str], bool]
    repair: Callable[[Any], str | None] | None = None

    def ir(self, unit: Unit, *, optimized: bool) -> str:
        """LLVM IR as text.

        Raises:
            CompileError: LLVM rejects the module, or the processor lacks a function.
        """
        with _lock:
            return str(self._module(unit, optimized=optimized))

    def assembly(self, unit: Unit) -> str:
        """Assembly, optimized; errors as for :meth:`ir`."""
        with _lock:
            module = self._module(unit, optimized=True)
            return str(_machine(self.triple, self.cpu, self.features).emit_assembly(module))

    def object(self, unit: Unit) -> bytes:
        """An object file, optimized; errors as for :meth:`ir`."""
        with _lock:
            module = self._module(unit, optimized=True)
            return bytes(_machine(self.triple, self.cpu, self.features).emit_object(module))

    def _module(self, unit: Unit, *, optimized: bool) -> Any:
        machine = _machine(self.triple, self.cpu, self.features)
        try:
            module = _initialized().parse_bitcode(unit.bitcode)
            module.triple = self.triple
            module.data_layout = str(machine.target_data)
            module.verify()
        except RuntimeError as error:
            raise CompileError(
                f"LLVM rejects the code of this kernel: {error}",
                help="this is a fault of Tegula; please report it with the kernel",
                location=unit.location,
            ) from error
        self._check(module, unit)
        _internalize(module, unit.entry)
        if optimized:
            _optimize(module, machine)
            text = None if self.repair is None else self.repair(module)
            if text is not None:
                module = _initialized().parse_assembly(text)
            self._check(module, unit)
        return module

    def _check(self, module: Any, unit: Unit) -> None:
        called = [function.name for function in module.functions if function.is_declaration]
        missing = [n for n in called if not _EVERYWHERE.match(n) and not self.accepts(n)]
        if missing:
            raise CompileError(
                f"{self.cpu} has no {', '.join(sorted(missing))}, which the code of this kernel "
                "calls",
                help="this is a fault of Tegula; please report it with the kernel",
                location=unit.location,
            )


@functools.cache
def _machine(triple: str, cpu: str, features: str) -> Any:
    target = _initialized().Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features=features, opt=3)


def _internalize(module: Any, entry: str) -> None:
    """Make all other functions private, so that what is inlined is not compiled again."""
    for function in module.functions:
        if not function.is_declaration and function.name != entry:
            function.linkage = "internal"


def _optimize(module: Any, machine: Any) -> None:
    """LLVM's list of passes for -O3 with what helps one thread of many.

    Loops are not vectorized: threads are, and a thread's own vectors come from its layout. Small
    loops are unrolled for the sake of independent loads. 16-bit pairs are found by the SLP pass.
    """
    binding = _initialized()
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = False
    options.loop_interleaving = False
    options.slp_vectorization = True
    options.loop_unrolling = True
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
