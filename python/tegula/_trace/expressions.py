# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites expressions whose evaluation depends on the truth of a value.

The rewritten expression evaluates its operands in place, in the order and under the conditions of
Python, and asks the runtime between them (:mod:`tegula._trace.choices`):

    a and b            taken(k) if begin(k, True, a) else finish(k, b)
    a or b             taken(k) if begin(k, False, a) else finish(k, b)
    not a              not_(a)
    a if c else b      chosen(k, a if choose(k, c) else SKIPPED,
                                 b if otherwise(k) else SKIPPED)
    a < b < c          taken(k) if begin(k, True, a < keep(j, b)) else finish(k, kept(j) < c)
    f(x)               call(f)(x)

`begin` says whether the result is known without the second operand. For a run-time operand it says
no and opens a branch, which `finish` closes. The numbers k tell the expressions of a function
apart.
"""

from __future__ import annotations

import ast
import itertools

from tegula._trace.syntax import RUNTIME, Maker

_numbers = itertools.count()


class ExpressionRewriter(ast.NodeTransformer):
    """Rewrites the expressions of one function, its lambdas and comprehensions included."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """`and` and `or`."""
        values: list[ast.expr] = [self.visit(value) for value in node.values]
        return self._chain(node, values, isinstance(node.op, ast.And))

    def _chain(self, node: ast.expr, values: list[ast.expr], is_and: bool) -> ast.expr:
        make = Maker(node)
        result = values[-1]
        for value in reversed(values[:-1]):
            key = make.constant(next(_numbers))
            at_value = Maker(value)
            begin = at_value.runtime("begin", key, at_value.constant(is_and), value)
            finish = make.runtime("finish", key, result)
            result = make.either(begin, make.runtime("taken", key), finish)
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """`not`."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return Maker(node).runtime("not_", node.operand)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """`a if c else b`."""
        self.generic_visit(node)
        make = Maker(node)
        key = make.constant(next(_numbers))
        skipped = make.attribute(RUNTIME, "SKIPPED")
        then = make.either(Maker(node.test).runtime("choose", key, node.test), node.body, skipped)
        otherwise = make.either(make.runtime("otherwise", key), node.orelse, skipped)
        return make.runtime("chosen", key, then, otherwise)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Chained comparisons, each operand evaluated once."""
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        left, values = node.left, list[ast.expr]()
        for number, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            at_right, key = Maker(right), next(_numbers)
            last = number == len(node.ops) - 1
            kept = right if last else at_right.runtime("keep", at_right.constant(key), right)
            compare = ast.Compare(left, [op], [kept])
            compare.lineno, compare.col_offset = left.lineno, left.col_offset
            compare.end_lineno, compare.end_col_offset = right.end_lineno, right.end_col_offset
            values.append(compare)
            left = at_right.runtime("kept", at_right.constant(key))
        return self._chain(node, values, is_and=True)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Calls, so that functions which are called are rewritten as well."""
        self.generic_visit(node)
        node.func = Maker(node.func).runtime("call", node.func)
        return node
