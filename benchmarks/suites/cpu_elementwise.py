# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A chain of eight elementwise operations on large arrays against NumPy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks import kernels
from benchmarks.baselines import numpy_ops
from benchmarks.harness.model import Comparison
from tests._support.arrays import aligned


def cases(quick: bool) -> Iterator[Comparison]:
    """Vectors of 16 million elements: far larger than any cache."""
    n = 2**20 if quick else 2**24
    rng = np.random.default_rng(0)
    x, y = (aligned(rng.standard_normal(n).astype(np.float32)) for _ in "xy")
    z, w = aligned(np.empty_like(x)), aligned(np.empty_like(x))
    yield Comparison(
        name=f"8 operations fp32 {n}",
        ours=lambda: kernels.launch_chain(x, y, z),
        baselines={
            "NumPy": lambda: numpy_ops.chain(x, y),
            "NumPy in place": lambda: numpy_ops.chain_in_place(x, y, w),
        },
        reference=lambda: numpy_ops.chain(x.astype(np.float64), y.astype(np.float64)),
        work=3.0 * x.nbytes,
        unit="GB/s",
        goals={"NumPy": 5.0},
    )
