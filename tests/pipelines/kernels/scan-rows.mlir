// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @scan_rows.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @scan_rows(%arg0: !tile.view<?x?xi32, strides = [?, 1], align = 16>, %arg1: !tile.view<?x?xi64, strides = [?, 1], align = 16>) attributes {tile.kernel} {
    %c0_i64 = arith.constant 0 : i64
    %0 = tile.program_id 0
    %1 = tile.load %arg0[%0, %c0_i64] : !tile.view<?x?xi32, strides = [?, 1], align = 16> -> tensor<1x128xi32>
    %2 = tile.cast %1 : tensor<1x128xi32> -> tensor<1x128xi64>
    %3 = tile.scan <add> %2 axis 1 : tensor<1x128xi64> -> tensor<1x128xi64>
    tile.store %3, %arg1[%0, %c0_i64] : tensor<1x128xi64>, !tile.view<?x?xi64, strides = [?, 1], align = 16>
    return
  }
}
