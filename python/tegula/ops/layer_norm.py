# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layer normalization of the rows of a matrix."""

from __future__ import annotations

import numpy as np

import tegula as tg
from tegula._boundary import boundary
from tegula.ops._arguments import Array, require, require_arrays, rows_per_program

_TILE_ELEMENTS = 4096


@tg.kernel
def layer_norm_kernel(
    x: tg.Array,
    weight: tg.Array,
    bias: tg.Array,
    y: tg.Array,
    eps: float,
    ROWS: tg.Const,
    COLUMNS: tg.Const,
) -> None:
    """``y = (x - mean) / sqrt(var + eps) * weight + bias`` by row, ROWS rows a program.

    x and y (m, n), weight and bias (n,), COLUMNS >= n. The variance is that of centred values,
    which does not cancel.
    """
    i = tg.program_id(0)
    acc = tg.float64 if x.dtype == tg.float64 else tg.float32
    tile = tg.load(x, (i, 0), (ROWS, COLUMNS)).astype(acc)
    count = x.shape[1].astype(acc)
    mean = tg.sum(tile, axis=1, keepdims=True) / count
    centred = tg.where(tg.arange(COLUMNS) < x.shape[1], tile - mean, 0.0)
    variance = tg.sum(centred * centred, axis=1, keepdims=True) / count
    scaled = centred * (1.0 / tg.sqrt(variance + eps))
    result = scaled * tg.load(weight, 0, COLUMNS).astype(acc)
    result = result + tg.load(bias, 0, COLUMNS).astype(acc)
    tg.store(y, (i, 0), result.astype(y.dtype))


@boundary
def layer_norm(
    x: Array,
    weight: Array,
    bias: Array,
    out: Array | None = None,
    eps: float = 1e-5,
) -> Array:
    """Each row with mean 0 and variance 1, scaled and shifted (Ba, Kiros and Hinton 2016).

    Args:
        x: (m, n) of a float dtype.
        weight: (n,) of a float dtype.
        bias: (n,) of a float dtype.
        out: (m, n), or None for a new array of x's dtype.
        eps: added to the variance.

    Raises:
        ShapeError: the shapes do not fit.
        TileTypeError: an argument is no array.
    """
    require_arrays(x=x, weight=weight, bias=bias)
    if out is not None:
        require_arrays(out=out)
    require(x.ndim == 2, f"x must be a matrix, not {x.ndim}-D")
    m, n = x.shape
    for name, vector in (("weight", weight), ("bias", bias)):
        require(vector.shape == (n,), f"{name} has shape {vector.shape}, but x has {n} columns")
    out = np.empty((m, n), x.dtype) if out is None else out
    require(out.shape == (m, n), f"out has shape {out.shape}, but x has {x.shape}")
    if n > 0:
        rows = rows_per_program(n, _TILE_ELEMENTS)
        grid: int = tg.cdiv(m, rows)
        layer_norm_kernel[grid](x, weight, bias, out, eps, ROWS=rows, COLUMNS=n)
    return out


def reference(
    x: Array,
    weight: Array,
    bias: Array,
    eps: float = 1e-5,
) -> Array:
    """The same in float64."""
    x = x.astype(np.float64)
    centred = x - x.mean(axis=1, keepdims=True)
    variance = (centred**2).mean(axis=1, keepdims=True)
    return centred / np.sqrt(variance + eps) * weight.astype(np.float64) + bias.astype(np.float64)
