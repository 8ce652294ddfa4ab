# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix product, plain and with a bias + GELU epilogue.

Both kernels share :func:`multiply`, an ordinary Python function: a kernel may be taken apart as any
other program. Partial tiles need no masks, since loads past an edge give zeros, which add nothing.
"""

from __future__ import annotations

import math

import numpy as np

import tegula as tg


def multiply(a, b, m, n, BM, BN, BK):
    """Tile (m, n) of ``a @ b``, of shape (BM, BN), in the dtype that the product accumulates in."""
    acc = tg.zeros((BM, BN), tg.float64 if a.dtype == tg.float64 else tg.float32)
    for k in tg.range(tg.cdiv(a.shape[1], BK)):
        acc = tg.dot(tg.load(a, (m, k), (BM, BK)), tg.load(b, (k, n), (BK, BN)), acc)
    return acc


def gelu(x):
    """Gaussian error linear unit, exact form (Hendrycks and Gimpel 2016, equation 2)."""
    return 0.5 * x * (1.0 + tg.erf(x * math.sqrt(0.5)))


@tg.kernel
def gemm(a: tg.Array, b: tg.Array, c: tg.Array, BM: tg.Const, BN: tg.Const, BK: tg.Const):
    """``c = a @ b`` with a (M, K), b (K, N), c (M, N)."""
    m, n = tg.program_id(0), tg.program_id(1)
    tg.store(c, (m, n), multiply(a, b, m, n, BM, BN, BK).astype(c.dtype))


@tg.kernel
def gemm_bias_gelu(
    a: tg.Array,
    b: tg.Array,
    bias: tg.Array,
    c: tg.Array,
    BM: tg.Const,
    BN: tg.Const,
    BK: tg.Const,
):
    """``c = gelu(a @ b + bias)`` with bias (N,): the epilogue works on the fp32 accumulator."""
    m, n = tg.program_id(0), tg.program_id(1)
    acc = multiply(a, b, m, n, BM, BN, BK) + tg.load(bias, n, BN)
    tg.store(c, (m, n), gelu(acc).astype(c.dtype))


def launch(
    a: np.ndarray,
    b: np.ndarray,
    c: np.ndarray,
    bias: np.ndarray | None = None,
    tile: tuple[int, int, int] = (64, 64, 64),
) -> np.ndarray:
    """Write ``a @ b``, or ``gelu(a @ b + bias)`` if there is a bias, into `c` of shape (M, N)."""
    bm, bn, bk = tile
    grid = tg.cdiv(c.shape[0], bm), tg.cdiv(c.shape[1], bn)
    if bias is None:
        gemm[grid](a, b, c, BM=bm, BN=bn, BK=bk)
    else:
        gemm_bias_gelu[grid](a, b, bias, c, BM=bm, BN=bn, BK=bk)
    return c


def reference(a: np.ndarray, b: np.ndarray, bias: np.ndarray | None = None) -> np.ndarray:
    """The same in float64."""
    c = a.astype(np.float64) @ b.astype(np.float64)
    if bias is None:
        return c
    x = c + bias.astype(np.float64)
    return 0.5 * x * (1.0 + np.vectorize(math.erf, otypes=[float])(x * math.sqrt(0.5)))
