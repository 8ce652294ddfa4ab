# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks decide without a device: which suites there are, what can run, tile sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as command
from benchmarks.harness.requirements import SUITES, missing, on_device, summary
from benchmarks.suites._transformers import SHAPES
from benchmarks.tiles import GEMM_TILES, PROCESSORS, attention_tile, gemm_tile


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
def test_no_smaller_tile_ends_sooner(m, n, k):
    """However fast a tile is: of two that need as many rounds, the smaller one is right."""
    bm, bn, _ = gemm_tile(m, n, 2)

    def rounds(bm: int, bn: int) -> int:
        return -(-(-(-m // bm) * -(-n // bn)) // PROCESSORS)

    smaller = [tile for tile in GEMM_TILES if tile.bm * tile.bn < bm * bn]
    assert all(rounds(tile.bm, tile.bn) > rounds(bm, bn) for tile in smaller)


def test_tiles_suit_large_small_and_narrow_products():
    assert gemm_tile(4096, 4096, 2) == (128, 256, 64)
    assert gemm_tile(512, 12288, 2) == (128, 128, 64)  # 3 rounds, not 1.5 doubled
    assert gemm_tile(1024, 768, 2) == (64, 128, 128)  # 96 programs
    assert gemm_tile(16, 4096, 2) == (16, 32, 128)


def test_large_heads_take_fewer_keys_of_short_sequences():
    for d in (32, 64):
        assert attention_tile(d, 1024) == attention_tile(d, 4096) == (64, 128)
    assert attention_tile(128, 1024) == (128, 64)
    assert attention_tile(128, 4096) == (128, 128)


def test_a_step_takes_as_many_bytes_of_any_dtype():
    assert [gemm_tile(4096, 4096, size) for size in (1, 2, 4)] == [
        (128, 256, 128),
        (128, 256, 64),
        (128, 256, 32),
    ]


@pytest.mark.parametrize("place", ["missing/x.json", "", "locked.json"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "locked.json").write_text("{}")
    monkeypatch.setattr("os.access", lambda path, _: "locked" not in str(path))
    monkeypatch.setattr(command, "choose", lambda *_: pytest.fail("it ran"))
    result = CliRunner().invoke(command.main, ["--json", str(tmp_path / place)])
    assert result.exit_code == 2
    assert "Error: Invalid value for '--json': " in result.output
