# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns `return`, `break` and `continue` inside statements into branches.

Afterwards each statement is left at its end.
A branch that always jumps gets the rest of its block as the other arm:

    if a:                  if a:
        return x     ->        .value = x
    y = b                  else:
    return y                   y = b
                               .value = y

Where only some paths jump, a flag says so, and the rest of the block runs only if it is not set:

    for i in n:            .left1 = False
        if a:              for .item1 in n:
            if b:              .skip1 = False
                break          if not .left1:
            f()                    i = .item1
        g()          ->            if a:
                                       if b:
                                           .left1 = True; .skip1 = True
                                       else:
                                           f()
                                   if not .skip1:
                                       g()

The names start with a dot, which no name of the user does. With plain Python conditions the flags
are plain Python booleans and the program does what it did before; with run-time conditions they
become carried values like any variable. The rewriter ends a Python loop whose flag is True.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tegula._trace.syntax import RUNTIME, Maker

VALUE = ".value"
DONE = ".done"

Loop = ast.For | ast.While
# `except*` has a class of its own with the same fields, in Python 3.11 and later.
_TRIES: tuple[type[ast.Try], ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class Flow(enum.Enum):
    """Whether the end of a block is reached."""

    FALLS = "always"
    MAYBE = "on some paths"
    JUMPS = "never"


@dataclass(frozen=True)
class _Context:
    """Where jumps lead: the flags of the loop around, or None outside loops."""

    left: str | None = None
    skip: str | None = None


class JumpLowering:
    """Lowers the jumps of one function.

    Attributes:
        flags: for each loop left by `break` or `return`, the name of the flag that says so.
    """

    def __init__(self) -> None:
        self.flags: dict[ast.stmt, str] = {}
        self._returns = False
        self._count = 0

    def function(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The body of a function without jumps inside statements."""
        self._returns = any(
            _contains(statement, ast.Return) and not isinstance(statement, ast.Return)
            for statement in body
        )
        if not self._returns:
            return self._block(body, _Context())[0]
        first, last = Maker(body[0]), Maker(body[-1])
        if not _always_jumps(body):
            body = [*body, last.give_back(None)]
        lowered, _ = self._block(body, _Context())
        start = [
            first.assign(DONE, first.constant(False)),
            first.assign(VALUE, first.attribute(RUNTIME, "UNSET")),
        ]
        return [*start, *lowered, last.give_back(last.load(VALUE))]

    def _block(
        self, statements: Sequence[ast.stmt], context: _Context
    ) -> tuple[list[ast.stmt], Flow]:
        """Lower a block; the flow says whether the statement after it runs."""
        out: list[ast.stmt] = []
        queue = list(statements)
        while queue:
            statement = queue.pop(0)
            if isinstance(statement, (ast.Return, ast.Break, ast.Continue)):
                return [*out, *self._jump(statement, context)], Flow.JUMPS
            if isinstance(statement, ast.Raise):
                return [*out, statement], Flow.JUMPS
            if isinstance(statement, (ast.For, ast.While)):
                escapes = context.left is None and _contains(statement, ast.Return)
                loop, after = self._loop(statement, context)
                out += loop
                queue[:0] = after
                flow = Flow.MAYBE if escapes and self._returns else Flow.FALLS
            elif isinstance(statement, ast.If) and self._jumps_inside(statement, context):
                moved = self._move_rest(statement, queue)
                flow = self._branch(statement, context)
                out.append(statement)
                if moved:
                    return out, flow
            else:
                flow = self._compound(statement, context)
                out.append(statement)
            if flow is Flow.MAYBE and queue:
                out.append(self._guard(queue, context))
            if flow is not Flow.FALLS:
                return out, flow
        return out, Flow.FALLS

    def _jumps_inside(self, node: ast.stmt, context: _Context) -> bool:
        if self._returns and _contains(node, ast.Return):
            return True
        return context.left is not None and _leaves_loop(node)

    def _move_rest(self, node: ast.If, queue: list[ast.stmt]) -> bool:
        """Move what follows into the arm that does not jump, if exactly one arm always does."""
        then, otherwise = _always_jumps(node.body), _always_jumps(node.orelse)
        if not queue or then == otherwise:
            return False
        if then:
            node.orelse = [*node.orelse, *queue]
        else:
            node.body = [*node.body, *queue]
        queue.clear()
        return True

    def _branch(self, node: ast.If, context: _Context) -> Flow:
        node.body, then = self._block(node.body, context)
        node.orelse, otherwise = self._block(node.orelse, context)
        return then if then is otherwise else Flow.MAYBE

    def _guard(self, rest: list[ast.stmt], context: _Context) -> ast.stmt:
        """`if not flag: rest`."""
        make = Maker(rest[0])
        body, _ = self._block(rest, context)
        return make.branch(make.negated(make.load(context.skip or DONE)), body)

    def _jump(
        self, node: ast.Return | ast.Break | ast.Continue, context: _Context
    ) -> list[ast.stmt]:
        make = Maker(node)
        out: list[ast.stmt] = []
        if isinstance(node, ast.Return):
            if not self._returns:
                return [node]
            out = [make.assign(VALUE, node.value or make.constant(None))]
            out.append(make.assign(DONE, make.constant(True)))
        if context.left is not None and context.skip is not None:
            if not isinstance(node, ast.Continue):
                out.append(make.assign(context.left, make.constant(True)))
            out.append(make.assign(context.skip, make.constant(True)))
        return out

    def _loop(self, node: Loop, outer: _Context) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """A lowered loop, and statements that follow it (its else block, leaving outer loops)."""
        number = self._count = self._count + 1
        left, skip = f".left{number}", f".skip{number}"
        returns = self._returns and any(_contains(item, ast.Return) for item in node.body)
        breaks = returns or any(_leaves_loop(item, ast.Break) for item in node.body)
        jumps = breaks or any(_leaves_loop(item, ast.Continue) for item in node.body)
        after: list[ast.stmt] = list(node.orelse)
        node.orelse = []
        make, start = Maker(node), Maker(node.body[0])
        if breaks and after:
            after = [make.branch(make.negated(make.load(left)), after)]
        if returns and outer.left is not None:
            after.append(make.branch(make.load(DONE), [make.leave_loop()]))
        body, _ = self._block(node.body, _Context(left, skip) if jumps else _Context())
        if jumps:
            body = [start.assign(skip, start.constant(False)), *body]
        if not breaks:
            node.body = body
            return [node], after
        self.flags[node] = left
        self._leave_early(node, left, number, body)
        return [make.assign(left, make.constant(False)), node], after

    def _leave_early(self, node: Loop, left: str, number: int, body: list[ast.stmt]) -> None:
        """Let iterations after the one that left do nothing."""
        if isinstance(node, ast.While):
            make = Maker(node.test)
            node.test = make.both(make.negated(make.load(left)), node.test)
            node.body = body
            return
        item = f".item{number}"
        make = Maker(node.target)
        bind = make.bind(node.target, make.load(item))
        node.body = [make.branch(make.negated(make.load(left)), [bind, *body])]
        node.target = make.target(item)

    def _compound(self, node: ast.stmt, context: _Context) -> Flow:
        """Lower inside statements that have blocks but decide nothing themselves."""
        jumps = self._jumps_inside(node, context)
        if isinstance(node, ast.If):
            self._branch(node, context)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            # The context manager may swallow an exception, so the end is always in reach.
            node.body, flow = self._block(node.body, context)
            return Flow.FALLS if flow is Flow.FALLS else Flow.MAYBE
        elif isinstance(node, _TRIES):
            self._try(node, context)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                case.body, _ = self._block(case.body, context)
        return Flow.MAYBE if jumps else Flow.FALLS

    def _try(self, node: ast.Try, context: _Context) -> None:
        node.body, flow = self._block(node.body, context)
        for handler in node.handlers:
            handler.body, _ = self._block(handler.body, context)
        if flow is not Flow.FALLS and node.orelse:
            node.orelse = [self._guard(node.orelse, context)]
        else:
            node.orelse, _ = self._block(node.orelse, context)
        node.finalbody, _ = self._block(node.finalbody, context)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is inside it, without nested functions and classes."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _SCOPES):
            yield from _own(child)


def _contains(node: ast.stmt, kind: type[ast.stmt]) -> bool:
    return not isinstance(node, _SCOPES) and any(isinstance(item, kind) for item in _own(node))


def _leaves_loop(
    node: ast.AST, kind: type[ast.stmt] | tuple[type[ast.stmt], ...] = (ast.Break, ast.Continue)
) -> bool:
    """Whether a statement jumps within the loop around it (not within a loop of its own)."""
    if isinstance(node, kind):
        return True
    if isinstance(node, _SCOPES):
        return False
    children: Sequence[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        children = node.orelse
    return any(_leaves_loop(child, kind) for child in children)


def _always_jumps(body: Sequence[ast.stmt]) -> bool:
    for statement in body:
        if isinstance(statement, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
            return True
        arms = (statement.body, statement.orelse) if isinstance(statement, ast.If) else ((),)
        if all(map(_always_jumps, arms)):
            return True
    return False
