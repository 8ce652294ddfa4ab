// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @gemm_bias_gelu.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @gemm_bias_gelu(%arg0: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %arg1: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %arg2: !tile.view<?xf32, strides = [1], align = 16>, %arg3: !tile.view<?x?xf32, strides = [?, 1], align = 16>) attributes {tile.kernel} {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0.707106769 : f32
    %cst_1 = arith.constant 5.000000e-01 : f32
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c8_i64 = arith.constant 8 : i64
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tile.program_id 0
    %1 = tile.program_id 1
    %2 = tile.full %cst_2 : tensor<16x32xf32>
    %3 = tile.dim %arg0, 0 : !tile.view<?x?xf32, strides = [?, 1], align = 16>
    %4 = tile.dim %arg0, 1 : !tile.view<?x?xf32, strides = [?, 1], align = 16>
    %5 = tile.floormod %4, %c8_i64 : i64
    %6 = arith.cmpi ne, %5, %c0_i64 : i64
    %7 = tile.floordiv %4, %c8_i64 : i64
    %8 = tile.cast %6 from_unsigned : i1 -> i64
    %9 = arith.addi %7, %8 : i64
    %10 = scf.for %arg4 = %c0_i64 to %9 step %c1_i64 iter_args(%arg5 = %2) -> (tensor<16x32xf32>)  : i64 {
      %23 = tile.load %arg0[%0, %arg4] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<16x8xf32>
      %24 = tile.load %arg1[%arg4, %1] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<8x32xf32>
      %25 = tile.dot %23, %24, %arg5 : tensor<16x8xf32>, tensor<8x32xf32>, tensor<16x32xf32>
      scf.yield %25 : tensor<16x32xf32>
    }
    %11 = tile.load %arg2[%1] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<32xf32>
    %12 = tile.reshape %11 : tensor<32xf32> -> tensor<1x32xf32>
    %13 = tile.broadcast %12 : tensor<1x32xf32> -> tensor<16x32xf32>
    %14 = arith.addf %10, %13 : tensor<16x32xf32>
    %15 = tile.full %cst_1 : tensor<16x32xf32>
    %16 = arith.mulf %15, %14 : tensor<16x32xf32>
    %17 = tile.full %cst_0 : tensor<16x32xf32>
    %18 = arith.mulf %14, %17 : tensor<16x32xf32>
    %19 = math.erf %18 : tensor<16x32xf32>
    %20 = tile.full %cst : tensor<16x32xf32>
    %21 = arith.addf %20, %19 : tensor<16x32xf32>
    %22 = arith.mulf %16, %21 : tensor<16x32xf32>
    tile.store %22, %arg3[%0, %1] : tensor<16x32xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}
