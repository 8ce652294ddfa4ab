# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes one value of the values that two branches give.

Two trees are compared leaf by leaf. Leaves that are equal at compile time stay; numbers and tiles
that differ become results of the branch; everything else is refused. A container that both branches
share and changed in place gets the joined items put back in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias

from tegula._trace.conditions import tracing
from tegula._trace.emitter import Region
from tegula._trace.merge import Spec, coerce, filler, spec_of, unify
from tegula._trace.tree import UNDEFINED, UNSET, Node, Path, Tree, same
from tegula.lang.tile import Tile

Build: TypeAlias = Callable[[Sequence[Tile]], Any]
# Raises the error for leaves that do not fit: (variable, path, first leaf, second leaf).
Refuse: TypeAlias = Callable[[str, Path, Any, Any], NoReturn]


class _Slot(NamedTuple):
    """A result of the branch: the leaf of each arm, UNSET where its value does not matter."""

    first: Any
    second: Any
    spec: Spec


class Joiner:
    """Joins the variables of two arms.

    Args:
        refuse: what to do with leaves that do not fit.
    """

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse
        self._slots: list[_Slot] = []
        self._builds: list[Build] = []

    def add(self, name: str, first: Tree, second: Tree) -> None:
        """Join a variable that has these trees at the ends of the arms."""
        self._builds.append(self._plan(name, (), first, second))

    def finish(self, condition: Tile, first: Region, second: Region) -> list[Any]:
        """Emit the branch; gives the values of the variables in the order they were added."""
        results = self._emit(condition, first, second)
        return [build(results) for build in self._builds]

    def _emit(self, condition: Tile, first: Region, second: Region) -> list[Tile]:
        backend = tracing()
        assert backend is not None
        with backend.inside(first):
            firsts = [_value(slot.first, slot.spec) for slot in self._slots]
        with backend.inside(second):
            seconds = [_value(slot.second, slot.spec) for slot in self._slots]
        empty = backend.is_empty(first), backend.is_empty(second)
        if all(empty):
            pairs = zip(firsts, seconds, strict=True)
            handles = [backend.select(condition, a, b) for a, b in pairs]
        else:
            otherwise = None if empty[1] and not self._slots else second
            handles = backend.if_op(condition, first, otherwise, firsts, seconds)
        return [
            Tile(
                *(handle, slot.spec.dtype, slot.spec.shape),
                weak=slot.spec.weak,
                of=(slot.first, slot.second),
            )
            for handle, slot in zip(handles, self._slots, strict=True)
        ]

    def _plan(self, name: str, path: Path, first: Tree, second: Tree) -> Build:
        if first is UNDEFINED or second is UNDEFINED:
            return _static(UNDEFINED)
        if isinstance(first, Node) and isinstance(second, Node):
            return self._container(name, path, first, second)
        if first is UNSET and isinstance(second, Node):
            parts = [self._plan(name, path, UNSET, item) for item in second.items]
            return lambda results: second.rebuild([part(results) for part in parts])
        if second is UNSET and isinstance(first, Node):
            parts = [self._plan(name, path, item, UNSET) for item in first.items]
            return lambda results: first.rebuild([part(results) for part in parts])
        return self._leaf(name, path, first, second)

    def _container(self, name: str, path: Path, first: Node, second: Node) -> Build:
        if not first.like(second):
            self._refuse(name, path, first, second)
        parts = [
            self._plan(name, (*path, key), a, b)
            for key, a, b in zip(first.keys, first.items, second.items, strict=True)
        ]
        shared = first.source is second.source

        def build(results: Sequence[Tile]) -> Any:
            items = [part(results) for part in parts]
            return first.write(items) if shared else first.rebuild(items)

        return build

    def _leaf(self, name: str, path: Path, first: Tree, second: Tree) -> Build:
        if same(first, second):
            return _static(first)
        if first is UNSET or second is UNSET:
            given = second if first is UNSET else first
            if not isinstance(given, Tile):
                return _static(given)
            spec = spec_of(given)
        else:
            specs = spec_of(first), spec_of(second)
            spec = None if None in specs else unify(*specs)  # type: ignore[arg-type]
        if spec is None:
            self._refuse(name, path, first, second)
        number = len(self._slots)
        self._slots.append(_Slot(first, second, spec))
        return lambda results: results[number]


def _static(value: Any) -> Build:
    return lambda _: value


def _value(leaf: Any, spec: Spec) -> Tile:
    return filler(spec) if leaf is UNSET else coerce(leaf, spec)
