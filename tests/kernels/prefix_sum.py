# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prefix sums: rows that fit a tile, a vector over many programs, and a linear recurrence.

The long vector takes three launches (reduce, scan the block totals, add the offsets), so programs
never wait for each other. :func:`recurrence` shows a scan with a combine function of one's own.
"""

from __future__ import annotations

import numpy as np

import tegula as tg


@tg.kernel
def scan_rows(x: tg.Array, y: tg.Array, REVERSE: tg.Const, COLUMNS: tg.Const):
    """``y = cumsum(x, axis=1)``, from the right if REVERSE; COLUMNS >= x.shape[1]."""
    i = tg.program_id(0)
    tile = tg.load(x, (i, 0), (1, COLUMNS)).astype(y.dtype)
    tg.store(y, (i, 0), tg.cumsum(tile, axis=1, reverse=REVERSE).astype(y.dtype))


@tg.kernel
def block_totals(x: tg.Array, totals: tg.Array, BLOCK: tg.Const):
    """Sum of each block of x (n,) into totals (blocks,)."""
    i = tg.program_id(0)
    total = tg.sum(tg.load(x, i, BLOCK).astype(totals.dtype), axis=0, keepdims=True)
    tg.store(totals, i, total.astype(totals.dtype))


@tg.kernel
def exclusive_scan(x: tg.Array, y: tg.Array, BLOCK: tg.Const):
    """``y[i] = sum(x[:i])`` in one program that carries the sum from block to block."""
    carry = tg.full((1,), 0, y.dtype)
    for i in tg.range(tg.cdiv(x.shape[0], BLOCK)):
        tile = tg.load(x, i, BLOCK)
        tg.store(y, i, (carry + tg.cumsum(tile, axis=0) - tile).astype(y.dtype))
        carry = (carry + tg.sum(tile, axis=0)).astype(y.dtype)


@tg.kernel
def scan_blocks(x: tg.Array, offsets: tg.Array, y: tg.Array, BLOCK: tg.Const):
    """``y = offset of the block + cumsum inside the block``."""
    i = tg.program_id(0)
    tile = tg.load(x, i, BLOCK).astype(y.dtype)
    tg.store(y, i, (tg.load(offsets, i, 1) + tg.cumsum(tile, axis=0)).astype(y.dtype))


def after(a0, b0, a1, b1):
    """The map ``h -> a0*h + b0``, then ``h -> a1*h + b1``. Associative, not commutative."""
    return a0 * a1, a1 * b0 + b1


@tg.kernel
def recurrence(a: tg.Array, b: tg.Array, h: tg.Array, COLUMNS: tg.Const):
    """``h[i, t] = a[i, t] * h[i, t-1] + b[i, t]`` from ``h[i, -1] = 0``, a row a program."""
    i = tg.program_id(0)
    pair = tg.load(a, (i, 0), (1, COLUMNS)), tg.load(b, (i, 0), (1, COLUMNS))
    _, result = tg.scan(pair, 1, after)
    tg.store(h, (i, 0), result)


def launch(
    x: np.ndarray, y: np.ndarray, block: int | None = None, reverse: bool = False
) -> np.ndarray:
    """Write the prefix sum of `x` into `y` of the same shape, summed in the dtype of `y`.

    Shape (m, n): along the rows, each in one tile, from the right if `reverse`. Shape (n,): in
    blocks of `block` elements, each in a program of its own.
    """
    if x.ndim == 2:
        scan_rows[x.shape[0]](x, y, REVERSE=reverse, COLUMNS=block or max(x.shape[1], 1))
        return y
    block = block or 128
    blocks = tg.cdiv(x.shape[0], block)
    totals, offsets = np.empty(blocks, y.dtype), np.empty(blocks, y.dtype)
    block_totals[blocks](x, totals, BLOCK=block)
    exclusive_scan[1](totals, offsets, BLOCK=block)
    scan_blocks[blocks](x, offsets, y, BLOCK=block)
    return y


def launch_recurrence(a: np.ndarray, b: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Write the recurrence along the rows of `a` and `b` into `h`, all of shape (m, n)."""
    recurrence[h.shape[0]](a, b, h, COLUMNS=max(h.shape[1], 1))
    return h


def reference(x: np.ndarray, reverse: bool = False) -> np.ndarray:
    """Prefix sum along the last axis, in float64 or, for integers, in int64."""
    x = x.astype(np.int64 if x.dtype.kind in "biu" else np.float64)
    return x[..., ::-1].cumsum(axis=-1)[..., ::-1] if reverse else x.cumsum(axis=-1)


def reference_recurrence(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The recurrence in float64, step by step."""
    h = np.zeros(b.shape, np.float64)
    state = np.zeros(b.shape[0], np.float64)
    for t in range(b.shape[1]):
        state = a[:, t].astype(np.float64) * state + b[:, t].astype(np.float64)
        h[:, t] = state
    return h
