# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: basic, reportInvalidTypeForm=false
# (Its kernels are another language.)
"""The jobs in Triton, as well as its features for Hopper allow, each with configurations to try.

Matrices come by tensor descriptors (TMA). The product is persistent, with programs walking tiles in
groups of rows that share columns of b in the cache. Attention keeps its softmax in base 2 and walks
unmasked and masked keys in two loops.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

triton: Any = import_module("triton")
tl: Any = import_module("triton.language")
descriptors: Any = import_module("triton.tools.tensor_descriptor")
torch: Any = import_module("torch")

LOG2_E = 1.4426950408889634


@dataclass(frozen=True)
class Config:
    """Tile sizes (None where a kernel has none), warps and stages."""

    tile: tuple[int, ...] = ()
    warps: int = 4
    stages: int = 3
    persistent: bool = False


GEMM_CONFIGS = [
    Config(tile, warps, stages, persistent)
    for tile, warps in (
        ((128, 256, 64), 8),
        ((256, 128, 64), 8),
        ((128, 128, 64), 4),
        ((128, 128, 64), 8),
    )
    for stages in (3, 4)
    for persistent in (True, False)
]
ATTENTION_CONFIGS = [
    Config(tile, warps, stages)
    for tile, warps in (((128, 128), 8), ((128, 64), 8), ((128, 64), 4), ((64, 64), 4))
    for stages in (2, 3)
]
SOFTMAX_CONFIGS = [Config(warps=warps) for warps in (4, 8, 16, 32)]


@triton.jit
def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(z + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def combine_kernel(x, y, z, alpha, beta, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + at, alpha * tl.load(x + at) + beta * tl.load(y + at))


@triton.jit
def softmax_kernel(x, y, n, stride, COLUMNS: tl.constexpr):
    at = tl.arange(0, COLUMNS)
    first = tl.program_id(0).to(tl.int64) * stride
    row = tl.load(x + first + at, mask=at < n, other=-float("inf")).to(tl.float32)
    weight = tl.exp(row - tl.max(row, axis=0))
    result = weight / tl.sum(weight, axis=0)
    tl.store(y + first + at, result.to(y.dtype.element_ty), mask=at < n)


@triton.jit
def gemm_kernel(
    a,
    b,
    c,
    M,
    N,
    K,
    programs,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, programs, flatten=True):
        start = tile // (GROUP * tiles_n) * GROUP
        rows = min(tiles_m - start, GROUP)
        inner = tile % (GROUP * tiles_n)
        m = (start + inner % rows) * BM
        n = (inner // rows) * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(tl.cdiv(K, BK)):
            acc = tl.dot(a.load([m, k * BK]), b.load([k * BK, n]), acc)
        c.store([m, n], acc.to(tl.bfloat16))


@triton.jit
def attend(
    acc,
    total,
    top,
    query,
    k,
    v,
    base,
    rows,
    first,
    last,
    scale,
    BN: tl.constexpr,
    MASK: tl.constexpr,
):
    """One pass of the online softmax over the keys first <= n < last of a head."""
    for n in tl.range(first, last, BN):
        score = tl.dot(query, k.load([base + n, 0]).T)
        if MASK:
            score = tl.where(rows[:, None] >= n + tl.arange(0, BN)[None, :], score, -float("inf"))
        new_top = tl.maximum(top, tl.max(score, axis=1) * scale)
        weight = tl.math.exp2(score * scale - new_top[:, None])
        shrink = tl.math.exp2(top - new_top)
        total = total * shrink + tl.sum(weight, axis=1)
        acc = tl.dot(weight.to(tl.bfloat16), v.load([base + n, 0]), acc * shrink[:, None])
        top = new_top
    return acc, total, top


@triton.jit
def attention_kernel(
    q,
    k,
    v,
    o,
    scale,
    S,
    D: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    block = tl.program_id(0)
    if CAUSAL:
        block = tl.num_programs(0) - 1 - block  # The longest first.
    base = tl.program_id(1) * S
    query = q.load([base + block * BM, 0])
    rows = block * BM + tl.arange(0, BM)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    free = block * BM if CAUSAL else S
    acc, total, top = attend(acc, total, top, query, k, v, base, rows, 0, free, scale, BN, False)
    if CAUSAL:
        acc, total, top = attend(
            acc, total, top, query, k, v, base, rows, free, free + BM, scale, BN, True
        )
    o.store([base + block * BM, 0], (acc / total[:, None]).to(tl.bfloat16))


def add(x: Any, y: Any, z: Any, block: int = 1024) -> Any:
    """Elementwise sum."""
    add_kernel[(triton.cdiv(z.numel(), block),)](x, y, z, z.numel(), BLOCK=block)
    return z


def softmax(x: Any, y: Any, config: Config) -> Any:
    """Softmax of rows that fit a program."""
    rows, n = x.shape
    columns = triton.next_power_of_2(n)
    softmax_kernel[(rows,)](x, y, n, x.stride(0), COLUMNS=columns, num_warps=config.warps)
    return y


def describe(array: Any, rows: int, columns: int) -> Any:
    """A tensor descriptor of a matrix for tiles of this size."""
    return descriptors.TensorDescriptor.from_tensor(array, [rows, columns])


def gemm(a: Any, b: Any, c: Any, config: Config) -> Callable[[], Any]:
    """What computes ``a @ b`` for matrices in row-major order; descriptors are made once."""
    bm, bn, bk = config.tile
    (m, depth), n = a.shape, b.shape[1]
    tiles = triton.cdiv(m, bm) * triton.cdiv(n, bn)
    cores = torch.cuda.get_device_properties(0).multi_processor_count
    programs = min(cores, tiles) if config.persistent else tiles
    run = partial(
        gemm_kernel[(programs,)],
        describe(a, bm, bk),
        describe(b, bk, bn),
        describe(c, bm, bn),
        m,
        n,
        depth,
        programs,
        BM=bm,
        BN=bn,
        BK=bk,
        GROUP=8,
        num_warps=config.warps,
        num_stages=config.stages,
    )

    def call() -> Any:
        run()
        return c

    return call


def attention(q: Any, k: Any, v: Any, o: Any, causal: bool, config: Config) -> Callable[[], Any]:
    """What computes attention for (heads, queries, d) of whole tiles; descriptors are made once."""
    bm, bn = config.tile
    heads, queries, d = q.shape
    flat = [describe(x.view(-1, d), rows, d) for x, rows in ((q, bm), (k, bn), (v, bn), (o, bm))]
    run = partial(
        attention_kernel[(queries // bm, heads)],
        *flat,
        LOG2_E / d**0.5,
        queries,
        D=d,
        BM=bm,
        BN=bn,
        CAUSAL=causal,
        num_warps=config.warps,
        num_stages=config.stages,
    )

    def call() -> Any:
        run()
        return o

    return call
