// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @softmax.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @softmax(%arg0: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %arg1: !tile.view<?x?xf32, strides = [?, 1], align = 16>) attributes {tile.kernel} {
    %cst = arith.constant 1.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tile.program_id 0
    %1 = tile.load %arg0[%0, %c0_i64] pad %cst_0 : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<4x128xf32>
    %2 = tile.reduce <max> %1 axis 1 : tensor<4x128xf32> -> tensor<4xf32>
    %3 = tile.reshape %2 : tensor<4xf32> -> tensor<4x1xf32>
    %4 = tile.broadcast %3 : tensor<4x1xf32> -> tensor<4x128xf32>
    %5 = arith.subf %1, %4 : tensor<4x128xf32>
    %6 = math.exp %5 : tensor<4x128xf32>
    %7 = tile.reduce <add> %6 axis 1 : tensor<4x128xf32> -> tensor<4xf32>
    %8 = tile.reshape %7 : tensor<4xf32> -> tensor<4x1xf32>
    %9 = tile.full %cst : tensor<4x1xf32>
    %10 = arith.divf %9, %8 : tensor<4x1xf32>
    %11 = tile.broadcast %10 : tensor<4x1xf32> -> tensor<4x128xf32>
    %12 = arith.mulf %6, %11 : tensor<4x128xf32>
    tile.store %12, %arg1[%0, %c0_i64] : tensor<4x128xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}
