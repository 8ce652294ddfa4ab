// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --tegula-cpu-pipeline | FileCheck %s

// One branch updates the carried tile, the other takes a tile from before the loop, which also starts it. Bufferization
// refused that, or not, as pointers compared.
// CHECK-LABEL: llvm.func @a_branch_in_a_loop_takes_a_tile_from_before_it.entry(
func.func @a_branch_in_a_loop_takes_a_tile_from_before_it(%a: !tile.view<?xi1, strides = [1]>, %b: !tile.view<?xi1, strides = [1]>,
                                                          %c: i1, %n: i64) attributes {tile.kernel} {
  %i = tile.program_id 0
  %x = tile.load %a[%i] : !tile.view<?xi1, strides = [1]> -> tensor<8xi1>
  %t = arith.constant dense<true> : tensor<8xi1>
  %r = scf.for %k = %i to %n step %n iter_args(%m = %x) -> (tensor<8xi1>) : i64 {
    %w = scf.if %c -> (tensor<8xi1>) {
      tile.print "{}" %m : tensor<8xi1>
      %q = arith.xori %m, %t : tensor<8xi1>
      scf.yield %q : tensor<8xi1>
    } else {
      scf.yield %x : tensor<8xi1>
    }
    scf.yield %w : tensor<8xi1>
  }
  tile.store %r, %b[%i] : tensor<8xi1>, !tile.view<?xi1, strides = [1]>
  return
}
