# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of IR: of its text, mostly so that it stays consistent, and of the parsed module."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

ELEMENTS = (
    *("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"),
    *("index", "i7", "i128", "f128", "tf32", "si32", "ui8", "complex<f32>"),
)
NUMBERS = (
    *("0", "1", "2", "3", "5", "7", "8", "16", "31", "32", "33", "48", "64", "100", "127", "128"),
    *("256", "1000", "4096", "65536", "2147483647", "2147483648", "4294967296"),
    *("9223372036854775807", "18446744073709551616", "-1", "-2", "-9223372036854775808"),
)
NUMBER = re.compile(r"(?<![\w.%#@])-?\d+(?![\w.]*\.\d)(?=\b|x)")
ELEMENT = re.compile(r"(?<=[x<\s(:])(?:[su]?i\d+|b?f\d+|f8E4M3FN|f8E5M2|index)(?=[>\s,):}\]]|$)")
VALUE = re.compile(r"%[\w#]+")
OPERATION = re.compile(
    r"\b(?:arith|math|tile|simt|scf|tensor|layout|memref|linalg|vector|llvm)\.\w+"
)
SHAPE = re.compile(r"(?<=<)(?:\d+x)+(?=[a-z])")
TOKEN = re.compile(r'"[^"\n]*"|[%#@!^]?[\w.$-]+|\s+|.')

Edit = Callable[[random.Random, str, "Vocabulary"], str]


class Vocabulary:
    """What texts of a corpus are made of."""

    def __init__(self, texts: list[str]) -> None:
        tokens = {token for text in texts for token in TOKEN.findall(text) if not token.isspace()}
        self.tokens = sorted(tokens) + list(NUMBERS) + ["?", "\x01", '"', "99999999999999999999"]
        self.operations = sorted({name for text in texts for name in OPERATION.findall(text)})
        self.words = sorted(t for t in tokens if re.fullmatch(r"[a-z_]\w+", t))


def _spans(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    return list(pattern.finditer(text))


def _replace(
    rng: random.Random, text: str, pattern: re.Pattern[str], new: str, everywhere: float
) -> str:
    """One match of a pattern replaced, or all matches of the same text."""
    found = _spans(pattern, text)
    if not found:
        return text
    chosen = rng.choice(found)
    if rng.random() >= everywhere:
        return text[: chosen.start()] + new + text[chosen.end() :]
    old = chosen.group()
    return pattern.sub(lambda match: new if match.group() == old else match.group(), text)


def number(rng: random.Random, text: str, _: Vocabulary) -> str:
    return _replace(rng, text, NUMBER, rng.choice(NUMBERS), 0.6)


def small_number(rng: random.Random, text: str, _: Vocabulary) -> str:
    return _replace(rng, text, NUMBER, rng.choice(NUMBERS[1:16]), 0.8)


def element(rng: random.Random, text: str, _: Vocabulary) -> str:
    likely = ELEMENTS[:11] if rng.random() < 0.85 else ELEMENTS
    return _replace(rng, text, ELEMENT, rng.choice(likely), 0.85)


def rank(rng: random.Random, text: str, _: Vocabulary) -> str:
    """Tiles of one shape get an axis more or less."""
    found = _spans(SHAPE, text)
    if not found:
        return text
    parts = rng.choice(found).group().split("x")[:-1]
    where = rng.randrange(len(parts) + 1)
    if rng.random() < 0.5 and len(parts) > 1:
        parts.pop(where % len(parts))
    else:
        parts.insert(where, rng.choice(NUMBERS[1:9]))
    return _replace(rng, text, SHAPE, "x".join(parts) + "x", 0.9)


def value(rng: random.Random, text: str, _: Vocabulary) -> str:
    """Another operand."""
    found = _spans(VALUE, text)
    if not found:
        return text
    return _replace(rng, text, VALUE, rng.choice(found).group(), 0.1)


def operation(rng: random.Random, text: str, words: Vocabulary) -> str:
    """Another operation, mostly of the same dialect."""
    found = _spans(OPERATION, text)
    if not found:
        return text
    old = rng.choice(found)
    dialect = old.group().split(".")[0]
    names = [n for n in words.operations if n.startswith(dialect + ".")]
    new = rng.choice(names if rng.random() < 0.8 else words.operations)
    return text[: old.start()] + new + text[old.end() :]


def line(rng: random.Random, text: str, _: Vocabulary) -> str:
    """A line less, twice, or elsewhere."""
    lines = text.split("\n")
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    draw = rng.random()
    if draw < 0.4:
        del lines[at]
    elif draw < 0.7:
        copy = re.sub(r"^(\s*)%(\w+)", rf"\1%copy{rng.randrange(99)}", lines[at])
        lines.insert(at if rng.random() < 0.5 else to, copy)
    else:
        lines.insert(to, lines.pop(at))
    return "\n".join(lines)


def token(rng: random.Random, text: str, words: Vocabulary) -> str:
    """A token less, twice, in another's place, or replaced by any."""
    tokens = TOKEN.findall(text)
    if not tokens:
        return text
    at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    draw = rng.random()
    if draw < 0.25:
        tokens[at] = ""
    elif draw < 0.4:
        tokens[at] *= 2
    elif draw < 0.55:
        tokens[at], tokens[other] = tokens[other], tokens[at]
    else:
        tokens[at] = rng.choice(words.tokens)
    return "".join(tokens)


def word(rng: random.Random, text: str, words: Vocabulary) -> str:
    """A keyword (of an enumeration, an attribute, a predicate) replaced by another."""
    pattern = re.compile(r"(?<![\w.%#@!])[a-z_]\w+(?![\w.(])")
    return _replace(rng, text, pattern, rng.choice(words.words), 0.0)


TEXT_EDITS: tuple[tuple[float, Edit], ...] = (
    *((2.0, number), (3.0, small_number), (4.0, element), (2.0, rank), (3.0, value)),
    *((2.0, operation), (2.0, line), (0.7, token), (1.0, word)),
)


def edit_text(rng: random.Random, text: str, words: Vocabulary) -> str:
    """A few changes."""
    weights = [weight for weight, _ in TEXT_EDITS]
    edits = [edit for _, edit in TEXT_EDITS]
    for edit in rng.choices(edits, weights, k=rng.choice((1, 1, 1, 2, 2, 3, 5))):
        text = edit(rng, text, words)
    return text


# Of parsed modules
class Editor:
    """Changes a parsed module; each change keeps it well formed, though not always valid."""

    def __init__(self, ir: Any, module: Any, rng: random.Random) -> None:
        self.ir = ir
        self.rng = rng
        self.operations: list[Any] = []
        for top in module.body.operations:
            self._collect(top.operation)

    def _collect(self, operation: Any) -> None:
        for region in operation.regions:
            for block in region.blocks:
                for inner in block.operations:
                    self.operations.append(inner.operation)
                    self._collect(inner.operation)

    def edit(self) -> None:
        """One change, of one operation."""
        if self.operations:
            target = self.rng.choice(self.operations)
            self.rng.choice(
                (self.operand, self.operand, self.attribute, self.attribute, self.result, self.copy)
            )(target)

    def operand(self, target: Any) -> None:
        """An operand becomes another value, of the same type if there is one."""
        if not len(target.operands):
            return
        at = self.rng.randrange(len(target.operands))
        kind = target.operands[at].type
        values = [v for op in self.operations for v in op.results] + list(target.operands)
        same = [v for v in values if v.type == kind]
        target.operands[at] = self.rng.choice(same if self.rng.random() < 0.8 else values)

    def attribute(self, target: Any) -> None:
        """An attribute is dropped, or becomes one that another operation has."""
        found = [(n, op.attributes[n]) for op in self.operations for n in op.attributes]
        names = list(target.attributes)
        if not found or not names:
            return
        name = self.rng.choice(names)
        if self.rng.random() < 0.2:
            del target.attributes[name]
            return
        if self.rng.random() < 0.5 and isinstance(target.attributes[name], self.ir.IntegerAttr):
            number = int(self.rng.choice(NUMBERS)) % 2**31
            kind = self.ir.IntegerAttr(target.attributes[name]).type
            target.attributes[name] = self.ir.IntegerAttr.get(kind, number)
            return
        same = [a for n, a in found if n == name]
        others = same if self.rng.random() < 0.7 else [a for _, a in found]
        target.attributes[name] = self.rng.choice(others)

    def result(self, target: Any) -> None:
        """A result gets another type that occurs in the module."""
        if not len(target.results):
            return
        kinds = [v.type for op in self.operations for v in op.results]
        target.results[self.rng.randrange(len(target.results))].set_type(self.rng.choice(kinds))

    def copy(self, target: Any) -> None:
        """An operation once more, right before itself."""
        if not len(target.results) and self.rng.random() < 0.5:
            return
        if "IsTerminator" in str(target.name) or target.name.endswith((".yield", ".return", ".br")):
            return
        target.clone(ip=self.ir.InsertionPoint(target))
