# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics: the active threads one after the other, in an order that the seed decides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tegula.mlir import ir

from tests._support.lockstep.memory import LockstepError, Memory
from tests._support.lockstep.values import to_unsigned

Combine = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _unsigned(choose: Combine) -> Combine:
    def run(old: np.ndarray, value: np.ndarray) -> np.ndarray:
        return choose(to_unsigned(old), to_unsigned(value)).view(old.dtype)

    return run


# By the number of the operation in LLVM's enumeration.
COMBINE: dict[int, Combine] = {
    0: lambda old, value: value,
    1: np.add,
    2: np.subtract,
    3: np.bitwise_and,
    5: np.bitwise_or,
    6: np.bitwise_xor,
    7: np.maximum,
    8: np.minimum,
    9: _unsigned(np.maximum),
    10: _unsigned(np.minimum),
    11: np.add,
}


def exchange(
    op: ir.Operation,
    memory: Memory,
    addresses: np.ndarray,
    active: np.ndarray,
    dtype: np.dtype,
    order: np.random.Generator,
    compute: Callable[[int, np.ndarray], np.ndarray | None],
) -> np.ndarray:
    """What was there for each thread. `compute` gives what to put there, or None to leave it."""
    if dtype.itemsize < 4:
        raise LockstepError(f"memory swaps 32 and 64 bits only: {op}")
    result = np.zeros(addresses.size, dtype)
    for thread in order.permutation(np.flatnonzero(active)):
        at = memory.place_of(int(addresses[thread]), dtype.itemsize, str(op))
        old = memory.data[at].view(dtype).copy()
        result[thread] = old[0]
        new = compute(thread, old)
        if new is not None:
            memory.data[at] = new.view(np.uint8)
            memory.written[at] = True
    return result


def read_modify_write(op, memory, addresses, values, active, order):
    """llvm.atomicrmw."""
    combine = COMBINE[ir.IntegerAttr(op.attributes["bin_op"]).value]
    return exchange(
        op,
        memory,
        addresses,
        active,
        values.dtype,
        order,
        lambda thread, old: combine(old, values[thread : thread + 1]),
    )


def compare_and_swap(op, memory, addresses, compare, values, active, order):
    """llvm.cmpxchg: what was there, and whether it was exchanged."""
    old = exchange(
        op,
        memory,
        addresses,
        active,
        values.dtype,
        order,
        lambda thread, old: values[thread : thread + 1] if old[0] == compare[thread] else None,
    )
    return old, old == compare
