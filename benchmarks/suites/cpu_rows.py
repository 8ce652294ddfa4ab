# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and layer norm over the rows of a 4096x4096 fp32 matrix against NumPy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.baselines import numpy_ops
from benchmarks.harness.model import Comparison
from tests._support.arrays import aligned
from tests.kernels import layer_norm, softmax


def cases(quick: bool) -> Iterator[Comparison]:
    """The two row kernels; bytes are one read and one write of the matrix."""
    n = 1024 if quick else 4096
    rng = np.random.default_rng(0)
    x = aligned(rng.standard_normal((n, n)).astype(np.float32))
    weight, bias = (aligned(rng.standard_normal(n).astype(np.float32)) for _ in "wb")
    y, z = aligned(np.empty_like(x)), aligned(np.empty_like(x))
    yield Comparison(
        name=f"softmax fp32 {n}x{n}",
        ours=lambda: softmax.launch(x, y),
        baselines={
            "NumPy": lambda: numpy_ops.softmax(x),
            "NumPy in place": lambda: numpy_ops.softmax_in_place(x, z),
        },
        reference=lambda: softmax.reference(x),
        work=2.0 * x.nbytes,
        unit="GB/s",
        goals={"NumPy": 3.0},
    )
    yield Comparison(
        name=f"layer norm fp32 {n}x{n}",
        ours=lambda: layer_norm.launch(x, weight, bias, y),
        baselines={"NumPy": lambda: numpy_ops.layer_norm(x, weight, bias)},
        reference=lambda: layer_norm.reference(x, weight, bias),
        work=2.0 * x.nbytes,
        unit="GB/s",
        goals={"NumPy": 3.0},
    )
