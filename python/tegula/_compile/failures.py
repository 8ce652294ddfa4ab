# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Explains why a pipeline failed: at the user's line, and with a file that shows it again.

`tegula-opt --run-reproducer` replays the file, which holds the IR before the pass that fails and
that pass alone.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tegula import _env
from tegula._compile.kernel_module import binding, places
from tegula._compile.pass_manager import PassError, run, steps
from tegula._location import Location
from tegula._source import call_at
from tegula.errors import CompileError, Note

# How a pass begins the note that says what to change in a kernel that it refuses on purpose.
_EDIT = "help: "


def explain(
    failure: PassError, before: Any, pipeline: str, kernel: Location | None
) -> CompileError:
    """The error for a failed pipeline; `before` is what it was run on, `kernel` is its place."""
    diagnostics = failure.diagnostics
    shown = places(diagnostics[0].location) if diagnostics else []
    told = [Note(n.message, next(iter(places(n.location)), None)) for n in _notes(diagnostics)]
    notes = [note for note in told if not note.message.startswith(_EDIT)]
    edits = [note.message.removeprefix(_EDIT) for note in told if note.message.startswith(_EDIT)]
    message = str(failure)
    if failure.crash:
        message, notes, shown = "it failed one of its own checks", [], []
    if not shown and kernel is not None:
        shown = [kernel]
    shown = [call_at(place) for place in shown]
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
        location=shown[0] if shown else None,
        calls=shown[1:],
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


def _notes(diagnostics: Sequence[Any]) -> Iterator[Any]:
    """What is told besides the first error, without MLIR's dumps of operations."""
    for number, diagnostic in enumerate(diagnostics):
        if number > 0:
            yield diagnostic
        yield from (n for n in diagnostic.notes if not n.message.startswith("see current op"))


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
