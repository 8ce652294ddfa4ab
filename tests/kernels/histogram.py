# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Histogram by atomic additions: many programs count into one array.

A value outside the bins indexes outside the array, and such an atomic does nothing, so only the
lanes past the end of the input need a mask.
"""

from __future__ import annotations

import numpy as np

import tegula as tg


@tg.kernel
def histogram(x: tg.Array, counts: tg.Array, BLOCK: tg.Const):
    """Add the number of times that x (n,) holds b to counts[b], for each b in 0..bins-1."""
    i = tg.program_id(0)
    inside = i * BLOCK + tg.arange(BLOCK) < x.shape[0]
    bins = tg.load(x, i, BLOCK).astype(tg.int64)
    tg.atomic_add(counts, (bins,), tg.ones((BLOCK,), counts.dtype), mask=inside)


def launch(x: np.ndarray, counts: np.ndarray, block: int = 256) -> np.ndarray:
    """Count the integers `x` of shape (n,) into `counts` of shape (bins,), which starts at 0."""
    histogram[tg.cdiv(x.shape[0], block)](x, counts, BLOCK=block)
    return counts


def reference(x: np.ndarray, bins: int) -> np.ndarray:
    """The counts as int64."""
    x = x.astype(np.int64)
    return np.bincount(x[(x >= 0) & (x < bins)], minlength=bins)[:bins]
