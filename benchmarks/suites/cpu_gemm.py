# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fp32 GEMM against NumPy's, which calls OpenBLAS."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.harness.model import Comparison
from tests._support.arrays import aligned
from tests.kernels import gemm

TILE = 256, 512, 256  # large enough that packing its operands is little work beside the product


def cases(quick: bool) -> Iterator[Comparison]:
    """Square matrices of 512, 1024 and 2048."""
    rng = np.random.default_rng(0)
    for n in (512,) if quick else (512, 1024, 2048):
        a, b = (aligned(rng.standard_normal((n, n)).astype(np.float32)) for _ in "ab")
        c, d = aligned(np.empty_like(a)), aligned(np.empty_like(a))
        yield Comparison(
            name=f"fp32 {n}x{n}x{n}",
            ours=lambda a=a, b=b, c=c: gemm.launch(a, b, c, tile=TILE),
            baselines={"NumPy": lambda a=a, b=b, d=d: np.matmul(a, b, out=d)},
            reference=lambda a=a, b=b: gemm.reference(a, b),
            work=2.0 * n**3,
            unit="GFLOP/s",
            goals={"NumPy": 0.7},
        )
