# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks decide without a device: which suites there are, what can run, tile sizes."""

from __future__ import annotations

import pytest

from benchmarks.harness.requirements import SUITES, missing, on_device, summary
from benchmarks.suites._transformers import SHAPES
from benchmarks.tiles import GEMM_TILES, PROGRAMS, gemm_tile


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_says_what_it_measures_and_what_it_lacks(suite):
    assert summary(suite).endswith(".")
    assert on_device(suite) == suite.startswith("cuda_")
    assert not missing(suite) or on_device(suite)


def test_there_are_40_shapes_of_transformers_odd_ones_included():
    assert len(set(SHAPES)) == len(SHAPES) == 40
    assert any(m % 2 for m, _, _ in SHAPES)
    assert any(n % 2 for _, n, _ in SHAPES)


@pytest.mark.parametrize("m, n, k", SHAPES)
def test_a_tile_is_the_largest_that_leaves_enough_programs(m, n, k):
    bm, bn, _ = gemm_tile(m, n, 2)
    programs = -(-m // bm) * -(-n // bn)
    assert (bm, bn) == GEMM_TILES[-1] or programs >= PROGRAMS
    assert bm < 2 * m or bm == GEMM_TILES[-1][0]


def test_a_step_takes_as_many_bytes_of_any_dtype():
    assert [gemm_tile(4096, 4096, size) for size in (1, 2, 4)] == [
        (128, 256, 128),
        (128, 256, 64),
        (128, 256, 32),
    ]
