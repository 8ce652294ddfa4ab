# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix transpose: a tile is read at (m, n) and its transpose written at (n, m)."""

from __future__ import annotations

import numpy as np

import tegula as tg


@tg.kernel
def transpose(x: tg.Array, y: tg.Array, BM: tg.Const, BN: tg.Const):
    """``y = x.T`` with x (M, N), y (N, M), of one dtype."""
    m, n = tg.program_id(0), tg.program_id(1)
    tg.store(y, (n, m), tg.load(x, (m, n), (BM, BN)).T)


def launch(x: np.ndarray, y: np.ndarray, tile: tuple[int, int] = (64, 64)) -> np.ndarray:
    """Write the transpose of `x` of shape (M, N) into `y` of shape (N, M)."""
    bm, bn = tile
    transpose[tg.cdiv(x.shape[0], bm), tg.cdiv(x.shape[1], bn)](x, y, BM=bm, BN=bn)
    return y


def reference(x: np.ndarray) -> np.ndarray:
    """The same by NumPy; exact in every dtype, so there is no float64 here."""
    return x.T
