# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random control flow: nested branches and loops with every kind of jump.

Each function is compared with itself rewritten, on Python integers, and as part of a kernel,
compiled with the interpreter's result. `push` makes the order of effects visible.
"""

from __future__ import annotations

import importlib.util
import random

import numpy as np
import pytest

import tegula as tg
from tegula._trace import convert
from tests.python.test_trace_branches import agree

NAMES = ("a", "b", "c", "i", "j")
HEAD = "def function(a, b, c, push, loop):\n    i = j = 0\n"


class Generator:
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0
        self.counters = 0
        self.budget = 26

    def source(self) -> str:
        self.block(1)
        self.line(1, "return a, b, c + i + j")
        return HEAD + "\n".join(self.lines) + "\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def pick(self, *items):
        return self.random.choice(items)

    def value(self) -> str:
        x, y = self.pick(*NAMES), self.pick(*NAMES)
        return self.pick(
            x,
            str(self.random.randrange(5)),
            f"({x} + {y} * 3) % 101",
            f"({x} - {y}) % 7",
            f"({x} if {self.condition(0)} else {y})",
        )

    def condition(self, depth: int = 1) -> str:
        x, y = self.pick(*NAMES), self.pick(*NAMES)
        simple = self.pick(f"{x} % 3 == {y} % 2", f"{x} < {y}", f"0 < {x} % 4 <= 2", f"{x} % 5 > 1")
        if depth == 0:
            return simple
        other = self.condition(0)
        return self.pick(
            simple,
            f"{simple} and {other}",
            f"{simple} or push({x}) and {other}",
            f"not ({simple} and push({y}))",
        )

    def block(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 4)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        self.budget -= 1
        kinds = ["assign", "assign", "push", "jump"]
        if depth < 5 and self.budget > 0:
            kinds += ["if", "if", "if", "for", "while", "try"]
        getattr(self, self.pick(*kinds))(depth)

    def assign(self, depth: int) -> None:
        operator = self.pick("=", "=", "+=")
        self.line(depth, f"{self.pick('a', 'b', 'c')} {operator} {self.value()}")

    def push(self, depth: int) -> None:
        self.line(depth, f"push({self.value()})")

    def jump(self, depth: int) -> None:
        kinds = ["return a, c, b"]
        if self.loops:
            kinds += ["break", "continue"] * 2
        if depth > 1:
            self.line(depth, self.pick(*kinds, "pass"))
        else:
            self.push(depth)

    def suite(self, depth: int, *, loop: bool = False) -> None:
        self.loops += loop
        self.block(depth + 1)
        self.loops -= loop

    def orelse(self, depth: int) -> None:
        if self.random.random() < 0.4:
            self.line(depth, "else:")
            self.suite(depth)

    def if_(self, depth: int) -> None:
        self.line(depth, f"if {self.condition()}:")
        self.suite(depth)
        if self.random.random() < 0.3:
            self.line(depth, f"elif {self.condition()}:")
            self.suite(depth)
        self.orelse(depth)

    def for_(self, depth: int) -> None:
        bounds = self.pick("3", f"{self.pick('a', 'b')} % 4", "1, 6, 2", "4, 0, -1")
        kind = self.pick("loop", "loop", "range")
        if kind == "range":
            bounds = self.pick("3", "2", "4, 0, -1")
        self.line(depth, f"for {self.pick('i', 'j')} in {kind}({bounds}):")
        self.suite(depth, loop=True)
        self.orelse(depth)

    def while_(self, depth: int) -> None:
        self.counters += 1
        counter = f"n{self.counters}"
        self.line(depth, f"{counter} = {self.pick('0', 'c % 3')}")
        test = self.pick(f"{counter} < 4", f"{counter} < 5 and {self.condition(0)}", "True")
        self.line(depth, f"while {test}:")
        self.line(depth + 1, f"{counter} += 1")
        if test == "True":
            self.line(depth + 1, f"if {counter} > 3:")
            self.line(depth + 2, "break")
        self.suite(depth, loop=True)
        self.orelse(depth)

    def try_(self, depth: int) -> None:
        self.line(depth, "try:")
        self.suite(depth)
        self.line(depth, "finally:")
        self.push(depth + 1)


for _name in ("if", "for", "while", "try"):
    setattr(Generator, _name, getattr(Generator, f"{_name}_"))


def load(seed: int, folder):
    path = folder / f"control_{seed}.py"
    path.write_text(Generator(seed).source())
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.function


def outcome(function, arguments):
    log = []

    def push(value):
        log.append(value)
        return value % 2 == 0

    return function(*arguments, push, range), log


ARGUMENTS = [(0, 0, 0), (1, 2, 3), (7, 3, 5), (10, 11, 2), (2, 9, 4)]


@pytest.mark.parametrize("chunk", range(10))
def test_rewritten_functions_do_the_same_on_integers(chunk, tmp_path):
    for seed in range(chunk * 50, chunk * 50 + 50):
        function = load(seed, tmp_path)
        rewritten = convert.call(function)
        for arguments in ARGUMENTS:
            got, want = outcome(rewritten, arguments), outcome(function, arguments)
            assert got == want, f"seed {seed}, arguments {arguments}"


def kernel_of(function):
    def push_to(out, value):
        old = tg.gather(out, 3)
        tg.scatter(out, 3, (old * 31 + value) % 1000003)
        return value % 2 == 0

    @tg.kernel
    def kernel(out: tg.Array, a, b, c):
        results = function(a, b, c, lambda value: push_to(out, value), tg.range)
        for number, result in enumerate(results):
            tg.store(out, number, result)

    return kernel


@pytest.mark.cpu
@pytest.mark.parametrize("chunk", range(8))
def test_compiled_functions_do_what_the_interpreter_does(chunk, tmp_path):
    for seed in range(chunk * 5, chunk * 5 + 5):
        kernel = kernel_of(load(seed, tmp_path))
        for arguments in ARGUMENTS:
            agree(kernel, 1, np.zeros(4, np.int64), *arguments)
