# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main loops of products and attention for AMD GPUs, by the report on their assembly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.kernels.attention import attention
from tests.kernels.gemm import gemm

TOOL = Path(__file__).parents[2] / "tools" / "amdgcn_report.py"
BF16, FP8 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn


def product(dtype, depth):
    a = np.zeros((4096, 4096), dtype)
    blocks = {"BM": 128, "BN": 128, "BK": depth}
    return gemm, (a, a, np.zeros((4096, 4096), BF16)), blocks


def attention_head():
    q = np.zeros((16, 4096, 128), BF16)
    return attention, (q, q, q, q.copy(), 1.0), {"CAUSAL": False, "BM": 128, "BN": 64, "D": 128}


def figures(tmp_path, launch, arch):
    kernel, arrays, constants = launch
    compiled = kernel.compile(*arrays, target=arch, **constants)
    assembly, layouts = tmp_path / "kernel.s", tmp_path / "kernel.mlir"
    assembly.write_text(compiled.emit("amdgcn"))
    layouts.write_text(compiled.emit("layouts"))
    command = [sys.executable, str(TOOL), str(assembly), "--layouts", str(layouts)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    # The status says that lanes conflict.
    assert result.returncode == 0, result.stdout + result.stderr
    rows = [line.rsplit(maxsplit=1) for line in result.stdout.splitlines()]
    found = {row[0].strip(): row[1] for row in rows if len(row) == 2}
    return compiled.emit("amdgcn"), found


# The instruction, how many a trip needs for a wave's share of the tile, and how many instructions
# of any kind the loop has for each: a bound that a change for the worse oversteps.
@pytest.mark.parametrize(
    "launch, arch, instruction, count, most",
    [
        (product(BF16, 64), "gfx942", "v_mfma_f32_16x16x16_bf16", 64, 2.3),
        (product(BF16, 64), "gfx950", "v_mfma_f32_16x16x32_bf16", 32, 3.5),
        (product(FP8, 64), "gfx942", "v_mfma_f32_16x16x16_f16", 64, 20.0),
        (product(FP8, 64), "gfx950", "v_mfma_f32_16x16x32_fp8_fp8", 32, 2.8),
        (product(FP8, 128), "gfx942", "v_mfma_f32_16x16x16_f16", 128, 20.0),
        (product(FP8, 128), "gfx950", "v_mfma_f32_16x16x128_f8f6f4", 16, 8.5),
        (attention_head(), "gfx942", "v_mfma_f32_16x16x16_bf16", 128, 5.1),
        (attention_head(), "gfx950", "v_mfma_f32_16x16x32_bf16", 64, 5.7),
    ],
    ids=[
        "bf16-gfx942",
        "bf16-gfx950",
        "fp8-gfx942",
        "fp8-gfx950",
        "deep-fp8-gfx942",
        "deep-fp8-gfx950",
        "attention-gfx942",
        "attention-gfx950",
    ],
)
def test_a_loop_computes_and_waits_for_nothing_else(
    tmp_path, launch, arch, instruction, count, most
):
    assembly, found = figures(tmp_path, launch, arch)
    assert instruction in assembly
    assert int(found["matrix instructions"]) == count
    assert float(found["instructions for each"]) <= most
    assert int(found["scratch bytes"]) == int(found["vgpr spill count"]) == 0
    assert int(found["full drains of loads"]) == 0
    narrow = {name for name in found if name.endswith(" B") and not name.endswith("16 B")}
    # Hardware transposes 8 bytes of a lane at once.
    allowed = {"ds read 8 B"} if arch == "gfx950" else set[str]()
    if launch[1][0].dtype == FP8 and launch[2]["BK"] == 64 and arch == "gfx942":
        # 2 rows of a thread are 2 bytes of each of the 4 columns that a reader has.
        allowed = {"ds write 8 B"}
    assert narrow <= allowed


@pytest.mark.parametrize(
    "launch, count, most",
    [(product(BF16, 64), 32, 5.7), (attention_head(), 64, 16.5)],
    ids=["bf16", "attention"],
)
def test_loops_for_waves_of_32_lanes(tmp_path, launch, count, most):
    assembly, found = figures(tmp_path, launch, "gfx1100")
    assert "v_wmma_f32_16x16x16_bf16" in assembly
    assert int(found["matrix instructions"]) == count
    assert float(found["instructions for each"]) <= most
    if launch[0] is gemm:  # Attention needs more registers than there are.
        assert int(found["full drains of loads"]) == int(found["vgpr spill count"]) == 0
