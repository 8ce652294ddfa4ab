// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --tile-check-input | FileCheck %s

// CHECK-LABEL: func.func @what_the_tracer_makes_stays_as_it_is(
// CHECK:         scf.for
// CHECK:           math.exp
// CHECK:         tile.store
func.func @what_the_tracer_makes_stays_as_it_is(%a: !tile.view<?xf8E5M2>, %o: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %t = arith.constant dense<1.0> : tensor<4x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> (tensor<4x8xf32>) : i64 {
    %e = math.exp %x : tensor<4x8xf32>
    scf.yield %e : tensor<4x8xf32>
  }
  tile.store %r, %o[%c0, %c0] : tensor<4x8xf32>, !tile.view<?x?xf32>
  return
}

// -----

// CHECK-LABEL: func.func @what_canonicalization_leaves_is_taken(
func.func @what_canonicalization_leaves_is_taken() -> i64 {
  %p = ub.poison : i64
  return %p : i64
}
