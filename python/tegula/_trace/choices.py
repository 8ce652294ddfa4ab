# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What rewritten expressions call.

These are `and`, `or`, `not`, conditional expressions and chained comparisons.

Each expression keeps its state under its number and frame from its first call to its last. With
plain conditions nothing but the operands that Python would evaluate is evaluated, and the result is
the operand that Python would give.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from tegula._trace.conditions import here, is_traced, tracing, truth
from tegula._trace.emitter import Region
from tegula._trace.joining import Joiner
from tegula._trace.merge import describe_tree, spec_of
from tegula._trace.tree import Path, Tree, freeze
from tegula.errors import ControlFlowError
from tegula.lang import _widening, dtypes
from tegula.lang.compare import logical_not
from tegula.lang.tile import Tile, describe, made_at

SKIPPED = object()


class _Chain(NamedTuple):
    """A run-time first operand of `and` or `or`, and the branch for the second."""

    value: Tile
    is_and: bool
    region: Region


class _Choice:
    """A conditional expression on a run-time condition."""

    def __init__(self, condition: Tile, then: Region) -> None:
        self.condition = condition
        self.then = then
        self.otherwise: Region | None = None


class _State(threading.local):
    def __init__(self) -> None:
        self.values: dict[tuple[int, int], Any] = {}


_state = _State()


def _key(number: int) -> tuple[int, int]:
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    return number, id(frame)


def begin(number: int, is_and: bool, value: object) -> bool:
    """Whether the first operand of `and` or `or` decides alone."""
    key = _key(number)
    if not is_traced(value):
        decided = bool(value) is not is_and
        if decided:
            _state.values[key] = value
        else:
            _state.values.pop(key, None)
        return decided
    backend = tracing()
    assert backend is not None and isinstance(value, Tile)
    region = backend.new_region("condition", here(), [])
    backend.enter(region)
    _state.values[key] = _Chain(value, is_and, region)
    return False


def taken(number: int) -> object:
    """The first operand, which decided."""
    return _state.values.pop(_key(number))


def finish(number: int, value: object) -> object:
    """The value of the expression, of which the second operand is `value`."""
    chain = _state.values.pop(_key(number), None)
    if not isinstance(chain, _Chain):
        return value
    backend = tracing()
    assert backend is not None
    backend.leave(chain.region)
    specs = spec_of(chain.value), spec_of(value)
    logical = all(spec is not None and spec.dtype is dtypes.bool_ for spec in specs)
    if logical and backend.hoist(chain.region):
        return _logical(chain, value)
    word = "and" if chain.is_and else "or"
    empty = backend.new_region("condition", here(), [])
    arms = [(chain.region, freeze(value)), (empty, chain.value)]
    if not chain.is_and:
        arms.reverse()
    return _join(truth(chain.value), f"the operands of `{word}`", arms)


def _join(condition: Tile, what: str, arms: Sequence[tuple[Region, Tree]]) -> object:
    """One value of the two arms of an expression."""

    def refuse(_name: str, _path: Path, first: Any, second: Any) -> NoReturn:
        raise ControlFlowError(
            f"{what} must fit together, since a run-time condition chooses: one is "
            f"{describe_tree(first)}, the other {describe_tree(second)}",
            notes=[*_widening.history(first), *_widening.history(second)],
            help="give both one dtype and shape, for example with .astype(...) or "
            f"tg.full_like(...){_widening.edit(first, second)}",
        )

    joiner = Joiner(refuse)
    (first, a), (second, b) = arms
    joiner.add("", a, b)
    return joiner.finish(condition, first, second)[0]


def _logical(chain: _Chain, value: Any) -> object:
    """Both operands are booleans that cost nothing."""
    if not isinstance(value, Tile):
        return chain.value if bool(value) is chain.is_and else value
    backend = tracing()
    assert backend is not None
    if value.shape != ():
        raise ControlFlowError(
            f"`and` and `or` decide on one value, but {describe(value)} has {value.size} elements",
            notes=[made_at(value)],
            help="combine masks with & and |, or reduce them with tg.all(...) or tg.any(...)",
        )
    weak = chain.value.weak and value.weak
    handle = backend.binary("and" if chain.is_and else "or", chain.value, value)
    return Tile(handle, dtypes.bool_, (), weak=weak)


def not_(value: object) -> object:
    """`not value`."""
    return logical_not(truth(value)) if is_traced(value) else not value


def choose(number: int, condition: object) -> bool:
    """Whether to evaluate the first value of a conditional expression."""
    key = _key(number)
    if not is_traced(condition):
        chosen_first = bool(condition)
        _state.values[key] = chosen_first
        return chosen_first
    backend = tracing()
    assert backend is not None
    flag = truth(condition)
    region = backend.new_region("branch", here(), [])
    backend.enter(region)
    _state.values[key] = _Choice(flag, region)
    return True


def otherwise(number: int) -> bool:
    """Whether to evaluate the second value of a conditional expression."""
    choice = _state.values[_key(number)]
    if not isinstance(choice, _Choice):
        return not choice
    backend = tracing()
    assert backend is not None
    backend.leave(choice.then)
    choice.otherwise = backend.new_region("branch", here(), [])
    backend.enter(choice.otherwise)
    return True


def chosen(number: int, first: object, second: object) -> object:
    """The value of a conditional expression."""
    choice = _state.values.pop(_key(number))
    if not isinstance(choice, _Choice):
        return first if choice else second
    backend = tracing()
    assert backend is not None and choice.otherwise is not None
    backend.leave(choice.otherwise)
    arms = (choice.then, freeze(first)), (choice.otherwise, freeze(second))
    return _join(choice.condition, "the values of a conditional expression", arms)


def keep(number: int, value: object) -> object:
    """Remember an operand of a chained comparison for its second comparison."""
    _state.values[_key(number)] = value
    return value


def kept(number: int) -> object:
    """The operand that was remembered."""
    return _state.values.pop(_key(number))


@contextmanager
def fresh() -> Generator[None, None, None]:
    """Keep the expressions of a trace apart from those around it, and drop what errors leave."""
    outer = _state.values
    _state.values = {}
    try:
        yield
    finally:
        _state.values = outer
