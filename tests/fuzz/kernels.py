# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels: the same interpreted and on the CPU, and compiled for GPUs that are not here."""

from __future__ import annotations

import importlib
import random
import shutil
import tempfile
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import tegula as tg
from tegula._compile import driver, pipeline, targets
from tegula.errors import CompileError, TegulaError
from tests._support.programs.builder import Argument, Program, Rolled, build
from tests._support.programs.run import execute, load, same
from tests.fuzz.kinds import Finding, Note
from tests.fuzz.pool import normalize

GPUS = ("sm_80", "sm_90a", "gfx942", "gfx1100")
STATEMENTS = 6
FAULT = "this is a fault of Tegula"


class Kernels:
    """See the module's text."""

    name = "kernels"
    seconds = 90.0
    chunk = 40
    share = 0.05

    def __init__(self) -> None:
        self.folder = Path()

    def prepare(self) -> None:
        """Import the compiler, and LLVM without any target's tables."""
        importlib.import_module("tegula.mlir.ir")
        importlib.import_module("tegula.mlir.passmanager")
        importlib.import_module("llvmlite.binding")
        self.folder = Path(tempfile.mkdtemp(prefix="tegula-fuzz-kernels-"))
        warnings.simplefilter("ignore", tg.errors.PerformanceWarning)

    def make(self, rng: random.Random) -> dict[str, Any]:
        """A program as its fields, and the GPU whose machine code is made too."""
        seed = rng.getrandbits(63)
        program = build(Rolled(random.Random(seed)), rng.randint(1, STATEMENTS), seed)
        return {"program": asdict(program) | {"ops": []}, "code": rng.choice(GPUS)}

    def run(self, item: dict[str, Any], note: Note) -> str:
        """Compare, then compile for each GPU."""
        program = restore(item["program"])
        folder = Path(tempfile.mkdtemp(dir=self.folder if self.folder.name else None))
        try:
            module = load(program, folder)
            note("interpreting")
            want = outcome(program, module, interpreted=True)
            note("running on the CPU")
            got = outcome(program, module, interpreted=False)
            compare(program, got, want)
            if isinstance(want, TegulaError):
                return f"refused: {type(want).__name__}"
            return "same" + self._compile(program, module, item["code"], note)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _compile(self, program: Program, module: Any, code: str, note: Note) -> str:
        """Compile for the GPUs; what is to be added to the outcome."""
        arrays = [np.zeros(a.shape, dtype(a)) for a in (*program.inputs, *program.outputs)]
        traced = module.kernel.specialize(*arrays).trace().module
        refused = 0
        for name in GPUS:
            note(f"{name} pipeline")
            target = targets.get(name)
            copy = traced.operation.clone()
            try:
                unit = pipeline.lower(as_module(copy), target.pipeline())
                if name == code:
                    note(f"{name} code")
                    target.show(unit, "ptx" if target.family == "cuda" else "amdgcn")
            except CompileError as error:
                if FAULT in (error.help or ""):
                    raise Finding(f"{name}: {normalize(error.message)}", str(error)) from error
                refused += 1
        return f", {refused} GPUs refused" if refused else ""


def as_module(operation: Any) -> Any:
    """A cloned module under the interface of one."""
    return operation if hasattr(operation, "body") else _Cloned(operation)


class _Cloned:
    """What the pipeline uses of a module."""

    def __init__(self, operation: Any) -> None:
        self.operation = operation
        self.context = operation.context
        self.body = operation.regions[0].blocks[0]


def dtype(argument: Argument) -> np.dtype:
    from tests._support.arrays import numpy_dtype

    return numpy_dtype(argument.dtype)


def restore(fields: dict[str, Any]) -> Program:
    """A program from its fields."""

    def arguments(items: list[dict[str, Any]]) -> tuple[Argument, ...]:
        return tuple(
            Argument(a["name"], a["dtype"], tuple(a["shape"]), tuple(a["bound"])) for a in items
        )

    return Program(
        fields["source"],
        arguments(fields["inputs"]),
        arguments(fields["outputs"]),
        fields["grid"],
        fields["seed"],
        frozenset(),
    )


Outcome = list[np.ndarray] | TegulaError


def outcome(program: Program, module: Any, *, interpreted: bool) -> Outcome:
    """The outputs of a run, or the error that it ended with."""
    try:
        if interpreted:
            with tg.interpret():
                return execute(program, module)
        with driver.fresh():
            return execute(program, module)
    except CompileError as error:
        if FAULT in (error.help or ""):
            raise Finding(f"cpu: {normalize(error.message)}", str(error)) from error
        return error
    except TegulaError as error:
        return error


def compare(program: Program, got: Outcome, want: Outcome) -> None:
    """Both end alike.

    Raises:
        Finding: they do not.
    """
    if isinstance(got, TegulaError) or isinstance(want, TegulaError):
        if type(got) is not type(want):
            ends = [f"{type(x).__name__}: {x}" for x in (want, got)]
            key = f"interpreted {type(want).__name__}, compiled {type(got).__name__}"
            raise Finding(key, "\n---\n".join(ends))
        return
    for argument, g, w in zip(program.outputs, got, want, strict=True):
        bad = np.argwhere(~same(g, w, argument.bound))
        if len(bad):
            at = tuple(int(i) for i in bad[0])
            raise Finding(
                f"difference in {argument.dtype}",
                f"{argument.name}{list(at)} is {g[at]!r} compiled, {w[at]!r} interpreted "
                f"({len(bad)} of {g.size} elements differ)\n{program!r}",
            )


KIND = Kernels()
