# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs pass pipelines on a kernel's module and explains their failures.

A failure becomes a :class:`CompileError` at the user's line, with a file that `tegula-opt
--run-reproducer` replays. Below the passes sits the translation to LLVM bitcode.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import re
import shutil
import tempfile
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

from tegula import _env
from tegula._compile.artifact import ENTRY_SUFFIX
from tegula._compile.targets import Stage, Target, Unit
from tegula._location import Location
from tegula._source import call_at
from tegula.errors import CompileError, Note


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
    return str(_kernel(module).attributes["sym_name"].value)


def _functions(module: Any) -> list[Any]:
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


def _kernel(module: Any) -> Any:
    kernels = [op for op in _functions(module) if "tile.kernel" in op.attributes]
    if len(kernels) != 1:
        raise CompileError(f"a module must hold one kernel, this one holds {len(kernels)}")
    return kernels[0]


def lower(module: Any, pipeline: str, dump: Path | None = None) -> Unit:
    """LLVM bitcode of a kernel's module, which a pipeline lowers in place.

    Args:
        module: an `ir.Module` of the private bindings.
        pipeline: as MLIR's parser takes it.
        dump: folder that receives the IR after each pass, numbered and named by pass.

    Raises:
        CompileError: a pass or the translation failed.
    """
    name, location = kernel_name(module), _location(module)
    before = module.operation.clone()
    try:
        run(module, pipeline, dump)
        return _unit(module, name, location)
    except PassError as failure:
        raise _explain(failure, before, pipeline, location) from None


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
        _kernel(module).attributes["tegula.array_names"] = texts
        before, location = module.operation.clone(), _location(module)
        try:
            run(module, _CHECKS)
        except PassError as failure:
            raise _explain(failure, before, _CHECKS, location) from None
        del _kernel(module).attributes["tegula.array_names"]


class PassError(Exception):
    """A pass, or the translation after them, failed.

    Attributes:
        diagnostics: MLIR's, as objects of its bindings.
        crash: why the compiler gave up on itself (a failed assertion of MLIR's, say), if it did.
            Nothing in the context may be used then but what was there before.
    """

    def __init__(self, diagnostics: Sequence[Any], crash: str = "") -> None:
        super().__init__(diagnostics[0].message if diagnostics else "a pass failed")
        self.diagnostics = diagnostics
        self.crash = crash


def run(module: Any, pipeline: str, dump: Path | None = None) -> None:
    """Run a pipeline on a module, in place; arguments as for :func:`lower`.

    Raises:
        PassError: a pass failed.
    """
    manager = binding("passmanager").PassManager.parse(pipeline, context=module.context)
    native = binding(_NATIVE)
    with contextlib.ExitStack() as stack:
        if dump is not None:
            tree = stack.enter_context(tempfile.TemporaryDirectory(prefix="tegula-"))
            stack.callback(_collect_dumps, Path(tree), dump)
            manager.enable_ir_printing(tree_printing_dir_path=tree)
        with _errors(module.context) as errors:
            if not native.run_passes(manager, module.operation):
                raise PassError(errors)


_NATIVE = "_mlir_libs._tegulaToLlvm"


@contextlib.contextmanager
def _errors(context: Any) -> Generator[list[Any]]:
    """Keeps the errors that MLIR reports within, and makes a PassError of a crash."""
    ir = binding("ir")
    found: list[Any] = []

    def keep(diagnostic: Any) -> bool:
        is_error = diagnostic.severity == ir.DiagnosticSeverity.ERROR
        if is_error:
            found.append(ir.DiagnosticInfo(diagnostic))
        return is_error

    handler = context.attach_diagnostic_handler(keep)
    try:
        yield found
    except binding(_NATIVE).Crash as crash:
        raise PassError(found, str(crash)) from None
    finally:
        handler.detach()


def to_bitcode(module: Any) -> bytes:
    """LLVM bitcode of a module of the LLVM dialect.

    Raises:
        PassError: it cannot be translated.
    """
    with module.context as context, _errors(context) as errors:
        try:
            return binding(_NATIVE).to_llvm_bitcode(module.operation)
        except binding(_NATIVE).Crash:
            raise
        except RuntimeError:
            raise PassError(errors) from None


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
    name, location = kernel_name(module), _location(module)
    for item in target.stages():
        before = module.operation
        try:
            if item.pipeline is not None:
                before = before.clone()
                run(module, item.pipeline)
            elif unit is None:
                unit = _unit(module, name, location)
        except PassError as failure:
            raise _explain(failure, before, item.pipeline or "", location) from None
        if only in (None, item.name):
            yield item, str(module) if unit is None else target.show(unit, item.name)
        if only == item.name:
            return


def _location(module: Any) -> Location | None:
    """Where the kernel in a module of `tile` IR is defined."""
    return next(iter(chain(_kernel(module).location)), None)


_PREFIX = "tegula."


def _unit(module: Any, name: str, location: Location | None) -> Unit:
    """What the passes made of a kernel; its entry is found by name."""
    attributes = {
        str(operation.attributes["sym_name"].value): operation.attributes
        for operation in _functions(module)
        if "sym_name" in operation.attributes
    }
    entry = name + ENTRY_SUFFIX if name + ENTRY_SUFFIX in attributes else name
    properties = _properties(attributes.get(entry, {}))
    return Unit(to_bitcode(module), entry, properties, location)


def _properties(attributes: Any) -> dict[str, Any]:
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


def _collect_dumps(tree: Path, folder: Path) -> None:
    """Flatten MLIR's tree of dumps into `NN-pass.mlir`, in the order in which passes ran."""
    folder.mkdir(parents=True, exist_ok=True)
    files = sorted(tree.rglob("*.mlir"), key=lambda file: _order(file.relative_to(tree)))
    for number, file in enumerate(files, start=1):
        name = re.sub(r"^[\d_]+", "", file.stem)
        shutil.move(file, folder / f"{number:02}-{name}.mlir")


def _order(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+(?=_)", path.name))


# How a pass begins the note that says what to change in a kernel that it refuses on purpose.
_EDIT = "help: "


def _explain(
    failure: PassError, before: Any, pipeline: str, kernel: Location | None
) -> CompileError:
    """The error for a failed pipeline; `before` is what it was run on, `kernel` is its place."""
    diagnostics = failure.diagnostics
    places = chain(diagnostics[0].location) if diagnostics else []
    told = [Note(n.message, next(iter(chain(n.location)), None)) for n in _notes(diagnostics)]
    notes = [note for note in told if not note.message.startswith(_EDIT)]
    edits = [note.message.removeprefix(_EDIT) for note in told if note.message.startswith(_EDIT)]
    message = str(failure)
    if failure.crash:
        message, notes, places = "it failed one of its own checks", [], []
    if not places and kernel is not None:
        places = [kernel]
    places = [call_at(place) for place in places]
    if not edits or failure.crash:
        path = write_reproducer(*_narrow(before, pipeline), failure.crash)
        message = f"the compiler cannot lower this kernel: {message}"
        edits = [
            f"this is a fault of Tegula, not of the kernel; please report it with {path}, which "
            f"shows it: tegula-opt --run-reproducer {path}"
        ]
    return CompileError(
        message,
        notes=notes,
        help="; ".join(edits),
        location=places[0] if places else None,
        calls=places[1:],
    )


def _narrow(before: Any, pipeline: str) -> tuple[Any, str]:
    """The IR before the pass that fails and that pass as a pipeline, or all of it if none does."""
    passes = binding("passmanager").PassManager
    with before.context as context:
        operation = before.clone()
        for step in steps(str(passes.parse(pipeline, context=context))):
            kept = operation.clone()
            try:
                run(operation, step)
            except PassError:
                return kept, step
            except ValueError:  # a pass that cannot be written down alone
                break
    return before, pipeline


def steps(pipeline: str) -> Iterator[str]:
    """A pipeline's passes, in order, each as a pipeline from the same outermost operation."""
    name, _, inside = pipeline.partition("(")
    for item in _split(inside.removesuffix(")")):
        if re.fullmatch(r"[\w.]+\(.*\)", item, re.DOTALL):
            yield from (f"{name}({step})" for step in steps(item))
        else:
            yield f"{name}({item})"


def _split(inside: str) -> Iterator[str]:
    """The parts of a list that commas outside of brackets divide."""
    depth = start = 0
    for at, char in enumerate(inside):
        depth += (char in "({[") - (char in ")}]")
        if char == "," and depth == 0:
            yield inside[start:at].strip()
            start = at + 1
    if inside[start:].strip():
        yield inside[start:].strip()


def _notes(diagnostics: Sequence[Any]) -> Iterator[Any]:
    """What is told besides the first error, without MLIR's dumps of operations."""
    for number, diagnostic in enumerate(diagnostics):
        if number > 0:
            yield diagnostic
        yield from (n for n in diagnostic.notes if not n.message.startswith("see current op"))


def chain(location: Any) -> list[Location]:
    """The places of an MLIR location, innermost first."""
    if location.is_a_file():
        file = str(location.filename)
        return [Location(file, location.start_line, location.start_col or None)]
    if location.is_a_callsite():
        return chain(location.callee) + chain(location.caller)
    if location.is_a_name():
        return chain(location.child_loc)
    if location.is_a_fused():
        for part in location.locations:
            if places := chain(part):
                return places
    return []


def _readable(operation: Any) -> str:
    """A module's text, in generic form if its operations do not read what they print."""
    options: dict[str, bool] = {"enable_debug_info": True, "use_local_scope": True}
    text: str = operation.get_asm(**options)
    ir = binding("ir")
    with ir.Context():
        try:
            ir.Module.parse(text)
        except ir.MLIRError:
            return operation.get_asm(print_generic_op_form=True, **options)
    return text


def write_reproducer(operation: Any, pipeline: str, reason: str = "") -> Path:
    """Write a file that `tegula-opt --run-reproducer` replays; its path.

    It goes to the dump folder if there is one, else to the cache's unless that is disabled, else to
    a temporary one.
    """
    text = _readable(operation)
    escaped = pipeline.replace("\\", "\\\\").replace('"', '\\"')
    text += (
        "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n"
        f'      pipeline: "{escaped}",\n'
        "      disable_threading: true,\n      verify_each: true\n    }\n  }\n#-}\n"
    )
    if reason:
        text += "".join(f"// {line}\n" for line in reason.splitlines())
    name = f"reproducer-{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}.mlir"
    temporary = Path(tempfile.gettempdir())
    kept = temporary if _env.disable_cache() else _env.cache_dir()
    for folder in (_env.dump_dir() or kept, temporary):
        path = folder / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        except OSError:
            continue
        return path
    return Path(os.devnull)
