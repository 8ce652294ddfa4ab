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


def layout(name: str, shape: list[int], **bases: list[list[int]]) -> str:
    kinds = ("register", "lane", "warp", "block", "offset")
    wanted = [kind for kind in kinds if kind in bases or kind != "offset"]
    parts = [f"{kind} = {bases.get(kind, [])}" for kind in wanted]
    return f"#{name} = #layout.linear<{', '.join(parts)}, shape = {shape}>\n"


def steps(count: int, axis: int, first: int = 1) -> list[list[int]]:
    return [[first << bit, 0] if axis == 0 else [0, first << bit] for bit in range(count)]


def kernel(arch: str, shape: str, *layouts: str) -> str:
    threads, buffer = f"tensor<{shape}xbf16, #linear>", f"tensor<{shape}xbf16, #linear1>"
    return f"""{"".join(layouts)}
module attributes {{tegula.arch = "{arch}"}} {{
  simt.write %0 to %1 : {threads}, !simt.buffer<{buffer}>
  %2 = simt.read %1 : !simt.buffer<{buffer}> -> {threads}
}}
"""


def test_conflicts_come_from_the_layouts(tmp_path):
    code = write(tmp_path / "a.s", pending=3)
    layouts = tmp_path / "a.mlir"
    rows = steps(6, axis=0)
    buffer = layout("linear1", [64, 4], offset=[*steps(2, axis=1), *rows])
    # The second has neighbours in one cycle 128 bytes apart.
    for lanes, conflicts in ((rows, 0), (rows[4:] + rows[:4], 3)):
        threads = layout("linear", [64, 4], register=steps(2, axis=1), lane=lanes)
        layouts.write_text(kernel("gfx942", "64x4", threads, buffer))
        result = run(code, "--layouts", layouts)
        assert result.returncode == (conflicts > 0), result.stderr
        for kind in ("write", "read"):
            assert f"{kind}: 1 x 8 B, {conflicts} conflicts, 1 times" in result.stdout


def test_a_transposing_read_counts_what_lanes_name(tmp_path):
    layouts = tmp_path / "a.mlir"
    lanes = [*steps(4, axis=1), *steps(2, axis=0, first=4)]
    threads = layout("linear", [16, 16], register=steps(2, axis=0), lane=lanes)
    buffer = layout("linear1", [16, 16], offset=[*steps(4, axis=1), *steps(4, axis=0)])
    layouts.write_text(kernel("gfx950", "16x16", threads, buffer))
    result = run(write(tmp_path / "a.s", pending=3), "--layouts", layouts)
    assert "read, transposing: 1 x 8 B, 0 conflicts, 1 times" in result.stdout
