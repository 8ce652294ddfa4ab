# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels as a strategy of hypothesis, whose failing examples shrink."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from tests._support.programs.builder import Program, Rolled, build


@dataclass(frozen=True)
class Drawn:
    """Choices of hypothesis: failing examples shrink, but examples resemble each other."""

    draw: Callable[[st.SearchStrategy[int]], int]

    def integer(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))


@st.composite
def programs(draw, max_statements: int = 16) -> Program:
    """Random kernels of up to `max_statements` statements over a few loaded tiles.

    Some are drawn by hypothesis choice by choice, most are rolled from one drawn seed.
    """
    length = draw(st.integers(1, max_statements))
    seed = draw(st.integers(0, 2**64 - 1))
    rolled = draw(st.integers(0, 3))
    return build(Rolled(random.Random(seed)) if rolled else Drawn(draw), length, seed)
