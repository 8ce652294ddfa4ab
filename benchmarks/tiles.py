# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile sizes by problem size: the one choice that kernels leave to their callers.

They follow from the problem alone and are the same for every target. A large tile reads its inputs
less often; a large processor needs many programs at once; a tile wider than the problem is waste.
"""

from __future__ import annotations

from typing import NamedTuple

PROCESSORS = 132  # of the GPU that the goals are for; each works on one tile at a time


class GemmTile(NamedTuple):
    """Rows and columns of a program's result, and how well one processor multiplies with them.

    Attributes:
        depth_bytes: of K in one step. A small tile takes long steps, for each has its latency.
        rate: measured, of that of the largest tile, on a product that keeps all processors busy.
    """

    bm: int
    bn: int
    depth_bytes: int
    rate: float


GEMM_TILES = (
    GemmTile(128, 256, 128, 1.0),
    GemmTile(128, 128, 128, 0.92),
    GemmTile(64, 128, 256, 0.85),
    GemmTile(64, 64, 256, 0.55),
    GemmTile(64, 32, 256, 0.36),
    GemmTile(16, 64, 256, 0.23),
    GemmTile(16, 32, 256, 0.12),
)

ELEMENTWISE_BLOCK = 4096

RMS_NORM_COLUMNS = 16384  # at most: the sums of squares of a longer tile fill a processor


def attention_tile(d: int, length: int) -> tuple[int, int]:
    """(BM, BN), queries and keys of a step, for heads of size d and sequences of some length.

    Large heads take fewer keys at a time of short sequences: two programs then share a processor,
    and one computes while the other starts or ends, which is much of the work.
    """
    if d <= 64:
        return (64, 128)
    return (128, 64) if length <= 1024 else (128, 128)


def gemm_tile(m: int, n: int, itemsize: int) -> tuple[int, int, int]:
    """(BM, BN, BK) for a product of m rows and n columns: the tile that is done first."""

    def seconds(tile: GemmTile) -> float:
        programs = -(-m // tile.bm) * -(-n // tile.bn)
        rounds = -(-programs // PROCESSORS)
        return rounds * tile.bm * tile.bn / tile.rate

    best = min(GEMM_TILES, key=seconds)
    return best.bm, best.bn, best.depth_bytes // itemsize


def rms_norm_columns(n: int) -> int:
    """Columns of a tile for rows of n: all of them, if they are few enough."""
    return min(n, RMS_NORM_COLUMNS)
