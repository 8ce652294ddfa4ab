# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes syntax tree nodes that stand where a node of the user's stands.

Every node that the rewriter adds takes the position of the user's code that it is about, so that
tracebacks and locations never show anything else.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypedDict

RUNTIME = "__tegula__"


class _Position(TypedDict):
    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


class Maker:
    """Makes nodes at the position of `place`."""

    def __init__(self, place: ast.stmt | ast.expr) -> None:
        self._at: _Position = {
            "lineno": place.lineno,
            "col_offset": place.col_offset,
            "end_lineno": place.end_lineno,
            "end_col_offset": place.end_col_offset,
        }

    def constant(self, value: bool | int | str | None) -> ast.expr:
        """A literal."""
        return ast.Constant(value, **self._at)

    def load(self, name: str) -> ast.expr:
        """The value of a variable."""
        return ast.Name(name, ast.Load(), **self._at)

    def target(self, name: str) -> ast.expr:
        """A variable to assign to."""
        return ast.Name(name, ast.Store(), **self._at)

    def attribute(self, name: str, attribute: str) -> ast.expr:
        """`name.attribute`."""
        return ast.Attribute(self.load(name), attribute, ast.Load(), **self._at)

    def call(self, name: str, method: str, *arguments: ast.expr) -> ast.expr:
        """`name.method(*arguments)`."""
        return ast.Call(self.attribute(name, method), list(arguments), [], **self._at)

    def runtime(self, function: str, *arguments: ast.expr) -> ast.expr:
        """A call of one of the functions that decide at trace time."""
        return self.call(RUNTIME, function, *arguments)

    def locals(self) -> ast.expr:
        """The variables of the running function."""
        return self.runtime("locals")

    def either(self, test: ast.expr, then: ast.expr, otherwise: ast.expr) -> ast.expr:
        """`then if test else otherwise`."""
        return ast.IfExp(test, then, otherwise, **self._at)

    def negated(self, value: ast.expr) -> ast.expr:
        """`not value`."""
        return ast.UnaryOp(ast.Not(), value, **self._at)

    def both(self, left: ast.expr, right: ast.expr) -> ast.expr:
        """`left and right`."""
        return ast.BoolOp(ast.And(), [left, right], **self._at)

    def is_true(self, value: ast.expr) -> ast.expr:
        """`value is True`."""
        return ast.Compare(value, [ast.Is()], [self.constant(True)], **self._at)

    def assign(self, name: str, value: ast.expr) -> ast.stmt:
        """`name = value`."""
        return ast.Assign([self.target(name)], value, **self._at)

    def bind(self, target: ast.expr, value: ast.expr) -> ast.stmt:
        """`target = value`."""
        return ast.Assign([target], value, **self._at)

    def unpack(self, names: Sequence[str], value: ast.expr) -> ast.stmt:
        """`(names...) = value`."""
        targets = ast.Tuple([self.target(name) for name in names], ast.Store(), **self._at)
        return ast.Assign([targets], value, **self._at)

    def delete_undefined(self, name: str) -> ast.stmt:
        """`if name is __tegula__.UNDEFINED: del name`."""
        undefined = self.attribute(RUNTIME, "UNDEFINED")
        test = ast.Compare(self.load(name), [ast.Is()], [undefined], **self._at)
        delete: ast.stmt = ast.Delete([ast.Name(name, ast.Del(), **self._at)], **self._at)
        return self.branch(test, [delete])

    def branch(
        self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt] | None = None
    ) -> ast.stmt:
        """An `if` statement."""
        return ast.If(test, body, orelse or [], **self._at)

    def statement(self, value: ast.expr) -> ast.stmt:
        """An expression as a statement."""
        return ast.Expr(value, **self._at)

    def leave_loop(self) -> ast.stmt:
        """`break`."""
        return ast.Break(**self._at)

    def give_back(self, value: ast.expr | None) -> ast.stmt:
        """`return value`."""
        return ast.Return(value, **self._at)
