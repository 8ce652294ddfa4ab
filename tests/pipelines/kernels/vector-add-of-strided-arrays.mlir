// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @vector_add.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @vector_add(%arg0: !tile.view<?xf32, strides = [1], align = 16>, %arg1: !tile.view<?xf16>, %arg2: !tile.view<?xf32>) attributes {tile.kernel} {
    %0 = tile.program_id 0
    %1 = tile.load %arg0[%0] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<32xf32>
    %2 = tile.load %arg1[%0] : !tile.view<?xf16> -> tensor<32xf16>
    %3 = tile.cast %2 : tensor<32xf16> -> tensor<32xf32>
    %4 = arith.addf %1, %3 : tensor<32xf32>
    tile.store %4, %arg2[%0] : tensor<32xf32>, !tile.view<?xf32>
    return
  }
}
