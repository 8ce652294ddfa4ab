# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finding whole statements in the user's source, for errors that are about a statement.

Code positions name expressions: a failed `assert` its condition, a returned value the call that
made it. The statement around them is looked up in the syntax tree, when an error is made and not
before.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from types import CodeType

from tegula._location import Location, characters


def assert_at(place: Location, text: str) -> tuple[Location, str]:
    """The `assert` statement around a place that failed with a text, and what to say about it.

    That is its own message, without what pytest adds when it rewrites a module's assertions, or
    else the text of its condition. Where there is no statement, the call that begins at the place.
    """
    found: ast.Assert | None = None
    function = place.function
    for node in ast.walk(_tree(place.file)):
        if isinstance(node, ast.Assert) and _covers(node, place.line):
            found = node
        elif isinstance(node, ast.FunctionDef) and _covers(node, place.line):
            function = place.function or node.name  # inner functions come later in the walk
    if found is None:
        return call_at(place), text or "assertion failed"
    if found.msg is not None:
        message = text.split("\nassert ")[0]
    else:
        condition = _location(found.test, place.file, function).text()
        message = f"assertion failed: {condition}"
    return _location(found, place.file, function), message


def call_at(place: Location) -> Location:
    """The shortest call that begins at a place of which only the beginning is known."""
    calls: list[ast.Call] = []
    function = place.function
    for node in ast.walk(_tree(place.file)):
        if isinstance(node, ast.FunctionDef) and _covers(node, place.line):
            function = place.function or node.name  # inner functions come later in the walk
        elif isinstance(node, ast.Call) and node.lineno == place.line:
            if characters(place.file, node.lineno, node.col_offset) == place.column:
                calls.append(node)
    shortest = min(calls, key=lambda c: (c.end_lineno or 0, c.end_col_offset or 0), default=None)
    return place if shortest is None else _location(shortest, place.file, function)


def keyword_in(place: Location, name: str) -> Location:
    """The argument that a call gives by a name; the call if it does not, or if it is no call."""
    for node in ast.walk(_tree(place.file)) if place.column is not None else ():
        if isinstance(node, ast.Call) and _location(node, place.file, place.function) == place:
            for item in node.keywords:
                if item.arg == name:
                    return _location(item, place.file, place.function)
    return place


def return_in(code: CodeType) -> Location | None:
    """The first `return` with a value in a function, not counting functions inside it."""
    node = _function(code)
    for statement in _own_returns(node) if node is not None else ():
        return _location(statement, code.co_filename, code.co_name)
    return None


def parameter(code: CodeType, name: str) -> Location | None:
    """Where a function declares a parameter."""
    node = _function(code)
    if node is None:
        return None
    arguments = node.args
    declared = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for item in (*declared, arguments.vararg, arguments.kwarg):
        if item is not None and item.arg == name:
            return _location(item, code.co_filename, code.co_name)
    return None


def _function(code: CodeType) -> ast.FunctionDef | None:
    """The definition that a code object was compiled from."""
    for node in ast.walk(_tree(code.co_filename)):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            if first <= code.co_firstlineno <= node.lineno:
                return node
    return None


def _own_returns(node: ast.AST) -> Iterator[ast.Return]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(child, ast.Return) and child.value is not None:
            yield child
        yield from _own_returns(child)


def _tree(file: str) -> ast.Module:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _covers(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _location(
    node: ast.stmt | ast.expr | ast.arg | ast.keyword, file: str, function: str
) -> Location:
    end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    start = characters(file, node.lineno, node.col_offset)
    return Location(file, node.lineno, start, end_line, characters(file, end_line, end), function)
