# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Embedding lookup: rows of a table, gathered by id.

The indices of a gather are integer tiles that broadcast against each other, as in NumPy. An id
outside the table gives a row of zeros, which makes -1 a padding token.
"""

from __future__ import annotations

import numpy as np

import tegula as tg


@tg.kernel
def embedding(ids: tg.Array, table: tg.Array, out: tg.Array, ROWS: tg.Const, COLUMNS: tg.Const):
    """``out[i] = table[ids[i]]`` with ids (n,), table (tokens, d), out (n, d)."""
    i, j = tg.program_id(0), tg.program_id(1)
    rows = tg.load(ids, i, ROWS, pad=-1)
    columns = j * COLUMNS + tg.arange(COLUMNS)
    tg.store(out, (i, j), tg.gather(table, (rows[:, None], columns[None, :])))


def launch(
    ids: np.ndarray, table: np.ndarray, out: np.ndarray, tile: tuple[int, int] = (16, 128)
) -> np.ndarray:
    """Write ``table[ids]`` into `out` of shape (n, d)."""
    rows, columns = tile
    grid = tg.cdiv(out.shape[0], rows), tg.cdiv(out.shape[1], columns)
    embedding[grid](ids, table, out, ROWS=rows, COLUMNS=columns)
    return out


def reference(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The same by NumPy; exact in every dtype, so there is no float64 here."""
    inside = (ids >= 0) & (ids < table.shape[0])
    out = np.zeros((ids.shape[0], table.shape[1]), table.dtype)
    out[inside] = table[ids[inside]]
    return out
