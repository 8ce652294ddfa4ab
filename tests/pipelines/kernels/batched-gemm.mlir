// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @batched_gemm.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @batched_gemm(%arg0: !tile.view<?x?x?xf32, strides = [?, ?, 1], align = 16> {tile.stride_div = array<i64: 16, 1, 1>}, %arg1: !tile.view<?x?x?xf32, strides = [?, ?, 1], align = 16> {tile.stride_div = array<i64: 16, 1, 1>}, %arg2: !tile.view<?x?x?xf32, strides = [?, ?, 1], align = 16> {tile.stride_div = array<i64: 16, 1, 1>}) attributes {tile.kernel} {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c8_i64 = arith.constant 8 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tile.program_id 0
    %1 = tile.program_id 1
    %2 = tile.program_id 2
    %3 = tile.full %cst : tensor<1x16x32xf32>
    %4 = tile.dim %arg0, 0 : !tile.view<?x?x?xf32, strides = [?, ?, 1], align = 16>
    %5 = tile.dim %arg0, 1 : !tile.view<?x?x?xf32, strides = [?, ?, 1], align = 16>
    %6 = tile.dim %arg0, 2 : !tile.view<?x?x?xf32, strides = [?, ?, 1], align = 16>
    %7 = tile.floormod %6, %c8_i64 : i64
    %8 = arith.cmpi ne, %7, %c0_i64 : i64
    %9 = tile.floordiv %6, %c8_i64 : i64
    %10 = tile.cast %8 from_unsigned : i1 -> i64
    %11 = arith.addi %9, %10 : i64
    %12 = scf.for %arg3 = %c0_i64 to %11 step %c1_i64 iter_args(%arg4 = %3) -> (tensor<1x16x32xf32>)  : i64 {
      %13 = tile.load %arg0[%2, %0, %arg3] : !tile.view<?x?x?xf32, strides = [?, ?, 1], align = 16> -> tensor<1x16x8xf32>
      %14 = tile.load %arg1[%2, %arg3, %1] : !tile.view<?x?x?xf32, strides = [?, ?, 1], align = 16> -> tensor<1x8x32xf32>
      %15 = tile.dot %13, %14, %arg4 : tensor<1x16x8xf32>, tensor<1x8x32xf32>, tensor<1x16x32xf32>
      scf.yield %15 : tensor<1x16x32xf32>
    }
    tile.store %12, %arg2[%2, %0, %1] : tensor<1x16x32xf32>, !tile.view<?x?x?xf32, strides = [?, ?, 1], align = 16>
    return
  }
}
