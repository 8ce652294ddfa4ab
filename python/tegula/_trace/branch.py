# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An `if` statement on a run-time condition: both arms are traced, each into its own region."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from tegula._location import Location
from tegula._trace import unbound
from tegula._trace.conditions import at, is_traced, tracing, truth
from tegula._trace.containers import Watch
from tegula._trace.emitter import Region
from tegula._trace.joining import Joiner
from tegula._trace.merge import describe_tree
from tegula._trace.sites import SITES, Site
from tegula._trace.tree import UNDEFINED, Node, Path, Tree, freeze, path_text, thaw
from tegula.errors import ControlFlowError, Note
from tegula.lang import _widening
from tegula.lang.tile import Tile, made_at

Locals = Mapping[str, Any]


class Decided:
    """An `if` whose condition is a plain Python value."""

    traced = False

    def __init__(self, taken: bool) -> None:
        self.taken = taken


_TAKEN, _NOT_TAKEN = Decided(True), Decided(False)


def if_(number: int, condition: object) -> Decided | Branch:
    """Decide what the `if` statement of a site does."""
    if not is_traced(condition):
        return _TAKEN if condition else _NOT_TAKEN
    return Branch(SITES[number], truth(condition))


class Branch:
    """An `if` whose condition is only known when the kernel runs.

    Attributes:
        restored: values of the site's variables as they were before the statement.
    """

    traced = True

    def __init__(self, site: Site, condition: Tile) -> None:
        backend = tracing()
        assert backend is not None
        self._backend = backend
        self._site = site
        self._condition = condition
        self._names = (*site.names, *site.roots)
        self._before: dict[str, Tree] = {}
        self._then: dict[str, Tree] | None = None
        self._watch = Watch({}, {})
        self._regions: list[Region] = []
        self.restored: tuple[Any, ...] = ()
        if site.global_names:
            refuse_global(site)

    def begin(self, variables: Locals) -> bool:
        """Start the first arm."""
        self._before = self._captured(variables)
        self._watch = Watch(variables, self._before)
        self._open()
        return True

    def middle(self, variables: Locals) -> bool:
        """End the first arm, undo what it did to variables, start the second one."""
        self._close(variables)
        self._then = self._captured(variables)
        for name in self._names:
            thaw(self._before[name], in_place=True)
        self.restored = tuple(_plain(self._before[name]) for name in self._site.names)
        self._open()
        return True

    def end(self, variables: Locals) -> tuple[Any, ...]:
        """End the last arm; gives the values of the variables that are live afterwards."""
        self._close(variables)
        last = self._captured(variables)
        if self._then is None:
            then, otherwise = last, self._before
            self._regions.append(self._backend.new_region("branch", self._site.place(), []))
        else:
            then, otherwise = self._then, last
        joiner = Joiner(self._refuse)
        joined = [name for name in self._site.names if name in self._site.live]
        for name in (*joined, *self._site.roots):
            joiner.add(name, then[name], otherwise[name])
        values = joiner.finish(self._condition, *self._regions)[: len(joined)]
        for name, value in zip(joined, values, strict=True):
            if value is UNDEFINED and not then[name] is otherwise[name] is UNDEFINED:
                missing = 0 if then[name] is UNDEFINED else 1
                unbound.record_branch(self._site, name, missing)
        return tuple(values)

    def refuse_raise(self) -> NoReturn:
        """Explain why a `raise` cannot depend on a run-time condition."""
        raise ControlFlowError(
            "`raise` under a run-time condition: compiled kernels do not raise exceptions, and "
            "this line runs while the kernel is traced, whatever the condition will be",
            notes=[made_at(self._condition)],
            help="write `assert condition, message`, which is checked when the kernel runs",
        )

    def _captured(self, variables: Locals) -> dict[str, Tree]:
        return {name: freeze(variables.get(name, UNDEFINED)) for name in self._names}

    def _open(self) -> None:
        region = self._backend.new_region("branch", self._site.place(), [])
        self._regions.append(region)
        self._backend.enter(region)

    def _close(self, variables: Locals) -> None:
        self._backend.leave(self._regions[-1])
        self._watch.check(self._site)

    def _refuse(self, name: str, path: Path, first: Any, second: Any) -> NoReturn:
        """Explain leaves that do not fit, at the assignment in the second arm if there is one."""
        places = [self._place(arm, name) for arm in (0, 1)]
        shown = path_text(name, path)
        arm = 1 if places[1] is not None else 0
        here, there = (second, first) if arm else (first, second)
        notes = [_where(shown, there, places[1 - arm]), *_widening.first(here, there)]
        raise ControlFlowError(
            f"`{shown}` is {describe_tree(here)} in one branch of a run-time `if` and "
            f"{describe_tree(there)} in the other",
            notes=notes,
            help=_advice(here, there),
            **at(places[arm]),
        )

    def _place(self, arm: int, name: str) -> Location | None:
        return self._site.assignment(arm, name)


def _where(shown: str, leaf: object, place: Location | None) -> Note | None:
    if place is not None:
        return Note(f"there, `{shown}` is set here", place)
    return made_at(leaf) if isinstance(leaf, Tile) else None


def _advice(first: object, second: object) -> str:
    tiles = [leaf for leaf in (first, second) if isinstance(leaf, Tile)]
    if len(tiles) == 2 and tiles[0].shape == tiles[1].shape:
        convert = f"convert one of them, for example with .astype({tiles[1].dtype!r})"
        return convert + _widening.edit(*tiles)
    if tiles and tiles[0].shape:
        return f"give both one shape, for example with tg.full({tiles[0].shape}, value, dtype)"
    return (
        "a run-time condition can only choose between numbers and tiles of one dtype and shape; "
        "decide on a tg.Const, or compute both and choose with tg.where"
    )


def _plain(tree: Tree) -> Any:
    """The value that a tree was frozen from."""
    return tree.source if isinstance(tree, Node) else tree


def refuse_global(site: Site) -> NoReturn:
    """Explain why global variables cannot be carried."""
    names = ", ".join(f"`{name}`" for name in site.global_names)
    raise ControlFlowError(
        f"the global {names} is assigned under a run-time `{site.kind}`, but Python variables of a "
        "module change only while the kernel is traced",
        help="use a local variable",
        **at(site.place()),
    )
