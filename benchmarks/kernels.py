# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that only benchmarks need; all others are those of `tests/kernels`."""

from __future__ import annotations

from typing import Any

import tegula as tg


@tg.kernel
def chain(x: tg.Array, y: tg.Array, z: tg.Array, BLOCK: tg.Const):
    """Eight operations, two reads and one write."""
    i = tg.program_id(0)
    a, b = tg.load(x, i, BLOCK), tg.load(y, i, BLOCK)
    bounded = tg.minimum(tg.maximum((a * b + a) * 0.5 - b, -1.0), 1.0)
    tg.store(z, i, bounded * a + b)


@tg.kernel
def combine(
    x: tg.Array, y: tg.Array, z: tg.Array, alpha: tg.float32, beta: tg.float32, BLOCK: tg.Const
):
    """``z = alpha * x + beta * y``: three arrays and two numbers, as many calls have."""
    i = tg.program_id(0)
    tg.store(z, i, alpha * tg.load(x, i, BLOCK) + beta * tg.load(y, i, BLOCK))


def launch_chain(x: Any, y: Any, z: Any, block: int = 4096) -> Any:
    """Write the chain of two vectors into z."""
    chain[tg.cdiv(x.shape[0], block)](x, y, z, BLOCK=block)
    return z
