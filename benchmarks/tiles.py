# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile sizes by problem size: the one choice that kernels leave to their callers.

They follow from the problem alone and are the same for every target. A large tile reads its inputs
less often; a large processor needs many programs at once; a tile wider than the problem is waste.
"""

from __future__ import annotations

PROGRAMS = 100  # enough to occupy a large processor

# From large to small. The first one that gives enough programs is taken, else the last.
GEMM_TILES = (128, 256), (128, 128), (64, 128), (64, 64), (64, 32)

GEMM_DEPTH_BYTES = 128  # of K in one step

# Queries and keys of a step, by the size of a head.
ATTENTION_TILES = {64: (128, 128), 128: (128, 128)}

ELEMENTWISE_BLOCK = 4096


def gemm_tile(m: int, n: int, itemsize: int) -> tuple[int, int, int]:
    """(BM, BN, BK) for a product of m rows and n columns."""
    depth = GEMM_DEPTH_BYTES // itemsize
    for bm, bn in GEMM_TILES:
        is_waste = m <= bm // 2 and bm > GEMM_TILES[-1][0]
        if not is_waste and -(-m // bm) * -(-n // bn) >= PROGRAMS:
            return bm, bn, depth
    return *GEMM_TILES[-1], depth
