# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites a function so that the runtime decides, at trace time, what its statements do.

An `if` runs the arm that a plain Python condition selects; on a run-time condition it runs both,
one after the other, each into a branch of its own:

    if c:                .if1 = if_(site, c)
        A                if .if1.begin(locals()) if .if1.traced else .if1.taken:
    else:          ->        A
        B                if .if1.middle(locals()) if .if1.traced else not .if1.taken:
                             if .if1.traced: x, y = .if1.restored     # as before the `if`
                             B
                         if .if1.traced: x, y = .if1.end(locals())    # results of the branch

A loop over `tg.range` runs its body once, on symbolic values of the variables it carries:

    for i in r:          .for1 = for_(site, r)
        B                if .for1.traced: .for1.start(locals())
                   ->    for .item1 in .for1.items:
                             if .for1.traced: x, y = .for1.enter()
                             i = .item1
                             B
                             if .for1.traced: .for1.leave(locals())
                         if .for1.traced: x, y = .for1.end()

and a `while` likewise. Everything stays in the user's own frame, so names, positions, closures,
generators and tracebacks are the user's. Variables that have no value after such a statement are
deleted; what read them is explained by :mod:`tegula._trace.unbound`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tegula._trace.expressions import ExpressionRewriter
from tegula._trace.jumps import JumpLowering
from tegula._trace.liveness import Live, Liveness
from tegula._trace.names import Names, parameter_names
from tegula._trace.sites import Site, assignments, register, span_of
from tegula._trace.source import Function
from tegula._trace.syntax import Maker


def rewrite(node: Function, file: str, name: str, class_name: str | None) -> None:
    """Rewrite a function in place.

    Args:
        node: its definition.
        file: the file it is in.
        name: its name, for messages.
        class_name: the class whose body it is in, by which private names are mangled.
    """
    rewriter = FunctionRewriter(node.args, file, name, class_name)
    if isinstance(node, ast.Lambda):
        node.body = rewriter.visit(node.body)
    else:
        node.body = rewriter.function(node.body)


class FunctionRewriter(ExpressionRewriter):
    """Rewrites the body of one function. Nested functions get rewriters of their own."""

    def __init__(
        self, arguments: ast.arguments, file: str, name: str, class_name: str | None
    ) -> None:
        self._parameters = parameter_names(arguments)
        self._file = file
        self._name = name
        self._class = class_name
        self._names = Names()
        self._lowering = JumpLowering()
        self._liveness = Liveness((), {})
        self._count = 0

    def function(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The rewritten body."""
        lowered = self._lowering.function(body)
        self._names = Names(lowered)
        always = self._names.captured | self._names.nonlocals
        self._liveness = Liveness(always, self._lowering.flags)
        self._liveness.function(lowered)
        return self._block(lowered)

    def _block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for statement in statements:
            made = self.visit(statement)
            out += made if isinstance(made, list) else [made]
        return out

    # Statements
    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        """See the module docstring."""
        live = self._liveness.at[node]
        arms = (assignments(node.body), assignments(node.orelse))
        bound = self._assigned([*node.body, *node.orelse])
        names = sorted(bound & (live.after | live.otherwise))
        site = self._site("if", node, names, live, arms, [*node.body, *node.orelse])
        state, make = self._state("if"), Maker(node)
        test = self.visit(node.test)
        start = make.assign(state, Maker(test).runtime("if_", make.constant(site), test))
        traced, taken = make.attribute(state, "traced"), make.attribute(state, "taken")
        begin = make.either(traced, make.call(state, "begin", make.locals()), taken)
        out = [start, make.branch(begin, self._arm(state, node.body))]
        if node.orelse:
            middle = make.either(
                traced, make.call(state, "middle", make.locals()), make.negated(taken)
            )
            restore = self._when_traced(make, state, names, make.attribute(state, "restored"))
            out.append(make.branch(middle, [restore, *self._arm(state, node.orelse)]))
        merged = [name for name in names if name in live.after]
        end = make.call(state, "end", make.locals())
        return [*out, self._when_traced(make, state, merged, end)]

    def _arm(self, state: str, body: list[ast.stmt]) -> list[ast.stmt]:
        """An arm of an `if`; a `raise` in it is refused if the condition is a run-time value."""
        out: list[ast.stmt] = []
        for statement in body:
            if isinstance(statement, ast.Raise):
                make = Maker(statement)
                refuse = make.statement(make.call(state, "refuse_raise"))
                out.append(make.branch(make.attribute(state, "traced"), [refuse]))
            out += self._block([statement])
        return out

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        """See the module docstring."""
        live, flag = self._liveness.at[node], self._lowering.flags.get(node)
        whole: list[ast.stmt] = [node]
        names = sorted((self._assigned(whole) & live.head) - {flag})
        site = self._site("for", node, names, live, (assignments(whole),), whole, flag)
        state, make = self._state("for"), Maker(node)
        iterable = self.visit(node.iter)
        first = [flag] if flag is not None else []
        begin = make.statement(make.call(state, "start", make.locals()))
        leave = make.statement(make.call(state, "leave", make.locals()))
        traced = make.attribute(state, "traced")
        early = [make.branch(make.is_true(make.load(flag)), [make.leave_loop()])] if flag else []
        node.body = [
            self._when_traced(make, state, [*first, *names], make.call(state, "enter")),
            *self._bind_target(node),
            *self._block(node.body),
            make.branch(traced, [leave], early),
        ]
        node.iter = Maker(iterable).attribute(state, "items")
        merged = [name for name in names if name in live.after]
        return [
            make.assign(state, Maker(iterable).runtime("for_", make.constant(site), iterable)),
            make.branch(traced, [begin]),
            node,
            self._when_traced(make, state, [*first, *merged], make.call(state, "end")),
        ]

    def _bind_target(self, node: ast.For) -> list[ast.stmt]:
        """Bind the loop's variable inside it, for it may be one that is carried."""
        if isinstance(node.target, ast.Name) and node.target.id.startswith("."):
            return []
        make, item = Maker(node.target), self._state("item")
        bind = make.bind(self.visit(node.target), make.load(item))
        node.target = make.target(item)
        return [bind]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        """As `for`; the condition is looked at in every pass to see what kind of loop it is."""
        live, flag = self._liveness.at[node], self._lowering.flags.get(node)
        tested = sorted(Names([node.test]).stores & self._variables())
        names = sorted((self._assigned(node.body) & live.head).difference(tested))
        arms = (assignments(node.body),)
        site = self._site("while", node, names, live, arms, node.body, flag, tested)
        state, make = self._state("while"), Maker(node)
        test = self.visit(node.test)
        traced = make.attribute(state, "traced")
        leave = make.statement(make.call(state, "leave", make.locals()))
        body = [
            self._when_traced(make, state, [*names, *tested], make.attribute(state, "inside")),
            *self._block(node.body),
            make.branch(traced, [leave]),
        ]
        over = [make.branch(make.attribute(state, "over"), [make.leave_loop()])]
        check = Maker(test).call(state, "check", test, make.locals())
        node.test = make.call(state, "again", make.locals())
        node.body = [
            self._when_traced(make, state, names, make.call(state, "enter")),
            make.branch(check, body, over),
        ]
        merged = [name for name in (*names, *tested) if name in live.after]
        return [
            make.assign(state, make.runtime("while_", make.constant(site))),
            node,
            self._when_traced(make, state, merged, make.call(state, "end")),
        ]

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        """`assert`: at once for Python values, when the kernel runs otherwise."""
        state, make = self._state("assert"), Maker(node)
        test = self.visit(node.test)
        at_test = Maker(test)
        message = self.visit(node.msg) if node.msg is not None else make.constant(None)
        check = make.statement(make.runtime("assert_", make.load(state), message))
        needed = at_test.runtime("must_assert", at_test.load(state))
        return [make.assign(state, test), make.branch(needed, [check])]

    # Scopes
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        """A nested function."""
        return self._nested(node, self._class)

    def _nested(self, node: ast.FunctionDef, class_name: str | None) -> ast.stmt:
        node.decorator_list = [
            Maker(item).runtime("call", self.visit(item)) for item in node.decorator_list
        ]
        node.args = self.visit(node.args)
        rewrite(node, self._file, node.name, class_name)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        """Coroutines are left alone."""
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        """A class: only its methods are rewritten."""
        for number, statement in enumerate(node.body):
            if isinstance(statement, ast.FunctionDef):
                node.body[number] = self._nested(statement, node.name)
        return node

    # Parts
    def _state(self, kind: str) -> str:
        self._count += 1
        return f".{kind}{self._count}_"

    def _assigned(self, statements: Sequence[ast.stmt]) -> set[str]:
        """Variables of the function that statements bind, themselves or by calling."""
        names = Names(statements)
        bound = names.stores | self._names.nested_stores if names.calls else names.stores
        return bound & self._variables()

    def _variables(self) -> set[str]:
        return (self._names.stores | self._parameters) - self._names.globals

    def _site(
        self,
        kind: str,
        node: ast.stmt,
        names: Sequence[str],
        live: Live,
        arms: Sequence[dict[str, tuple[int, int, int, int]]],
        body: Sequence[ast.stmt],
        flag: str | None = None,
        tested: Sequence[str] = (),
    ) -> int:
        inside = Names(body)
        site = Site(
            kind=kind,
            file=self._file,
            function=self._name,
            span=span_of(node),
            names=tuple(map(self._mangled, names)),
            live=frozenset(map(self._mangled, live.after)),
            roots=tuple(sorted(map(self._mangled, inside.roots.difference(names)))),
            assigned=[{self._mangled(name): span for name, span in arm.items()} for arm in arms],
            flag=flag,
            global_names=tuple(sorted(inside.stores & self._names.globals)),
            tested=tuple(map(self._mangled, tested)),
        )
        return register(site)

    def _mangled(self, name: str) -> str:
        """The name that the compiler gives to a private name in a class."""
        if self._class and name.startswith("__") and not name.endswith("__"):
            return f"_{self._class.lstrip('_')}{name}"
        return name

    def _when_traced(
        self, make: Maker, state: str, names: Sequence[str], value: ast.expr
    ) -> ast.stmt:
        """`if state.traced: names = value`, and delete the names that have no value."""
        if not names:
            body = [make.statement(value)]
        else:
            body = [make.unpack(names, value), *map(make.delete_undefined, names)]
        return make.branch(make.attribute(state, "traced"), body)
