# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making whole modules of the snippets in documentation.

A snippet uses values that it does not define. They become arguments of a function around it, and
MLIR's own parser says which names are missing and, once they have some type, which type each use
expects. So examples stay as short as the reader wants them.
"""

from __future__ import annotations

import re

from tegula.mlir import ir

_UNDECLARED = "use of undeclared SSA value name"
_EXPECTED = re.compile(
    r"use of value '(%[\w$.#-]+)' expects different type than prior uses: '(.+)' vs"
)


class ExampleError(AssertionError):
    """A snippet that MLIR does not accept, with the text that was tried."""


def complete(snippet: str) -> str:
    """The snippet as a module that parses and verifies: its free values are arguments of @example.

    Raises:
        ExampleError: whatever the values' types, MLIR refuses it.
    """
    arguments: dict[str, str] = {}
    whole = bool(re.search(r"^\s*(func\.func|module)\b", snippet, re.MULTILINE))
    while True:
        text = snippet if whole else _wrap(snippet, arguments)
        errors = _errors(text)
        if not errors:
            return text
        if not any(
            [_learn(text, message, line, column, arguments) for message, line, column in errors]
        ):
            first = "\n".join(message for message, _, _ in errors)
            raise ExampleError(f"{first}\n--- in\n{text}")


def _wrap(snippet: str, arguments: dict[str, str]) -> str:
    declared = ", ".join(f"{name}: {kind}" for name, kind in arguments.items())
    return f"func.func @example({declared}) {{\n{snippet}\nreturn\n}}\n"


def _learn(text: str, message: str, line: int, column: int, arguments: dict[str, str]) -> bool:
    """Whether the error taught a name or a type."""
    if message.startswith(_UNDECLARED):
        found = re.match(r"%[\w$.-]+", text.splitlines()[line - 1][column - 1 :])
        if found and found[0] not in arguments:
            arguments[found[0]] = "none"
            return True
    expected = _EXPECTED.search(message)
    if expected and arguments.get(expected[1]) == "none":
        arguments[expected[1]] = expected[2]
        return True
    return False


def _errors(text: str) -> list[tuple[str, int, int]]:
    """Messages of parser and verifier with their places."""
    with ir.Context():
        try:
            ir.Module.parse(text)
        except ir.MLIRError as error:
            return [_place(diagnostic) for diagnostic in error.error_diagnostics]
    return []


def _place(diagnostic: ir.DiagnosticInfo) -> tuple[str, int, int]:
    where = re.search(r":(\d+):(\d+)", str(diagnostic.location))
    line, column = (int(where[1]), int(where[2])) if where else (0, 0)
    return diagnostic.message, line, column
