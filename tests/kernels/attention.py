# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention forward in one pass over the keys, with the softmax kept online (Dao et al. 2022).

A program owns a block of queries of one head and walks the keys. It never holds the (queries, keys)
matrix: when a block brings a larger score, what is summed so far is scaled down to it.
"""

from __future__ import annotations

import math

import numpy as np

import tegula as tg


@tg.kernel
def attention(
    q: tg.Array,
    k: tg.Array,
    v: tg.Array,
    o: tg.Array,
    scale: tg.float32,
    CAUSAL: tg.Const,
    BM: tg.Const,
    BN: tg.Const,
    D: tg.Const,
):
    """``o[h] = softmax(scale * q[h] @ k[h].T) @ v[h]`` for each head h.

    q and o (heads, queries, d), k and v (heads, keys, d), D >= d, scale > 0. With CAUSAL, query
    i sees the keys 0..i. No keys at all give zeros.
    """
    m, head = tg.program_id(0), tg.program_id(1)
    keys = k.shape[1]
    query = tg.load(q, (head, m, 0), (1, BM, D)).reshape(BM, D)
    # e**x is 2**(x log2 e), and powers of two are what hardware has.
    unit = scale * math.log2(math.e)
    top = tg.full((BM,), -math.inf, tg.float32)
    total = tg.zeros((BM,), tg.float32)
    acc = tg.zeros((BM, D), tg.float32)
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
                rows = m * BM - n * BN + tg.arange(BM)
                visible = columns <= tg.minimum(keys - n * BN - 1, rows)[:, None]
            score = tg.where(visible, score, -math.inf)
        new_top = tg.maximum(top, tg.max(score, axis=1) * unit)
        weight = tg.exp2(tg.fma(score, unit, -new_top[:, None]), approx=True)
        shrink = tg.exp2(top - new_top, approx=True)
        total = total * shrink + tg.sum(weight, axis=1)
        acc = tg.dot(weight.astype(v.dtype), value, acc * shrink[:, None])
        top = new_top
    share = tg.where(total > 0.0, 1.0 / total, 0.0)
    tg.store(o, (head, m, 0), (acc * share[:, None]).astype(o.dtype)[None])


def launch(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    o: np.ndarray,
    causal: bool = False,
    scale: float | None = None,
    tile: tuple[int, int] = (64, 64),
) -> np.ndarray:
    """Write the attention of each head into `o` of shape (heads, queries, d).

    `scale` is positive, and ``1 / sqrt(d)`` if not given.
    """
    heads, queries, d = o.shape
    bm, bn = tile
    scale = 1 / math.sqrt(max(d, 1)) if scale is None else scale
    grid = tg.cdiv(queries, bm), heads
    attention[grid](q, k, v, o, scale, CAUSAL=causal, BM=bm, BN=bn, D=max(d, 1))
    return o


def reference(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool = False, scale: float | None = None
) -> np.ndarray:
    """The same in float64, from the definition."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scale = 1 / math.sqrt(max(q.shape[2], 1)) if scale is None else scale
    score = scale * (q @ k.swapaxes(1, 2))
    if causal:
        score = np.where(np.tri(*score.shape[1:], dtype=bool), score, -np.inf)
    weight = np.exp(score - score.max(axis=2, keepdims=True, initial=-np.inf))
    return weight / weight.sum(axis=2, keepdims=True) @ v
