# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs functions on rings of shared memory (the `simt` dialect) for one thread, at their worst.

A copy is there when it is awaited and not before; a product is computed when it is waited for and
not before, from what its buffers hold then. Reading what is not there, filling a slot that is not
given back, and giving back what a product still reads are each a `RingError`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tegula.mlir import ir


class RingError(AssertionError):
    """Something that a device need not do as the program expects."""


def require(condition: bool, text: str) -> None:
    """Raise unless `condition`."""
    if not condition:
        raise RingError(text)


@dataclass
class Ring:
    """A ring whose copy number i is `source(i)`."""

    slots: int
    source: Callable[[int], np.ndarray]
    issued: list[int] = field(default_factory=list)
    awaited: list[int] = field(default_factory=list)
    released: list[int] = field(default_factory=list)

    def issue(self, number: int) -> None:
        """Start a copy."""
        require(number == len(self.issued), f"copy {number} is started out of order")
        before = number - self.slots
        require(before < 0 or before in self.released, f"copy {number} overwrites {before}")
        self.issued.append(number)

    def wait(self, number: int) -> None:
        """Wait for a copy."""
        require(number == len(self.awaited), f"copy {number} is awaited out of order")
        require(number in self.issued, f"copy {number} is awaited for ever")
        self.awaited.append(number)

    def release(self, number: int) -> None:
        """Give a copy's slot back."""
        require(number == len(self.released), f"copy {number} is given back out of order")
        require(number in self.awaited, f"copy {number} is given back before it is there")
        self.released.append(number)

    def read(self, number: int) -> np.ndarray:
        """What is in a copy's slot."""
        require(number in self.awaited, f"copy {number} is read before it is there")
        require(number not in self.released, f"copy {number} is read after it was given back")
        return self.source(number)


@dataclass
class Product:
    """A product that was started."""

    a: np.ndarray
    b: Callable[[], np.ndarray]
    acc: np.ndarray
    value: np.ndarray | None = None


class Machine:
    """One thread."""

    def __init__(self) -> None:
        self.running: list[Product] = []
        self.most_running = 0

    def call(self, text: str, arguments: Sequence[Any]) -> list[Any]:
        """The results of the first function of a module."""
        with ir.Context():
            module = ir.Module.parse(text)
            block = module.body.operations[0].regions[0].blocks[0]
            results = self.run(block, dict(zip(block.arguments, arguments, strict=True)))
        require(not self.running, "products are left running")
        return results

    def run(self, block: Any, values: dict[Any, Any]) -> list[Any]:
        """What the block's terminator has."""
        for operation in block.operations:
            op = operation.operation
            operands = [values[operand] for operand in op.operands]
            if op.name in ("scf.yield", "func.return"):
                return operands
            require(
                op.name == "simt.mma_wait" or not any(isinstance(x, Product) for x in operands),
                f"{op.name} uses a product that still runs",
            )
            name = op.name.replace(".", "_")
            results = getattr(self, name)(op, operands, values)
            values.update(zip(op.results, results, strict=True))
        raise AssertionError("no terminator")

    def scf_for(self, op: Any, operands: list[Any], values: dict[Any, Any]) -> list[Any]:
        start, end, step, *carried = operands
        block = op.regions[0].blocks[0]
        for i in range(start, end, step):
            inside = dict(values)
            inside.update(zip(block.arguments, [i, *carried], strict=True))
            carried = self.run(block, inside)
        return carried

    def scf_if(self, op: Any, operands: list[Any], values: dict[Any, Any]) -> list[Any]:
        region = op.regions[0 if operands[0] else 1]
        return self.run(region.blocks[0], dict(values)) if len(region.blocks) else []

    def arith_constant(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        return [op.attributes["value"].value]

    def arith_addi(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        return [operands[0] + operands[1]]

    def arith_cmpi(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        require(op.attributes["predicate"].value == 2, "only slt is known")
        return [operands[0] < operands[1]]

    def arith_mulf(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        return [operands[0] * operands[1]]

    def arith_addf(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        return [operands[0] + operands[1]]

    def math_exp2(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        return [np.exp2(operands[0])]

    def simt_issue(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        ring, number, predicate, *_ = operands
        if predicate:
            ring.issue(number)
        return []

    def simt_await(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        operands[0].wait(operands[1])
        return []

    def simt_release(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        operands[0].release(operands[1])
        return []

    def simt_slot(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        ring, number = operands
        return [lambda: ring.read(number)]

    def simt_permute(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        return [lambda: operands[0]().T]

    def simt_mma(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        product = Product(*operands)
        product.b()
        self.running.append(product)
        self.most_running = max(self.most_running, len(self.running))
        return [product]

    def simt_mma_wait(self, op: Any, operands: list[Any], values: Any) -> list[Any]:
        while len(self.running) > op.attributes["pending"].value:
            product = self.running.pop(0)
            product.value = product.a @ product.b() + product.acc
        require(operands[0].value is not None, "a product that still runs is taken for finished")
        return [operands[0].value]
