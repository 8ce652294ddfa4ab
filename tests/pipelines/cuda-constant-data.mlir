// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --tegula-nvvm-pipeline=arch=sm_90a | FileCheck %s

// Data of a helper that the kernel called: its place is no function's.
// CHECK: llvm.mlir.global internal constant @helped.data0({{.*}})
// CHECK: llvm.func @helped
func.func @helped(%out: !tile.view<?xi32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %data = arith.constant dense<[3, 1, 4, 1, 5, 9, 2, 6]> : tensor<8xi32> loc(callsite("helper.py":2:3 at "kernel.py":5:7))
  tile.store %data, %out[%zero] : tensor<8xi32>, !tile.view<?xi32>
  return
} loc("kernel.py":1:1)
