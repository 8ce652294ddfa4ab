# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the report on AMD assembly counts, on assembly made up for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "amdgcn_report.py"
LOOP = """
kernel:                                 ; @kernel
	s_load_dwordx2 s[0:1], s[2:3], 0x0
.LBB0_1:                                ; =>This Inner Loop Header: Depth=1
	s_waitcnt vmcnt({pending})
	ds_write_b128 v0, v[4:7]
	global_load_dwordx4 v[4:7], v[8:9], off
	ds_read_b64 v[10:11], v1
	v_mfma_f32_16x16x16_bf16 v[12:15], v[10:11], v[10:11], v[12:15]
	v_mfma_f32_16x16x16_bf16 v[16:19], v[10:11], v[10:11], v[16:19]
{more}	s_cbranch_scc1 .LBB0_1
	s_endpgm
    .vgpr_count:     20
    .private_segment_fixed_size: 0
"""


def run(*arguments: Path | str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(path: Path, pending: int, more: str = "") -> Path:
    path.write_text(LOOP.format(pending=pending, more=more))
    return path


def figures(text: str, column: int = -1) -> dict[str, str]:
    rows = [line.split("  ") for line in text.splitlines() if line.startswith("  ")]
    rows = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    return {row[0]: row[column] for row in rows}


def test_the_main_loop_is_counted(tmp_path):
    result = run(write(tmp_path / "a.s", pending=3))
    assert result.returncode == 0, result.stderr
    found = figures(result.stdout)
    assert found["vgpr count"] == "20"
    assert found["scratch bytes"] == "0"
    assert found["main loop: instructions"] == "7"
    assert found["matrix instructions"] == "2"
    assert found["instructions for each"] == "3.50"
    assert found["full drains of loads"] == "0"
    assert found["ds write 16 B"] == "1"
    assert found["ds read 8 B"] == "1"
    assert found["global load 16 B"] == "1"


def test_another_compilers_code_stands_beside(tmp_path):
    ours = write(tmp_path / "a.s", pending=0)
    other = write(tmp_path / "b.amdgcn", pending=1, more="\tv_mov_b32 v0, v1\n")
    result = run(ours, "--beside", other)
    assert result.returncode == 0, result.stderr
    assert figures(result.stdout, 1)["full drains of loads"] == "1"
    assert figures(result.stdout)["full drains of loads"] == "0"
    assert figures(result.stdout)["instructions for each"] == "4.00"
    assert run(other, "--beside", ours).returncode == 1


BRANCHES = """
kernel:
	s_branch .LBB0_2
.LBB0_1:                                ; some of the tile is outside
	v_cndmask_b32 v0, v1, v2
	v_cndmask_b32 v1, v1, v2
	global_load_dwordx4 v[4:7], v[8:9], off
	s_branch .LBB0_4
.LBB0_2:
	v_mfma_f32_16x16x16_bf16 v[12:15], v[10:11], v[10:11], v[12:15]
	s_cbranch_scc1 .LBB0_1
	global_load_dwordx4 v[4:7], v[8:9], off
	s_and_saveexec_b64 s[0:1], vcc
	s_cbranch_execz .LBB0_4
	ds_write_b128 v0, v[4:7]
.LBB0_4:
	s_cbranch_scc0 .LBB0_2
	s_endpgm
"""


def test_a_loop_of_several_blocks_is_followed_along_one_trip(tmp_path):
    (tmp_path / "a.s").write_text(BRANCHES)
    found = figures(run(tmp_path / "a.s").stdout)
    assert found["main loop: instructions"] == "7"
    assert found["global load 16 B"] == "1"
    assert found["ds write 16 B"] == "1"
