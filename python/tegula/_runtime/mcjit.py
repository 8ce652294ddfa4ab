# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads object files with LLVM's JIT linker, where the launcher's own does not apply.

That is every platform but Linux on x86-64. It gives the same results, at the price of importing
llvmlite.
"""

from __future__ import annotations

import struct
from typing import Any

from tegula import _native
from tegula._compile import elf


class JitCode:
    """Code that an LLVM execution engine owns."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def address(self, name: str) -> int | None:
        """Address of a function, or None."""
        return self._engine.get_function_address(name) or None


def load_object(data: bytes) -> JitCode:
    """Link an object file into this process.

    Raises:
        ObjectError: it is damaged, or calls functions that do not exist here; LLVM would end the
            process.
    """
    from llvmlite import binding  # pyright: ignore[reportMissingTypeStubs]

    llvm: Any = binding
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    try:
        names = elf.undefined_symbols(data)
    except (ValueError, IndexError, struct.error) as error:
        raise _native.ObjectError(f"the object is malformed: {error}") from None
    unknown: list[str] = []
    for name in names:
        address = _native.symbol_address(name)
        if address is not None:
            llvm.add_symbol(name, address)
        elif name != "_GLOBAL_OFFSET_TABLE_":
            unknown.append(name)
    if unknown:
        raise _native.ObjectError(f"the object needs unknown functions: {', '.join(unknown)}")
    # The engine takes over its module and its target machine.
    machine = llvm.Target.from_default_triple().create_target_machine(
        reloc="pic", codemodel="small"
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(data))
    engine.finalize_object()
    return JitCode(engine)
