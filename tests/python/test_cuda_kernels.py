# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole kernels become cubins for every architecture, without a GPU."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from tegula.mlir import ir

from tegula._compile import pipeline, targets
from tegula.errors import PerformanceWarning
from tests._support.tools import needs_ptxas

pytestmark = [pytest.mark.cpu, needs_ptxas]

KERNELS = sorted((Path(__file__).parents[1] / "pipelines" / "kernels").glob("*.mlir"))
# Of these no register may go to memory.
WITHOUT_SPILLS = ("gemm", "attention")


@pytest.mark.parametrize("arch", targets.names("cuda"))
@pytest.mark.parametrize("file", KERNELS, ids=lambda file: file.stem)
def test_a_kernel_is_assembled(file: Path, arch: str) -> None:
    target = targets.get(arch)
    with ir.Context():
        module = ir.Module.parse(file.read_text())
        unit = pipeline.lower(module, target.pipeline())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        if file.stem.startswith(WITHOUT_SPILLS):
            warnings.simplefilter("error", PerformanceWarning)
        assert target.generate(unit).startswith(b"\x7fELF")
