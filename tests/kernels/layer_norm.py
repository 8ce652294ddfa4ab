# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layer normalisation of the rows of a matrix (Ba, Kiros and Hinton 2016).

The variance is the mean of the squared *centred* values, which does not cancel as
``E[x^2] - E[x]^2`` does; the row is in a tile, so the second pass costs no memory traffic.
"""

from __future__ import annotations

import numpy as np

import tegula as tg


@tg.kernel
def layer_norm(
    x: tg.Array,
    weight: tg.Array,
    bias: tg.Array,
    y: tg.Array,
    eps: tg.float32,
    ROWS: tg.Const,
    COLUMNS: tg.Const,
):
    """``y = (x - mean) / sqrt(var + eps) * weight + bias`` by row, ROWS rows a program.

    x and y (m, n), weight and bias (n,); COLUMNS >= n, of any value.
    """
    i = tg.program_id(0)
    n = x.shape[1]
    tile = tg.load(x, (i, 0), (ROWS, COLUMNS)).astype(tg.float32)
    count = n.astype(tg.float32)
    mean = tg.sum(tile, axis=1, keepdims=True) / count
    centred = tg.where(tg.arange(COLUMNS) < n, tile - mean, 0.0)
    variance = tg.sum(centred * centred, axis=1, keepdims=True) / count
    scaled = centred * (1.0 / tg.sqrt(variance + eps))
    result = scaled * tg.load(weight, 0, COLUMNS) + tg.load(bias, 0, COLUMNS)
    tg.store(y, (i, 0), result.astype(y.dtype))


def launch(
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    y: np.ndarray,
    eps: float = 1e-5,
    rows: int = 1,
    columns: int | None = None,
) -> np.ndarray:
    """Write the normalised rows of `x` into `y`, both of shape (m, n)."""
    m, n = y.shape
    columns = columns or max(n, 1)
    layer_norm[tg.cdiv(m, rows)](x, weight, bias, y, eps, ROWS=rows, COLUMNS=columns)
    return y


def reference(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    """The same in float64."""
    x = x.astype(np.float64)
    if x.shape[1] == 0:
        return x
    centred = x - x.mean(axis=1, keepdims=True)
    variance = (centred**2).mean(axis=1, keepdims=True)
    return centred / np.sqrt(variance + eps) * weight.astype(np.float64) + bias.astype(np.float64)
