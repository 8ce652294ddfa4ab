# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that run in the compiled kernel: `for` over `tg.range`, and what all loops share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from tegula._trace import unbound
from tegula._trace.branch import refuse_global
from tegula._trace.carried import Carried, Restart
from tegula._trace.conditions import at, tracing, truth
from tegula._trace.containers import Watch
from tegula._trace.emitter import Region, Value
from tegula._trace.merge import describe_tree, spec_of
from tegula._trace.sites import SITES, Site
from tegula._trace.tree import UNDEFINED, Path, path_text
from tegula.errors import ControlFlowError, Note
from tegula.lang import _operands, _widening, dtypes
from tegula.lang import range as TileRange  # noqa: N812
from tegula.lang.array import Array
from tegula.lang.tile import Tile, made_at

Locals = Mapping[str, Any]
# A body is traced again when a carried value turns out to need another dtype; each time at least
# one value widens, and none widens more than twice.
_MOST_ATTEMPTS = 100


class Unrolled:
    """A loop that Python runs."""

    traced = False

    def __init__(self, items: Iterable[Any]) -> None:
        self.items = items


def for_(number: int, iterable: Iterable[Any]) -> Unrolled | ForLoop:
    """Decide what kind of loop the `for` statement of a site is."""
    if isinstance(iterable, TileRange) and tracing() is not None:
        return ForLoop(SITES[number], iterable)
    if isinstance(iterable, (Tile, Array)):
        iter(iterable)  # explains why not, at the place of the iterable
    return Unrolled(iterable)


class TracedLoop:
    """What `for` and `while` share: carrying variables, and tracing the body until types agree.

    Args:
        site: the statement.
        certain: whether the body certainly runs.
    """

    traced = True

    def __init__(self, site: Site, certain: bool) -> None:
        backend = tracing()
        assert backend is not None
        self.backend = backend
        self.site = site
        self._certain = certain
        self._watch = Watch({}, {})
        self.carried: Carried
        self.final: dict[str, Any] = {}
        if site.global_names:
            refuse_global(site)

    def prepare(self, variables: Locals) -> None:
        """Look at the variables before the loop."""
        self.carried = Carried(self.site, variables, self._certain, self._refuse)
        self._watch = Watch(variables, self.carried.before)

    def open(self, *extra: Any) -> Region:
        """Start a region with block arguments of types `extra`, then those of the slots."""
        types = self.backend.types
        kinds = [types.of(slot.spec.dtype, slot.spec.shape) for slot in self.carried.slots]
        region = self.backend.new_region("loop", self.site.place(), [*extra, *kinds])
        self.backend.enter(region)
        return region

    def tiles(self, handles: Sequence[Value]) -> list[Tile]:
        """Tiles for the slots, which remember where their first value was made."""
        return [
            Tile(
                handle,
                slot.spec.dtype,
                slot.spec.shape,
                weak=slot.spec.weak,
                origin=slot.start.origin if isinstance(slot.start, Tile) else None,
                of=(slot.start,),
            )
            for handle, slot in zip(handles, self.carried.slots, strict=True)
        ]

    def close(self, region: Region, variables: Locals) -> bool:
        """End the body; False if it must be traced again."""
        self.backend.leave(region)
        self._watch.check(self.site)
        try:
            self.carried.finish_iteration(variables)
        except Restart:
            self.backend.discard(region)
            self.carried.restore()
            return False
        return True

    def conclude(self, handles: Sequence[Value]) -> None:
        """Take over the results of the finished loop."""
        slots = [*self.carried.slots, *self.carried.late]
        tiles = [
            Tile(
                handle,
                slot.spec.dtype,
                slot.spec.shape,
                weak=slot.spec.weak,
                origin=slot.end.origin if isinstance(slot.end, Tile) else None,
                of=(slot.end, slot.start),
            )
            for handle, slot in zip(handles, slots, strict=True)
        ]
        self.final = self.carried.results(tiles)

    def values_after(self) -> tuple[Any, ...]:
        """The variables that are live after the loop."""
        names = [name for name in self.site.names if name in self.site.live]
        for name in names:
            if self.final[name] is UNDEFINED:
                unbound.record_loop(self.site, name)
        return tuple(self.final[name] for name in names)

    def _refuse(self, name: str, path: Path, first: Any, second: Any) -> NoReturn:
        """Explain a carried variable that an iteration changes too much."""
        shown = path_text(name, path)
        notes = [_start_note(shown, first)] if isinstance(first, Tile) else []
        notes += _widening.first(first, second)
        raise ControlFlowError(
            f"`{shown}` is {describe_tree(first)} when the run-time loop starts, but "
            f"{describe_tree(second)} after an iteration",
            notes=notes,
            help=_advice(shown, first, second),
            **at(self.site.assignment(0, name)),
        )


def _start_note(shown: str, start: Tile) -> Note:
    found = made_at(start)
    return Note(f"`{shown}` starts here", found.location)


def _advice(shown: str, first: object, second: object) -> str:
    start, end = spec_of(first), spec_of(second)
    if start is None or end is None:
        return (
            f"start `{shown}` with a number or tile of the dtype and shape that it has after an "
            "iteration; a run-time loop carries only numbers and tiles, in containers of one "
            "structure"
        )
    if start.shape != end.shape:
        return (
            f"give `{shown}` its final shape before the loop, for example "
            f"tg.zeros({end.shape}, {end.dtype!r})"
        )
    return (
        f"start with a value of dtype {end.dtype!r}, or convert in the loop: "
        f".astype({start.dtype!r}){_widening.edit(second)}"
    )


class ForLoop(TracedLoop):
    """`for i in tg.range(...)`."""

    def __init__(self, site: Site, bounds: TileRange) -> None:
        super().__init__(site, _runs(bounds))
        self._bounds = bounds
        self._region: Region | None = None
        self._left: Any = False
        self._done = False
        self._left_after: Any = False

    def start(self, variables: Locals) -> None:
        """Before the first iteration."""
        self.prepare(variables)
        self._lower, self._upper, self._step, self._scale = _normalized(self._bounds)

    @property
    def items(self) -> Iterator[Tile]:
        """The index, once for each time the body is traced."""
        for _ in range(_MOST_ATTEMPTS):
            self.carried.begin()
            self._region = self.open(self.backend.types.i64)
            self._handles = self._region.arguments()
            index = Tile(self._handles[0], dtypes.int64, ())
            yield index if self._scale is None else self._scale(index)
            if self._done:
                self._finish()
                return
        raise ControlFlowError(
            "the variables that this loop carries never settle on one dtype",
            help="give them dtypes before the loop, for example tg.float32(0)",
            location=self.site.place(),
        )

    def enter(self) -> tuple[Any, ...]:
        """Values of the variables at the start of the body; first the flag, if there is one."""
        values = self.carried.values(self.tiles(self._handles[1:]))
        return values if self.site.flag is None else (False, *values)

    def leave(self, variables: Locals) -> None:
        """After the body."""
        assert self._region is not None
        self._left = variables.get(self.site.flag, False) if self.site.flag else False
        self._done = self.close(self._region, variables)

    def end(self) -> tuple[Any, ...]:
        """Values of the variables after the loop; first the flag, if there is one."""
        values = self.values_after()
        return values if self.site.flag is None else (self._left_after, *values)

    def _finish(self) -> None:
        assert self._region is not None
        slots = self.carried.slots
        starts = [slot.started() for slot in (*slots, *self.carried.late)]
        for slot in self.carried.late:
            self.backend.add_argument(self._region, slot.started())
        with self.backend.inside(self._region):
            ends = [slot.ended() for slot in (*slots, *self.carried.late)]
        if self._left is False:
            bounds = (self._lower, self._upper, self._step)
            handles = self.backend.for_op(bounds, self._region, starts, ends)
        else:
            handles = self._leave_early(self._region, starts, ends)
        self.conclude(handles)

    def _leave_early(
        self, body: Region, starts: Sequence[Tile], ends: Sequence[Tile]
    ) -> list[Value]:
        """As a `while` loop, whose condition is that the index is in range and nothing left."""
        backend = self.backend
        with backend.inside(body):
            left = truth(self._left)
            following = _add(Tile(body.arguments()[0], dtypes.int64, ()), self._step)
        no = backend.bool_constant(False)
        backend.add_argument(body, no)
        kinds = [argument.type for argument in body.block.arguments]
        before = backend.new_region("loop", self.site.place(), kinds)
        with backend.inside(before):
            arguments = before.arguments()
            index = Tile(arguments[0], dtypes.int64, ())
            inside = Tile(backend.compare("lt", index, self._upper), dtypes.bool_, ())
            flag = Tile(arguments[-1], dtypes.bool_, ())
            going = Tile(backend.unary("not", flag), dtypes.bool_, ())
            condition = Tile(backend.binary("and", inside, going), dtypes.bool_, ())
        handles = backend.while_op(
            before, condition, body, [self._lower, *starts, no], [following, *ends, left]
        )
        self._left_after = Tile(handles[-1], dtypes.bool_, ())
        return handles[1:-1]


def _runs(bounds: TileRange) -> bool:
    """Whether a loop certainly has an iteration."""
    start, stop, step = bounds.start, bounds.stop, bounds.step
    if isinstance(start, Tile) or isinstance(stop, Tile) or isinstance(step, Tile):
        return False
    return len(range(start, stop, step)) > 0


def _normalized(
    bounds: TileRange,
) -> tuple[Tile, Tile, Tile, Callable[[Tile], Tile] | None]:
    """Bounds of an equal loop with a positive step, and what makes the index of its index."""
    start, stop, step = (_operands.coerce("range", b, dtypes.int64) for b in _parts(bounds))
    one = _operands.constant("range", 1, dtypes.int64)
    if isinstance(bounds.step, int) and bounds.step > 0:
        return start, stop, step, None
    zero = _operands.constant("range", 0, dtypes.int64)
    if isinstance(bounds.step, int):
        count: Any = (start - stop + (-bounds.step - 1)) // -bounds.step
    else:
        up = (stop - start + step - 1) // step
        down = (start - stop - step - 1) // -step
        # Division by zero gives 0: a step of 0 has no iteration.
        count = _where(step > 0, up, _where(step < 0, down, zero))

    def index_of(index: Tile) -> Tile:
        return start + index * step

    return zero, count, one, index_of


def _parts(bounds: TileRange) -> tuple[Tile | int, Tile | int, Tile | int]:
    return bounds.start, bounds.stop, bounds.step


def _where(condition: Any, x: Any, y: Any) -> Any:
    from tegula.lang import where

    return where(condition, x, y)


def _add(x: Tile, y: Tile) -> Tile:
    return Tile(x.owner.binary("add", x, y), dtypes.int64, ())
