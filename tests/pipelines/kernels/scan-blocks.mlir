// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @scan_blocks.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @scan_blocks(%arg0: !tile.view<?xf32, strides = [1], align = 16>, %arg1: !tile.view<?xf32, strides = [1], align = 16>, %arg2: !tile.view<?xf32, strides = [1], align = 16>) attributes {tile.kernel} {
    %0 = tile.program_id 0
    %1 = tile.load %arg0[%0] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<32xf32>
    %2 = tile.load %arg1[%0] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<1xf32>
    %3 = tile.scan <add> %1 axis 0 : tensor<32xf32> -> tensor<32xf32>
    %4 = tile.broadcast %2 : tensor<1xf32> -> tensor<32xf32>
    %5 = arith.addf %4, %3 : tensor<32xf32>
    tile.store %5, %arg2[%0] : tensor<32xf32>, !tile.view<?xf32, strides = [1], align = 16>
    return
  }
}
