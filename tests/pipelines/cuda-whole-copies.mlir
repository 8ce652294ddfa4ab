// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies by threads of which the arrays' edges leave all or nothing say so by a predicate: no bytes are counted.
//
// RUN: tegula-opt %s --tegula-nvvm-pipeline=arch=sm_80 | FileCheck %s

// CHECK: "@$3 cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,b,b,~{memory}"
// CHECK-NOT: "r,l,r,b,~{memory}"

!a = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
module {
  func.func @product(%x: !a {tile.size_div = array<i64: 1, 16>, tile.stride_div = array<i64: 16, 1>}, %y: !a {tile.size_div = array<i64: 1, 8>, tile.stride_div = array<i64: 16, 1>}, %z: !a, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %i = tile.program_id 0
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%i, %k] : !a -> tensor<64x32xbf16>
      %b = tile.load %y[%k, %i] : !a -> tensor<32x64xbf16>
      %c = tile.dot %a, %b, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    %d = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xbf16>
    tile.store %d, %z[%i, %i] : tensor<64x64xbf16>, !a
    return
  }
}
