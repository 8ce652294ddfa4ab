// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @vector_add.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @vector_add(%arg0: !tile.view<?xi8, strides = [1], align = 16>, %arg1: !tile.view<?xi8, strides = [1], align = 16>, %arg2: !tile.view<?xi8, strides = [1], align = 16>) attributes {tile.kernel} {
    %0 = tile.program_id 0
    %1 = tile.load %arg0[%0] : !tile.view<?xi8, strides = [1], align = 16> -> tensor<32xi8>
    %2 = tile.load %arg1[%0] : !tile.view<?xi8, strides = [1], align = 16> -> tensor<32xi8>
    %3 = arith.addi %1, %2 : tensor<32xi8>
    tile.store %3, %arg2[%0] : tensor<32xi8>, !tile.view<?xi8, strides = [1], align = 16>
    return
  }
}
