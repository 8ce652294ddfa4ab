# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which variables matter after a branch or around a loop.

A backward walk over statements whose jumps have been lowered (:mod:`tegula._trace.jumps`), so that
every statement has one exit. A variable that a loop assigns is carried only if the next iteration
or something after the loop reads it; a temporary is not, whatever its type.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tegula._trace.names import Names, reads


@dataclass(frozen=True)
class Live:
    """Variables that are live at the points of a statement.

    Attributes:
        after: behind the statement.
        head: where a loop decides on the next iteration.
        otherwise: at the start of the else arm of an `if`.
    """

    after: frozenset[str]
    head: frozenset[str] = frozenset()
    otherwise: frozenset[str] = frozenset()


class Liveness:
    """Liveness in one function.

    Args:
        always: variables that are live everywhere, because nested functions read them.
        flags: for each loop that may be left early, the flag that says so.

    Attributes:
        at: what is live at each `if`, `for` and `while`.
    """

    def __init__(self, always: Iterable[str], flags: Mapping[ast.stmt, str]) -> None:
        self.at: dict[ast.stmt, Live] = {}
        self._always = set(always)
        self._flags = flags
        # What handlers of the `try` statements around read: any statement may lead there.
        self._handlers: set[str] = set()

    def function(self, body: Sequence[ast.stmt]) -> None:
        """Analyse the body of a function."""
        self._block(body, set(self._always))

    def _block(self, statements: Sequence[ast.stmt], after: set[str]) -> set[str]:
        live = after | self._handlers
        for statement in reversed(statements):
            live = self._statement(statement, live) | self._handlers
        return live

    def _statement(self, node: ast.stmt, after: set[str]) -> set[str]:
        if isinstance(node, ast.If):
            return self._if(node, after)
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return self._for(node, after)
        if isinstance(node, ast.While):
            return self._while(node, after)
        if isinstance(node, ast.Try):
            return self._try(node, after)
        if isinstance(node, (ast.With, ast.AsyncWith)):
            inner = self._block(node.body, after)
            names = Names(node.items)
            return (inner - names.stores) | names.loads | self._always
        if isinstance(node, ast.Match):
            return self._match(node, after)
        if isinstance(node, (ast.Return, ast.Raise)):
            return Names([node]).loads | self._always
        if isinstance(node, ast.ClassDef) or type(node).__name__ == "TryStar":
            return after | Names([node]).loads
        return self._simple(node, after)

    def _simple(self, node: ast.stmt, after: set[str]) -> set[str]:
        names = Names([node])
        certain = names.stores
        if isinstance(node, (ast.Expr, ast.Assert)) or _has_walrus(node):
            certain = set[str]()
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return after
        return (after - certain) | names.loads | self._always

    def _if(self, node: ast.If, after: set[str]) -> set[str]:
        otherwise = self._block(node.orelse, after)
        self.at[node] = Live(frozenset(after), otherwise=frozenset(otherwise))
        return self._block(node.body, after) | otherwise | reads(node.test)

    def _for(self, node: ast.For | ast.AsyncFor, after: set[str]) -> set[str]:
        after = self._block(node.orelse, after) | after
        flag = self._flags.get(node)
        targets = Names([node.target])
        bound = targets.stores - targets.loads
        head = set(after) if flag is None else {flag, *after}
        head |= self._block(node.body, head) - bound
        head |= self._block(node.body, head) - bound
        self.at[node] = Live(frozenset(after), frozenset(head))
        return head | targets.loads | reads(node.iter)

    def _while(self, node: ast.While, after: set[str]) -> set[str]:
        after = self._block(node.orelse, after) | after
        head = after | reads(node.test)
        head |= self._block(node.body, head)
        head |= self._block(node.body, head)
        self.at[node] = Live(frozenset(after), frozenset(head))
        return head

    def _try(self, node: ast.Try, after: set[str]) -> set[str]:
        leaving = self._block(node.finalbody, after)
        handled: set[str] = set()
        for handler in node.handlers:
            inner = self._block(handler.body, leaving)
            handled |= (inner - {handler.name or ""}) | reads(handler.type)
        normal = self._block(node.orelse, leaving)
        outer = self._handlers
        self._handlers = outer | handled | (leaving if node.finalbody else set())
        live = self._block(node.body, normal)
        self._handlers = outer
        return live

    def _match(self, node: ast.Match, after: set[str]) -> set[str]:
        live = set(after)
        for case in node.cases:
            names = Names([case.pattern])
            live |= self._block(case.body, after) | names.loads | reads(case.guard)
        return live | reads(node.subject)


def _has_walrus(node: ast.stmt) -> bool:
    """Whether a statement may bind a name without being certain to."""
    return any(isinstance(item, ast.NamedExpr) for item in ast.walk(node))
