# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The syntax tree of a function, found from its code object.

Only the function's own lines are read and parsed, so that tracing a kernel in a long file costs no
more than in a short one. Lambdas, which have no lines of their own, are looked up in the tree of
the whole file.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import linecache
import sys
import tokenize
from types import CodeType
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.Lambda


def find(code: CodeType) -> Function | None:
    """The definition of a function with its positions in the file, or None if there is no source.

    The caller owns the tree and may change it.
    """
    if code.co_name == "<lambda>":
        return _lambda(code)
    lines = linecache.getlines(code.co_filename)
    if not 0 < code.co_firstlineno <= len(lines):
        return None
    node = _parse_definition(lines, code.co_firstlineno)
    return node if node is not None and _matches(node, code) else None


def text(code: CodeType) -> str | None:
    """The source text of a function, decorators included, or None."""
    lines = linecache.getlines(code.co_filename)
    if not 0 < code.co_firstlineno <= len(lines):
        return None
    return "".join(_block(lines, code.co_firstlineno))


def _block(lines: list[str], first: int) -> list[str]:
    """The lines of the definition or statement that starts at a line."""
    try:
        return inspect.getblock(lines[first - 1 :])
    except (SyntaxError, tokenize.TokenError):
        return lines[first - 1 : first]


def _parse_definition(lines: list[str], first: int) -> ast.FunctionDef | None:
    block = _block(lines, first)
    indented = block[0][:1] in (" ", "\t")
    # A header keeps the columns of an indented definition as they are in the file.
    source = ("if 1:\n" if indented else "") + "".join(block)
    try:
        statement = ast.parse(source).body[0]
    except (SyntaxError, ValueError):
        return None
    node = statement.body[0] if indented and isinstance(statement, ast.If) else statement
    if not isinstance(node, ast.FunctionDef):
        return None
    ast.increment_lineno(node, first - (2 if indented else 1))
    return node


def _matches(node: ast.FunctionDef, code: CodeType) -> bool:
    """Whether a definition is that of a code object, and not of what the file held earlier."""
    arguments = node.args
    declared = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    count = code.co_argcount + code.co_kwonlyargcount
    names = [argument.arg for argument in declared]
    compiled = code.co_varnames[:count]
    if node.name != code.co_name or len(names) != count:
        return False
    return all(map(_same_name, compiled, names))


def _same_name(compiled: str, written: str) -> bool:
    """Whether names are equal but for the prefix that a class gives to private ones."""
    return compiled == written or (written.startswith("__") and compiled.endswith(written))


def _lambda(code: CodeType) -> ast.Lambda | None:
    tree = _file("".join(linecache.getlines(code.co_filename)))
    if tree is None:
        return None
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    ]
    if len(found) > 1:
        found = [node for node in found if _covers(node, code)]
        # Of nested lambdas, the one that covers nothing more than needed.
        found.sort(key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
        found = found[:1]
    if not found:
        return None
    return copy.deepcopy(found[0])


def _covers(node: ast.Lambda, code: CodeType) -> bool:
    """Whether all positions of a code object are inside a lambda's body."""
    if sys.version_info < (3, 11):
        return False
    start = (node.body.lineno, node.body.col_offset)
    end = (node.body.end_lineno or 0, node.body.end_col_offset or 0)
    for line, end_line, column, end_column in code.co_positions():
        if line is None or column is None or end_line is None or end_column is None:
            continue
        if column == end_column or (line, column) == (code.co_firstlineno, 0):
            continue  # instructions that stand for no text
        if (line, column) < start or (end_line, end_column) > end:
            return False
    return True


@functools.lru_cache(maxsize=4)
def _file(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None
