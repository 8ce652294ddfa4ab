# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs pass pipelines on a kernel's module and explains their failures.

A failure becomes a :class:`CompileError` at the user's line, with a file that `tegula-opt
--run-reproducer` replays. Below the passes sits the translation to LLVM bitcode.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tegula import _env
from tegula._compile.targets import Target
from tegula._location import Location
from tegula.errors import CompileError, Note


def writes(module: Any) -> tuple[int, ...]:
    """Numbers of the arguments that the kernel in a module of `tile` IR may write."""
    from tegula.mlir import ir  # pyright: ignore

    found: set[int] = set()

    def visit(operation: Any) -> Any:
        name: str = operation.name
        if name in ("tile.store", "tile.scatter") or name.startswith("tile.atomic"):
            for operand in operation.operands:
                if isinstance(operand, ir.BlockArgument) and "!tile.view" in str(operand.type):
                    found.add(operand.arg_number)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return tuple(sorted(found))


def kernel_name(module: Any) -> str:
    """The name of the kernel in a module, which is also its entry point's.

    Raises:
        CompileError: the module holds no kernel, or several.
    """
    kernels = [op for op in module.body.operations if "tile.kernel" in op.attributes]
    if len(kernels) != 1:
        raise CompileError(f"a module must hold one kernel, this one holds {len(kernels)}")
    return str(kernels[0].attributes["sym_name"].value)


def run(module: Any, pipeline: str, dump: Path | None = None) -> None:
    """Run a pipeline on a module, in place.

    Args:
        module: an `ir.Module` of the private bindings.
        pipeline: as MLIR's parser takes it.
        dump: folder that receives the IR after each pass, numbered and named by pass.

    Raises:
        CompileError: a pass failed.
    """
    from tegula.mlir import ir  # pyright: ignore
    from tegula.mlir.passmanager import PassManager  # pyright: ignore

    before = module.operation.clone()
    manager: Any = PassManager.parse(pipeline, context=module.context)
    if dump is None:
        try:
            manager.run(module.operation)
        except ir.MLIRError as error:
            raise _explain(error.error_diagnostics, before, pipeline) from None
        return
    with tempfile.TemporaryDirectory(prefix="tegula-") as folder:
        manager.enable_ir_printing(
            print_after_all=True, print_after_failure=True, tree_printing_dir_path=folder
        )
        try:
            manager.run(module.operation)
        except ir.MLIRError as error:
            raise _explain(error.error_diagnostics, before, pipeline) from None
        finally:
            _collect_dumps(Path(folder), dump)


def to_bitcode(module: Any) -> bytes:
    """LLVM bitcode of a module of the LLVM dialect.

    Raises:
        CompileError: it cannot be translated.
    """
    from tegula.mlir import ir  # pyright: ignore
    from tegula.mlir._mlir_libs import _tegulaToLlvm  # pyright: ignore

    diagnostics: list[Any] = []

    def keep(diagnostic: Any) -> bool:
        diagnostics.append(ir.DiagnosticInfo(diagnostic))
        return True

    with module.context as context:
        handler = context.attach_diagnostic_handler(keep)
        try:
            return _tegulaToLlvm.to_llvm_bitcode(module.operation)
        except RuntimeError:
            raise _explain(diagnostics, module.operation, "") from None
        finally:
            handler.detach()


def stage(module: Any, target: Target, name: str) -> str | bytes:
    """The IR of a stage, from `tile` IR that is lowered in place.

    Raises:
        CompileError: a pass failed.
        KeyError: the target has no stage of that name.
    """
    for item in target.stages():
        if item.pipeline is None:
            return target.show(to_bitcode(module), name)
        run(module, item.pipeline)
        if item.name == name:
            return str(module)
    raise KeyError(name)


def _collect_dumps(tree: Path, folder: Path) -> None:
    """Flatten MLIR's tree of dumps into `NN-pass.mlir`, in the order in which passes ran."""
    folder.mkdir(parents=True, exist_ok=True)
    files = sorted(tree.rglob("*.mlir"), key=lambda file: _order(file.relative_to(tree)))
    for number, file in enumerate(files, start=1):
        name = re.sub(r"^[\d_]+", "", file.stem)
        shutil.move(file, folder / f"{number:02}-{name}.mlir")


def _order(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+(?=_)", path.name))


def _explain(diagnostics: Sequence[Any], before: Any, pipeline: str) -> CompileError:
    """The error for a failed pipeline; `before` is what it was run on."""
    places = _chain(diagnostics[0].location) if diagnostics else []
    message = diagnostics[0].message if diagnostics else "a pass failed without saying why"
    notes = [Note(n.message, next(iter(_chain(n.location)), None)) for n in _notes(diagnostics)]
    help_text = "this is a fault of Tegula, not of the kernel; please report it"
    if pipeline:
        path = write_reproducer(before, pipeline)
        help_text += f" with {path}, which shows it: tegula-opt --run-reproducer {path}"
    return CompileError(
        f"the compiler cannot lower this kernel: {message}",
        notes=notes,
        help=help_text,
        location=places[0] if places else None,
        calls=places[1:],
    )


def _notes(diagnostics: Sequence[Any]) -> Iterator[Any]:
    """What is told besides the first error, without MLIR's dumps of operations."""
    for number, diagnostic in enumerate(diagnostics):
        if number > 0:
            yield diagnostic
        yield from (n for n in diagnostic.notes if not n.message.startswith("see current op"))


def _chain(location: Any) -> list[Location]:
    """The places of an MLIR location, innermost first."""
    if location.is_a_file():
        file = str(location.filename)
        return [Location(file, location.start_line, location.start_col or None)]
    if location.is_a_callsite():
        return _chain(location.callee) + _chain(location.caller)
    if location.is_a_name():
        return _chain(location.child_loc)
    if location.is_a_fused():
        return next(filter(None, map(_chain, location.locations)), [])
    return []


def write_reproducer(operation: Any, pipeline: str) -> Path:
    """Write a file that `tegula-opt --run-reproducer` replays; its path.

    It goes to the dump folder if there is one, else to the cache's, else to a temporary one.
    """
    text = operation.get_asm(enable_debug_info=True, pretty_debug_info=False, use_local_scope=True)
    escaped = pipeline.replace("\\", "\\\\").replace('"', '\\"')
    text += (
        "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n"
        f'      pipeline: "{escaped}",\n'
        "      disable_threading: true,\n      verify_each: true\n    }\n  }\n#-}\n"
    )
    name = f"reproducer-{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}.mlir"
    for folder in (_env.dump_dir() or _env.cache_dir(), Path(tempfile.gettempdir())):
        path = folder / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        except OSError:
            continue
        return path
    return Path(os.devnull)
