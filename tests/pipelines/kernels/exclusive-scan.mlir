// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @exclusive_scan.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @exclusive_scan(%arg0: !tile.view<?xf32, strides = [1], align = 16>, %arg1: !tile.view<?xf32, strides = [1], align = 16>) attributes {tile.kernel} {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %c32_i64 = arith.constant 32 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tile.full %cst : tensor<1xf32>
    %1 = tile.dim %arg0, 0 : !tile.view<?xf32, strides = [1], align = 16>
    %2 = tile.floormod %1, %c32_i64 : i64
    %3 = arith.cmpi ne, %2, %c0_i64 : i64
    %4 = tile.floordiv %1, %c32_i64 : i64
    %5 = tile.cast %3 from_unsigned : i1 -> i64
    %6 = arith.addi %4, %5 : i64
    %7 = scf.for %arg2 = %c0_i64 to %6 step %c1_i64 iter_args(%arg3 = %0) -> (tensor<1xf32>)  : i64 {
      %8 = tile.load %arg0[%arg2] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<32xf32>
      %9 = tile.scan <add> %8 axis 0 : tensor<32xf32> -> tensor<32xf32>
      %10 = tile.broadcast %arg3 : tensor<1xf32> -> tensor<32xf32>
      %11 = arith.addf %10, %9 : tensor<32xf32>
      %12 = arith.subf %11, %8 : tensor<32xf32>
      tile.store %12, %arg1[%arg2] : tensor<32xf32>, !tile.view<?xf32, strides = [1], align = 16>
      %13 = tile.reduce <add> %8 axis 0 : tensor<32xf32> -> f32
      %14 = tile.full %13 : tensor<1xf32>
      %15 = arith.addf %arg3, %14 : tensor<1xf32>
      scf.yield %15 : tensor<1xf32>
    }
    return
  }
}
