# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows in pieces, with and without masks, all threads in lockstep, against float64."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests._support.compare import assert_close
from tests._support.lockstep import Kernel
from tests._support.opt import optimize
from tests.kernels import layer_norm, rms_norm, softmax

pytestmark = pytest.mark.interpreter

BF16 = np.dtype(ml_dtypes.bfloat16)
COLUMNS = 32768
PHASES = ("--tegula-nvvm-layout-phase=arch=sm_90a", "--tegula-nvvm-thread-phase")
# The whole tile, an edge between pieces, an edge inside one and less than a piece.
WIDTHS = [32768, 28672, 20000, 48]


def lower(module: str | bytes) -> Kernel:
    """A kernel of 16 warps: two of its programs share a processor."""
    assert isinstance(module, str)
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
    kernel.run_grid(x, y, grid=(3, 1, 1))
    assert_close(y, softmax.reference(x))


def test_copies_for_rows_inside_and_for_others_agree_in_every_bit() -> None:
    # What is past the end of a row loads as -inf.
    x = normal(1, COLUMNS)
    x[:, -48:] = -np.inf
    shorter = np.ascontiguousarray(x[:, :-48])
    results = []
    for rows in (x, shorter):
        y = np.full_like(rows, np.nan)
        compiled = softmax.softmax.compile(rows, y, ROWS=1, COLUMNS=COLUMNS, target="sm_90a")
        lower(compiled.emit("tile")).run_grid(rows, y, grid=(1, 1, 1))
        results.append(y[:, : shorter.shape[1]].view(np.uint16))
    np.testing.assert_array_equal(*results)


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


@pytest.mark.parametrize("n", WIDTHS)
def test_rms_norm(n: int) -> None:
    x, weight = normal(2, n), normal(n)
    y = np.full_like(x, np.nan)
    compiled = rms_norm.rms_norm.compile(x, weight, y, 1e-6, COLUMNS=COLUMNS // 2, target="sm_90a")
    kernel = lower(compiled.emit("tile"))
    kernel.run_grid(x, weight, y, np.float32(1e-6), grid=(2, 1, 1))
    assert_close(y, rms_norm.reference(x, weight))
