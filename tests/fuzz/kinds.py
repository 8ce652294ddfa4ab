# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kind of fuzzed input is, and the kinds that there are."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from typing import Any, Protocol

NAMES = ("kernels", "modules", "launches")
Note = Callable[[str], None]
CAUGHT = "MLIR's parser failed its own check, caught"  # an outcome


class Kind(Protocol):
    """Makes inputs and runs them.

    Attributes:
        name: of the kind.
        seconds: what one input may take; longer is a hang.
        chunk: how many inputs one process runs.
        share: of the inputs of a run.
    """

    name: str
    seconds: float
    chunk: int
    share: float

    def prepare(self) -> None:
        """Load what all processes share, before they are forked."""
        ...

    def make(self, rng: random.Random) -> dict[str, Any]:
        """An input as JSON has it."""
        ...

    def run(self, item: dict[str, Any], note: Note) -> str:
        """Run an input; how it ended, in a word or two. `note` tells what is being done.

        Raises:
            Finding: something is wrong.
        """
        ...


class Finding(Exception):  # noqa: N818 (not every finding is an error)
    """Something that must not happen.

    Args:
        key: what findings of one cause have in common.
        detail: everything else that is known.
    """

    def __init__(self, key: str, detail: str = "") -> None:
        super().__init__(key)
        self.key = key
        self.detail = detail


def find(name: str) -> Kind:
    """The kind of a name."""
    return importlib.import_module(f"tests.fuzz.{name}").KIND


def generator(kind: str, seed: int, index: int) -> random.Random:
    """The random numbers of one input: the same in every run and on every machine."""
    return random.Random(f"{kind} {seed} {index}")
