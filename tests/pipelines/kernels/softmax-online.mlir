// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @softmax_online.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @softmax_online(%arg0: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %arg1: !tile.view<?x?xf32, strides = [?, 1], align = 16>) attributes {tile.kernel} {
    %cst = arith.constant 0.000000e+00 : f32
    %c1_i64 = arith.constant 1 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %c0_i64 = arith.constant 0 : i64
    %c32_i64 = arith.constant 32 : i64
    %0 = tile.program_id 0
    %1 = tile.dim %arg0, 0 : !tile.view<?x?xf32, strides = [?, 1], align = 16>
    %2 = tile.dim %arg0, 1 : !tile.view<?x?xf32, strides = [?, 1], align = 16>
    %3 = tile.floormod %2, %c32_i64 : i64
    %4 = arith.cmpi ne, %3, %c0_i64 : i64
    %5 = tile.floordiv %2, %c32_i64 : i64
    %6 = tile.cast %4 from_unsigned : i1 -> i64
    %7 = arith.addi %5, %6 : i64
    %8:2 = scf.for %arg2 = %c0_i64 to %7 step %c1_i64 iter_args(%arg3 = %cst_0, %arg4 = %cst) -> (f32, f32)  : i64 {
      %9 = tile.load %arg0[%0, %arg2] pad %cst_0 : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x32xf32>
      %10 = tile.reduce <max> %9 axis 1 : tensor<1x32xf32> -> tensor<1xf32>
      %11 = tile.reduce <max> %10 axis 0 : tensor<1xf32> -> f32
      %12 = arith.maximumf %arg3, %11 : f32
      %13 = arith.subf %arg3, %12 : f32
      %14 = math.exp %13 : f32
      %15 = arith.mulf %arg4, %14 : f32
      %16 = tile.full %12 : tensor<1x32xf32>
      %17 = arith.subf %9, %16 : tensor<1x32xf32>
      %18 = math.exp %17 : tensor<1x32xf32>
      %19 = tile.reduce <add> %18 axis 1 : tensor<1x32xf32> -> tensor<1xf32>
      %20 = tile.reduce <add> %19 axis 0 : tensor<1xf32> -> f32
      %21 = arith.addf %15, %20 : f32
      scf.yield %12, %21 : f32, f32
    }
    scf.for %arg2 = %c0_i64 to %7 step %c1_i64  : i64 {
      %9 = tile.load %arg0[%0, %arg2] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x32xf32>
      %10 = tile.full %8#0 : tensor<1x32xf32>
      %11 = arith.subf %9, %10 : tensor<1x32xf32>
      %12 = math.exp %11 : tensor<1x32xf32>
      %13 = tile.full %8#1 : tensor<1x32xf32>
      %14 = arith.divf %12, %13 : tensor<1x32xf32>
      tile.store %14, %arg1[%0, %arg2] : tensor<1x32xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    }
    return
  }
}
