// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --mlir-print-op-generic | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --emit-bytecode | tegula-opt | FileCheck %s

// CHECK-DAG: #[[$ROWS:.*]] = #layout.linear<register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}1, 0], [2, 0]], warp = [], block = [], shape = [4, 4]>
#rows = #layout.linear<register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], warp = [], block = [], shape = [4, 4]>
// CHECK-DAG: #[[$COPIES:.*]] = #layout.linear<register = {{\[\[}}1, 0], [2, 0]], lane = {{\[\[}}0, 1], [0, 2]], warp = {{\[\[}}0, 0]], block = [], shape = [4, 4]>
#copies = #layout.linear<shape = [4, 4], warp = [[0, 0]], lane = [[0, 1], [0, 2]], register = [[1, 0], [2, 0]]>
// CHECK-DAG: #[[$BUFFER:.*]] = #layout.linear<register = [], lane = [], warp = [], block = [], offset = {{\[\[}}0, 1], [1, 1]], shape = [2, 2]>
#buffer = #layout.linear<offset = [[0, 1], [1, 1]], shape = [2, 2]>

// CHECK-LABEL: @conversions_round_trip(
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32, #[[$ROWS]]>
func.func @conversions_round_trip(%x: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #copies> attributes {test.buffer = #buffer} {
  // CHECK: layout.convert %[[X]] : tensor<4x4xf32, #[[$ROWS]]> -> tensor<4x4xf32, #[[$COPIES]]>
  %y = layout.convert %x : tensor<4x4xf32, #rows> -> tensor<4x4xf32, #copies>
  return %y : tensor<4x4xf32, #copies>
}
