# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax of the rows of a matrix, of any length."""

from __future__ import annotations

import math

import numpy as np

import tegula as tg
from tegula._boundary import boundary
from tegula.ops._arguments import Array, require, require_arrays, rows_per_program

_TILE_ELEMENTS = 4096
# Longer rows are walked twice instead of being kept in a tile.
_MAX_COLUMNS = 65536
_ONLINE_COLUMNS = 4096


@tg.kernel
def softmax_kernel(x: tg.Array, y: tg.Array, ROWS: tg.Const, COLUMNS: tg.Const) -> None:
    """Softmax of x (m, n) by row into y, ROWS rows a program, COLUMNS >= n.

    Columns past the end load as -inf and count as ``exp(-inf) == 0``.
    """
    i = tg.program_id(0)
    acc = tg.float64 if x.dtype == tg.float64 else tg.float32
    tile = tg.load(x, (i, 0), (ROWS, COLUMNS), pad=-math.inf).astype(acc)
    weight = tg.exp(tile - tg.max(tile, axis=1, keepdims=True))
    result = weight * (1.0 / tg.sum(weight, axis=1, keepdims=True))
    tg.store(y, (i, 0), result.astype(y.dtype))


@tg.kernel
def softmax_online_kernel(x: tg.Array, y: tg.Array, COLUMNS: tg.Const) -> None:
    """Softmax of x (m, n) by row into y, a row a program in steps of COLUMNS.

    Maximum and sum are kept together (Milakov and Gimelshein 2018, algorithm 3).
    """
    i = tg.program_id(0)
    acc = tg.float64 if x.dtype == tg.float64 else tg.float32
    steps = tg.cdiv(x.shape[1], COLUMNS)
    top, total = tg.full((), -math.inf, acc), tg.full((), 0, acc)
    for j in tg.range(steps):
        tile = tg.load(x, (i, j), (1, COLUMNS), pad=-math.inf).astype(acc)
        new_top = tg.maximum(top, tg.max(tile))
        total = total * tg.exp(top - new_top) + tg.sum(tg.exp(tile - new_top))
        top = new_top
    for j in tg.range(steps):
        tile = tg.load(x, (i, j), (1, COLUMNS)).astype(acc)
        tg.store(y, (i, j), (tg.exp(tile - top) / total).astype(y.dtype))


@boundary
def softmax(x: Array, out: Array | None = None) -> Array:
    """Softmax of each row.

    Args:
        x: (m, n) of a float dtype.
        out: (m, n), or None for a new array of x's dtype.

    Raises:
        ShapeError: the shapes do not fit.
        TileTypeError: an argument is no array.
    """
    require_arrays(x=x)
    if out is not None:
        require_arrays(out=out)
    require(x.ndim == 2, f"x must be a matrix, not {x.ndim}-D")
    m, n = x.shape
    out = np.empty((m, n), x.dtype) if out is None else out
    require(out.shape == (m, n), f"out has shape {out.shape}, but x has {x.shape}")
    if n > _MAX_COLUMNS:
        softmax_online_kernel[m](x, out, COLUMNS=_ONLINE_COLUMNS)
    elif n > 0:
        rows = rows_per_program(n, _TILE_ELEMENTS)
        softmax_kernel[tg.cdiv(m, rows)](x, out, ROWS=rows, COLUMNS=n)
    return out


def reference(x: Array) -> Array:
    """The same in float64."""
    x = x.astype(np.float64)
    weight = np.exp(x - x.max(axis=1, keepdims=True, initial=-np.inf))
    return weight / weight.sum(axis=1, keepdims=True)
