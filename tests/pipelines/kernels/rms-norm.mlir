// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @rms_norm.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @rms_norm(%arg0: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %arg1: !tile.view<?xf32, strides = [1], align = 16>, %arg2: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %arg3: f32) attributes {tile.kernel} {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c32_i64 = arith.constant 32 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tile.program_id 0
    %1 = tile.dim %arg0, 0 : !tile.view<?x?xf32, strides = [?, 1], align = 16>
    %2 = tile.dim %arg0, 1 : !tile.view<?x?xf32, strides = [?, 1], align = 16>
    %3 = tile.full %cst : tensor<1x32xf32>
    %4 = tile.floormod %2, %c32_i64 : i64
    %5 = arith.cmpi ne, %4, %c0_i64 : i64
    %6 = tile.floordiv %2, %c32_i64 : i64
    %7 = tile.cast %5 from_unsigned : i1 -> i64
    %8 = arith.addi %6, %7 : i64
    %9 = scf.for %arg4 = %c0_i64 to %8 step %c1_i64 iter_args(%arg5 = %3) -> (tensor<1x32xf32>)  : i64 {
      %21 = tile.load %arg0[%0, %arg4] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x32xf32>
      %22 = arith.mulf %21, %21 : tensor<1x32xf32>
      %23 = arith.addf %arg5, %22 : tensor<1x32xf32>
      scf.yield %23 : tensor<1x32xf32>
    }
    %10 = tile.reduce <add> %9 axis 1 : tensor<1x32xf32> -> tensor<1xf32>
    %11 = tile.reduce <add> %10 axis 0 : tensor<1xf32> -> f32
    %12 = tile.cast %2 : i64 -> f32
    %13 = arith.divf %11, %12 : f32
    %14 = arith.addf %13, %arg3 : f32
    %15 = math.rsqrt %14 : f32
    %16 = tile.floormod %2, %c32_i64 : i64
    %17 = arith.cmpi ne, %16, %c0_i64 : i64
    %18 = tile.floordiv %2, %c32_i64 : i64
    %19 = tile.cast %17 from_unsigned : i1 -> i64
    %20 = arith.addi %18, %19 : i64
    scf.for %arg4 = %c0_i64 to %20 step %c1_i64  : i64 {
      %21 = tile.load %arg0[%0, %arg4] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x32xf32>
      %22 = tile.full %15 : tensor<1x32xf32>
      %23 = arith.mulf %21, %22 : tensor<1x32xf32>
      %24 = tile.load %arg1[%arg4] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<32xf32>
      %25 = tile.reshape %24 : tensor<32xf32> -> tensor<1x32xf32>
      %26 = arith.mulf %23, %25 : tensor<1x32xf32>
      tile.store %26, %arg2[%0, %arg4] : tensor<1x32xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    }
    return
  }
}
