# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix product with a bias and a GELU in its epilogue."""

from __future__ import annotations

import math

import numpy as np

import tegula as tg
from tegula._boundary import boundary
from tegula.ops._arguments import Array, matrices, require, require_arrays

_TILE = 128


@tg.kernel
def gemm_bias_gelu_kernel(
    a: tg.Array,
    b: tg.Array,
    bias: tg.Array,
    c: tg.Array,
    BM: tg.Const,
    BN: tg.Const,
    BK: tg.Const,
) -> None:
    """``c = gelu(a @ b + bias)``: a (M, K), b (K, N), bias (N,), c (M, N)."""
    m, n = tg.program_id(0), tg.program_id(1)
    acc = tg.zeros((BM, BN), tg.float64 if a.dtype == tg.float64 else tg.float32)
    for k in tg.range(tg.cdiv(a.shape[1], BK)):
        acc = tg.dot(tg.load(a, (m, k), (BM, BK)), tg.load(b, (k, n), (BK, BN)), acc)
    x = acc + tg.load(bias, n, BN).astype(acc.dtype)
    y = 0.5 * x * (1.0 + tg.erf(x * math.sqrt(0.5)))
    tg.store(c, (m, n), y.astype(c.dtype))


@boundary
def gemm_bias_gelu(
    a: Array,
    b: Array,
    bias: Array,
    out: Array | None = None,
) -> Array:
    """``gelu(a @ b + bias)`` with the exact GELU (Hendrycks and Gimpel 2016, equation 2).

    Args:
        a: (M, K) of a float dtype.
        b: (K, N) of the same dtype.
        bias: (N,) of a float dtype.
        out: (M, N), or None for a new array of a's dtype.

    Raises:
        ShapeError: the shapes do not fit.
        TileTypeError: an argument is no array.
    """
    require_arrays(a=a, b=b, bias=bias)
    if out is not None:
        require_arrays(out=out)
    m, n, depth = matrices(a, b)
    require(bias.shape == (n,), f"bias has shape {bias.shape}, but b has {n} columns")
    out = np.empty((m, n), a.dtype) if out is None else out
    require(out.shape == (m, n), f"out has shape {out.shape}, but the result has {(m, n)}")
    bm, bn, bk = (min(_TILE, max(size, 1)) for size in (m, n, depth))
    grid = tg.cdiv(m, bm), tg.cdiv(n, bn)
    gemm_bias_gelu_kernel[grid](a, b, bias, out, BM=bm, BN=bn, BK=bk)
    return out


def reference(a: Array, b: Array, bias: Array) -> Array:
    """The same in float64."""
    x = a.astype(np.float64) @ b.astype(np.float64) + bias.astype(np.float64)
    erf = np.vectorize(math.erf, otypes=[np.float64])
    return 0.5 * x * (1.0 + erf(x * math.sqrt(0.5)))
