#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each pass has all its twins, and each twin has its pass.

One pass is `def <Name>Pass` in a Passes.td, `<Name>.cpp` beside it, the flag `<folder>-<name>`
which is also the DEBUG_TYPE, `<flag>.mlir` and `<flag>-invalid.mlir` in the mirrored folder below
tests/passes, and a description with a Before and an After example. Each target's Pipeline.cpp has
a test in tests/pipelines.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from _common import ROOT, below, files, finish, matching

sys.path.insert(0, str(ROOT))

from tests._support import ods  # noqa: E402 (the repository is not installed)
from tests._support.ods import Definition  # noqa: E402

# Sources of a folder that are no pass and no part of one.
FIXED = {"Pipeline.cpp", "Target.cpp"}


def kebab(name: str) -> str:
    """`LowerAbi` as `lower-abi`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def first_word(stem: str) -> str:
    """`ContractionPlan` gives `Contraction`."""
    return re.sub(r"(?<=[a-z0-9])[A-Z].*", "", stem)


def source_problem(definition: Definition) -> str | None:
    """What is wrong with the pass's .cpp."""
    stem, flag = definition.name.removesuffix("Pass"), definition.arguments[0]
    source = definition.path.with_name(f"{stem}.cpp")
    if not source.is_file():
        return f"no {source.name}"
    text = source.read_text()
    for line in (f"#define GEN_PASS_DEF_{definition.name.upper()}", f'#define DEBUG_TYPE "{flag}"'):
        if f"{line}\n" not in text:
            return f"{source.name} lacks `{line}`"
    return None


def pass_problems(definition: Definition) -> list[str]:
    """What one pass lacks."""
    folder = definition.path.parent.relative_to(ROOT)
    flag, expected = definition.arguments[0], kebab(definition.name.removesuffix("Pass"))
    missing: list[str] = []
    if flag != f"{folder.name}-{expected}":
        missing.append(f"its flag is {flag}, not {folder.name}-{expected}")
    source = source_problem(definition)
    missing += [source] if source else []
    for name in (f"{flag}.mlir", f"{flag}-invalid.mlir"):
        if (Path("tests") / folder / name) not in files():
            missing.append(f"no tests/{folder / name}")
    missing += [] if definition.summary else ["no summary"]
    for label in ("Before", "After"):
        if not re.search(rf"^{label}\b", definition.description, re.MULTILINE):
            missing.append(f"no {label} in its description")
    return missing


def check_sources(names: dict[Path, set[str]], problems: dict[str, str]) -> None:
    """Each .cpp below passes/ is a pass, or a part of one or of a header beside it."""
    for path in matching("passes/*.cpp"):
        if path.name in FIXED:
            continue
        defined = re.findall(r"#define GEN_PASS_DEF_(\w+)", (ROOT / path).read_text())
        known = {name.upper() for name in names.get(path.parent, set())}
        strays = [name for name in defined if name not in known]
        if strays:
            problems[str(path)] = f"defines {', '.join(strays)}, which Passes.td does not have"
        parts = {p.stem for p in files() if p.parent == path.parent and p.suffix == ".h"}
        parts |= {name.removesuffix("Pass") for name in names.get(path.parent, set())}
        if not defined and first_word(path.stem) not in {first_word(part) for part in parts}:
            problems[str(path)] = "neither a pass nor named after a header or a pass beside it"


def check_tests(flags: dict[Path, set[str]], problems: dict[str, str]) -> None:
    """Each lit file below tests/passes is named after a pass of the mirrored folder."""
    for path in below("tests/passes"):
        if path.suffix != ".mlir":
            continue
        known = flags.get(path.parent.relative_to("tests"), set())
        if not any(path.stem == flag or path.stem.startswith(f"{flag}-") for flag in known):
            problems[str(path)] = f"no pass of {path.parent.relative_to('tests')} has this name"


def main() -> None:
    """Check all passes, their sources and their tests."""
    problems: dict[str, str] = {}
    names: dict[Path, set[str]] = {}
    flags: dict[Path, set[str]] = {}
    for definition in ods.passes():
        folder = definition.path.parent.relative_to(ROOT)
        names.setdefault(folder, set()).add(definition.name)
        flags.setdefault(folder, set()).add(definition.arguments[0])
        if missing := pass_problems(definition):
            problems[f"{folder / 'Passes.td'}:{definition.name}"] = "; ".join(missing)
    check_sources(names, problems)
    check_tests(flags, problems)
    for path in matching("passes/targets/*/Pipeline.cpp"):
        if not matching(f"tests/pipelines/{path.parent.name}*.mlir"):
            problems[str(path)] = f"no tests/pipelines/{path.parent.name}.mlir"
    finish("twins", problems)


if __name__ == "__main__":
    main()
