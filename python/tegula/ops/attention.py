# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention forward in one pass over the keys, with the softmax kept online (Dao et al. 2022)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tegula as tg
from tegula._boundary import boundary
from tegula.ops._arguments import Array, require, require_arrays

_BLOCK = 64


@tg.kernel
def attention_kernel(
    q: tg.Array,
    k: tg.Array,
    v: tg.Array,
    o: tg.Array,
    scale: float,
    CAUSAL: tg.Const,
    BM: tg.Const,
    BN: tg.Const,
    D: tg.Const,
) -> None:
    """``o[h] = softmax(scale * q[h] @ k[h].T) @ v[h]`` for each head h.

    q and o (heads, queries, d), k and v (heads, keys, d), D >= d, scale > 0. With CAUSAL, query i
    sees the keys up to i. A program owns BM queries of a head and never holds the matrix of
    scores: when a block of BN keys brings a larger score, what is summed so far is scaled down.
    """
    m, head = tg.program_id(0), tg.program_id(1)
    acc_dtype = tg.float64 if q.dtype == tg.float64 else tg.float32
    keys = k.shape[1]
    query = tg.load(q, (head, m, 0), (1, BM, D)).reshape(BM, D)
    # e**x is 2**(x log2 e), and powers of two are what hardware has.
    unit = scale * math.log2(math.e)
    top = tg.full((BM,), -math.inf, acc_dtype)
    total = tg.zeros((BM,), acc_dtype)
    acc = tg.zeros((BM, D), acc_dtype)
    seen = tg.minimum(keys, (m + 1) * BM) if CAUSAL else keys
    # Blocks before this one hide nothing: they end before the keys do, and before the diagonal.
    clear = (tg.minimum(keys, m * BM + 1) if CAUSAL else keys) // BN
    for n in tg.range(tg.cdiv(seen, BN)):
        key = tg.load(k, (head, n, 0), (1, BN, D)).reshape(BN, D)
        value = tg.load(v, (head, n, 0), (1, BN, D)).reshape(BN, D)
        score = tg.dot(query, key.T)
        if n >= clear:
            # Counted from the block's first key: these numbers are small.
            columns = tg.arange(BN)
            visible = columns < keys - n * BN
            if CAUSAL:
                visible = visible & (columns <= (m * BM - n * BN + tg.arange(BM))[:, None])
            score = tg.where(visible, score, -math.inf)
        new_top = tg.maximum(top, tg.max(score, axis=1) * unit)
        weight = tg.exp2(tg.fma(score, unit, -new_top[:, None]), approx=True)
        shrink = tg.exp2(top - new_top, approx=True)
        total = total * shrink + tg.sum(weight, axis=1)
        acc = tg.dot(weight.astype(v.dtype), value, acc * shrink[:, None])
        top = new_top
    tg.store(o, (head, m, 0), (acc * (1.0 / total)[:, None]).astype(o.dtype)[None])


@boundary
def attention(
    q: Array,
    k: Array,
    v: Array,
    out: Array | None = None,
    *,
    causal: bool = False,
) -> Array:
    """``softmax(q @ k.T / sqrt(d)) @ v`` for each head.

    Args:
        q: (heads, queries, d), or (queries, d) for one head; of a float dtype.
        k: (heads, keys, d) with at least one key, or (keys, d).
        v: as k.
        out: as q, or None for a new array of q's dtype.
        causal: query i sees the keys up to i only.

    Raises:
        ShapeError: the shapes do not fit.
        TileTypeError: an argument is no array.
    """
    require_arrays(q=q, k=k, v=v)
    if out is not None:
        require_arrays(out=out)
    require(q.ndim in (2, 3), f"q must be 2-D or 3-D, not {q.ndim}-D")
    require(k.shape == v.shape, f"k has shape {k.shape}, but v has {v.shape}")
    require(
        q.ndim == k.ndim and q.shape[:-2] == k.shape[:-2] and q.shape[-1] == k.shape[-1],
        f"q has shape {q.shape}, which does not go with {k.shape} of k",
    )
    out = np.empty(q.shape, q.dtype) if out is None else out
    require(out.shape == q.shape, f"out has shape {out.shape}, but q has {q.shape}")
    heads, queries, d = q.shape if q.ndim == 3 else (1, *q.shape)
    arrays = [x if x.ndim == 3 else x[None] for x in (q, k, v, out)]
    scale = 1 / math.sqrt(max(d, 1))
    grid: tuple[int, int] = (tg.cdiv(queries, _BLOCK), heads)
    attention_kernel[grid](*arrays, scale, CAUSAL=causal, BM=_BLOCK, BN=_BLOCK, D=max(d, 1))
    return out


def reference(
    q: Array,
    k: Array,
    v: Array,
    *,
    causal: bool = False,
) -> Array:
    """The same in float64, from the definition."""
    scale = 1 / math.sqrt(q.shape[-1])
    queries: Any = q.astype(np.float64)
    keys: Any = k.astype(np.float64)
    score = scale * (queries @ keys.swapaxes(-1, -2))
    if causal:
        score = np.where(np.tri(*score.shape[-2:], dtype=bool), score, -np.inf)
    weight = np.exp(score - score.max(axis=-1, keepdims=True))
    return weight / weight.sum(axis=-1, keepdims=True) @ v.astype(np.float64)
