# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Root mean square normalisation of the rows of a matrix (Zhang and Sennrich 2019).

Rows of any length: the first loop sums squares, the second scales. Both walk the same tiles.
"""

from __future__ import annotations

import numpy as np

import tegula as tg


@tg.kernel
def rms_norm(x: tg.Array, weight: tg.Array, y: tg.Array, eps: tg.float32, COLUMNS: tg.Const):
    """``y = x / sqrt(mean(x**2) + eps) * weight`` by row, with x and y (m, n), weight (n,)."""
    i = tg.program_id(0)
    n = x.shape[1]
    squares = tg.zeros((1, COLUMNS), tg.float32)
    for j in tg.range(tg.cdiv(n, COLUMNS)):
        tile = tg.load(x, (i, j), (1, COLUMNS)).astype(tg.float32)
        squares += tile * tile
    scale = tg.rsqrt(tg.sum(squares) / n.astype(tg.float32) + eps)
    for j in tg.range(tg.cdiv(n, COLUMNS)):
        tile = tg.load(x, (i, j), (1, COLUMNS)).astype(tg.float32)
        result = tile * scale * tg.load(weight, j, COLUMNS)
        tg.store(y, (i, j), result.astype(y.dtype))


def launch(
    x: np.ndarray, weight: np.ndarray, y: np.ndarray, eps: float = 1e-6, columns: int = 256
) -> np.ndarray:
    """Write the normalised rows of `x` into `y`, both of shape (m, n)."""
    rms_norm[y.shape[0]](x, weight, y, eps, COLUMNS=columns)
    return y


def reference(x: np.ndarray, weight: np.ndarray, eps: float = 1e-6) -> np.ndarray:
    """The same in float64."""
    x = x.astype(np.float64)
    if x.shape[1] == 0:
        return x
    return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + eps) * weight.astype(np.float64)
