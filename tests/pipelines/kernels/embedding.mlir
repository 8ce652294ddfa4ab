// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @embedding.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @embedding(%arg0: !tile.view<?xi32, strides = [1], align = 16>, %arg1: !tile.view<?x?xbf16, strides = [?, 1], align = 16>, %arg2: !tile.view<?x?xbf16, strides = [?, 1], align = 16>) attributes {tile.kernel} {
    %c32_i64 = arith.constant 32 : i64
    %c-1_i32 = arith.constant -1 : i32
    %0 = tile.program_id 0
    %1 = tile.program_id 1
    %2 = tile.load %arg0[%0] pad %c-1_i32 : !tile.view<?xi32, strides = [1], align = 16> -> tensor<4xi32>
    %3 = arith.muli %1, %c32_i64 : i64
    %4 = tile.iota : tensor<32xi64>
    %5 = tile.full %3 : tensor<32xi64>
    %6 = arith.addi %5, %4 : tensor<32xi64>
    %7 = tile.reshape %2 : tensor<4xi32> -> tensor<4x1xi32>
    %8 = tile.reshape %6 : tensor<32xi64> -> tensor<1x32xi64>
    %9 = tile.cast %7 : tensor<4x1xi32> -> tensor<4x1xi64>
    %10 = tile.broadcast %9 : tensor<4x1xi64> -> tensor<4x32xi64>
    %11 = tile.broadcast %8 : tensor<1x32xi64> -> tensor<4x32xi64>
    %12 = tile.gather %arg1[%10, %11] : !tile.view<?x?xbf16, strides = [?, 1], align = 16>, tensor<4x32xi64> -> tensor<4x32xbf16>
    tile.store %12, %arg2[%0, %1] : tensor<4x32xbf16>, !tile.view<?x?xbf16, strides = [?, 1], align = 16>
    return
  }
}
