# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which names a piece of a function reads, binds and changes.

Scopes are Python's: a comprehension keeps its targets to itself, a nested function or class sees
the names around it and may change them where it says `nonlocal`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable


class Names(ast.NodeVisitor):
    """The names of some statements or expressions of one function.

    Attributes:
        loads: names whose value is read.
        stores: names that are bound or deleted.
        roots: names of objects of which an item or attribute is set: `x` in `x.y[0] = 1`.
        captured: names that nested functions and classes read or change.
        nested_stores: names that nested functions change (`nonlocal`).
        globals: names declared `global`.
        nonlocals: names declared `nonlocal`.
        calls: whether anything is called.
    """

    def __init__(self, nodes: Iterable[ast.AST] = ()) -> None:
        self.loads: set[str] = set()
        self.stores: set[str] = set()
        self.roots: set[str] = set()
        self.captured: set[str] = set()
        self.nested_stores: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.calls = False
        for node in nodes:
            self.visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        """Read, bound or deleted."""
        (self.loads if isinstance(node.ctx, ast.Load) else self.stores).add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Setting an attribute changes the object at the root."""
        self._change(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Setting an item changes the object at the root."""
        self._change(node)

    def _change(self, node: ast.Attribute | ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            root: ast.expr = node
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            if isinstance(root, ast.Name):
                self.roots.add(root.id)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """The target is read as well; `x += y` may change the object itself."""
        if isinstance(node.target, ast.Name):
            self.loads.add(node.target.id)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """A call may change what nested functions change."""
        self.calls = True
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        """Names of the module."""
        self.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        """Names of a function around this one."""
        self.nonlocals.update(node.names)

    def visit_alias(self, node: ast.alias) -> None:
        """An import binds a name."""
        self.stores.add(node.asname or node.name.partition(".")[0])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """`except ... as name` binds a name."""
        if node.name:
            self.stores.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        """A capture pattern binds a name."""
        if node.name:
            self.stores.add(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        """A capture pattern binds a name."""
        if node.name:
            self.stores.add(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        """A capture pattern binds a name."""
        if node.rest:
            self.stores.add(node.rest)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Binds its name; evaluates decorators and defaults; captures what it reads."""
        self.stores.add(node.name)
        for part in (*node.decorator_list, *_defaults(node.args)):
            self.visit(part)
        self._nest(node.args, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Evaluates defaults; captures what it reads."""
        for part in _defaults(node.args):
            self.visit(part)
        self._nest(node.args, [node.body])

    def _nest(self, arguments: ast.arguments, body: Iterable[ast.AST]) -> None:
        inner = Names(body)
        bound = (inner.stores | parameter_names(arguments)) - inner.nonlocals - inner.globals
        free = (inner.loads | inner.captured | inner.nonlocals | inner.roots) - bound
        free -= inner.globals
        self.captured |= free
        self.nested_stores |= (inner.stores & inner.nonlocals) | (inner.nested_stores - bound)
        self.loads |= free

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Binds its name; runs its body in a scope of its own."""
        self.stores.add(node.name)
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        inner = Names(node.body)
        free = inner.loads | inner.captured
        self.captured |= free
        self.loads |= free
        self.nested_stores |= inner.nested_stores

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    ) -> None:
        inner = Names(ast.iter_child_nodes(node))
        targets = Names(generator.target for generator in node.generators).stores
        self.loads |= inner.loads - targets
        self.stores |= inner.stores - targets  # of assignment expressions
        self.captured |= inner.captured - targets
        self.roots |= inner.roots - targets
        self.nested_stores |= inner.nested_stores
        self.calls = self.calls or inner.calls

    visit_ListComp = _comprehension
    visit_SetComp = _comprehension
    visit_DictComp = _comprehension
    visit_GeneratorExp = _comprehension


def parameter_names(arguments: ast.arguments) -> set[str]:
    """The names that a function's parameters bind."""
    declared = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
    return {argument.arg for argument in (*declared, *rest)}


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [
        default for default in (*arguments.defaults, *arguments.kw_defaults) if default is not None
    ]


def reads(node: ast.AST | None) -> set[str]:
    """The names that an expression reads."""
    return Names([node]).loads if node is not None else set()
