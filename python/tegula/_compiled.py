# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel compiled to be looked at: its code at each stage, and what the compiler decided.

Nothing of it is launched, so the target's device need not be there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tegula._location import Location
from tegula.errors import ArgumentError, source_excerpt

if TYPE_CHECKING:
    from tegula._compile.targets import Target, Unit


@dataclass(frozen=True)
class Decision:
    """One thing that the compiler decided.

    Attributes:
        topic: what it is about, in a word: "padding", "warps", "pipelining", ...
        text: what was chosen, or what was not done and why.
        is_missed: whether an optimization did not apply.
        made_by: the pass, as `tegula-opt` names it.
        location: the line of the kernel, or of a function that it calls.
        calls: the calls that led there, innermost first.
    """

    topic: str
    text: str
    is_missed: bool
    made_by: str
    location: Location | None = None
    calls: tuple[Location, ...] = ()

    def __str__(self) -> str:
        """`topic: text`, with `not done` where an optimization did not apply."""
        return f"{self.topic}{', not done' if self.is_missed else ''}: {self.text}"


@dataclass(frozen=True)
class Report:
    """All that the compiler decided about a kernel; `str()` of it is for reading.

    Attributes:
        title: the kernel, the target and what a launch takes.
        decisions: in the order of the kernel's lines.
    """

    title: str
    decisions: tuple[Decision, ...]

    def about(self, topic: str) -> tuple[Decision, ...]:
        """The decisions about a topic."""
        return tuple(item for item in self.decisions if item.topic == topic)

    def __str__(self) -> str:
        """The decisions below the lines that they are about."""
        lines = [self.title]
        places: dict[Location | None, list[Decision]] = {}
        for item in self.decisions:
            places.setdefault(item.location, []).append(item)
        for place, items in places.items():
            lines += ["", *(source_excerpt(place) if place is not None else ["  --> (no line)"])]
            lines += [f"   = {item}" for item in items]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """As `str()`: it is what an interactive session should show."""
        return str(self)


class Compiled:
    """A kernel for certain kinds of arguments and a target. Made by :meth:`Kernel.compile`.

    Attributes:
        name: the kernel's name.
        target: the target's name.
        stages: what :meth:`emit` can show, in the order of compilation.
    """

    def __init__(self, name: str, target: Target, module: Any) -> None:
        """Compile a module of `tile` IR, which is lowered in place."""
        from tegula._compile import explain, kernel_module

        self.name = name
        self.target = target.name
        self.stages = tuple(stage.name for stage in target.stages())
        self._target = target
        self._tile: str = kernel_module.text(module)
        self._unit, decisions = explain.lower(module, target)
        self._report = Report(_title(name, target.name, self._unit), _in_order(decisions))

    def emit(self, stage: str) -> str | bytes:
        """The kernel at a stage: text, or bytes of an object file.

        Raises:
            ArgumentError: the target has no such stage.
            CompileError: a program that makes or shows the stage is missing.
        """
        from tegula._compile import kernel_module, pipeline

        if stage not in self.stages:
            raise ArgumentError(
                f"{self.target} has no stage {stage!r}",
                help=f"choose one of: {', '.join(self.stages)}",
            )
        found = self._target.stages()[self.stages.index(stage)]
        if found.pipeline is None:
            return self._target.show(self._unit, stage)
        return pipeline.stage(kernel_module.parse(self._tile), self._target, stage)

    def write(self, stage: str, path: str | Path) -> None:
        """Write a stage to a file; errors as of :meth:`emit`."""
        data = self.emit(stage)
        Path(path).write_bytes(data if isinstance(data, bytes) else data.encode())

    def explain(self) -> Report:
        """What the compiler chose, and which optimizations did not apply and why.

        Tiles whose extents were padded, warps, rings of tiles that are fetched ahead, loops that
        are not pipelined, tiles that change their layout through shared memory: each with the
        kernel's line.
        """
        return self._report

    def __repr__(self) -> str:
        """Name, target and stages."""
        return f"<{self.name} compiled for {self.target}; stages: {', '.join(self.stages)}>"


def _title(name: str, target: str, unit: Unit) -> str:
    parts = [f"{name} for {target}"]
    for key, text in (("num_warps", "{} warps a program"), ("shared_bytes", "{} bytes shared")):
        value = unit.properties.get(key)
        if value:
            parts.append(text.format(value))
    return ", ".join(parts)


def _in_order(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Each decision once, by file and line; those without a line first."""
    unique = dict.fromkeys(decisions)

    def key(item: Decision) -> tuple[str, int, int]:
        place = item.location
        return (place.file, place.line, place.column or 0) if place else ("", 0, 0)

    return tuple(sorted(unique, key=key))
