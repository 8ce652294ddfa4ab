# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batched matrix product: the third grid axis walks the batch.

A tile of a rank-3 array has rank 3, here with one matrix in it, and ``tg.dot`` multiplies batch by
batch. A weight that is shared by the whole batch is a broadcast view (stride 0), with no copy.
"""

from __future__ import annotations

import numpy as np

import tegula as tg


@tg.kernel
def batched_gemm(a: tg.Array, b: tg.Array, c: tg.Array, BM: tg.Const, BN: tg.Const, BK: tg.Const):
    """``c[i] = a[i] @ b[i]`` with a (B, M, K), b (B, K, N), c (B, M, N)."""
    m, n, i = tg.program_id(0), tg.program_id(1), tg.program_id(2)
    acc = tg.zeros((1, BM, BN), tg.float64 if a.dtype == tg.float64 else tg.float32)
    for k in tg.range(tg.cdiv(a.shape[2], BK)):
        acc = tg.dot(tg.load(a, (i, m, k), (1, BM, BK)), tg.load(b, (i, k, n), (1, BK, BN)), acc)
    tg.store(c, (i, m, n), acc.astype(c.dtype))


def launch(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, tile: tuple[int, int, int] = (32, 32, 32)
) -> np.ndarray:
    """Write the product of each pair of matrices into `c` of shape (B, M, N)."""
    bm, bn, bk = tile
    batch, rows, columns = c.shape
    grid = tg.cdiv(rows, bm), tg.cdiv(columns, bn), batch
    batched_gemm[grid](a, b, c, BM=bm, BN=bn, BK=bk)
    return c


def reference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The same in float64."""
    return a.astype(np.float64) @ b.astype(np.float64)
