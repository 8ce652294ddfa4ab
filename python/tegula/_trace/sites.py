# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the rewriter knows about a statement and the runtime needs.

These are its variables, and the places where they are assigned.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tegula._location import Location, characters
from tegula._trace.names import Names

Span = tuple[int, int, int, int]


@dataclass(frozen=True)
class Site:
    """A statement that is decided at trace time.

    Attributes:
        kind: "if", "for" or "while".
        file, function: where it is.
        span: first line, first column, last line, last column, as the syntax tree counts them.
        names: variables to put back, carry or merge.
        live: those of them that are read afterwards.
        roots: variables whose objects it changes (items or attributes), but does not rebind.
        assigned: for each arm (an `if` has two, a loop one), the last assignment of each variable.
        flag: variable that says whether the loop was left early, or None.
        global_names: names declared `global` that it assigns.
        tested: variables that the condition of a `while` assigns.
    """

    kind: str
    file: str
    function: str
    span: Span
    names: tuple[str, ...]
    live: frozenset[str]
    roots: tuple[str, ...]
    assigned: Sequence[Mapping[str, Span]] = field(default_factory=tuple)
    flag: str | None = None
    global_names: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()

    def place(self) -> Location:
        """Where the statement is: its first line."""
        line, column, end_line, end_column = self.span
        if line != end_line:
            return self._location((line, column, line, column + len(self.kind)))
        return self._location((line, column, end_line, end_column))

    def assignment(self, arm: int, name: str) -> Location | None:
        """Where an arm assigns a variable, or None if it does not."""
        span = self.assigned[arm].get(name)
        return None if span is None else self._location(span)

    def _location(self, span: Span) -> Location:
        line, column, end_line, end_column = span
        return Location(
            self.file,
            line,
            characters(self.file, line, column),
            end_line,
            characters(self.file, end_line, end_column),
            self.function,
        )


SITES: list[Site] = []


def register(site: Site) -> int:
    """The number by which rewritten code names a site."""
    SITES.append(site)
    return len(SITES) - 1


def span_of(node: ast.stmt | ast.expr) -> Span:
    """Where a node is."""
    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return node.lineno, node.col_offset, end_line, end


def assignments(statements: Sequence[ast.stmt]) -> dict[str, Span]:
    """The last statement that binds each name, or changes an item or attribute of it."""
    found: dict[str, Span] = {}
    for statement in statements:
        blocks = _blocks(statement)
        if not blocks:
            names = Names([statement])
            found.update(dict.fromkeys(names.stores | names.roots, span_of(statement)))
            continue
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            target = Names([statement.target]).stores
            found.update(dict.fromkeys(target, span_of(statement.target)))
        for block in blocks:
            found.update(assignments(block))
    return found


def _blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a compound statement."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        blocks.append(part.body)
    return [block for block in blocks if block]
