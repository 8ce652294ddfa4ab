// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-remove-conversions))' | FileCheck %s

// A product's rows stay with their warps where the next product takes them as its left side: nothing moves in between.
// CHECK-LABEL: func.func @chain
// CHECK: %[[SCORE:.*]] = tile.dot
// CHECK: %[[WEIGHT:.*]] = tile.cast %[[SCORE]]
// CHECK: tile.dot %[[WEIGHT]],
module attributes {tegula.arch = "gfx942"} {
  func.func @chain(%q: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %k: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %v: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %o: !tile.view<?x?xf32>, %i: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %0 = tile.load %q[%i, %i] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<128x64xf16>
    %1 = tile.load %k[%i, %i] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
    %2 = tile.load %v[%i, %i] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x128xf16>
    %none = arith.constant dense<0.0> : tensor<128x64xf32>
    %score = tile.dot %0, %1, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %weight = tile.cast %score : tensor<128x64xf32> -> tensor<128x64xf16>
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %sum = tile.dot %weight, %2, %zero : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    tile.store %sum, %o[%i, %i] : tensor<128x128xf32>, !tile.view<?x?xf32>
    return
  }
}
