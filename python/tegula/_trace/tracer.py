# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel's function with symbolic arguments and gives the IR of what it did.

A kernel is traced once for each specialization: the dtypes, ranks and layout of its arrays, the
kinds of its scalars, and the values of its constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, TypeAlias

from tegula import _backend
from tegula._location import kernel_entry, place_of_recursion
from tegula._trace import choices, convert, unbound
from tegula._trace.backend import MlirBackend
from tegula._trace.dependencies import Dependencies
from tegula._trace.emitter import Value
from tegula._trace.mlir_types import element_name
from tegula.errors import ControlFlowError, LaunchError
from tegula.lang import dtypes
from tegula.lang._calls import explained
from tegula.lang.array import Array
from tegula.lang.control import check_result
from tegula.lang.tile import Tile

Entry: TypeAlias = tuple[Any, ...]
_SYMBOLS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


@dataclass(frozen=True)
class Signature:
    """What a specialization is made for.

    Attributes:
        entries: one for each parameter of the kernel, in order:
            `("array", dtype, unit_stride, align, size_div, stride_div, compact)` with the dtype's
            NumPy name, per dimension whether the stride is one element, the alignment of the data
            in bytes, per dimension known divisors of size and stride, and whether its dimensions
            lie one within the other and it is smaller than 2**31 bytes;
            `("scalar", dtype, weak)`; `("const", value)`.
        aliases: pairs of argument numbers (constants not counted) whose memory overlaps.
        place: family and number of the device where it runs. The IR does not depend on it.
    """

    entries: tuple[Entry, ...]
    aliases: tuple[tuple[int, int], ...] = ()
    place: tuple[str, int] = ("cpu", 0)


@dataclass(frozen=True)
class Trace:
    """The IR of one specialization.

    Attributes:
        module: MLIR module with one function.
        name: name of the function.
        writes: numbers of the arguments that the kernel writes to.
    """

    module: Any
    name: str
    writes: tuple[int, ...]


def trace(
    function: FunctionType,
    parameters: Sequence[str],
    signature: Signature,
    *,
    fast_math: bool = False,
    checked: bool = False,
    hints: Mapping[str, int | None] | None = None,
    dependencies: Dependencies | None = None,
    regroup: Callable[[dict[str, object]], dict[str, object]] | None = None,
) -> Trace:
    """Trace a kernel.

    Args:
        function: the kernel as the user wrote it.
        parameters: names of its parameters, in the order of `signature.entries`.
        signature: the specialization.
        fast_math: whether multiplications and additions may be contracted.
        checked: whether assumptions are asserted.
        hints: wishes for the compiler, by the names of the dialect's attributes.
        dependencies: what the kernel is known to depend on; the trace adds what else it reaches.
        regroup: makes the function's parameters of those in `parameters`.

    Raises:
        TegulaError: the kernel does something that the language refuses.
        Exception: whatever the user's code raises.
    """
    _check_ranks(parameters, signature.entries)
    backend = MlirBackend(_CALL, dependencies or Dependencies())
    backend.checked, backend.aliases = checked, signature.aliases
    name = symbol_name(function.__name__)
    module, block = _function(backend, function, name, signature, fast_math, hints or {})
    try:
        return _run(backend, module, block, function, parameters, signature, regroup)
    except RecursionError as error:
        backend.abandon()
        raise endless(error) from None
    except TypeError as error:
        backend.abandon()
        better = explained(error)
        if better is None:
            raise
        raise better from None
    except BaseException:
        backend.abandon()
        raise


def endless(error: RecursionError) -> ControlFlowError:
    """The error for functions of a kernel that call each other without end."""
    return ControlFlowError(
        "functions of the kernel call each other without end",
        location=place_of_recursion(error.__traceback__),
        calls=(),
        help="calls are expanded when a kernel is compiled, so a Python value must end them, not a "
        "run-time one; for a run-time number of steps use `while` or tg.range",
    )


def _run(
    backend: MlirBackend,
    module: Any,
    block: Any,
    function: FunctionType,
    parameters: Sequence[str],
    signature: Signature,
    regroup: Callable[[dict[str, object]], dict[str, object]] | None,
) -> Trace:
    """Call the kernel's function on symbolic arguments."""
    backend.start(block)
    with _backend.activate(backend), choices.fresh():
        arguments = _arguments(backend, block, function.__code__, parameters, signature.entries)
        if regroup is not None:
            arguments = regroup(arguments)
        try:
            code = function.__code__
            args = [arguments.pop(name) for name in code.co_varnames[: code.co_argcount]]
            result = _call(convert.reached(function), args, arguments)
        except (NameError, AssertionError) as error:
            unbound.explain(error, backend.unbound)
            raise
        check_result(result, function.__code__)
        backend.finished()
        backend.emit("func.return", (), ())
    backend.dependencies.settle()
    return Trace(module, symbol_name(function.__name__), backend.written())


@kernel_entry
def _call(
    function: Callable[..., object], args: list[object], keywords: dict[str, object]
) -> object:
    """Call the rewritten kernel: the outermost frame that locations show is the one called here."""
    return function(*args, **keywords)


_CALL: CodeType = _call.__code__


def symbol_name(name: str) -> str:
    """A kernel's name as a name that linkers take."""
    text = "".join(char if char in _SYMBOLS else "_" for char in name)
    return text if text and not text[0].isdigit() else f"k{text}"


def _function(
    backend: MlirBackend,
    function: FunctionType,
    name: str,
    signature: Signature,
    fast_math: bool,
    hints: Mapping[str, int | None],
) -> tuple[Any, Any]:
    """The module with an empty function, and the function's block."""
    ir, types = backend.ir, backend.types
    code = function.__code__
    place = ir.Location.file(code.co_filename, code.co_firstlineno, 1, context=backend.context)
    module = ir.Module.create(loc=place)
    entries = [entry for entry in signature.entries if entry[0] != "const"]
    kinds = [types.parse(_type_name(entry)) for entry in entries]
    attributes = {
        "sym_name": ir.StringAttr.get(name, backend.context),
        "function_type": ir.TypeAttr.get(
            ir.FunctionType.get(kinds, [], backend.context), backend.context
        ),
        "tile.kernel": types.unit,
        "arg_attrs": types.attribute(f"[{', '.join(map(_divisors, entries))}]"),
    }
    if signature.aliases:
        pairs = ", ".join(f"[{i}, {j}]" for i, j in signature.aliases)
        attributes["tile.may_alias"] = types.attribute(f"[{pairs}]")
    if fast_math:
        attributes["tile.fast_math"] = types.unit
    for hint, value in hints.items():
        if value is not None:
            attributes[f"tile.{hint}"] = types.attribute(f"{value} : i32")
    op = ir.Operation.create(
        "func.func", attributes=attributes, regions=1, loc=place, ip=ir.InsertionPoint(module.body)
    )
    block = ir.Block.create_at_start(op.regions[0], kinds, [place] * len(kinds))
    return module, block


def _check_ranks(parameters: Sequence[str], entries: Sequence[Entry]) -> None:
    for name, entry in zip(parameters, entries, strict=True):
        if entry[0] == "array" and not entry[2]:
            raise LaunchError(
                f"the argument {name!r} is an array of rank 0, which only the interpreter takes",
                help=f"pass an array of one element: {name}.reshape(1)",
            )


def _type_name(entry: Entry) -> str:
    """The MLIR type of a parameter."""
    dtype = dtypes.as_dtype(entry[1])
    element = element_name(dtype)
    if entry[0] == "scalar":
        return element
    unit_stride, align = entry[2:4]
    text = "".join("?x" for _ in unit_stride) + element
    if any(unit_stride):
        strides = ", ".join("1" if unit else "?" for unit in unit_stride)
        text += f", strides = [{strides}]"
    if align > dtype.itemsize:
        text += f", align = {align}"
    return f"!tile.view<{text}>"


def _divisors(entry: Entry) -> str:
    """The MLIR argument attributes of a parameter."""
    if entry[0] == "scalar":
        return "{}"
    parts = [
        f"{name} = array<i64: {', '.join(map(str, known))}>"
        for name, known in (("tile.size_div", entry[4]), ("tile.stride_div", entry[5]))
        if any(divisor > 1 for divisor in known)
    ]
    if entry[6]:
        parts.append("tegula.compact")
    return f"{{{', '.join(parts)}}}"


def _arguments(
    backend: MlirBackend,
    block: Any,
    code: CodeType,
    parameters: Sequence[str],
    entries: Sequence[Entry],
) -> dict[str, object]:
    """The values that the kernel is called with."""
    values = iter(block.arguments)
    arguments: dict[str, object] = {}
    for name, entry in zip(parameters, entries, strict=True):
        if entry[0] == "const":
            arguments[name] = entry[1]
            continue
        handle = Value(next(values), 0)
        origin = (code, name)
        dtype = dtypes.as_dtype(entry[1])
        if entry[0] == "array":
            arguments[name] = Array(handle, dtype, len(entry[2]), name=name, origin=origin)
        else:
            arguments[name] = Tile(handle, dtype, (), weak=entry[2], name=name, origin=origin)
    return arguments
