// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --tile-expand-arg-reduce | FileCheck %s
//
// Every arg-reduction that verifies expands, so there is no error to pin: other reductions stay.

// CHECK-LABEL: func @reductions_of_values_stay(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32>
// CHECK-NEXT:    %[[S:.*]] = tile.reduce <max> %[[X]] axis 1 : tensor<8x4xf32> -> tensor<8xf32>
// CHECK-NEXT:    return %[[S]]
func.func @reductions_of_values_stay(%x: tensor<8x4xf32>) -> tensor<8xf32> {
  %s = tile.reduce <max> %x axis 1 : tensor<8x4xf32> -> tensor<8xf32>
  return %s : tensor<8xf32>
}
