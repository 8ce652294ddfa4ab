# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which rules of the contract and which cases from the field ran where, recorded by the test run.

Tests say which row they are about: `@pytest.mark.contract("...")` has the first column of a row of
`docs/guide/contract.md`, `@pytest.mark.case("...")` of `docs/dev/field-cases.md`. With
`--record FILE` a session adds what became of them to a JSON file: for each test and backend the
number of its cases by outcome. Sessions on other machines, with other backends, add to the same
file, and what a session ran again replaces what was there. `docs/dev/generate_reference.py` makes
the page of it.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "docs/reference/where-it-ran.json"
PAGE = ROOT / "docs/reference/where-it-ran.md"
TABLES = {"contract": ROOT / "docs/guide/contract.md", "case": ROOT / "docs/dev/field-cases.md"}
MARKERS = {
    "contract": "contract(row): is about a row of the table in docs/guide/contract.md",
    "case": "case(row): is about a row of the table in docs/dev/field-cases.md",
}
_PROPERTY = "tegula-rows"
# Outcomes after which they are written down: sessions on slow devices may be cut off.
_KEEP = 10

# Of a test: its rows by kind, and by backend the number of its cases with each outcome.
Table = dict[str, dict[str, Any]]


def rows(kind: str) -> list[str]:
    """The first column of the table of a kind of rows."""
    lines = [line for line in TABLES[kind].read_text().splitlines() if line.startswith("| ")]
    return [line.split(" | ")[0].removeprefix("| ").strip() for line in lines[1:]]


def marked() -> dict[str, dict[str, list[str]]]:
    """All marked tests, read from their sources: `file::name` to rows by kind."""
    found: dict[str, dict[str, list[str]]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        text = file.read_text()
        if not re.search(r"mark\.(contract|case)\(", text):
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                about = _rows_of_decorators(node)
                if about:
                    found[f"{file.relative_to(ROOT)}::{node.name}"] = about
    return found


def _rows_of_decorators(function: ast.FunctionDef) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in function.decorator_list:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in MARKERS and ast.unparse(node.func).startswith("pytest.mark."):
                row = ast.literal_eval(node.args[0])
                found.setdefault(node.func.attr, []).insert(0, row)
    return found


class Recorder:
    """Counts the outcomes of marked tests in a session, and writes them down at its end.

    In a worker, which has no path, it only notes what tests are about: reports reach the session.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.seen: Table = {}
        self.unwritten = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        note_rows(item)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found = dict(report.user_properties).get(_PROPERTY)
        if found is None or not (report.when == "call" or report.outcome != "passed"):
            return
        about, backend = found
        test = report.nodeid.partition("[")[0]
        entry = self.seen.setdefault(test, {"rows": about, "ran": {}})
        counts = entry["ran"].setdefault(backend, {})
        counts[report.outcome] = counts.get(report.outcome, 0) + 1
        self.unwritten += 1
        if self.unwritten >= _KEEP:
            self.pytest_sessionfinish()

    def pytest_sessionfinish(self) -> None:
        self.unwritten = 0
        if self.seen and self.path is not None:
            write(merged(read(self.path), self.seen), self.path)


def note_rows(item: pytest.Item) -> None:
    """Send the rows of a test along with its reports, which reach the controller of workers."""
    about: dict[str, list[str]] = {}
    for kind in MARKERS:
        for mark in item.iter_markers(kind):
            about.setdefault(kind, []).insert(0, mark.args[0])
    case = getattr(item, "callspec", None)
    backend = case.params.get("backend", "none") if case is not None else "none"
    if about:
        item.user_properties.append((_PROPERTY, (about, backend)))


def merged(before: Table, seen: Table) -> Table:
    """Both, what was seen now in place of what was known of the same test and backend."""
    result = {test: {**entry, "ran": dict(entry["ran"])} for test, entry in before.items()}
    for test, entry in seen.items():
        known = result.setdefault(test, {"rows": {}, "ran": {}})
        known["rows"] = entry["rows"]
        known["ran"].update(entry["ran"])
    return result


def read(path: Path = RECORD) -> Table:
    """A record; an empty one if there is no file."""
    return json.loads(path.read_text()) if path.exists() else {}


def write(table: Table, path: Path = RECORD) -> None:
    """Write a record, one test a line, in an order that does not depend on the sessions'."""
    lines = [
        f"  {json.dumps(test)}: {json.dumps(table[test], sort_keys=True)}" for test in sorted(table)
    ]
    partial = path.with_suffix(".partial")
    partial.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    partial.replace(path)


def backends(table: Table) -> list[str]:
    """The backends in a record, those that need no device first."""
    names = {name for entry in table.values() for name in entry["ran"]}
    order = ["none", "interpreter", "cpu", "padded"]

    def key(name: str) -> tuple[int, list[Any]]:
        parts = [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]
        return (order.index(name) if name in order else len(order), parts)

    return sorted(names, key=key)


def page(table: Table) -> str:
    """The page of a record."""
    names = [name for name in backends(table) if name != "none"]
    parts = [_HEAD, _summary(table, names)]
    for kind, title in (("contract", "The language contract"), ("case", "Cases from the field")):
        parts.append(f"## {title}\n")
        link = TABLES[kind].relative_to(ROOT / "docs")
        parts.append(f"Rows of [{link}](../{link}).\n")
        parts.append(f"| row | tests | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
        parts += [_line(table, kind, row, names) for row in rows(kind)]
        parts.append("")
    return "\n".join(parts).rstrip("\n") + "\n"


_HEAD = """# Where it ran

Made by test runs on the machines that have the devices:

    pytest -m "contract or case" --backend NAME --record docs/reference/where-it-ran.json
    python docs/dev/generate_reference.py --where-it-ran

A cell has the number of cases that passed; what failed or was skipped is said. A dash: did not run
there. Emulated GPUs are a program that executes their instructions; what it gets wrong is corrected
in `tests/_support/emulator_faults.py`.
"""


def _summary(table: Table, names: list[str]) -> str:
    totals: dict[str, dict[str, int]] = {name: {} for name in names}
    for entry in table.values():
        for name, counts in entry["ran"].items():
            for outcome, count in counts.items():
                totals.setdefault(name, {})[outcome] = totals.get(name, {}).get(outcome, 0) + count
    lines = [f"| {name} | {_cell(totals[name])} |" for name in names]
    return "\n".join(["| backend | cases |", "|---|---|", *lines, ""])


def _line(table: Table, kind: str, row: str, names: list[str]) -> str:
    about = [entry for entry in table.values() if row in entry["rows"].get(kind, ())]
    cells: list[str] = []
    for name in names:
        counts: dict[str, int] = {}
        for entry in about:
            for outcome, count in (entry["ran"].get(name) or entry["ran"].get("none", {})).items():
                counts[outcome] = counts.get(outcome, 0) + count
        cells.append(_cell(counts))
    return f"| {row} | {len(about)} | {' | '.join(cells)} |"


def _cell(counts: dict[str, int]) -> str:
    if not counts:
        return "-"
    passed = counts.get("passed", 0)
    others = [f"{n} {name}" for name, n in sorted(counts.items()) if name != "passed"]
    return ", ".join([str(passed), *(f"**{text}**" for text in others)])


def fewer(items: list[pytest.Item], most: int) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """At most so many cases of each test and backend, spread over its parameters; and the rest."""
    groups: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in items:
        case = getattr(item, "callspec", None)
        backend = case.params.get("backend", "") if case is not None else ""
        groups.setdefault((item.nodeid.partition("[")[0], backend), []).append(item)
    kept = {id(item) for group in groups.values() for item in _spread(group, most)}
    return [x for x in items if id(x) in kept], [x for x in items if id(x) not in kept]


def _spread(group: list[pytest.Item], most: int) -> Iterator[pytest.Item]:
    if len(group) <= most:
        yield from group
        return
    for i in range(most):
        yield group[i * (len(group) - 1) // max(most - 1, 1)]
