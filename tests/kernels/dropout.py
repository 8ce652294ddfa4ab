# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout with a counter-based random generator (Philox-4x32-10, Salmon et al. 2011).

The random number of an element depends only on the seed and on the element's place, not on the tile
size or the order of programs: the mask is never stored, a backward pass just makes it again.
"""

from __future__ import annotations

import numpy as np

import tegula as tg


@tg.kernel
def dropout(x: tg.Array, y: tg.Array, seed: tg.uint64, p: tg.float32, BLOCK: tg.Const):
    """``y[i] = x[i] / (1 - p)`` with probability 1 - p, else 0; x and y (n,)."""
    i = tg.program_id(0)
    keep = tg.rand(seed, i * BLOCK + tg.arange(BLOCK)) >= p
    tile = tg.load(x, i, BLOCK).astype(tg.float32)
    tg.store(y, i, tg.where(keep, tile / (1.0 - p), 0.0).astype(y.dtype))


@tg.kernel
def random_words(words: tg.Array, key: tg.uint64, BLOCK: tg.Const):
    """The four 32-bit words of each counter 0..n-1 into words (n, 4), uint32."""
    i = tg.program_id(0)
    parts = tg.philox(i * BLOCK + tg.arange(BLOCK), key)
    tg.store(words, (i, 0), tg.stack(parts, axis=1))


def launch(x: np.ndarray, y: np.ndarray, p: float, seed: int, block: int = 256) -> np.ndarray:
    """Write `x` of shape (n,) into `y` with a share `p` of the elements dropped, 0 <= p < 1."""
    dropout[tg.cdiv(y.shape[0], block)](x, y, seed, p, BLOCK=block)
    return y


def philox(counters: np.ndarray, key: int) -> np.ndarray:
    """Philox-4x32-10 of 64-bit counters, as uint32 words (n, 4): the paper's algorithm in NumPy.

    The low words of the 128-bit counter hold the counter, the others 0; `key` is 64 bits.
    """
    counters = counters.astype(np.uint64)
    low = np.uint64(0xFFFFFFFF)
    x = [counters & low, counters >> np.uint64(32), counters * 0, counters * 0]
    k0, k1 = key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF
    for _ in range(10):
        left, right = x[0] * np.uint64(0xD2511F53), x[2] * np.uint64(0xCD9E8D57)
        x = [
            right >> np.uint64(32) ^ x[1] ^ np.uint64(k0),
            right & low,
            left >> np.uint64(32) ^ x[3] ^ np.uint64(k1),
            left & low,
        ]
        k0, k1 = k0 + 0x9E3779B9 & 0xFFFFFFFF, k1 + 0xBB67AE85 & 0xFFFFFFFF
    return np.stack(x, axis=1).astype(np.uint32)


def reference(x: np.ndarray, p: float, seed: int) -> np.ndarray:
    """The same in float64, with the mask from the first word of each element's counter."""
    word = philox(np.arange(x.shape[0]), seed)[:, 0]
    keep = (word >> np.uint32(8)).astype(np.float32) * np.float32(2**-24) >= np.float32(p)
    return np.where(keep, x.astype(np.float64) / (1.0 - np.float64(np.float32(p))), 0.0)
