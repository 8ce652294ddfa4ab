# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No IR, valid or not, crashes the parser, the verifiers, the printers or the folders.

Two sources: operations in generic form with operands, attributes and results drawn without regard
for what they need, and the lit tests of this folder with their tokens shuffled. `tegula-opt` may
refuse all of it, but must end in an orderly way. A failure names the chunk that did it.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests._support.opt import run_opt

COUNT = 800
SPLIT = "\n// -----\n"
HERE = Path(__file__).parent
# Operands (V view, I i64, J i64 or tile of it, M mask, E element, T tile, X either; * some of the
# one before, ? one or none), attributes and results of each operation.
OPERATIONS = {
    "program_id": ("", "axis", "I"),
    "num_programs": ("", "axis", "I"),
    "dim": ("V", "axis", "I"),
    "stride": ("V", "axis", "I"),
    "subview": ("VI*I*", "dims steps operandSegmentSizes", "V"),
    "reshape_view": ("VI*I*", "operandSegmentSizes", "V"),
    "load": ("VI*E?", "operandSegmentSizes", "T"),
    "store": ("TVI*", "", ""),
    "gather": ("VJ*M?E?", "operandSegmentSizes", "X"),
    "scatter": ("XVJ*M?", "operandSegmentSizes", ""),
    "atomic_rmw": ("XVJ*M?E?", "kind operandSegmentSizes", "X"),
    "atomic_cas": ("XXVJ*M?E?", "operandSegmentSizes", "X"),
    "full": ("E", "", "T"),
    "iota": ("", "", "T"),
    "broadcast": ("T", "", "T"),
    "reshape": ("X", "", "X"),
    "permute": ("T", "perm", "T"),
    "join": ("TT", "", "T"),
    "split": ("T", "", "TT"),
    "concat": ("T*", "axis", "T"),
    "take": ("TJ", "axis", "T"),
    "floordiv": ("XX", "is_unsigned", "X"),
    "floormod": ("XX", "is_unsigned", "X"),
    "shl": ("XX", "is_unsigned", "X"),
    "shr": ("XX", "is_unsigned", "X"),
    "ipow": ("XX", "is_unsigned", "X"),
    "fmod": ("XX", "", "X"),
    "cast": ("X", "from_unsigned to_unsigned", "X"),
    "bitcast": ("X", "", "X"),
    "fpclass": ("X", "kind", "M"),
    "dot": ("TTT", "precision a_unsigned b_unsigned", "T"),
    "reduce": ("T*", "axis kind", "X*"),
    "scan": ("T*", "axis kind reverse", "T*"),
    "yield": ("E*", "", ""),
    "arg_reduce": ("T", "axis kind", "J"),
    "print": ("X*", "format unsigned_mask", ""),
    "assert": ("M", "message", ""),
}
ELEMENTS = (
    *("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"),
    *("index", "i7", "i128", "si8", "ui32", "f128", "tf32", "f8E4M3FNUZ", "complex<f32>"),
)
SHAPES = (
    *("", "1x", "2x", "4x", "1x1x", "2x3x", "3x2x", "4x4x", "2x2x2x", "0x", "?x", "4x1x4x"),
    *("1x1x1x1x1x1x1x1x", "1x1x1x1x1x1x1x1x1x", "4294967296x4294967296x", "2147483648x"),
)
VALUES = (
    *("0 : i32", "1 : i32", "2 : i32", "-1 : i32", "7 : i64", "0 : i128", "3 : ui32", "true"),
    *("1.5 : f32", "unit", '"text {}"', '"{} {{ }} {"', "[]", "[0, 1]", "array<i64>", "i32"),
    *("array<i64: 0>", "array<i64: 1, 0>", "array<i64: 0, 1, 2>", "array<i64: -1, 9>"),
    *("array<i32: 1, 1, 0>", "array<i32: 1, 1, 0, 0>", "array<i32: 1, 1, 1, 0, 0>"),
    *(
        "array<i32: 1, 1, 1, 1, 0, 0>",
        "array<i32: -1, 2, 9>",
        "array<i1: true>",
        "dense<1> : tensor<2xi32>",
    ),
    *("#tile.combine<add>", "#tile.combine<xor>", "#tile.arg<max>", "#tile.arg<umin>", "@symbol"),
    *("#tile.atomic<add>", "#tile.atomic<and>", "#tile.precision<tf32>", "#tile.fpclass<nan>"),
)
# Values that fit the attribute's type.
LIKELY = {
    "axis": ("0 : i32", "0 : i32", "1 : i32"),
    "dims": ("array<i64: 0>", "array<i64: 1, 0>", "array<i64: 1>", "array<i64: 0, 3>"),
    "steps": ("array<i64: 1>", "array<i64: 1, -2>", "array<i64: 0>", "array<i64: 9, 1>"),
    "perm": ("array<i64: 0>", "array<i64: 1, 0>", "array<i64: 0, 1>", "array<i64: 0, 2, 1>"),
    "operandSegmentSizes": (
        *("array<i32: 1, 1, 0>", "array<i32: 1, 1, 1>", "array<i32: 1, 2, 0>"),
        *("array<i32: 1, 1, 0, 0>", "array<i32: 1, 1, 1, 1>", "array<i32: 1, 1, 1, 0>"),
        *("array<i32: 1, 1, 1, 0, 0>", "array<i32: 1, 1, 1, 1, 1>"),
        *("array<i32: 1, 1, 1, 1, 0, 0>", "array<i32: 1, 1, 1, 1, 1, 1>"),
    ),
    "kind": (
        *("#tile.combine<add>", "#tile.combine<umax>", "#tile.arg<max>", "#tile.arg<umin>"),
        *("#tile.atomic<add>", "#tile.atomic<and>", "#tile.fpclass<nan>"),
    ),
    "precision": ("#tile.precision<tf32>", "#tile.precision<ieee>"),
    "format": ('"text"', '"{}"', '"{} {{ }} {"', '"{}{}"'),
    "message": ('"text"',),
    "unsigned_mask": ("array<i1: true>", "array<i1: true, false>"),
}
REGIONS = (
    "({})",
    "({^bb0(%p: f32, %q: f32): tile.yield %p : f32})",
    "({^bb0(%p: i32, %q: i32): tile.yield %q : i32})",
    "({^bb0(%p: f32): tile.yield %p, %p : f32, f32})",
    "({^bb0: })",
    "({^bb0(%p: f32, %q: f32): func.return})",
    "({}, {})",
)


def kind(rng: random.Random) -> str:
    """A type, mostly one that the dialect has."""
    element = rng.choice(ELEMENTS[:11] if rng.random() < 0.9 else ELEMENTS)
    shape = rng.choice(SHAPES[:9] if rng.random() < 0.8 else SHAPES)
    draw = rng.random()
    if draw < 0.25:
        rank = rng.choice((1, 1, 2, 2, 3, 0, 9))
        strides = rng.choice(("", "", ", strides = [1]", ", strides = [?, 1]", ", align = 3"))
        return f"!tile.view<{'?x' * rank}{element}{strides}>"
    if draw < 0.28:
        return rng.choice(
            (f"vector<4x{ELEMENTS[3]}>", f"memref<{shape}f32>", "tensor<*xf32>", "none")
        )
    return f"tensor<{shape}{element}>" if shape else element


class Theme:
    """Types that suit each other, with strays."""

    def __init__(self, rng: random.Random) -> None:
        """Draw one element type and one shape."""
        self.rng = rng
        self.element = rng.choice(ELEMENTS[:11])
        self.shape = rng.choice(SHAPES[1:9])
        self.scalar = rng.random() < 0.2

    def kind(self, slot: str) -> str:
        """A type for a slot of OPERATIONS."""
        if self.rng.random() < 0.06:
            return kind(self.rng)
        shape = self.shape if self.rng.random() < 0.9 else self.rng.choice(SHAPES[1:9])
        if slot == "V":
            return f"!tile.view<{'?x' * self.rng.choice((1, 1, 2, 3))}{self.element}>"
        if slot in "IE":
            return "i64" if slot == "I" else self.element
        element = {"J": "i64", "M": "i1"}.get(slot, self.element)
        if self.rng.random() < 0.1:
            element = self.rng.choice(ELEMENTS[:11])
        return element if self.scalar and slot != "T" else f"tensor<{shape}{element}>"

    def kinds(self, slots: str) -> tuple[list[str], str]:
        """Types for several slots, now and then one too few or too many; and their segments."""
        groups: list[list[str]] = []
        for slot in slots:
            if slot == "*":
                groups[-1] += [self.kind(slots[slots.index("*") - 1])] * (self.rng.random() < 0.4)
            elif slot == "?":
                groups[-1] = groups[-1] if self.rng.random() < 0.5 else []
            else:
                groups.append([self.kind(slot)])
        found = [kind for group in groups for kind in group]
        if found and self.rng.random() < 0.04:
            found.pop()
        found += [kind(self.rng)] * (self.rng.random() < 0.02)
        return found, f"array<i32: {', '.join(str(len(group)) for group in groups)}>"

    def attributes(self, names: str, operation: str, segments: str) -> str:
        """A dictionary of attributes, most of them of the right name and type."""
        families = {"reduce": "combine", "scan": "combine", "atomic_rmw": "atomic"}
        family = families.get(operation, {"arg_reduce": "arg"}.get(operation, "fpclass"))
        values: dict[str, str] = {}
        for name in names.split():
            if self.rng.random() < (0.95 if name in LIKELY else 0.4):
                likely = LIKELY.get(name, ("unit",))
                if name == "kind" and self.rng.random() < 0.9:
                    likely = [k for k in likely if family in k]
                if name == "operandSegmentSizes" and self.rng.random() < 0.9:
                    likely = [segments]
                values[name] = self.rng.choice(likely if self.rng.random() < 0.97 else VALUES)
        if self.rng.random() < 0.04:
            values[self.rng.choice(list(LIKELY))] = self.rng.choice(VALUES)
        return "{" + ", ".join(f"{name} = {value}" for name, value in values.items()) + "}"

    def constant(self, kind: str) -> str | None:
        """An `arith.constant` of this type, for about half of those that have one."""
        number = re.fullmatch(r"(?:tensor<[1-9x]+x)?([a-z]+\d+\w*)>?", kind)
        if not number or self.rng.random() < 0.5:
            return None
        value = str(self.rng.choice((0, 1))) + (".0" if number[1].startswith(("f", "bf")) else "")
        if number[1] == "i1":
            value = "true" if value == "1" else "false"
        return f"arith.constant {f'dense<{value}>' if 'tensor' in kind else value} : {kind}"


def operation(rng: random.Random) -> str:
    """A function with one operation in generic form; its operands are constants or arguments."""
    name = rng.choice(list(OPERATIONS))
    wanted, names, made = OPERATIONS[name]
    theme = Theme(rng)
    operands, segments = theme.kinds(wanted)
    results, _ = theme.kinds(made)
    lines: list[str] = []
    uses: list[str] = []
    for i, operand in enumerate(operands):
        constant = theme.constant(operand)
        uses.append(f"%{i}" if constant is None else f"%c{i}")
        lines += [] if constant is None else [f"  %c{i} = {constant}"]
    region = ""
    if name in ("reduce", "scan") or rng.random() < 0.02:
        region = rng.choice(REGIONS) if rng.random() < 0.6 else "({})"
        region = region.replace("f32", theme.element)
    text = theme.attributes(names, name, segments)
    properties = f"<{text}>" if text != "{}" and rng.random() < 0.9 else text
    binding = f"%r:{len(results)} = " if results else ""
    if "<{" in properties:
        head = f'  {binding}"tile.{name}"({", ".join(uses)}) {properties} {region}'
    else:
        head = f'  {binding}"tile.{name}"({", ".join(uses)}) {region} {properties}'
    lines.append(f"{head} : ({', '.join(operands)}) -> ({', '.join(results)})")
    declarations = ""
    for i, result in enumerate(results):
        declarations += f"func.func private @use{i}({result})\n"
        lines.append(f"  func.call @use{i}(%r#{i}) : ({result}) -> ()")
    arguments = ", ".join(f"%{i}: {operand}" for i, operand in enumerate(operands))
    body = "\n".join([*lines, "  return"])
    return f"{declarations}func.func @f({arguments}) {{\n{body}\n}}"


def functions() -> list[str]:
    """Functions of this folder's lit tests."""
    texts = [path.read_text() for path in sorted(HERE.glob("*.mlir"))]
    chunks = [chunk for text in texts for chunk in re.split(r"// -----|\n\n", text)]
    return [chunk for chunk in chunks if "func.func" in chunk]


def mutate(rng: random.Random, text: str, vocabulary: list[str]) -> str:
    """Drop, repeat, swap or replace a few tokens."""
    tokens = re.findall(r"//[^\n]*|[\w.]+|\s+|.", text)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(tokens))
        draw = rng.random()
        if draw < 0.25:
            tokens[at] = ""
        elif draw < 0.4:
            tokens[at] *= 2
        elif draw < 0.55:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            tokens[at] = rng.choice(vocabulary)
    return "".join(tokens)


def check(chunks: list[str], *flags: str) -> None:
    """Run all at once; on a crash, find the chunk."""

    def crashes(some: list[str]) -> bool:
        done = run_opt(SPLIT.join(some), "--split-input-file", *flags)
        return done.returncode not in (0, 1) or "Stack dump" in done.stderr

    if not crashes(chunks):
        return
    while len(chunks) > 1:
        half = len(chunks) // 2
        chunks = chunks[:half] if crashes(chunks[:half]) else chunks[half:]
    done = run_opt(chunks[0], "--split-input-file", *flags)
    pytest.fail(f"tegula-opt crashed on\n{chunks[0]}\n{done.stderr[:3000]}")


@pytest.mark.parametrize(
    "flags",
    [("--canonicalize", "--cse"), ("--mlir-print-op-generic", "--mlir-print-debuginfo")],
    ids=str,
)
@pytest.mark.parametrize("seed", range(2))
def test_generic_operations(seed: int, flags: tuple[str, ...]) -> None:
    rng = random.Random(seed)
    check([operation(rng) for _ in range(COUNT)], *flags)


@pytest.mark.parametrize("seed", range(2))
def test_mutated_text(seed: int) -> None:
    rng = random.Random(100 + seed)
    sources = functions()
    vocabulary = sorted({t for s in sources for t in re.findall(r"[\w.]+|[^\w\s]", s)})
    vocabulary += ["-1", "99999999999999999999", "4294967296", "?", "->", '"', "//", "\x01"]
    check(
        [mutate(rng, rng.choice(sources), vocabulary) for _ in range(COUNT)],
        "--canonicalize",
        "--cse",
    )
