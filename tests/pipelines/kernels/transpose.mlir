// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @transpose.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @transpose(%arg0: !tile.view<?x?xi1, strides = [?, 1], align = 16>, %arg1: !tile.view<?x?xi1, strides = [?, 1], align = 16>) attributes {tile.kernel} {
    %0 = tile.program_id 0
    %1 = tile.program_id 1
    %2 = tile.load %arg0[%0, %1] : !tile.view<?x?xi1, strides = [?, 1], align = 16> -> tensor<4x32xi1>
    %3 = tile.permute %2 [1, 0] : tensor<4x32xi1> -> tensor<32x4xi1>
    tile.store %3, %arg1[%1, %0] : tensor<32x4xi1>, !tile.view<?x?xi1, strides = [?, 1], align = 16>
    return
  }
}
