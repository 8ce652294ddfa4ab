# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose accesses are known only at run time, written as a user of the guide writes them.

Tables of offsets, pages, rows of sparse matrices, sampling, and states that loops carry. Each is
compared with NumPy in float64, and compiled for a GPU of each family.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tegula as tg

Array = Any
Launch = tuple[tg.Kernel, Any, tuple[Any, ...], dict[str, Any]]


@tg.kernel
def grouped(a: tg.Array, b: tg.Array, c: tg.Array, table: tg.Array, TILE: tg.Const):
    """Products of matrices in flat buffers; a row of the table has m, n, k and three offsets."""
    BM, BN, BK = TILE
    first = 0
    t = tg.program_id(0)
    for g in tg.range(table.shape[0]):
        m, n, k, at_a, at_b, at_c = (tg.gather(table, (g, i)) for i in range(6))
        left = a[at_a : at_a + m * k].reshape(m, k)
        right = b[at_b : at_b + k * n].reshape(k, n)
        out = c[at_c : at_c + m * n].reshape(m, n)
        columns = tg.cdiv(n, BN)
        tiles = tg.cdiv(m, BM) * columns
        while t < first + tiles:
            i, j = divmod(t - first, columns)
            acc = tg.zeros((BM, BN), tg.float32)
            for p in tg.range(tg.cdiv(k, BK)):
                block = tg.load(left, (i, p), (BM, BK))
                acc = tg.dot(block, tg.load(right, (p, j), (BK, BN)), acc)
            tg.store(out, (i, j), acc.astype(c.dtype))
            t += tg.num_programs(0)
        first += tiles


def grouped_case(rng: np.random.Generator) -> tuple[Launch, int, Array]:
    sizes = [(17, 33, 40), (64, 20, 9), (5, 70, 64), (1, 1, 1)]
    pairs = [
        tuple(rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
        for m, n, k in sizes
    ]
    rows, at = [], (0, 0, 0)
    for m, n, k in sizes:
        rows.append((m, n, k, *at))
        at = (at[0] + m * k, at[1] + k * n, at[2] + m * n)
    a, b = (np.concatenate([pair[i].ravel() for pair in pairs]) for i in range(2))
    want = np.concatenate([(x.astype(np.float64) @ y.astype(np.float64)).ravel() for x, y in pairs])
    arguments = (a, b, np.empty(at[2], np.float32), np.array(rows, np.int32))
    return (grouped, 3, arguments, {"TILE": (16, 32, 16)}), 2, want


@tg.kernel
def sparse_product(
    starts: tg.Array, columns: tg.Array, values: tg.Array, x: tg.Array, y: tg.Array, TILE: tg.Const
):
    """A matrix in compressed sparse rows by a dense one: a row and BN columns in each program."""
    BK, BN = TILE
    row, j = tg.program_id(0), tg.program_id(1)
    begin, end = tg.gather(starts, row), tg.gather(starts, row + 1)
    wanted = j * BN + tg.arange(BN)
    acc = tg.zeros((BN,), tg.float32)
    for first in tg.range(begin, end, BK):
        place = first + tg.arange(BK)
        column = tg.gather(columns, place, mask=place < end)
        value = tg.gather(values, place, mask=place < end)
        part = tg.gather(x, (column[:, None], wanted[None, :]))
        acc += tg.sum(value[:, None] * part, axis=0)
    tg.store(y[row], j, acc)


def sparse_case(rng: np.random.Generator) -> tuple[Launch, int, Array]:
    m, k, n = 23, 40, 50
    dense = (rng.standard_normal((m, k)) * (rng.random((m, k)) < 0.3)).astype(np.float32)
    dense[4] = 0
    row, column = np.nonzero(dense)
    starts = np.searchsorted(row, np.arange(m + 1)).astype(np.int32)
    x = rng.standard_normal((k, n)).astype(np.float32)
    arguments = (starts, column.astype(np.int32), dense[row, column], x, np.empty((m, n), x.dtype))
    launch = sparse_product, (m, tg.cdiv(n, 32)), arguments, {"TILE": (8, 32)}
    return launch, 4, dense.astype(np.float64) @ x


@tg.kernel
def paged_attention(
    q: tg.Array,
    k: tg.Array,
    v: tg.Array,
    pages: tg.Array,
    lengths: tg.Array,
    out: tg.Array,
    scale: tg.float32,
    GROUP: tg.Const,
    D: tg.Const,
    PAGE: tg.Const,
):
    """One query for each sequence; its keys and values are in pages that a table lists."""
    b, h = tg.program_id(0), tg.program_id(1)
    query = (tg.load(q[b], (h, 0), (GROUP, D)).astype(tg.float32) * scale).astype(q.dtype)
    n = tg.gather(lengths, b)
    top = tg.full((GROUP,), -np.inf, tg.float32)
    total = tg.zeros((GROUP,), tg.float32)
    acc = tg.zeros((GROUP, D), tg.float32)
    for i in tg.range(tg.cdiv(n, PAGE)):
        page = tg.gather(pages, (b, i))
        keys = tg.load(k[page, :, h], (0, 0), (PAGE, D))
        values = tg.load(v[page, :, h], (0, 0), (PAGE, D))
        inside = i * PAGE + tg.arange(PAGE) < n
        scores = tg.where(inside, tg.dot(query, keys.T), -np.inf)
        new = tg.maximum(top, tg.max(scores, axis=1))
        weights = tg.exp(scores - new[:, None])
        less = tg.exp(top - new)
        total = total * less + tg.sum(weights, axis=1)
        acc = tg.dot(weights.astype(v.dtype), values, acc * less[:, None])
        top = new
    tg.store(out[b], (h, 0), (acc / total[:, None]).astype(out.dtype))


def paged_case(rng: np.random.Generator) -> tuple[Launch, int, Array]:
    batch, heads, groups, d, page, count = 3, 8, 2, 32, 16, 20
    q = rng.standard_normal((batch, heads, d)).astype(np.float16)
    k, v = (rng.standard_normal((count, page, groups, d)).astype(np.float16) for _ in "kv")
    pages = rng.permutation(count)[: batch * 5].reshape(batch, 5).astype(np.int32)
    lengths = np.array([1, 37, 80], np.int32)
    want = np.empty((batch, heads, d))
    for b, h in np.ndindex(batch, heads):
        keys, values = (
            x[pages[b]].reshape(-1, groups, d)[: lengths[b], h * groups // heads].astype(np.float64)
            for x in (k, v)
        )
        scores = keys @ q[b, h].astype(np.float64) * d**-0.5
        weights = np.exp(scores - scores.max())
        want[b, h] = weights @ values / weights.sum()
    constants = {"GROUP": heads // groups, "D": d, "PAGE": page}
    arguments = (q, k, v, pages, lengths, np.empty_like(q), d**-0.5)
    return (paged_attention, (batch, groups), arguments, constants), 5, want


@tg.kernel
def gated_attention(
    x: tg.Array, gate: tg.Array, b: tg.Array, c: tg.Array, y: tg.Array, TILE: tg.Const
):
    """y[t] = c[t] @ h[t] with h[t] = gate[t] h[t - 1] + outer(b[t], x[t]), LENGTH steps at once."""
    LENGTH, N, E = TILE
    h = tg.program_id(0)
    state = tg.zeros((N, E), tg.float32)
    causal = tg.arange(LENGTH)[:, None] >= tg.arange(LENGTH)[None, :]
    for t in tg.range(tg.cdiv(x.shape[1], LENGTH)):
        inputs = tg.load(x[h], (t, 0), (LENGTH, E))
        left, right = (tg.load(part[h], (t, 0), (LENGTH, N)) for part in (c, b))
        total = tg.cumsum(tg.log(tg.load(gate[h], t, LENGTH, pad=1)))
        decay = tg.where(causal, tg.exp(total[:, None] - total[None, :]), 0)
        out = tg.dot((left @ right.T) * decay, inputs)
        out += tg.dot(left, state) * tg.exp(total)[:, None]
        later = tg.exp(total[-1] - total)[:, None]
        state = state * tg.exp(total[-1]) + tg.dot((right * later).T, inputs)
        tg.store(y[h], (t, 0), out)


def gated_case(rng: np.random.Generator) -> tuple[Launch, int, Array]:
    heads, steps, n, e = 2, 70, 8, 16
    x, b, c = (rng.standard_normal((heads, steps, w)).astype(np.float32) for w in (e, n, n))
    gate = rng.uniform(0.6, 1, (heads, steps)).astype(np.float32)
    want = np.empty(x.shape)
    for h in range(heads):
        state = np.zeros((n, e))
        for t in range(steps):
            state = gate[h, t] * state + np.outer(b[h, t], x[h, t])
            want[h, t] = c[h, t] @ state
    arguments = (x, gate, b, c, np.empty_like(x))
    return (gated_attention, heads, arguments, {"TILE": (16, n, e)}), 4, want


CASES = [grouped_case, sparse_case, paged_case, gated_case]
Case = Callable[[np.random.Generator], tuple[Launch, int, Array]]


@pytest.mark.parametrize("case", CASES)
def test_an_irregular_kernel_gives_what_numpy_gives(backend, rng, case: Case):
    (kernel, grid, arguments, constants), place, want = case(rng)
    kernel[grid](*arguments, **constants)
    error = np.abs(arguments[place].astype(np.float64) - want).max()
    bound = 3e-3 if arguments[0].dtype == np.float16 else 1e-5
    assert error <= bound * max(1, np.abs(want).max())


@pytest.mark.cpu
@pytest.mark.parametrize(("target", "stage"), [("sm_90a", "ptx"), ("gfx942", "amdgcn")])
@pytest.mark.parametrize("case", CASES)
def test_an_irregular_kernel_is_compiled_for_gpus(rng, case: Case, target: str, stage: str):
    (kernel, _, arguments, constants), _, _ = case(rng)
    text = kernel.compile(*arguments, target=target, **constants).emit(stage)
    assert kernel.function.__name__ in str(text)


@tg.kernel
def sample(logits: tg.Array, tokens: tg.Array, p: tg.float32, seed: tg.uint64, SIZE: tg.Const):
    """One of the likeliest tokens that have the probability p together, by its probability."""
    row = tg.program_id(0)
    x = tg.load(logits[row], 0, SIZE, pad=-np.inf)
    order = tg.argsort(x, descending=True)
    x = tg.take_along_axis(x, order, 0)
    weights = tg.exp(x - x[0])
    share = weights / tg.sum(weights)
    kept = tg.where(tg.cumsum(share) - share < p, share, 0)
    total = tg.cumsum(kept)
    place = tg.sum((total <= tg.rand(seed, row) * total[-1]).astype(tg.int32))
    tg.store(tokens, row, tg.sum(tg.where(tg.arange(SIZE) == place, order, 0)))


def test_tokens_are_drawn_among_the_likeliest(backend, rng):
    size, rows = 13, 64
    logits = np.tile(2 * rng.standard_normal(size).astype(np.float32), (rows, 1))
    tokens = np.full(rows, -1, np.int64)
    sample[rows](logits, tokens, 0.8, 1234, SIZE=16)
    share = np.exp(logits[0].astype(np.float64))
    share /= share.sum()
    order = np.argsort(-share)
    count = int(np.searchsorted(np.cumsum(share[order]), 0.8 + 1e-6)) + 1
    assert set(tokens.tolist()) <= set(order[:count].tolist())
    assert len(set(tokens.tolist())) > 1 or count == 1
