# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a random kernel as source text, statement by statement, over typed values.

A :class:`Value` knows its dtype and shape, so that nearly every drawn statement is valid, and how
far two backends may differ on it: not at all, or by an absolute or relative amount when it comes
from a transcendental function or a sum whose order is free. Such a value is only moved by later
statements, and stored: comparing or rounding it would make a small difference a large one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
FP8 = ("float8_e4m3fn", "float8_e5m2")
DTYPES = ("bool", *INTS, *FLOATS, *FP8)
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
BITS = {"bool": 8, "bfloat16": 16, "float8_e4m3fn": 8, "float8_e5m2": 8} | {
    name: int("".join(filter(str.isdigit, name)))
    for name in (*INTS, "float16", "float32", "float64")
}

EXTENTS = (1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 33)
MAX_ELEMENTS = 600


@dataclass(frozen=True)
class Value:
    """A tile (or scalar, shape ()) in the program.

    Attributes:
        absolute, relative: how much two backends may differ; 0 is bitwise, up to the bits of a NaN.
        bits: whether it has exactly the bits of an input, those of NaNs included.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    absolute: float = 0.0
    relative: float = 0.0
    bits: bool = False

    @property
    def exact(self) -> bool:
        return self.absolute == self.relative == 0

    @property
    def size(self) -> int:
        size = 1
        for n in self.shape:
            size *= n
        return size

    @property
    def is_float(self) -> bool:
        return self.dtype in EPSILON

    @property
    def is_int(self) -> bool:
        return self.dtype in INTS

    @property
    def bound(self) -> tuple[float, float]:
        return self.absolute, self.relative


@dataclass(frozen=True)
class Argument:
    """An array parameter of the kernel; outputs start as zeros."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bound: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Program:
    """A whole random kernel. Its repr is its source, which is what a failing example shows."""

    source: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    grid: int
    seed: int
    ops: frozenset[str]

    def __repr__(self) -> str:
        arrays = [f"{a.name}: {a.dtype}{list(a.shape)}" for a in (*self.inputs, *self.outputs)]
        return f"\n# grid {self.grid}, seed {self.seed}, {', '.join(arrays)}\n{self.source}"

    def _repr_pretty_(self, printer, cycle: bool) -> None:
        """What hypothesis shows of a failing example."""
        printer.text(repr(self))


Op = Callable[["Builder"], bool]
OPS: dict[str, Op] = {}


def op(function: Op) -> Op:
    """Register a kind of statement: it adds lines, or returns False if no value fits it."""
    OPS[function.__name__] = function
    return function


class Choices(Protocol):
    """Where the choices come from: hypothesis, or a random generator."""

    def integer(self, low: int, high: int) -> int:
        """low <= n <= high."""
        ...


@dataclass(frozen=True)
class Rolled:
    """Choices of a random generator: every program is another, but only its length shrinks."""

    generator: random.Random

    def integer(self, low: int, high: int) -> int:
        return self.generator.randint(low, high)


@dataclass
class Builder:
    """The program so far."""

    choices: Choices
    grid: int
    values: list[Value] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    inputs: list[Argument] = field(default_factory=list)
    outputs: list[Argument] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    ops: set[str] = field(default_factory=set)
    indent: int = 1
    count: int = 0
    depth: int = 0
    carried: list[Value] = field(default_factory=list)  # by the loops and branches around

    def pick(self, options: Sequence):
        """One of some options."""
        options = list(options)
        return options[self.integer(0, len(options) - 1)]

    def integer(self, low: int, high: int) -> int:
        return self.choices.integer(low, high)

    def flip(self) -> bool:
        return self.integer(0, 1) == 1

    def fresh(self, prefix: str = "t") -> str:
        """A new name."""
        self.count += 1
        return f"{prefix}{self.count}"

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def find(self, accept: Callable[[Value], bool] = lambda value: True) -> Value | None:
        """One of the exact values that are accepted; later ones are likelier. Marks it used."""
        found = [value for value in self.values if value.exact and accept(value)]
        if not found:
            return None
        value = found[-1 - min(self.integer(0, len(found) - 1), len(found) - 1)]
        self.used.add(value.name)
        return value

    def add(self, text: str, dtype: str, shape: tuple[int, ...], **properties) -> Value:
        """The statement `new name = text`."""
        value = Value(self.fresh(), dtype, tuple(shape), **properties)
        self.line(f"{value.name} = {text}")
        self.values.append(value)
        return value

    def moved(self, source: Value, text: str, shape: tuple[int, ...]) -> Value:
        """A statement that only moves elements, and so keeps dtype and error."""
        value = self.add(text, source.dtype, shape)
        self.values[-1] = replace(source, name=value.name, shape=tuple(shape))
        return self.values[-1]

    def input(self, dtype: str, shape: tuple[int, ...]) -> Argument:
        argument = Argument(f"a{len(self.inputs)}", dtype, shape)
        self.inputs.append(argument)
        return argument

    def output(self, dtype: str, shape: tuple[int, ...], bound=(0.0, 0.0)) -> Argument:
        argument = Argument(f"out{len(self.outputs)}", dtype, shape, bound)
        self.outputs.append(argument)
        return argument

    def load(self, dtype: str, shape: tuple[int, ...]) -> Value:
        """A tile of a new input array, whose size may differ from the tile's, with any pad."""
        sizes = tuple(max(0, n + self.pick((0, 0, 0, -1, 3))) for n in shape)
        array = self.input(dtype, sizes)
        index = [self.pick(("0", "0", "0", "1", "pid")) for _ in shape]
        where = index[0] if len(index) == 1 and self.flip() else tuple_text(index)
        extent = str(shape[0]) if len(shape) == 1 and self.flip() else str(shape)
        pad = self.pick(("", "", ", pad=1", ", pad=0"))
        return self.add(f"tg.load({array.name}, {where}, {extent}{pad})", dtype, shape, bits=True)

    def statement(self) -> None:
        """One statement of a random kind."""
        name = self.pick(sorted(OPS))
        if OPS[name](self):
            self.ops.add(name)

    def store(self, value: Value) -> None:
        """Store a value into an output of its own, a slice per program."""
        array = self.output(value.dtype, (self.grid, *value.shape), value.bound)
        tile = (
            f"{value.name}[None]"
            if value.shape
            else f"tg.full((1,), {value.name}, {array.name}.dtype)"
        )
        index = tuple_text(["pid"] + ["0"] * len(value.shape))
        self.line(f"tg.store({array.name}, {index}, {tile})")

    def scope(self) -> _Scope:
        """A with-block that indents lines and forgets the values made inside it."""
        return _Scope(self)

    def program(self, seed: int) -> Program:
        """The finished program: what no statement used is stored."""
        unused = [value for value in self.values if value.name not in self.used][-6:]
        for value in unused or self.values[-1:]:
            self.store(value)
        arguments = [f"{a.name}: tg.Array" for a in (*self.inputs, *self.outputs)]
        head = ["import tegula as tg", "", "", *self.helpers, "@tg.kernel"]
        head += [f"def kernel({', '.join(arguments)}):", "    pid = tg.program_id(0)"]
        source = "\n".join([*head, *self.lines]) + "\n"
        return Program(
            source, tuple(self.inputs), tuple(self.outputs), self.grid, seed, frozenset(self.ops)
        )


@dataclass
class _Scope:
    builder: Builder

    def __enter__(self) -> None:
        self.kept = len(self.builder.values)
        self.builder.indent += 1
        self.builder.depth += 1

    def __exit__(self, *_: object) -> None:
        del self.builder.values[self.kept :]
        self.builder.indent -= 1
        self.builder.depth -= 1


def tuple_text(items: Sequence[str]) -> str:
    """The source text of a tuple."""
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def dtype_name(dtype: str) -> str:
    """How source text names a dtype."""
    return "tg.bool_" if dtype == "bool" else f"tg.{dtype}"


def build(choices: Choices, length: int, seed: int) -> Program:
    """A program of `length` statements and what they contain."""
    builder = Builder(choices, grid=choices.integer(1, 3))
    rows, columns = builder.pick(EXTENTS), builder.pick(EXTENTS)
    shapes = ((rows, columns), (columns,), (1, columns), (rows, 1), (2, rows, columns))
    for _ in range(builder.integer(1, 3)):
        builder.load(
            builder.pick(DTYPES), builder.pick(shapes if rows * columns < 300 else shapes[:4])
        )
    for _ in range(length):
        builder.statement()
    return builder.program(seed)
