// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cpu-carry-in-place

func.func @a_body_that_gets_a_new_tile(%a: tensor<4xf32>, %n: i64) -> tensor<4xf32> {
  // expected-error @+1 {{'scf.while' op passes a tile to its body that it does not carry}}
  %r = scf.while (%x = %a, %i = %n) : (tensor<4xf32>, i64) -> (tensor<4xf32>) {
    %c = arith.cmpi slt, %i, %n : i64
    %y = arith.negf %x : tensor<4xf32>
    scf.condition(%c) %y : tensor<4xf32>
  } do {
  ^bb0(%x: tensor<4xf32>):
    scf.yield %x, %n : tensor<4xf32>, i64
  }
  return %r : tensor<4xf32>
}

// -----

// Without tiles there is nothing to keep in place.
func.func @a_body_that_gets_other_scalars(%n: i64) -> i64 {
  %r = scf.while (%i = %n, %j = %n) : (i64, i64) -> (i64) {
    %c = arith.cmpi slt, %i, %j : i64
    scf.condition(%c) %i : i64
  } do {
  ^bb0(%k: i64):
    scf.yield %k, %n : i64, i64
  }
  return %r : i64
}
