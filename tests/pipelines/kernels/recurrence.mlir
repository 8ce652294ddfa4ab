// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @recurrence.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @recurrence(%arg0: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %arg1: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %arg2: !tile.view<?x?xf32, strides = [?, 1], align = 16>) attributes {tile.kernel} {
    %c0_i64 = arith.constant 0 : i64
    %0 = tile.program_id 0
    %1 = tile.load %arg0[%0, %c0_i64] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x128xf32>
    %2 = tile.load %arg1[%0, %c0_i64] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x128xf32>
    %3:2 = tile.scan %1, %2 axis 1 : tensor<1x128xf32>, tensor<1x128xf32> -> tensor<1x128xf32>, tensor<1x128xf32> {
    ^bb0(%arg3: f32, %arg4: f32, %arg5: f32, %arg6: f32):
      %4 = arith.mulf %arg3, %arg5 : f32
      %5 = arith.mulf %arg5, %arg4 : f32
      %6 = arith.addf %5, %arg6 : f32
      tile.yield %4, %6 : f32, f32
    }
    tile.store %3#1, %arg2[%0, %c0_i64] : tensor<1x128xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}
