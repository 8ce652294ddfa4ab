// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(lower-pipeline-loads))'
// RUN: not tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-pipeline-loads))' 2>&1 | FileCheck %s
// CHECK-NOT: failed one of its own checks

// expected-error @+1 {{the module does not say what it is compiled for; run lower-set-target first}}
func.func @no_target() {
  return
}

// -----

module attributes {tegula.arch = "abacus"} {
  // expected-error @+1 {{unknown architecture "abacus"; known are}}
  func.func @unknown_target() {
    return
  }
}

// -----

// Not valid as a kernel of this level, but no reason to fail: nothing says how the tiles are read.
module attributes {tegula.arch = "sm_90a"} {
  func.func @tiles_without_layouts(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %n: i64) -> tensor<64x64xf32> {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %c = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    return %sum : tensor<64x64xf32>
  }
}

// -----

// A regression: the transpose that no one uses kept a load that was erased.
module attributes {tegula.arch = "sm_90a"} {
  func.func @a_transpose_that_leads_nowhere(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %n: i64) -> tensor<64x64xf32> attributes {tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %t = tile.permute %a [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
      %c = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    return %sum : tensor<64x64xf32>
  }
}
