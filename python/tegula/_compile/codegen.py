# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM optimization and code generation for the host, by llvmlite.

llvmlite is imported when something has to be compiled, never to run what the cache holds. LLVM ends
the process on some errors, so what could cause one is checked first: the module is verified, and
functions that the code calls are known before it is loaded.
"""

from __future__ import annotations

import functools
import threading
from dataclasses import dataclass
from typing import Any

from tegula import _native
from tegula._compile import elf
from tegula.errors import CompileError

# llvmlite locks single calls; a target machine is used over several.
_lock = threading.Lock()


@dataclass(frozen=True)
class Host:
    """What LLVM knows about this processor.

    Attributes:
        cpu: LLVM's name.
        features: LLVM's feature string, complete, so that a wrong guess of the name does no harm.
        vector_bits: width of the widest vector register worth using.
        vector_registers: how many there are.
    """

    cpu: str
    features: str
    vector_bits: int
    vector_registers: int


def _binding() -> Any:
    from llvmlite import binding  # pyright: ignore[reportMissingTypeStubs]

    return binding


def llvm_version() -> str:
    """The version of LLVM inside llvmlite."""
    return ".".join(map(str, _binding().llvm_version_info))


@functools.cache
def host() -> Host:
    """The processor that this process runs on."""
    binding = _binding()
    enabled: dict[str, bool] = dict(binding.get_host_cpu_features())
    bits, registers = _vector_unit(enabled)
    if bits == 512:
        # LLVM avoids 512-bit vectors by default, for mixed workloads on old chips.
        enabled["prefer-256-bit"] = False
    text = ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(enabled.items()))
    return Host(binding.get_host_cpu_name(), text, bits, registers)


def _vector_unit(features: dict[str, bool]) -> tuple[int, int]:
    """Width in bits and number of vector registers."""
    if features.get("avx512f") and features.get("avx512vl") and features.get("avx512bw"):
        return 512, 32
    if features.get("avx"):
        return 256, 16
    if features.get("neon"):
        return 128, 32
    return 128, 16


@functools.cache
def _machine() -> Any:
    """LLVM's target machine; the code is position independent and close together."""
    binding = _binding()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    this = host()
    target = binding.Target.from_default_triple()
    return target.create_target_machine(
        cpu=this.cpu, features=this.features, opt=3, reloc="pic", codemodel="small"
    )


def _parse(bitcode: bytes, entry: str | None) -> Any:
    binding = _binding()
    machine = _machine()
    try:
        module = binding.parse_bitcode(bitcode)
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        module.verify()
        _internalize(module, entry)
    except RuntimeError as error:
        raise CompileError(
            f"LLVM rejects the code of this kernel: {error}",
            help="this is a fault of Tegula; please report it with the kernel",
        ) from error
    return module


def _internalize(module: Any, entry: str | None) -> None:
    """Make everything but the entry private, so that what is inlined is not compiled again."""
    for function in module.functions:
        if entry is not None and not function.is_declaration and function.name != entry:
            function.linkage = "internal"


def _optimize(module: Any) -> None:
    binding = _binding()
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.slp_vectorization = True
    options.loop_interleaving = True
    # Vectorized loops are interleaved already; unrolling them again costs twice the compile time.
    options.loop_unrolling = False
    builder = binding.create_pass_builder(_machine(), options)
    builder.getModulePassManager().run(module, builder)


def compile_bitcode(bitcode: bytes, entry: str | None = None) -> bytes:
    """The object file for a module of LLVM bitcode.

    Args:
        bitcode: the module.
        entry: the only function that is called from outside; None: all are.

    Raises:
        CompileError: LLVM rejects the module, or the code calls functions that do not exist here.
    """
    with _lock:
        module = _parse(bitcode, entry)
        _optimize(module)
        code: bytes = _machine().emit_object(module)
    unknown = [name for name in elf.undefined_symbols(code) if not _is_known(name)]
    if unknown:
        raise CompileError(
            f"the code of this kernel calls functions that do not exist: {', '.join(unknown)}",
            help="this is a fault of Tegula; please report it with the kernel",
        )
    return code


def _is_known(name: str) -> bool:
    return name == "_GLOBAL_OFFSET_TABLE_" or _native.symbol_address(name) is not None


def show(bitcode: bytes, stage: str, entry: str | None = None) -> str | bytes:
    """LLVM IR (`llvm`, `llvm-opt`), assembly (`asm`) or the object file (`obj`).

    Raises:
        CompileError: LLVM rejects the module.
    """
    if stage == "obj":
        return compile_bitcode(bitcode, entry)
    with _lock:
        module = _parse(bitcode, entry)
        if stage == "llvm":
            return str(module)
        _optimize(module)
        if stage == "llvm-opt":
            return str(module)
        return str(_machine().emit_assembly(module))
