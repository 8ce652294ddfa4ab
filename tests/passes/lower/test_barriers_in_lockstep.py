# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that read what their own threads stored, in lockstep with races in memory watched."""

from __future__ import annotations

import numpy as np
import pytest

from tests._support.lockstep import Kernel, LockstepError
from tests._support.opt import optimize

pytestmark = pytest.mark.interpreter

VIEW = "!tile.view<?xf32, strides = [1], align = 16>"
TILE = "tensor<128xf32>"

HALVES_SWAP = f"""
    %t = tile.load %a[%zero] : {VIEW} -> {TILE}
    tile.store %t, %b[%zero] : {TILE}, {VIEW}
    %low = tile.load %b[%zero] : {VIEW} -> tensor<64xf32>
    %high = tile.load %b[%one] : {VIEW} -> tensor<64xf32>
    tile.store %high, %b[%zero] : tensor<64xf32>, {VIEW}
    tile.store %low, %b[%one] : tensor<64xf32>, {VIEW}"""

# Each iteration adds the tile that the one before has stored, element by element in reverse.
RUNNING_SUMS = f"""
    %c4 = arith.constant 4 : i64
    %c127 = arith.constant 127 : i64
    %iota = tile.iota : tensor<128xi64>
    %last = tile.full %c127 : tensor<128xi64>
    %back = arith.subi %last, %iota : tensor<128xi64>
    %c128 = arith.constant 128 : i64
    scf.for %i = %zero to %c4 step %one : i64 {{
      %t = tile.load %a[%i] : {VIEW} -> {TILE}
      %before = arith.subi %i, %one : i64
      %start = arith.muli %before, %c128 : i64
      %starts = tile.full %start : tensor<128xi64>
      %at = arith.addi %starts, %back : tensor<128xi64>
      %u = tile.gather %b[%at] : {VIEW}, tensor<128xi64> -> {TILE}
      %sum = arith.addf %t, %u : {TILE}
      tile.store %sum, %b[%i] : {TILE}, {VIEW}
    }}"""


def build(body: str, *passes: str) -> Kernel:
    """A kernel of two arrays as one thread's code."""
    text = f"""module attributes {{tegula.arch = "generic32"}} {{
  func.func @kernel(%a: {VIEW}, %b: {VIEW}) attributes {{tile.kernel}} {{
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    {body}
    return
  }}
}}
"""
    steps = "func.func(lower-assign-layouts,lower-remove-conversions),cse,"
    steps += "".join(f"func.func({name})," for name in passes)
    flag = f"--pass-pipeline=builtin.module({steps}lower-to-threads,canonicalize,cse)"
    return Kernel(optimize(text, flag), lanes=32, watched=True)


def swap_halves(a: np.ndarray) -> np.ndarray:
    """What HALVES_SWAP leaves in b."""
    return np.concatenate([a[64:128], a[:64], np.zeros(384, np.float32)])


def running_sums(a: np.ndarray) -> np.ndarray:
    """What RUNNING_SUMS leaves in b."""
    rows = a.reshape(4, 128).copy()
    for row in range(1, 4):
        rows[row] += rows[row - 1, ::-1]
    return rows.reshape(-1)


@pytest.mark.parametrize(
    ("body", "want"), [(HALVES_SWAP, swap_halves), (RUNNING_SUMS, running_sums)]
)
def test_a_program_sees_what_its_threads_stored(body, want) -> None:
    a = np.random.default_rng(0).integers(0, 99, 512).astype(np.float32)
    b = np.zeros(512, np.float32)
    build(body, "lower-insert-barriers").run(a, b)
    np.testing.assert_array_equal(b, want(a))


@pytest.mark.parametrize("body", [HALVES_SWAP, RUNNING_SUMS])
def test_without_barriers_there_are_races(body) -> None:
    kernel = build(body)
    with pytest.raises(LockstepError, match="race"):
        kernel.run(np.zeros(512, np.float32), np.zeros(512, np.float32))
