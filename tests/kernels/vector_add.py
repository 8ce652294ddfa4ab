# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise sum of two vectors: the smallest complete kernel.

Each program adds one tile. The last tile may reach past the end of the arrays: a load gives zeros
there and a store drops what lies outside, so no mask is written.
"""

from __future__ import annotations

import numpy as np

import tegula as tg


@tg.kernel
def vector_add(x: tg.Array, y: tg.Array, z: tg.Array, BLOCK: tg.Const):
    """``z[i] = x[i] + y[i]``, with the dtype that NumPy gives to ``x + y``."""
    i = tg.program_id(0)
    z_tile = tg.load(x, i, BLOCK) + tg.load(y, i, BLOCK)
    tg.store(z, i, z_tile.astype(z.dtype))


def launch(x: np.ndarray, y: np.ndarray, z: np.ndarray, block: int = 1024) -> np.ndarray:
    """Add the vectors `x` and `y` of shape (n,) into `z` of shape (n,)."""
    vector_add[tg.cdiv(z.shape[0], block)](x, y, z, BLOCK=block)
    return z


def reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The same in float64."""
    return x.astype(np.float64) + y.astype(np.float64)
