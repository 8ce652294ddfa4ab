# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs passes on a module, and translates what they leave to LLVM bitcode.

MLIR's errors, and failed assertions in it, become a :class:`PassError`.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

from tegula._compile.kernel_module import binding


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


def _collect_dumps(tree: Path, folder: Path) -> None:
    """Flatten MLIR's tree of dumps into `NN-pass.mlir`, in the order in which passes ran."""
    folder.mkdir(parents=True, exist_ok=True)
    files = sorted(tree.rglob("*.mlir"), key=lambda file: _order(file.relative_to(tree)))
    for number, file in enumerate(files, start=1):
        name = re.sub(r"^[\d_]+", "", file.stem)
        shutil.move(file, folder / f"{number:02}-{name}.mlir")


def _order(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+(?=_)", path.name))


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
