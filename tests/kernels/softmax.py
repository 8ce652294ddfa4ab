# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax over the rows of a matrix, for rows that fit a tile and for rows of any length.

:func:`softmax` keeps a block of rows in a tile. :func:`softmax_online` walks a row twice and keeps
a running maximum and sum (Milakov and Gimelshein 2018), so its tile may be shorter than the row.
"""

from __future__ import annotations

import math

import numpy as np

import tegula as tg


@tg.kernel
def softmax(x: tg.Array, y: tg.Array, ROWS: tg.Const, COLUMNS: tg.Const):
    """Row softmax of x into y, ROWS rows a program; COLUMNS >= x.shape[1], of any value.

    Columns past the end of a row load as -inf and so as ``exp(-inf) == 0`` in the sum.
    """
    i = tg.program_id(0)
    tile = tg.load(x, (i, 0), (ROWS, COLUMNS), pad=-math.inf).astype(tg.float32)
    weight = tg.exp(tile - tg.max(tile, axis=1, keepdims=True))
    result = weight * (1.0 / tg.sum(weight, axis=1, keepdims=True))
    tg.store(y, (i, 0), result.astype(y.dtype))


@tg.kernel
def softmax_online(x: tg.Array, y: tg.Array, COLUMNS: tg.Const):
    """``y = softmax(x, axis=1)``, a row a program, in steps of COLUMNS."""
    i = tg.program_id(0)
    steps = tg.cdiv(x.shape[1], COLUMNS)
    top, total = tg.float32(-math.inf), tg.float32(0)
    for j in tg.range(steps):
        tile = tg.load(x, (i, j), (1, COLUMNS), pad=-math.inf).astype(tg.float32)
        new_top = tg.maximum(top, tg.max(tile))
        total = total * tg.exp(top - new_top) + tg.sum(tg.exp(tile - new_top))
        top = new_top
    for j in tg.range(steps):
        tile = tg.load(x, (i, j), (1, COLUMNS)).astype(tg.float32)
        tg.store(y, (i, j), (tg.exp(tile - top) / total).astype(y.dtype))


def launch(
    x: np.ndarray, y: np.ndarray, rows: int = 1, columns: int | None = None, online: bool = False
) -> np.ndarray:
    """Write the row softmax of `x` into `y`, both of shape (m, n).

    `columns` is the tile's width; the default is the row's length (a tile may have any size).
    """
    m, n = y.shape
    columns = columns or max(n, 1)
    if online:
        softmax_online[m](x, y, COLUMNS=columns)
    else:
        softmax[tg.cdiv(m, rows)](x, y, ROWS=rows, COLUMNS=columns)
    return y


def reference(x: np.ndarray) -> np.ndarray:
    """The same in float64."""
    x = x.astype(np.float64)
    weight = np.exp(x - x.max(axis=1, keepdims=True, initial=-np.inf))
    return weight / weight.sum(axis=1, keepdims=True)
