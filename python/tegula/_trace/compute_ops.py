# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contraction, reduction, scan, shapes and debugging as IR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tegula._backend import Combine
from tegula._trace.emitter import Emitter, Value
from tegula.lang import dtypes
from tegula.lang.tile import Tile


class ComputeOps(Emitter):
    """See :class:`tegula._backend.Backend` for what the methods mean."""

    def dot(self, a: Tile, b: Tile, acc: Tile, precision: str | None) -> Value:
        """Matrix product, added to `acc`."""
        flags: dict[str, Any] = {}
        if precision is not None:
            flags["precision"] = self.types.attribute(f"#tile.precision<{precision}>")
        for name, operand in (("a_unsigned", a), ("b_unsigned", b)):
            if operand.dtype.kind == "u":
                flags[name] = self.types.unit
        start = self.operand(acc)
        return self.result("tile.dot", start.type, [self.operand(a), self.operand(b), start], flags)

    def reduce(self, kind: str, x: Tile, axis: int) -> Value:
        """Combine the elements along an axis by a named operation."""
        rest = x.shape[:axis] + x.shape[axis + 1 :]
        attributes = {"kind": self._kind("combine", kind, x), "axis": self.types.i32_attr(axis)}
        return self._named("tile.reduce", self.types.of(x.dtype, rest), x, attributes)

    def reduce_custom(self, xs: Sequence[Tile], axis: int, combine: Combine) -> list[Value]:
        """Combine the elements along an axis by a function."""
        rest = xs[0].shape[:axis] + xs[0].shape[axis + 1 :]
        attributes = {"axis": self.types.i32_attr(axis)}
        results = [self.types.of(x.dtype, rest) for x in xs]
        return self._combined("tile.reduce", xs, results, attributes, combine)

    def scan(self, kind: str, x: Tile, axis: int, reverse: bool) -> Value:
        """Running combination along an axis by a named operation."""
        attributes = {"kind": self._kind("combine", kind, x), **self._direction(axis, reverse)}
        return self._named("tile.scan", self.types.of(x.dtype, x.shape), x, attributes)

    def scan_custom(
        self, xs: Sequence[Tile], axis: int, reverse: bool, combine: Combine
    ) -> list[Value]:
        """Running combination along an axis by a function."""
        results = [self.types.of(x.dtype, x.shape) for x in xs]
        direction = self._direction(axis, reverse)
        return self._combined("tile.scan", xs, results, direction, combine)

    def arg_reduce(self, kind: str, x: Tile, axis: int) -> Value:
        """Index of the extreme element along an axis."""
        rest = x.shape[:axis] + x.shape[axis + 1 :]
        attributes = {"kind": self._kind("arg", kind, x), "axis": self.types.i32_attr(axis)}
        result = self.types.of(dtypes.int64, rest)
        return self.result("tile.arg_reduce", result, [self.operand(x)], attributes)

    def _named(self, name: str, result: Any, x: Tile, attributes: dict[str, Any]) -> Value:
        """A combination by a named operation: its region is empty."""
        op = self.emit(name, [result], [self.operand(x)], attributes, regions=1)
        return Value(op.results[0], self.current_region())

    def _direction(self, axis: int, reverse: bool) -> dict[str, Any]:
        attributes = {"axis": self.types.i32_attr(axis)}
        return {**attributes, "reverse": self.types.unit} if reverse else attributes

    def _kind(self, enumeration: str, kind: str, x: Tile) -> Any:
        unsigned = kind in ("max", "min") and x.dtype.kind in "bu"
        return self.types.attribute(f"#tile.{enumeration}<{'u' if unsigned else ''}{kind}>")

    def _combined(
        self,
        name: str,
        xs: Sequence[Tile],
        results: Sequence[Any],
        attributes: dict[str, Any],
        combine: Combine,
    ) -> list[Value]:
        """An operation whose region holds what `combine` does to single elements."""
        elements = [x.dtype for x in xs] * 2
        region = self.new_region("combine function", None, [self.types.of(d) for d in elements])
        self.enter(region)
        pairs = zip(region.arguments(), elements, strict=True)
        combined = combine(*(Tile(handle, dtype, ()) for handle, dtype in pairs))
        self.emit("tile.yield", (), [self.operand(value) for value in combined])
        self.leave(region)
        op = self.emit(name, results, [self.operand(x) for x in xs], attributes, regions=1)
        self.attach(region, op.regions[0])
        return [Value(result, self.current_region()) for result in op.results]

    # Shape
    def broadcast(self, x: Tile, shape: tuple[int, ...]) -> Value:
        """Stretch dimensions of extent 1."""
        return self.result("tile.broadcast", self.types.of(x.dtype, shape), [self.operand(x)])

    def reshape(self, x: Tile, shape: tuple[int, ...]) -> Value:
        """The same elements under another shape."""
        return self.result("tile.reshape", self.types.of(x.dtype, shape), [self.operand(x)])

    def permute(self, x: Tile, perm: tuple[int, ...]) -> Value:
        """Reorder dimensions."""
        order = self.types.attribute(f"array<i64: {', '.join(map(str, perm))}>")
        kind = self.types.of(x.dtype, tuple(x.shape[axis] for axis in perm))
        return self.result("tile.permute", kind, [self.operand(x)], {"perm": order})

    def join(self, x: Tile, y: Tile) -> Value:
        """Two tiles along a new last dimension."""
        kind = self.types.of(x.dtype, (*x.shape, 2))
        return self.result("tile.join", kind, [self.operand(x), self.operand(y)])

    def split(self, x: Tile) -> tuple[Value, Value]:
        """The two halves of the last dimension."""
        kind = self.types.of(x.dtype, x.shape[:-1])
        op = self.emit("tile.split", [kind, kind], [self.operand(x)])
        here = self.current_region()
        return Value(op.results[0], here), Value(op.results[1], here)

    def concat(self, xs: Sequence[Tile], axis: int) -> Value:
        """Tiles end to end."""
        shape = list(xs[0].shape)
        shape[axis] = sum(x.shape[axis] for x in xs)
        kind = self.types.of(xs[0].dtype, tuple(shape))
        attributes = {"axis": self.types.i32_attr(axis)}
        return self.result("tile.concat", kind, [self.operand(x) for x in xs], attributes)

    def take(self, x: Tile, index: Tile, axis: int) -> Value:
        """Elements picked along an axis by an index tile."""
        kind = self.types.of(x.dtype, index.shape)
        attributes = {"axis": self.types.i32_attr(axis)}
        return self.result("tile.take", kind, [self.operand(x), self.operand(index)], attributes)

    # Debugging
    def print(self, parts: Sequence[str | Tile]) -> None:
        """One line of text and values."""
        values = [part for part in parts if isinstance(part, Tile)]
        text = "".join(_format(part) for part in parts)
        attributes: dict[str, Any] = {"format": self.ir.StringAttr.get(text, self.context)}
        if any(value.dtype.kind == "u" for value in values):
            mask = ", ".join(str(value.dtype.kind == "u").lower() for value in values)
            attributes["unsigned_mask"] = self.types.attribute(f"array<i1: {mask}>")
        self.emit("tile.print", (), [self.operand(value) for value in values], attributes)

    def assert_(self, condition: Tile, message: str) -> None:
        """Report a failure if the condition is false."""
        attributes = {"message": self.ir.StringAttr.get(message, self.context)}
        self.emit("tile.assert", (), [self.operand(condition)], attributes)

    def assume(self, condition: Tile, message: str) -> None:
        """An assertion, if the fact is the same for all programs or the kernel is checked."""
        if self.checked or _is_uniform(self.operand(condition)):
            self.assert_(condition, message)  # noqa: UP005


def _format(part: str | Tile) -> str:
    """How a part stands in the format of `tile.print`, where a brace of a text is doubled."""
    return "{}" if isinstance(part, Tile) else part.replace("{", "{{").replace("}", "}}")


# Operations without regions whose results depend on their operands only.
_UNIFORM = (
    *("arith.", "math.", "tile.bitcast", "tile.cast", "tile.dim", "tile.floor", "tile.fmod"),
    *("tile.fpclass", "tile.ipow", "tile.sh", "tile.stride"),
)


def _is_uniform(value: Any) -> bool:
    """Whether a scalar is computed from the arguments of the kernel alone."""
    pending, seen = [value], set[int]()
    while pending:
        owner = pending.pop().owner
        if not hasattr(owner, "operands"):  # a block: the kernel's, or that of a loop
            if owner.owner.operation.name != "func.func":
                return False
            continue
        if hash(owner) in seen:
            continue
        seen.add(hash(owner))
        name = str(owner.operation.name)
        if name != "tile.num_programs" and not name.startswith(_UNIFORM):
            return False
        pending += list(owner.operands)
    return True
