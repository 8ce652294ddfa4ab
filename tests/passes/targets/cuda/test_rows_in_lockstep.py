# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows in pieces (cuda-split-rows, cuda-hold-tiles), all threads in lockstep, against float64."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests._support.compare import assert_close
from tests._support.lockstep import Kernel
from tests._support.opt import optimize
from tests.kernels import layer_norm, softmax

pytestmark = pytest.mark.interpreter

BF16 = np.dtype(ml_dtypes.bfloat16)
COLUMNS = 32768
PHASES = ("--tegula-nvvm-layout-phase=arch=sm_90a", "--tegula-nvvm-thread-phase")
# The whole tile, an edge between pieces, an edge inside one and less than a piece.
WIDTHS = [32768, 28672, 20000, 48]


def lower(module: str) -> Kernel:
    """A kernel of 16 warps: two of its programs share a processor."""
    text = optimize(module, *PHASES)
    assert "tegula.num_warps = 16" in text
    assert "tegula.registers = 64" in text
    return Kernel(text, lanes=32, watched=True)


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape[-1]).normal(1.0, 2.0, shape).astype(BF16)


@pytest.mark.parametrize("n", WIDTHS)
def test_softmax(n: int) -> None:
    x = normal(2, n)
    y = np.full_like(x, np.nan)
    compiled = softmax.softmax.compile(x, y, ROWS=1, COLUMNS=COLUMNS, target="sm_90a")
    kernel = lower(compiled.emit("tile"))
    kernel.run_grid(x, y, grid=(2, 1, 1))
    assert_close(y, softmax.reference(x))


@pytest.mark.parametrize("n", WIDTHS)
def test_layer_norm(n: int) -> None:
    x, weight, bias = normal(2, n), normal(n), normal(n)
    y = np.full_like(x, np.nan)
    compiled = layer_norm.layer_norm.compile(
        x, weight, bias, y, 1e-5, ROWS=1, COLUMNS=COLUMNS, target="sm_90a"
    )
    kernel = lower(compiled.emit("tile"))
    kernel.run_grid(x, weight, bias, y, np.float32(1e-5), grid=(2, 1, 1))
    assert_close(y, layer_norm.reference(x, weight, bias))
