// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @histogram.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @histogram(%arg0: !tile.view<?xi8, strides = [1], align = 16>, %arg1: !tile.view<?xi32, strides = [1], align = 16>) attributes {tile.kernel} {
    %c1_i32 = arith.constant 1 : i32
    %c32_i64 = arith.constant 32 : i64
    %0 = tile.program_id 0
    %1 = arith.muli %0, %c32_i64 : i64
    %2 = tile.iota : tensor<32xi64>
    %3 = tile.full %1 : tensor<32xi64>
    %4 = arith.addi %3, %2 : tensor<32xi64>
    %5 = tile.dim %arg0, 0 : !tile.view<?xi8, strides = [1], align = 16>
    %6 = tile.full %5 : tensor<32xi64>
    %7 = arith.cmpi slt, %4, %6 : tensor<32xi64>
    %8 = tile.load %arg0[%0] : !tile.view<?xi8, strides = [1], align = 16> -> tensor<32xi8>
    %9 = tile.cast %8 from_unsigned : tensor<32xi8> -> tensor<32xi64>
    %10 = tile.full %c1_i32 : tensor<32xi32>
    %11 = tile.atomic_rmw <add> %10, %arg1[%9] mask %7 : tensor<32xi32>, !tile.view<?xi32, strides = [1], align = 16>, tensor<32xi64>, tensor<32xi1> -> tensor<32xi32>
    return
  }
}
