# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes a kernel's module through a target's pipeline: to LLVM bitcode, or stage by stage.

A failure becomes a :class:`CompileError` at the user's line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tegula._compile.artifact import ENTRY_SUFFIX
from tegula._compile.failures import explain
from tegula._compile.kernel_module import (
    binding,
    functions,
    kernel_name,
    kernel_of,
    location_of,
    properties,
)
from tegula._compile.pass_manager import PassError, run, to_bitcode
from tegula._compile.targets import Stage, Target, Unit
from tegula._location import Location


def lower(module: Any, pipeline: str, dump: Path | None = None) -> Unit:
    """LLVM bitcode of a kernel's module, which a pipeline lowers in place.

    Args:
        module: an `ir.Module` of the private bindings.
        pipeline: as MLIR's parser takes it.
        dump: folder that receives the IR after each pass, numbered and named by pass.

    Raises:
        CompileError: a pass or the translation failed.
    """
    name, location = kernel_name(module), location_of(module)
    before = module.operation.clone()
    try:
        run(module, pipeline, dump)
        return _unit(module, name, location)
    except PassError as failure:
        raise explain(failure, before, pipeline, location) from None


_CHECKS = "builtin.module(tile-insert-checks)"


def insert_checks(module: Any, names: Sequence[str]) -> None:
    """Make accesses that reach nothing of their array fail, in a module of `tile` IR.

    Args:
        module: with one kernel; changed in place.
        names: of the kernel's arguments, for the reports.

    Raises:
        CompileError: the pass failed.
    """
    ir = binding("ir")
    with module.context:
        texts = ir.ArrayAttr.get([ir.StringAttr.get(name) for name in names])
        kernel_of(module).attributes["tegula.array_names"] = texts
        before, location = module.operation.clone(), location_of(module)
        try:
            run(module, _CHECKS)
        except PassError as failure:
            raise explain(failure, before, _CHECKS, location) from None
        del kernel_of(module).attributes["tegula.array_names"]


def stage(module: Any, target: Target, name: str) -> str | bytes:
    """The IR of a stage, from `tile` IR that is lowered in place.

    Raises:
        CompileError: a pass failed.
        KeyError: the target has no stage of that name.
    """
    for found, text in stages(module, target, only=name):
        if found.name == name:
            return text
    raise KeyError(name)


def stages(
    module: Any, target: Target, only: str | None = None
) -> Iterator[tuple[Stage, str | bytes]]:
    """All stages of a module of `tile` IR, which is lowered in place, or one of them.

    Raises:
        CompileError: a pass failed.
    """
    unit: Unit | None = None
    name, location = kernel_name(module), location_of(module)
    for item in target.stages():
        before = module.operation
        try:
            if item.pipeline is not None:
                before = before.clone()
                run(module, item.pipeline)
            elif unit is None:
                unit = _unit(module, name, location)
        except PassError as failure:
            raise explain(failure, before, item.pipeline or "", location) from None
        if only in (None, item.name):
            yield item, str(module) if unit is None else target.show(unit, item.name)
        if only == item.name:
            return


def _unit(module: Any, name: str, location: Location | None) -> Unit:
    """What the passes made of a kernel; its entry is found by name."""
    attributes = {
        str(operation.attributes["sym_name"].value): operation.attributes
        for operation in functions(module)
        if "sym_name" in operation.attributes
    }
    entry = name + ENTRY_SUFFIX if name + ENTRY_SUFFIX in attributes else name
    found = properties(attributes.get(entry, {}))
    return Unit(to_bitcode(module), entry, found, location)
