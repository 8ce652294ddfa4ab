# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What rewritten code sees as `__tegula__`: the functions that decide at trace time."""

from __future__ import annotations

import builtins
from types import SimpleNamespace

from tegula._trace import choices, tree
from tegula._trace.branch import if_
from tegula._trace.conditions import is_traced, tracing
from tegula._trace.convert import call
from tegula._trace.loops import for_
from tegula._trace.while_loop import while_
from tegula.lang import debug


def must_assert(condition: object) -> bool:
    """Whether an `assert` has something to do."""
    return is_traced(condition) or not condition


def assert_(condition: object, message: object) -> None:
    """What an `assert` does that :func:`must_assert` something."""
    if tracing() is None:
        raise AssertionError() if message is None else AssertionError(message)
    debug.check(condition, message)


NAMESPACE = SimpleNamespace(
    # The built-in itself, which looks at the frame that calls it.
    locals=builtins.locals,
    call=call,
    if_=if_,
    for_=for_,
    while_=while_,
    begin=choices.begin,
    taken=choices.taken,
    finish=choices.finish,
    not_=choices.not_,
    choose=choices.choose,
    otherwise=choices.otherwise,
    chosen=choices.chosen,
    keep=choices.keep,
    kept=choices.kept,
    must_assert=must_assert,
    assert_=assert_,
    SKIPPED=choices.SKIPPED,
    UNDEFINED=tree.UNDEFINED,
    UNSET=tree.UNSET,
)
