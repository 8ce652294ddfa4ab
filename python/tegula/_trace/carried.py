# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variables that a run-time loop carries from iteration to iteration.

Every leaf of a carried variable is one of these:

* a *slot*: a tile, or a number that the loop changes. It becomes a block argument of the loop.
* *late*: it has no value before the loop (the return value of a `return` in the loop; a variable
  of a loop that certainly runs). Its type is known once the body has been traced.
* *static*: known when the kernel is compiled and the same after an iteration.

A number bound to a variable is a slot from the start; a number inside a container becomes one when
an iteration turns out to change it. A slot that starts as a Python number takes the dtype that an
iteration gives it. In both cases the body is traced again with the new slots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from tegula._trace.merge import Spec, coerce, filler, spec_of, unify
from tegula._trace.sites import Site
from tegula._trace.tree import UNDEFINED, UNSET, Node, Path, Tree, freeze, leaves, same, thaw
from tegula.lang.tile import Tile

_Key = tuple[Any, ...]


@dataclass
class Slot:
    """A carried leaf.

    Attributes:
        start: its value before the loop, UNSET if late.
        spec: dtype and shape.
        end: its value after an iteration.
    """

    start: Any
    spec: Spec
    end: Any = None

    def started(self) -> Tile:
        """The value before the loop as a tile of the spec."""
        return filler(self.spec) if self.start is UNSET else coerce(self.start, self.spec)

    def ended(self) -> Tile:
        """The value after an iteration as a tile of the spec."""
        return coerce(self.end, self.spec)


@dataclass(frozen=True)
class _Ref:
    """Takes the place of a slot in a tree."""

    number: int


class Restart(Exception):  # noqa: N818
    """The body must be traced again."""


# Raises the error for a leaf that an iteration changes in a way that cannot be carried:
# (variable, path, at the start, after an iteration).
Refuse = Callable[[str, Path, Any, Any], NoReturn]


class Carried:
    """See the module docstring.

    Args:
        site: the loop.
        variables: all variables before it.
        certain: whether the loop certainly runs at least once.
        refuse: explains what cannot be carried.
    """

    def __init__(
        self, site: Site, variables: Mapping[str, Any], certain: bool, refuse: Refuse
    ) -> None:
        self._site = site
        self._certain = certain
        self._refuse = refuse
        self.before = {
            name: freeze(variables.get(name, UNDEFINED)) for name in (*site.names, *site.roots)
        }
        self._changing: set[_Key] = set()
        self._widened: dict[_Key, Spec] = {}
        self.slots: list[Slot] = []
        self.late: list[Slot] = []
        self._trees: dict[str, Tree] = {}
        self._results: dict[str, Tree] = {}

    def begin(self) -> list[Slot]:
        """Lay out the slots for tracing the body; gives them."""
        self.slots, self.late = [], []
        self._trees = {name: self._reserve((name,), tree) for name, tree in self.before.items()}
        return self.slots

    def _reserve(self, key: _Key, tree: Tree) -> Tree:
        if isinstance(tree, Node):
            pairs = zip(tree.keys, tree.items, strict=True)
            return Node(tree.source, tree.keys, [self._reserve((*key, k), i) for k, i in pairs])
        spec = self._widened.get(key) or spec_of(tree)
        fixed = isinstance(tree, (bool, int, float)) and len(key) > 1
        if spec is None or (fixed and key not in self._changing):
            return tree
        self.slots.append(Slot(tree, spec))
        return _Ref(len(self.slots) - 1)

    def values(self, tiles: Sequence[Tile]) -> tuple[Any, ...]:
        """The site's variables with tiles in the slots, as an iteration starts with them."""
        self._put_roots(self._trees, tiles)
        return tuple(_fill(self._trees[name], tiles) for name in self._site.names)

    def restore(self) -> None:
        """Put containers back to what they held before the loop."""
        for tree in self.before.values():
            thaw(tree, in_place=True)

    def finish_iteration(self, variables: Mapping[str, Any]) -> None:
        """Compare the variables after the body with those at its start.

        Raises:
            Restart: the slots must be laid out differently.
            ControlFlowError: something cannot be carried.
        """
        again = False
        for name, tree in self._trees.items():
            after = freeze(variables.get(name, UNDEFINED))
            self._results[name], restart = self._compare((name,), tree, after)
            again = again or restart
        if again:
            raise Restart

    def _compare(self, key: _Key, before: Tree, after: Tree) -> tuple[Tree, bool]:
        """The tree of the variable after the loop, and whether the slots must change."""
        if isinstance(before, Node) and isinstance(after, Node) and before.like(after):
            items: list[Tree] = []
            again = False
            for name, x, y in zip(before.keys, before.items, after.items, strict=True):
                item, restart = self._compare((*key, name), x, y)
                items.append(item)
                again = again or restart
            in_place = len(key) == 1 and key[0] in self._site.roots
            return Node((before if in_place else after).source, before.keys, items), again
        if isinstance(before, _Ref):
            return self._end_slot(key, before, after)
        if before is UNSET or (before is UNDEFINED and self._certain):
            return self._add_late(after), False
        if before is UNDEFINED or after is UNDEFINED:
            return UNDEFINED, False
        if isinstance(after, Node) or not same(before, after):
            return before, self._change(key, before, after)
        return before, False

    def _end_slot(self, key: _Key, ref: _Ref, after: Tree) -> tuple[Tree, bool]:
        slot = self.slots[ref.number]
        found = spec_of(after)
        spec = None if found is None else unify(slot.spec, found)
        if spec is None or (spec != slot.spec and not slot.spec.weak):
            self._refuse(key[0], key[1:], slot.start, after)
        slot.end = after
        if spec != slot.spec:
            self._widened[key] = spec
            return ref, True
        # A number that every iteration sets to what it was stays a number.
        unchanged = not isinstance(after, Tile) and same(after, slot.start)
        return (after if unchanged else ref), False

    def _change(self, key: _Key, before: Tree, after: Tree) -> bool:
        """A static leaf changed: carry it, if it is a number."""
        first, second = spec_of(before), spec_of(after)
        if first is None or second is None or isinstance(before, Node):
            self._refuse(key[0], key[1:], before, after)
        self._changing.add(key)
        return True

    def _add_late(self, after: Tree) -> Tree:
        if isinstance(after, Node):
            return Node(after.source, after.keys, [self._add_late(item) for item in after.items])
        spec = spec_of(after)
        if spec is None:
            return after
        self.late.append(Slot(UNSET, spec, after))
        return _Ref(-len(self.late))

    def results(self, tiles: Sequence[Tile]) -> dict[str, Any]:
        """The variables after the loop; tiles are those of the slots, then of the late ones."""
        count = len(self.slots)
        ordered = [*tiles[:count], *reversed(tiles[count:])]
        self._put_roots(self._results, ordered)
        return {name: _fill(self._results[name], ordered) for name in self._site.names}

    def _put_roots(self, trees: Mapping[str, Tree], tiles: Sequence[Tile]) -> None:
        """Put tiles into containers that the loop changes in place."""
        for name in self._site.roots:
            thaw(trees[name], lambda leaf: _leaf(leaf, tiles), in_place=True)


def _fill(tree: Tree, tiles: Sequence[Tile]) -> Any:
    """The value of a tree with tiles for its slots; containers without slots stay themselves."""
    if not isinstance(tree, Node):
        return _leaf(tree, tiles)
    if not any(isinstance(leaf, _Ref) for _, leaf in leaves(tree)):
        return tree.source
    return tree.rebuild([_fill(item, tiles) for item in tree.items])


def _leaf(leaf: Any, tiles: Sequence[Tile]) -> Any:
    return tiles[leaf.number] if isinstance(leaf, _Ref) else leaf
