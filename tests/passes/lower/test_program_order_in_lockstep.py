# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In which order programs start: each once, and those with long loops before the others."""

from __future__ import annotations

import numpy as np
import pytest

from tests._support.lockstep.machine import Kernel
from tests._support.opt import optimize

pytestmark = pytest.mark.interpreter

BAND = 16
TEXT = """
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], \
[0, 0]], warp = [], block = [], shape = [2, 2]>
module attributes {tegula.arch = "generic32"} {
  func.func @kernel(%a: !tile.view<?x?xi32>)
      attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %p = tile.program_id 0
    %q = tile.program_id 1
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %none = arith.constant dense<0> : tensor<2x2xi32, #tile>
    %one = arith.constant dense<1> : tensor<2x2xi32, #tile>
    %byte = arith.constant dense<1> : tensor<2x2xi8, #tile>
    %end = END
    %sum = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %none)
        -> (tensor<2x2xi32, #tile>) : i64 {
      %s = tile.dot %byte, %byte, %acc
          : tensor<2x2xi8, #tile>, tensor<2x2xi8, #tile>, tensor<2x2xi32, #tile>
      scf.yield %s : tensor<2x2xi32, #tile>
    }
    %set = arith.maxsi %sum, %one : tensor<2x2xi32, #tile>
    tile.store %set, %a[%p, %q] : tensor<2x2xi32, #tile>, !tile.view<?x?xi32>
    return
  }
}
"""


def order(end: str, rows: int, columns: int) -> list[tuple[int, int]]:
    """The programs of a grid as they start."""
    text = TEXT.replace("END", end)
    kernel = Kernel(optimize(text, "--lower-to-threads", "--canonicalize", "--cse"), lanes=32)
    programs: list[tuple[int, int]] = []
    for number in range(rows * columns):
        out = np.zeros((2 * rows, 2 * columns), np.int32)
        place = (number % rows, number // rows, 0)
        kernel.run(out, program=place, grid=(rows, columns, 1))
        row, column = np.argwhere(out)[0] // 2
        programs.append((int(row), int(column)))
    return programs


@pytest.mark.parametrize("end", ["arith.addi %p, %c1 : i64", "arith.addi %c1, %c1 : i64"])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 5), (2, 35), (18, 17)])
def test_each_program_starts_once(end: str, rows: int, columns: int) -> None:
    assert sorted(order(end, rows, columns)) == list(np.ndindex(rows, columns))


def test_the_longest_of_a_square_start_first() -> None:
    programs = order("arith.addi %p, %c1 : i64", 3, 2 * BAND + 3)
    squares = [programs[i : i + 3 * BAND] for i in range(0, len(programs), 3 * BAND)]
    for number, square in enumerate(squares):
        columns = range(number * BAND, min(2 * BAND + 3, (number + 1) * BAND))
        assert square == [(row, column) for row in (2, 1, 0) for column in columns]


def test_programs_that_take_equally_long_share_columns() -> None:
    programs = order("arith.addi %c1, %c1 : i64", 3, 4)
    assert programs == [(row, column) for column in range(4) for row in range(3)]
