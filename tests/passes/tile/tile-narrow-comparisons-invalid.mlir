// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --tile-narrow-comparisons | FileCheck %s
//
// There is no error to pin: what does not fit stays as it is.

// CHECK-LABEL: func @a_negative_bound_is_a_large_one
func.func @a_negative_bound_is_a_large_one(%n: i64) -> tensor<64xi1> {
  // CHECK: arith.cmpi ult, %{{.*}} : tensor<64xi64>
  %i = tile.iota : tensor<64xi64>
  %b = tile.full %n : tensor<64xi64>
  %mask = arith.cmpi ult, %i, %b : tensor<64xi64>
  return %mask : tensor<64xi1>
}

// -----

// CHECK-LABEL: func @other_values_may_need_all_bits
func.func @other_values_may_need_all_bits(%x: tensor<64xi64>, %n: i64) -> tensor<64xi1> {
  // CHECK: arith.cmpi slt, %{{.*}} : tensor<64xi64>
  %b = tile.full %n : tensor<64xi64>
  %mask = arith.cmpi slt, %x, %b : tensor<64xi64>
  return %mask : tensor<64xi1>
}

// -----

// CHECK-LABEL: func @narrow_ones_stay
func.func @narrow_ones_stay(%n: i32) -> tensor<64xi1> {
  // CHECK-NOT: arith.trunci
  // CHECK: arith.cmpi slt, %{{.*}} : tensor<64xi32>
  %i = tile.iota : tensor<64xi32>
  %b = tile.full %n : tensor<64xi32>
  %mask = arith.cmpi slt, %i, %b : tensor<64xi32>
  return %mask : tensor<64xi1>
}

// -----

// To clamp as many bounds as there are comparisons would take longer.
// CHECK-LABEL: func @a_bound_for_each
func.func @a_bound_for_each(%bounds: tensor<128x64xi64>) -> tensor<128x64xi1> {
  // CHECK-NOT: arith.trunci
  // CHECK: arith.cmpi slt, %{{.*}} : tensor<128x64xi64>
  %i = tile.iota : tensor<64xi64>
  %line = tile.reshape %i : tensor<64xi64> -> tensor<1x64xi64>
  %left = tile.broadcast %line : tensor<1x64xi64> -> tensor<128x64xi64>
  %mask = arith.cmpi slt, %left, %bounds : tensor<128x64xi64>
  return %mask : tensor<128x64xi1>
}
