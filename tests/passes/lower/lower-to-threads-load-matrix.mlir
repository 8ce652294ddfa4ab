// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-remove-conversions,lower-pipeline-loads),canonicalize,cse,lower-to-threads)' | FileCheck %s

// Fragments come by ldmatrix: rows of the left operand, and, of a right operand whose columns are not contiguous, the transposed
// matrices. Nothing is read from the ring element by element.
// CHECK-LABEL: func.func @halves
// CHECK: scf.for
// CHECK: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK: vector.bitcast %{{.*}} : vector<{{.*}}xi32> to vector<{{.*}}xf16>
// CHECK: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<3>
// CHECK: mma.sync.aligned.m16n8k
module attributes {tegula.arch = "sm_80"} {
  func.func @halves(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x32xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<32x64xf16>
      %c = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// Four bytes of a row are one element of tf32; a right operand that lies the other way is read element by element, for only
// matrices of 16-bit elements are transposed.
// CHECK-LABEL: func.func @words
// CHECK: scf.for
// CHECK: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: mma.sync.aligned.m16n8k
module attributes {tegula.arch = "sm_80"} {
  func.func @words(%x: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<64x32xf32>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<32x64xf32>
      %c = tile.dot %a, %b, %acc <tf32> : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32>
    return
  }
}
