// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @gemm.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @gemm(%arg0: !tile.view<?x?xbf16, strides = [1, ?]>, %arg1: !tile.view<?x?xbf16, strides = [?, 1], align = 16>, %arg2: !tile.view<?x?xf32, strides = [?, 1], align = 16>) attributes {tile.kernel} {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c8_i64 = arith.constant 8 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tile.program_id 0
    %1 = tile.program_id 1
    %2 = tile.full %cst : tensor<16x32xf32>
    %3 = tile.dim %arg0, 0 : !tile.view<?x?xbf16, strides = [1, ?]>
    %4 = tile.dim %arg0, 1 : !tile.view<?x?xbf16, strides = [1, ?]>
    %5 = tile.floormod %4, %c8_i64 : i64
    %6 = arith.cmpi ne, %5, %c0_i64 : i64
    %7 = tile.floordiv %4, %c8_i64 : i64
    %8 = tile.cast %6 from_unsigned : i1 -> i64
    %9 = arith.addi %7, %8 : i64
    %10 = scf.for %arg3 = %c0_i64 to %9 step %c1_i64 iter_args(%arg4 = %2) -> (tensor<16x32xf32>)  : i64 {
      %11 = tile.load %arg0[%0, %arg3] : !tile.view<?x?xbf16, strides = [1, ?]> -> tensor<16x8xbf16>
      %12 = tile.load %arg1[%arg3, %1] : !tile.view<?x?xbf16, strides = [?, 1], align = 16> -> tensor<8x32xbf16>
      %13 = tile.dot %11, %12, %arg4 : tensor<16x8xbf16>, tensor<8x32xbf16>, tensor<16x32xf32>
      scf.yield %13 : tensor<16x32xf32>
    }
    tile.store %10, %arg2[%0, %1] : tensor<16x32xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}
