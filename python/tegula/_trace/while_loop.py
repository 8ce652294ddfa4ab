# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`while` statements.

What kind of loop it is shows when the condition is evaluated: while that gives a plain Python
value, Python runs the loop; as soon as it gives a run-time value, the rest of the loop is compiled.
The condition is evaluated into a region of its own, which is spliced in if it decided at once, and
dropped otherwise, for the condition is then evaluated again on the carried variables.

A loop that may be left early is one of its own kind of surprise: its condition (`while True`) may
be plain and only the `break` depend on a run-time value. Its first iteration is traced into the
region as well; if the flag is a run-time value after it, all of that is dropped and the whole loop
is compiled.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Any

from tegula._trace.conditions import is_traced, tracing, truth
from tegula._trace.emitter import Region, Value
from tegula._trace.loops import Locals, TracedLoop
from tegula._trace.sites import SITES, Site
from tegula._trace.tree import UNDEFINED, Tree, freeze, leaves, thaw
from tegula.lang.tile import Tile


def while_(number: int) -> PlainWhile | WhileLoop:
    """Start the `while` statement of a site."""
    return PlainWhile() if tracing() is None else WhileLoop(SITES[number])


class PlainWhile:
    """A loop outside kernels, or in the interpreter."""

    traced = False
    over = False

    def again(self, _variables: Locals) -> bool:
        """Always go on to the condition."""
        return True

    def check(self, condition: object, _variables: Locals) -> bool:
        """Whether the body runs."""
        self.over = not condition
        return not self.over


class _Phase(enum.Enum):
    PYTHON = enum.auto()  # Python runs the loop, as far as is known
    CONDITION = enum.auto()  # the condition is traced into the region before
    BODY = enum.auto()  # the body is traced into the region after
    DONE = enum.auto()


class WhileLoop(TracedLoop):
    """See the module docstring.

    Attributes:
        traced: whether the loop is compiled.
        over: whether Python's loop ends.
        inside: values of the variables at the start of the body.
    """

    def __init__(self, site: Site) -> None:
        super().__init__(site, certain=False)
        self.traced = False
        self.over = False
        self.inside: tuple[Any, ...] = ()
        self._phase = _Phase.PYTHON
        self._region: Region | None = None
        self._before: Region | None = None
        self._condition: Tile | None = None
        # Variables that the condition assigns, and their tiles, which the body gets from it.
        self._tested: dict[str, Tree] = {}
        self._passed: list[Tile] = []

    def again(self, variables: Locals) -> bool:
        """Whether to evaluate the condition (again)."""
        if self._phase is _Phase.PYTHON:
            self._try_python(variables)
        elif self._phase is _Phase.DONE:
            return False
        return True

    def _try_python(self, variables: Locals) -> None:
        flag = self.site.flag
        if self._region is not None:
            region, self._region = self._region, None
            self.backend.leave(region)
            if flag is not None and is_traced(variables.get(flag)):
                self.backend.discard(region)
                self._compile()
                return
            self.backend.splice(region)
        self.prepare(variables)
        self._region = self.backend.new_region("loop", self.site.place(), [])
        self.backend.enter(self._region)

    def _compile(self) -> None:
        """Drop what the last pass traced, and compile the loop from there."""
        self.carried.restore()
        self.traced = True
        self._open_before()

    def _open_before(self) -> None:
        self._phase = _Phase.CONDITION
        self.carried.begin()
        self._before = self.open()

    def enter(self) -> tuple[Any, ...]:
        """Values of the variables where the condition is evaluated."""
        assert self._before is not None
        return self.carried.values(self.tiles(self._before.arguments()))

    def check(self, condition: object, variables: Locals) -> bool:
        """Whether the body is to be run or traced now."""
        if self._phase is _Phase.CONDITION:
            return self._open_body(condition, variables)
        region = self._region
        assert region is not None
        if is_traced(condition):
            self._region = None
            self.backend.leave(region)
            self.backend.discard(region)
            self._compile()
            return False
        self.over = not condition
        if self.over or self.site.flag is None:
            self._region = None
            self.backend.leave(region)
            self.backend.splice(region)
        return not self.over

    def _open_body(self, condition: object, variables: Locals) -> bool:
        assert self._before is not None
        is_traced(condition)  # refuses tiles
        self._condition = truth(condition)
        self.backend.leave(self._before)
        self._region = self.open()
        carried = self.carried.values(self.tiles(self._region.arguments()))
        self._tested = {name: freeze(variables.get(name, UNDEFINED)) for name in self.site.tested}
        self._passed = [leaf for leaf in self._leaves() if isinstance(leaf, Tile)]
        handles = [self.backend.add_argument(self._region, tile) for tile in self._passed]
        self.inside = (*carried, *self._tested_values(handles))
        self._phase = _Phase.BODY
        return True

    def _leaves(self) -> Iterator[Any]:
        for tree in self._tested.values():
            for _, leaf in leaves(tree):
                yield leaf

    def _tested_values(self, handles: Sequence[Value]) -> list[Any]:
        """The variables that the condition assigns, with other handles for their tiles."""
        tiles = {
            id(old): Tile(new, old.dtype, old.shape, weak=old.weak, origin=old.origin, of=(old,))
            for old, new in zip(self._passed, handles, strict=True)
        }
        return [thaw(tree, lambda x: tiles.get(id(x), x)) for tree in self._tested.values()]

    def leave(self, variables: Locals) -> None:
        """After the body."""
        assert self._region is not None
        if not self.close(self._region, variables):
            assert self._before is not None
            self.backend.discard(self._before)
            self._open_before()
            return
        self._finish(self._region)
        self._phase = _Phase.DONE

    def _finish(self, body: Region) -> None:
        assert self._before is not None and self._condition is not None
        slots = (*self.carried.slots, *self.carried.late)
        starts = [slot.started() for slot in slots]
        for slot in self.carried.late:
            like = slot.started()
            self.backend.add_argument(self._before, like)
            self.backend.add_argument(body, like)
        with self.backend.inside(body):
            ends = [slot.ended() for slot in slots]
        at, count = len(self.carried.slots), len(self._passed)
        handles = self.backend.while_op(
            self._before, self._condition, body, starts, ends, self._passed, at
        )
        tested = handles[at : at + count]
        del handles[at : at + count]
        self.conclude(handles)
        self.final.update(zip(self.site.tested, self._tested_values(tested), strict=True))

    def end(self) -> tuple[Any, ...]:
        """Values of the variables after the loop."""
        tested = [self.final[name] for name in self.site.tested if name in self.site.live]
        return (*self.values_after(), *tested)
