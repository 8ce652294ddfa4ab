# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the .td files of the repository say about operations, types and passes.

Reads the house form of ODS (one `def` at the start of a line, its closing brace at the start of a
line, `description = [{ ... }]`) as text, so that it needs neither a build nor mlir-tblgen. Who uses
it compares what it finds with what the built package registers.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_DEF = re.compile(
    r"^def (?P<name>\w+)\s*:\s*(?P<base>\w+)<(?P<args>[^{]*?)>?\s*\{\n(?P<body>.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
_EXAMPLE = re.compile(r"^```mlir\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Definition:
    """One `def` of a .td file."""

    name: str
    base: str
    arguments: tuple[str, ...]
    """The strings among the arguments of the base class: mnemonic and version, or flag."""
    summary: str
    description: str
    path: Path
    line: int

    def examples(self) -> list[str]:
        """The ```mlir blocks of the description."""
        return _EXAMPLE.findall(self.description)

    def example_after(self, label: str) -> str | None:
        """The ```mlir block under a line that starts with `label`."""
        pattern = rf"^{label}\b[^\n]*\n```mlir\n(.*?)^```"
        found = re.search(pattern, self.description, re.MULTILINE | re.DOTALL)
        return found and found[1]


def read(path: Path) -> list[Definition]:
    """The definitions with a body in one .td file."""
    text = path.read_text()
    found: list[Definition] = []
    for match in _DEF.finditer(text):
        body = match["body"]
        summary = re.search(r'let summary = "(.*?)";', body, re.DOTALL)
        description = re.search(r"let description = \[\{\n?(.*?)\}\];", body, re.DOTALL)
        found.append(
            Definition(
                name=match["name"],
                base=match["base"],
                arguments=tuple(re.findall(r'"([^"]*)"', match["args"])),
                summary=summary[1] if summary else "",
                description=textwrap.dedent(description[1]) if description else "",
                path=path,
                line=text.count("\n", 0, match.start()) + 1,
            )
        )
    return found


def operations(dialect: str) -> list[Definition]:
    """Operations of the dialect in the folder `dialects/<dialect>`."""
    paths = sorted((ROOT / "dialects" / dialect).glob("*Ops.td"))
    return [d for path in paths for d in read(path) if d.name.endswith("Op")]


def types(dialect: str) -> list[Definition]:
    """Types of the dialect in the folder `dialects/<dialect>`."""
    paths = sorted((ROOT / "dialects" / dialect).glob("*Types.td"))
    return [d for path in paths for d in read(path) if d.name.endswith("Type")]


def attributes(dialect: str) -> list[Definition]:
    """Attributes of the dialect in the folder `dialects/<dialect>`, enumerations aside."""
    paths = sorted((ROOT / "dialects" / dialect).glob("*Attrs.td"))
    return [d for path in paths for d in read(path) if d.name.endswith("Attr")]


def passes() -> list[Definition]:
    """Passes of all folders below `passes/`."""
    paths = sorted((ROOT / "passes").rglob("*Passes.td"))
    return [d for path in paths for d in read(path) if d.name.endswith("Pass")]
