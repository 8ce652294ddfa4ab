# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lockstep evaluator sees what a device would let pass."""

from __future__ import annotations

import numpy as np
import pytest

from tests._support.lockstep import Kernel, LockstepError

pytestmark = pytest.mark.interpreter

HEADER = """
llvm.mlir.global external @tegula_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
func.func @kernel(%out: !llvm.ptr<1>, %size: i64, %stride: i64, %gx: i32, %gy: i32, %gz: i32,
                  %ctx: !llvm.ptr<1>)
    attributes {tegula.num_warps = 2 : i32, tegula.shared_bytes = 256 : i32} {
  %id = gpu.thread_id x
  %t = arith.index_cast %id : index to i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %shared = llvm.mlir.addressof @tegula_shared : !llvm.ptr<3>
  %own = llvm.getelementptr %shared[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %next_id = arith.addi %t, %c1 : i32
  %next = arith.andi %next_id, %c63 : i32
  %other = llvm.getelementptr %shared[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %place = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
"""
FOOTER = """
  return
}"""


def run(body: str) -> np.ndarray:
    """Run two warps of 32 lanes."""
    out = np.zeros(64, np.int32)
    Kernel(HEADER + body + FOOTER, lanes=32).run(out)
    return out


def test_threads_exchange_through_shared_memory():
    out = run("""
  llvm.store %t, %own : i32, !llvm.ptr<3>
  gpu.barrier
  %x = llvm.load %other : !llvm.ptr<3> -> i32
  llvm.store %x, %place : i32, !llvm.ptr<1>""")
    np.testing.assert_array_equal(out, (np.arange(64) + 1) % 64)


def test_lanes_shuffle_within_their_warp():
    out = run("""
  %w = arith.constant 32 : i32
  %x, %valid = gpu.shuffle xor %t, %c1, %w : i32
  llvm.store %x, %place : i32, !llvm.ptr<1>""")
    np.testing.assert_array_equal(out, np.arange(64) ^ 1)


def test_branches_and_loops_of_part_of_the_threads():
    out = run("""
  %c0 = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %t step %c1 iter_args(%s = %c0) -> (i32) : i32 {
    %n = arith.addi %s, %i : i32
    scf.yield %n : i32
  }
  %c5 = arith.constant 5 : i32
  %low = arith.cmpi slt, %t, %c5 : i32
  %y = scf.if %low -> (i32) {
    scf.yield %c63 : i32
  } else {
    scf.yield %sum : i32
  }
  llvm.store %y, %place : i32, !llvm.ptr<1>""")
    t = np.arange(64)
    np.testing.assert_array_equal(out, np.where(t < 5, 63, t * (t - 1) // 2))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "llvm.store %t, %own : i32, !llvm.ptr<3>\n%x = llvm.load %other : !llvm.ptr<3> -> i32",
            "race: thread .* reads",
        ),
        ("llvm.store %t, %shared : i32, !llvm.ptr<3>", "race: thread .* writes"),
        (
            "llvm.store %t, %own : i32, !llvm.ptr<3>\ngpu.barrier\n"
            "%x = llvm.load %other : !llvm.ptr<3> -> i32\n"
            "llvm.store %t, %own : i32, !llvm.ptr<3>",
            "race: thread .* writes",
        ),
        ("%x = llvm.load %own : !llvm.ptr<3> -> i32", "read what nobody wrote"),
        (
            "%q = llvm.getelementptr %own[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
            "llvm.store %t, %q : i32, !llvm.ptr<3>",
            "not aligned",
        ),
        (
            "%p = llvm.getelementptr %shared[%gx] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64\n"
            "%q = llvm.getelementptr %own[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32\n"
            "llvm.store %t, %q : i32, !llvm.ptr<3>",
            "outside of memory",
        ),
        (
            "%q = llvm.getelementptr %place[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\n"
            "llvm.store %t, %q : i32, !llvm.ptr<1>",
            "outside of memory",
        ),
        (
            "%low = arith.cmpi slt, %t, %c1 : i32\nscf.if %low {\n gpu.barrier\n}",
            "63 threads never reach",
        ),
        (
            "%w = arith.constant 32 : i32\n%low = arith.cmpi slt, %t, %c1 : i32\n"
            "scf.if %low {\n %x, %v = gpu.shuffle xor %t, %c1, %w : i32\n}",
            "part of a warp shuffles",
        ),
    ],
)
def test_what_is_an_error(body, message):
    with pytest.raises(LockstepError, match=message):
        run(body)
