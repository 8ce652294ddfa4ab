# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes operations into the function that is being traced, and knows which values are in reach.

A :class:`Region` is the body of a loop or branch. It is traced before the operation around it
exists, because its results are only known afterwards; then its block moves into that operation, or
is dropped if the body must be traced again. Every value remembers the region it was made in, so a
tile that leaks out of a branch through a list or an attribute is reported where it is used, instead
of making IR that is not valid.
"""

from __future__ import annotations

import importlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any

from tegula._location import Location
from tegula._show import show
from tegula._trace.dependencies import Dependencies
from tegula._trace.locations import Locations
from tegula._trace.mlir_types import Types
from tegula.errors import ControlFlowError, Note
from tegula.lang.array import Array
from tegula.lang.dtypes import DType
from tegula.lang.tile import Tile, describe, made_at

_DIALECTS = ("func", "arith", "math", "scf", "tile")


class Value:
    """A backend handle: an MLIR value with the region it was made in, or a scalar constant.

    Constants become operations when something uses them, at the start of the function, once each.
    """

    __slots__ = ("constant", "mlir", "region")

    def __init__(
        self, mlir: Any, region: int, constant: tuple[bool | int | float, DType] | None = None
    ) -> None:
        self.mlir = mlir
        self.region = region
        self.constant = constant


class Region:
    """The body of a branch or loop while it is traced.

    Attributes:
        block: its MLIR block.
        number: identity of the region; 0 is the function itself.
        what: what it is, for messages ("branch", "loop").
        place: the statement that opened it.
    """

    def __init__(
        self, block: Any, number: int, what: str, place: Location | None, owner: Any
    ) -> None:
        self.block = block
        self.number = number
        self.what = what
        self.place = place
        self._owner = owner

    def arguments(self) -> list[Value]:
        """Its block arguments as handles."""
        return [Value(argument, self.number) for argument in self.block.arguments]


class Emitter:
    """Where operations go. See the module docstring.

    Args:
        stop: code object of our function that calls the kernel's.
        dependencies: learns which functions the kernel calls.
    """

    is_interpreter = False

    def __init__(self, stop: CodeType, dependencies: Dependencies) -> None:
        ir: Any = importlib.import_module("tegula.mlir.ir")
        self.ir = ir
        self.context: Any = ir.Context()
        for name in _DIALECTS:
            self.context.get_dialect_descriptor(name)
        self.types = Types(ir, self.context)
        self.locations = Locations(ir, self.types.unknown, stop)
        self._constants: dict[tuple[str, str, tuple[int, ...]], Any] = {}
        self._regions: dict[int, Region] = {}
        # Regions whose block is in no operation yet.
        self._detached: dict[int, Region] = {}
        self._open: list[tuple[Region, Any]] = []
        self._reachable: set[int] = set()
        # Why variables have no value, by file, function and name (see _trace/unbound.py).
        self.unbound: dict[tuple[str, str, str], Any] = {}
        self.dependencies = dependencies
        self._written: set[int] = set()
        # Set by the tracer: whether assumptions are asserted, and which arguments overlap.
        self.checked = False
        self.aliases: tuple[tuple[int, int], ...] = ()
        self._hoisted: dict[int, int] = {}
        self._count = 0

    # Operations
    def emit(
        self,
        name: str,
        results: Sequence[Any],
        operands: Sequence[Any],
        attributes: dict[str, Any] | None = None,
        regions: int = 0,
    ) -> Any:
        """Append an operation to the current region, at the user's current line."""
        return self.ir.Operation.create(
            name,
            results=results,
            operands=operands,
            attributes=attributes,
            regions=regions,
            loc=self.locations.current(),
            ip=self._open[-1][1],
        )

    def result(
        self,
        name: str,
        kind: Any,
        operands: Sequence[Any],
        attributes: dict[str, Any] | None = None,
    ) -> Value:
        """As :meth:`emit`, for an operation with one result of type `kind`."""
        op = self.ir.Operation.create(
            name,
            results=[kind],
            operands=operands,
            attributes=attributes,
            loc=self.locations.current(),
            ip=self._open[-1][1],
        )
        return Value(op.results[0], self._open[-1][0].number)

    def operand(self, x: Tile | Array) -> Any:
        """The MLIR value of a tile or view.

        Raises:
            ControlFlowError: it was made in a branch or loop that has ended.
        """
        handle: Value = x.handle
        if handle.region not in self._reachable:
            self._follow_hoisting(x)
        if handle.mlir is None:
            handle.mlir = self._materialize(handle)
        return handle.mlir

    def _follow_hoisting(self, x: Tile | Array) -> None:
        """Find the region that a value's operation was moved to."""
        handle: Value = x.handle
        while handle.region in self._hoisted:
            handle.region = self._hoisted[handle.region]
        if handle.region not in self._reachable:
            self._out_of_reach(x)

    def _materialize(self, handle: Value) -> Any:
        assert handle.constant is not None
        return self.constant_of(*handle.constant)

    def constant_of(
        self, value: bool | int | float, dtype: DType, shape: tuple[int, ...] = ()
    ) -> Any:
        """A constant at the start of the function, one for all its uses."""
        key = (repr(value), dtype.name, shape)
        found = self._constants.get(key)
        if found is None:
            entry = self._regions[0].block
            op = self.ir.Operation.create(
                "arith.constant",
                results=[self.types.of(dtype, shape)],
                attributes={"value": self.types.number(value, dtype, shape)},
                loc=self.locations.current(),
                ip=self.ir.InsertionPoint.at_block_begin(entry),
            )
            found = self._constants[key] = op.results[0]
        return found

    def constant(self, value: bool | int | float, dtype: DType) -> Value:
        """A scalar constant; nothing is emitted until it is used."""
        return Value(None, 0, (value, dtype))

    # Regions
    def start(self, block: Any) -> None:
        """Enter the function's own block."""
        self._regions[0] = Region(block, 0, "kernel", None, None)
        self._push(self._regions[0])

    def new_region(self, what: str, place: Location | None, arguments: Sequence[Any]) -> Region:
        """A detached block with arguments of the given types."""
        scratch = self.ir.Operation.create(
            "scf.execute_region", regions=1, loc=self.types.unknown, ip=False
        )
        locations = [self.locations.current()] * len(arguments)
        block = self.ir.Block.create_at_start(scratch.regions[0], list(arguments), locations)
        self._count += 1
        region = Region(block, self._count, what, place, scratch)
        self._regions[self._count] = self._detached[self._count] = region
        return region

    def attach(self, region: Region, place: Any) -> None:
        """Move a region's block into an operation's region."""
        region.block.append_to(place)
        del self._detached[region.number]

    def discard(self, region: Region) -> None:
        """Drop a region that was left, and what was traced into it."""
        del self._detached[region.number]
        _clear(region.block)

    def abandon(self) -> None:
        """Drop everything: an error ended the trace.

        Blocks are emptied from the inside out. MLIR aborts if a value is destroyed before its uses,
        and Python destroys objects in any order.
        """
        for number in sorted(self._detached, reverse=True):
            _clear(self._detached[number].block)
        if 0 in self._regions:
            _clear(self._regions[0].block)

    def enter(self, region: Region) -> None:
        """Append to a region from here on."""
        self._push(region)

    def leave(self, region: Region) -> None:
        """Go back to where the region was entered.

        Raises:
            ControlFlowError: another region is open: an exception left a branch and was caught.
        """
        if not self._open or self._open[-1][0] is not region:
            self._unbalanced(region)
        self._open.pop()
        self._reachable.discard(region.number)

    @contextmanager
    def inside(self, region: Region) -> Generator[None, None, None]:
        """Append to the end of a region that was left before."""
        self._push(region)
        try:
            yield
        finally:
            self.leave(region)

    def finished(self) -> None:
        """Check that every region has been left.

        Raises:
            ControlFlowError: one is still open.
        """
        if len(self._open) > 1:
            self._unbalanced(self._open[0][0])

    def current_region(self) -> int:
        """The number of the innermost open region."""
        return self._open[-1][0].number

    def _push(self, region: Region) -> None:
        self._open.append((region, self.ir.InsertionPoint(region.block)))
        self._reachable.add(region.number)

    def _unbalanced(self, region: Region) -> None:
        inner = self._open[-1][0] if self._open else region
        raise ControlFlowError(
            f"an exception, or a `yield`, left a {inner.what} on a run-time value, and the kernel "
            "went on",
            notes=[Note(f"this {inner.what} was left", inner.place)],
            help="do not catch exceptions across run-time `if`, `for` and `while` statements, nor "
            "yield inside them",
        )

    def _out_of_reach(self, x: Tile | Array) -> None:
        region = self._regions.get(x.handle.region)
        shown = describe(x) if isinstance(x, Tile) else show(x)
        what = region.what if region is not None else "loop"
        notes = [made_at(x)] if isinstance(x, Tile) else []
        if region is not None and region.place is not None:
            notes.append(Note(f"the {what} is here", region.place))
        raise ControlFlowError(
            f"{shown} was made inside a run-time {what} and does not exist outside it",
            notes=notes,
            help=f"assign it to a variable that is set before the {what} as well; items and "
            "attributes are carried out only when the statement assigns to them directly",
        )


def _clear(block: Any) -> None:
    for op in reversed(list(block.operations)):
        op.operation.erase()
