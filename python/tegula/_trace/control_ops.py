# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structured control flow as IR, made around regions that have been traced already.

Carried values come as tiles of final dtype and shape: the values at the start, and those at the end
of each region, which become operands of its terminator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tegula._trace.emitter import Emitter, Region, Value
from tegula.lang import dtypes
from tegula.lang.tile import Tile


class ControlOps(Emitter):
    """Makes `scf` operations."""

    def if_op(
        self,
        condition: Tile,
        then: Region,
        otherwise: Region | None,
        then_values: Sequence[Tile],
        else_values: Sequence[Tile],
    ) -> list[Value]:
        """`scf.if`; without an else region there are no values."""
        self._terminate(then, "scf.yield", then_values)
        if otherwise is not None:
            self._terminate(otherwise, "scf.yield", else_values)
        op = self.emit("scf.if", self._kinds(then_values), [self.operand(condition)], regions=2)
        self.attach(then, op.regions[0])
        if otherwise is not None:
            self.attach(otherwise, op.regions[1])
        return self._results(op)

    def for_op(
        self, bounds: Sequence[Tile], body: Region, starts: Sequence[Tile], ends: Sequence[Tile]
    ) -> list[Value]:
        """`scf.for` from bounds (lower, upper, step > 0).

        The body's block arguments are the index and the carried values.
        """
        self._terminate(body, "scf.yield", ends)
        operands = [self.operand(value) for value in (*bounds, *starts)]
        op = self.emit("scf.for", self._kinds(starts), operands, regions=1)
        self.attach(body, op.regions[0])
        return self._results(op)

    def while_op(
        self,
        before: Region,
        condition: Tile,
        after: Region,
        starts: Sequence[Tile],
        ends: Sequence[Tile],
        tested: Sequence[Tile] = (),
        at: int = 0,
    ) -> list[Value]:
        """`scf.while`; its results are the carried values and those of the last test.

        `before` has the carried values as block arguments and computes the condition and `tested`;
        the carried values go through it unchanged. `after` has all of them as block arguments, the
        tested ones at number `at`.
        """
        with self.inside(before):
            passed = list(before.block.arguments)
            passed[at:at] = map(self.operand, tested)
            self.emit("scf.condition", (), [self.operand(condition), *passed])
        self._terminate(after, "scf.yield", ends)
        operands = [self.operand(value) for value in starts]
        kinds = [argument.type for argument in after.block.arguments]
        op = self.emit("scf.while", kinds, operands, regions=2)
        self.attach(before, op.regions[0])
        self.attach(after, op.regions[1])
        return self._results(op)

    def add_argument(self, region: Region, like: Tile) -> Value:
        """A further block argument, of a tile's type."""
        kind = self.types.of(like.dtype, like.shape)
        return Value(region.block.add_argument(kind, self.locations.current()), region.number)

    def is_empty(self, region: Region) -> bool:
        """Whether a region holds no operation."""
        return not list(region.block.operations)

    def hoist(self, region: Region) -> bool:
        """Move what a left region holds in front, if all of it is cheap and free of effects.

        The operations then run whatever the condition, which `and` and `or` of two comparisons are
        better off with. Values of the region are reachable afterwards.
        """
        operations = list(region.block.operations)
        if len(operations) > _MOST_HOISTED or not all(map(_is_cheap, operations)):
            return False
        self.splice(region)
        return True

    def splice(self, region: Region) -> None:
        """Append what a left region holds to the current one, to which its values belong then."""
        block = self._open[-1][0].block
        for op in list(region.block.operations):
            block.append(op)
        self._hoisted[region.number] = self.current_region()

    def _terminate(self, region: Region, name: str, values: Sequence[Tile]) -> None:
        with self.inside(region):
            self.emit(name, (), [self.operand(value) for value in values])

    def _kinds(self, values: Sequence[Tile]) -> list[Any]:
        return [self.types.of(value.dtype, value.shape) for value in values]

    def _results(self, op: Any) -> list[Value]:
        return [Value(result, self.current_region()) for result in op.results]

    def bool_constant(self, value: bool) -> Tile:
        """A constant condition."""
        return Tile(self.constant(value, dtypes.bool_), dtypes.bool_, ())


_MOST_HOISTED = 8


def _is_cheap(op: Any) -> bool:
    """Whether an operation is scalar arithmetic that is defined for all operands."""
    name: str = op.operation.name
    if not name.startswith(("arith.", "tile.cast", "tile.dim", "tile.program_id")):
        return False
    return not any(str(result.type).startswith("tensor") for result in op.results)
