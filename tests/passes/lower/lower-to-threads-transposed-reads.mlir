// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-remove-conversions,lower-pipeline-loads),canonicalize,cse,lower-to-threads)' | FileCheck %s

// The right operand lies by rows in the ring and is read by columns; the left one is read as it lies.
// CHECK-LABEL: func.func @halves
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<8xf16>
// CHECK: rocdl.ds.read.tr16.b64 %{{.*}} : <3> -> vector<4xi16>
// CHECK: vector.bitcast %{{.*}} : vector<4xi16> to vector<4xf16>
// CHECK: rocdl.mfma.f32.16x16x32.f16
module attributes {tegula.arch = "gfx950"} {
  func.func @halves(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %c = tile.dot %a, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// Bytes are read eight rows at a time.
// CHECK-LABEL: func.func @bytes
// CHECK: scf.for
// CHECK: rocdl.ds.read.tr8.b64 %{{.*}} : <3> -> vector<2xi32>
// CHECK: vector.bitcast %{{.*}} : vector<2xi32> to vector<8xf8E4M3FN>
module attributes {tegula.arch = "gfx950"} {
  func.func @bytes(%x: !tile.view<?x?xf8E4M3FN, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf8E4M3FN, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf8E4M3FN, strides = [?, 1], align = 16> -> tensor<64x64xf8E4M3FN>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf8E4M3FN, strides = [?, 1], align = 16> -> tensor<64x64xf8E4M3FN>
      %c = tile.dot %a, %b, %acc : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32>
    return
  }
}
