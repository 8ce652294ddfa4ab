# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lower-overlap-products keeps what a loop computes, and every rule of rings and products."""

from __future__ import annotations

import numpy as np
import pytest

from tests._support.opt import optimize
from tests._support.rings import Machine, Ring, RingError

pytestmark = pytest.mark.interpreter

LOOP = """
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], \
shape = [2, 2]>
#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], \
shape = [2, 2]>
#columns = #layout.linear<register = [], lane = [], warp = [], block = [], \
offset = [[1, 0], [0, 1]], shape = [2, 2]>
!ring = !simt.ring<SLOTS, tensor<2x2xf32, #rows>>
!buffer = !simt.buffer<tensor<2x2xf32, #rows>>
!turned = !simt.buffer<tensor<2x2xf32, #columns>>
!tile = tensor<2x2xf32, #tile>
!view = !tile.view<?x?xf32>
func.func @chain(%k: !ring, %v: !ring, %x: !view, %at: i64, %q: !tile, %zero: !tile, %first: !tile,
                 %from: i32, %to: i32) -> (!tile, !tile, i32) {
  %one = arith.constant 1 : i32
  %ahead = arith.constant AHEAD : i32
  %r:3 = scf.for %i = %from to %to step %one iter_args(%sum = %zero, %total = %first, %n = %from)
      -> (!tile, !tile, i32) : i32 {
    %next = arith.addi %n, %ahead : i32
    %more = arith.cmpi slt, %next, %to : i32
    simt.await %k[%n] : !ring
    simt.issue %k[%next] if %more, %x[%at, %at] : !ring, !view
    %b = simt.slot %k[%n] 0 : !ring -> !buffer
    %t = simt.permute %b [1, 0] : !buffer -> !turned
    %s = simt.mma %q, %t, %zero : !tile, !turned, !tile
    %score = simt.mma_wait 0 %s : !tile
    simt.release %k[%n] : !ring
    %p = math.exp2 %score : !tile
    %more_total = arith.addf %total, %p : !tile
    %scaled = arith.mulf %sum, %more_total : !tile
    simt.await %v[%n] : !ring
    simt.issue %v[%next] if %more, %x[%at, %at] : !ring, !view
    %c = simt.slot %v[%n] 0 : !ring -> !buffer
    %o = simt.mma %p, %c, %scaled : !tile, !buffer, !tile
    %w = simt.mma_wait 0 %o : !tile
    simt.release %v[%n] : !ring
    %m = arith.addi %n, %one : i32
    scf.yield %w, %more_total, %m : !tile, !tile, i32
  }
  return %r#0, %r#1, %r#2 : !tile, !tile, i32
}
"""
PASSES = "--pass-pipeline=builtin.module(func.func(lower-overlap-products),canonicalize,cse)"


def run(text: str, slots: int, trips: int) -> tuple[list[np.ndarray], Machine]:
    rng = np.random.default_rng(trips)
    keys, values = rng.normal(size=(2, trips, 2, 2)) / 2
    rings = [Ring(slots, keys.__getitem__), Ring(slots, values.__getitem__)]
    for ring in rings:
        for number in range(min(slots - 1, trips)):
            ring.issue(number)
    query, zero = rng.normal(size=(2, 2)), np.zeros((2, 2))
    machine = Machine()
    results = machine.call(text, [*rings, None, 0, query, zero, query, 0, trips])
    for ring in rings:
        assert ring.released == list(range(trips))
    return results, machine


@pytest.mark.parametrize("slots", [2, 3, 4])
@pytest.mark.parametrize("trips", [0, 1, 2, 3, 8])
def test_the_rotated_loop_computes_the_same(trips: int, slots: int) -> None:
    text = LOOP.replace("SLOTS", str(slots)).replace("AHEAD", str(slots - 1))
    rotated = optimize(text, PASSES)
    expected, plain = run(text, slots, trips)
    results, machine = run(rotated, slots, trips)
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, value)
    assert plain.most_running <= 1
    assert machine.most_running == min(trips, 2)


def test_a_product_that_is_not_waited_for_is_noticed() -> None:
    text = LOOP.replace("SLOTS", "2").replace("AHEAD", "1")
    with pytest.raises(RingError, match="still runs is taken for finished"):
        run(text.replace("simt.mma_wait 0 %s", "simt.mma_wait 1 %s"), 2, 3)


def test_a_slot_that_is_given_back_too_early_is_noticed() -> None:
    text = LOOP.replace("SLOTS", "2").replace("AHEAD", "1")
    early = "simt.release %v[%n] : !ring\n    %w = simt.mma_wait 0 %o : !tile"
    late = "%w = simt.mma_wait 0 %o : !tile\n    simt.release %v[%n] : !ring"
    assert late in text
    with pytest.raises(RingError, match="read after it was given back"):
        run(text.replace(late, early), 2, 3)
