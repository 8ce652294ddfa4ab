# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Notices that a run-time branch or loop changed a Python container that it does not carry.

A list that grows inside a branch would grow while the kernel is traced, whatever the condition will
be. Containers that the statement assigns to are carried; any other one that is reachable from a
variable must be as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from tegula._trace.conditions import at
from tegula._trace.sites import Site
from tegula._trace.tree import Node, Tree, changed, containers, freeze
from tegula.errors import ControlFlowError
from tegula.lang.tile import Tile

# Deeper containers, and long lists, are not looked at.
_DEPTH = 3
_LONGEST = 1000


class Watch:
    """The containers of a function's variables at some moment.

    Args:
        variables: all variables.
        carried: the trees of those that are taken care of.
    """

    def __init__(self, variables: Mapping[str, Any], carried: Mapping[str, Tree]) -> None:
        self._trees: dict[str, Tree] = {}
        self._sets: dict[str, tuple[set[Any], set[Any]]] = {}
        self._owned = {number for tree in carried.values() for number in containers(tree)}
        for name, value in variables.items():
            if name in carried or name.startswith(".") or isinstance(value, Tile):
                continue
            self._add(name, value)

    def _add(self, name: str, value: Any) -> None:
        if isinstance(value, (list, dict, set)):
            container = cast("list[Any] | dict[Any, Any] | set[Any]", value)
            if len(container) > _LONGEST:
                return
            if isinstance(container, set):
                self._sets[name] = container, set(container)
                return
        tree = freeze(cast("object", value), _DEPTH)
        if isinstance(tree, Node):
            self._trees[name] = tree

    def check(self, site: Site) -> None:
        """Check that nothing changed since.

        Raises:
            ControlFlowError: a container did.
        """
        for name, tree in self._trees.items():
            if changed(tree, self._owned):
                _refuse(site, name, type(tree.source).__name__)
        for name, (value, before) in self._sets.items():
            if value != before:
                _refuse(site, name, "set")


def _refuse(site: Site, name: str, kind: str) -> None:
    what = "branch" if site.kind == "if" else "loop"
    raise ControlFlowError(
        f"the {kind} `{name}` was changed inside a run-time {what} in a way that cannot be carried "
        f"out of it: it changed while the kernel was traced, once, whatever happens at run time",
        help=f"assign to an item in the {what} itself, as in `{name}[0] = ...`, or rebind a "
        f"variable; to build a list, use a Python `range` or tg.static_range, which unroll",
        **at(site.place()),
    )
