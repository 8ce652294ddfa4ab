# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutated IR: the lit tests' modules and those of whole kernels, changed and run through passes."""

from __future__ import annotations

import functools
import importlib
import random
import re
from pathlib import Path
from typing import Any

from tegula._compile import pass_manager
from tests.fuzz import kinds, mutations
from tests.fuzz.kinds import Finding, Note
from tests.fuzz.pool import normalize

ROOT = Path(__file__).parents[2]
ARCHES = {"nvvm": ("sm_80", "sm_90a"), "rocdl": ("gfx942", "gfx1100")}
WHOLE = (
    "tegula-cpu-pipeline",
    *(f"tegula-{k}-pipeline{{arch={arch}}}" for k, names in ARCHES.items() for arch in names),
)
PHASES = (
    *("tegula-cpu-tensor-phase", "tegula-cpu-buffer-phase", "tegula-cpu-loop-phase"),
    *("tegula-nvvm-layout-phase", "tegula-nvvm-thread-phase", "tegula-nvvm-llvm-phase"),
    *("tegula-rocdl-layout-phase", "tegula-rocdl-thread-phase"),
)
RUNS = 3  # pipelines for each input
LONGEST = 6000  # characters
UPSTREAM = "/llvm-project/"  # in paths of MLIR's own sources
STRUCTURAL = 4  # attempts at a valid change of a parsed module


@functools.cache
def passes() -> tuple[str, ...]:
    """Our passes, one pipeline each, and the general ones."""
    found = []
    for path in sorted((ROOT / "passes").rglob("*Passes.td")):
        for flag, anchor in re.findall(
            r'^def \w+ : \w*Pass<"([\w-]+)"(?:, "([\w:]+)")?', path.read_text(), re.M
        ):
            found.append(f"func.func({flag})" if anchor.endswith("FuncOp") else flag)
    return (*found, "canonicalize", "cse", "canonicalize,cse", "tile-pad-extents,canonicalize")


def flags_to_pipeline(flags: str) -> str:
    """`tegula-opt`'s flags as a pipeline."""
    anchored = {p[10:-1]: p for p in passes() if p.startswith("func.func(")}
    if whole := re.search(r"--pass-pipeline='builtin.module\((.*)\)'", flags):
        return whole[1]
    parts = []
    for name, text in re.findall(r"--?([a-z][\w-]+)(?:=(\"[^\"]*\"|\S+))?", flags):
        if name in _NOT_PASSES or name.startswith(("mlir-", "remark", "debug")):
            continue
        options = f"{{{text.strip(chr(34))}}}" if text else ""
        parts.append(anchored.get(name, name) + options)
    return ",".join(parts)


_NOT_PASSES = {"split-input-file", "verify-diagnostics", "emit-bytecode", "check-prefix"}


@functools.cache
def corpus() -> tuple[list[tuple[str, tuple[str, ...]]], mutations.Vocabulary]:
    """Chunks of IR, each with the pipelines of its test's RUN lines; and what they are made of."""
    chunks: list[tuple[str, tuple[str, ...]]] = []
    for path in sorted((ROOT / "tests").rglob("*.mlir")):
        text = path.read_text()
        runs = [
            line.split("|")[0] for line in re.findall(r"// RUN: (?:not )?tegula-opt (.*)", text)
        ]
        own = tuple(filter(None, map(flags_to_pipeline, runs)))
        for chunk in re.split(r"^// -----.*$", text, flags=re.M):
            body = re.sub(r"^\s*//.*\n?|\s*//[^\n\"]*$", "", chunk, flags=re.M).strip()
            parts = [body] if "module" in body or body.startswith("#") else re.split(r"\n\n", body)
            chunks += [(p, own) for p in parts if "func" in p and len(p) < LONGEST]
    return chunks, mutations.Vocabulary([text for text, _ in chunks])


class Modules:
    """See the module's text."""

    name = "modules"
    seconds = 30.0
    chunk = 400
    share = 0.65

    def __init__(self) -> None:
        self.context: Any = None

    def prepare(self) -> None:
        """Read the corpus; import the bindings."""
        corpus()
        for name in ("ir", "passmanager", "_mlir_libs._tegulaToLlvm"):
            importlib.import_module(f"tegula.mlir.{name}")

    def make(self, rng: random.Random) -> dict[str, Any]:
        """A text, what it was before, the seed of changes to a parsed module, and pipelines."""
        chunks, words = corpus()
        original, own = rng.choice(chunks)
        text = mutations.edit_text(rng, original, words) if rng.random() < 0.7 else original
        pools = (own or passes(), passes(), WHOLE, WHOLE, PHASES)
        chosen = [rng.choice(rng.choice(pools)) for _ in range(RUNS)]
        found = {"text": text, "original": original, "pipelines": sorted(set(chosen))}
        return found | {"structural": rng.getrandbits(32)}

    def run(self, item: dict[str, Any], note: Note) -> str:
        """Parse, and run the pipelines, each on a copy.

        A text that is not valid, or not changed, is made up for by a change of the parsed module.
        """
        ir = importlib.import_module("tegula.mlir.ir")
        if self.context is None:
            self.context = ir.Context()
        how = "text"
        try:
            with self.context:
                note("parsing")
                module = parse(self.context, item["text"])
                if module is None or item["text"] == item["original"]:
                    how = "module"
                    note("changing")
                    module = self._change(ir, item)
        except ParserError as error:
            self.context = None
            if UPSTREAM not in str(error):
                raise Finding(f"parser: {normalize(str(error))}", str(error)) from error
            return kinds.CAUGHT
        if module is None:
            return "not valid"
        done = 0
        for text in item["pipelines"]:
            note(text)
            done += self._pass(module, text)
        return f"changed {how}, {done} of {len(item['pipelines'])} pipelines"

    def _change(self, ir: Any, item: dict[str, Any]) -> Any:
        """A changed module; None if no attempt left a valid one."""
        rng = random.Random(item["structural"])
        for _ in range(STRUCTURAL):
            module = parse(self.context, item["original"])
            if module is None:
                return None
            editor = mutations.Editor(ir, module, rng)
            for _ in range(rng.choice((1, 1, 2))):
                with ir.Location.unknown():
                    try:
                        editor.edit()
                    except (ValueError, TypeError, IndexError, ir.MLIRError):
                        continue
            # By way of text, which has no operation that no parser would make.
            text = module.operation.get_asm(print_generic_op_form=True, assume_verified=True)
            if (changed := parse(self.context, text)) is not None:
                return changed
        return None

    def _pass(self, module: Any, text: str) -> bool:
        """Run a pipeline on a copy, and translate what is LLVM's then; whether all went well."""
        copy = module.operation.clone()
        try:
            pass_manager.run(copy, f"builtin.module({text})")
            if text in WHOLE:
                pass_manager.to_bitcode(copy)
        except pass_manager.PassError as error:
            if getattr(error, "crash", None):
                self.context = None
                raise Finding(
                    f"caught: {normalize(error.crash)}", f"{text}\n{error.crash}"
                ) from error
            return False
        return True


def parse(context: Any, text: str) -> Any:
    """The module of a text, or None if it is not valid.

    Raises:
        ParserError: MLIR's parser failed one of its own checks.
    """
    native = importlib.import_module("tegula.mlir._mlir_libs._tegulaToLlvm")
    handler = context.attach_diagnostic_handler(lambda _: True)
    try:
        return native.parse(context, text)
    except native.Crash as crash:
        raise ParserError(str(crash)) from None
    finally:
        handler.detach()


class ParserError(Exception):
    """MLIR's own parser gave up; nothing of ours was at work yet."""


KIND = Modules()
