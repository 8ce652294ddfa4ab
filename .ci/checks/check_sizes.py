#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No file and no function is longer than anyone can hold in mind.

Hard limits, in lines of a file or in lines of code of a function (no blanks, comments, docstrings).
What cannot be split now goes into waivers.txt with a reason and a date.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from _common import ROOT, files, finish

CPP_FUNCTION = 100
PYTHON_FUNCTION = 80
LIMITS = {".cpp": 800, ".h": 250, ".td": 600, ".py": 600, ".mlir": 400}
PYTEST = 500
# Written by tests/pipelines/regenerate.py, not by hand.
GENERATED = (Path("tests/pipelines/kernels"),)
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
_NOISE = re.compile(
    r'R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"'
    r"|//[^\n]*|/\*.*?\*/"
    r"|\"(?:\\.|[^\"\\\n])*\""
    r"|'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


def file_limit(path: Path) -> int | None:
    """The most lines a file of this kind may have."""
    if any(folder in path.parents for folder in GENERATED):
        return None
    if path.suffix == ".py" and path.name.startswith("test_"):
        return PYTEST
    return LIMITS.get(path.suffix)


def blank(match: re.Match[str]) -> str:
    """Nothing, in as many lines."""
    kept = "" if match[0].startswith("/") else "_"
    return kept + "\n" * match[0].count("\n")


def cpp_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, first line and lines of code of each function defined outside of functions."""
    code = re.sub(r"^[ \t]*#(?:.*\\\n)*.*", "", _NOISE.sub(blank, text), flags=re.MULTILINE)
    start = depth = opened = 0
    header = ""
    for at, char in enumerate(code):
        if char == "{":
            if depth == 0:
                header, opened = code[start:at].strip(), at
                is_scope = _SCOPE.search(header) and not header.endswith((")", "const", "override"))
                if is_scope:
                    start = at + 1
                    continue
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                if "(" in header and "=" not in header.split("(")[0]:
                    name = re.search(r"([~\w:]+)\s*\(", header)
                    body = code[opened - len(header) : at + 1].strip()
                    lines = sum(bool(line.strip()) for line in body.splitlines())
                    yield name[1] if name else "?", code.count("\n", 0, opened) + 1, lines
                start = at + 1
        elif (
            char in ";}"
            and depth == 0
            or (char == ":" and code[start:at].strip() in ("public", "private", "protected"))
        ):
            start = at + 1


def python_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, first line and lines of code of each function, nested ones too."""
    code_lines = {
        token.start[0] + offset
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type
        not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        for offset in range(token.end[0] - token.start[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        lines = set(range(node.lineno, (node.end_lineno or node.lineno) + 1)) & code_lines
        first = node.body[0]
        if (
            isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
        ):
            lines -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
        yield node.name, node.lineno, len(lines)


def main() -> None:
    """Measure every file and function."""
    problems: dict[str, str] = {}
    for path in files():
        limit = file_limit(path)
        if limit is None:
            continue
        text = (ROOT / path).read_text()
        count = text.count("\n")
        if count > limit:
            problems[str(path)] = f"{count} lines, at most {limit}"
        if path.suffix in (".cpp", ".h"):
            functions, most = cpp_functions(text), CPP_FUNCTION
        elif path.suffix == ".py":
            functions, most = python_functions(text), PYTHON_FUNCTION
        else:
            continue
        for name, line, length in functions:
            if length > most:
                problems[f"{path}:{name}"] = f"{length} lines of code (line {line}), at most {most}"
    finish("sizes", problems)


if __name__ == "__main__":
    main()
