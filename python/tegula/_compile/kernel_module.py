# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel's module, read through the private MLIR bindings.

Its text, the kernel in it, what the kernel writes and says of itself, and places in the user's
source.
"""

from __future__ import annotations

import importlib
from typing import Any

from tegula._location import Location
from tegula.errors import CompileError


def binding(name: str) -> Any:
    """A module of the private MLIR bindings, imported when first needed."""
    return importlib.import_module(f"tegula.mlir.{name}")


def text(module: Any) -> str:
    """A module with its locations, as :func:`parse` reads it."""
    operation = module.operation
    return str(operation.get_asm(enable_debug_info=True, use_local_scope=True))


def parse(source: str) -> Any:
    """A module in a context of its own.

    Raises:
        MLIRError: it is no valid IR.
    """
    ir = binding("ir")
    with ir.Context():
        return ir.Module.parse(source)


def writes(module: Any) -> tuple[int, ...]:
    """Numbers of the arguments that the kernel in a module of `tile` IR may write."""
    ir = binding("ir")
    found: set[int] = set()

    def visit(operation: Any) -> Any:
        name: str = operation.name
        if name in ("tile.store", "tile.scatter") or name.startswith("tile.atomic"):
            for operand in operation.operands:
                array = operand
                while not isinstance(array, ir.BlockArgument) and _is_part(array.owner):
                    array = array.owner.operands[0]
                if isinstance(array, ir.BlockArgument) and "!tile.view" in str(array.type):
                    found.add(array.arg_number)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return tuple(sorted(found))


def _is_part(operation: Any) -> bool:
    """Whether an operation makes another view of an array or of a part of it."""
    return str(operation.name) in ("tile.subview", "tile.reshape_view")


def kernel_name(module: Any) -> str:
    """The name of the kernel in a module, from which its entry point has its own.

    Raises:
        CompileError: the module holds no kernel, or several.
    """
    return str(kernel_of(module).attributes["sym_name"].value)


def functions(module: Any) -> list[Any]:
    """The operations in a module's body, without looking for Python classes of their dialects."""
    ir = binding("ir")
    found: list[Any] = []

    def visit(operation: Any) -> Any:
        if operation == module.operation:
            return ir.WalkResult.ADVANCE
        found.append(operation)
        return ir.WalkResult.SKIP

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def kernel_of(module: Any) -> Any:
    """The kernel in a module, as an operation.

    Raises:
        CompileError: the module holds none, or several.
    """
    kernels = [op for op in functions(module) if "tile.kernel" in op.attributes]
    if len(kernels) != 1:
        raise CompileError(f"a module must hold one kernel, this one holds {len(kernels)}")
    return kernels[0]


def location_of(module: Any) -> Location | None:
    """Where the kernel in a module of `tile` IR is defined."""
    return next(iter(places(kernel_of(module).location)), None)


def places(location: Any) -> list[Location]:
    """The places of an MLIR location, innermost first."""
    if location.is_a_file():
        file = str(location.filename)
        return [Location(file, location.start_line, location.start_col or None)]
    if location.is_a_callsite():
        return places(location.callee) + places(location.caller)
    if location.is_a_name():
        return places(location.child_loc)
    if location.is_a_fused():
        for part in location.locations:
            if found := places(part):
                return found
    return []


_PREFIX = "tegula."


def properties(attributes: Any) -> dict[str, Any]:
    """The `tegula.*` attributes of a lowered kernel's entry, without the prefix."""
    found = [item for item in attributes if item.startswith(_PREFIX)]
    return {item.removeprefix(_PREFIX): _plain(attributes[item]) for item in found}


def _plain(attribute: Any) -> Any:
    """An attribute of integers, strings, arrays and dictionaries as JSON has them."""
    ir = binding("ir")
    if isinstance(attribute, ir.ArrayAttr):
        return [_plain(item) for item in attribute]
    if isinstance(attribute, ir.DictAttr):
        items = [attribute[i] for i in range(len(attribute))]
        return {item.name: _plain(item.attr) for item in items}
    if isinstance(attribute, (ir.DenseI32ArrayAttr, ir.DenseI64ArrayAttr)):
        return list(attribute)
    if isinstance(attribute, ir.UnitAttr):
        return True
    if isinstance(attribute, (ir.IntegerAttr, ir.StringAttr, ir.BoolAttr)):
        return attribute.value
    return str(attribute)
