// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -canonicalize | FileCheck %s

#rows = #layout.linear<register = [[0, 1]], lane = [[1, 0]], shape = [2, 2]>
#columns = #layout.linear<register = [[1, 0]], lane = [[0, 1]], shape = [2, 2]>
#all = #layout.linear<register = [[0, 1], [1, 0]], lane = [[0, 0]], shape = [2, 2]>

// CHECK-LABEL: @to_the_same_layout(
// CHECK-SAME: %[[X:.*]]: tensor
func.func @to_the_same_layout(%x: tensor<2x2xf32, #rows>) -> tensor<2x2xf32, #rows> {
  // CHECK-NEXT: return %[[X]]
  %y = layout.convert %x : tensor<2x2xf32, #rows> -> tensor<2x2xf32, #rows>
  return %y : tensor<2x2xf32, #rows>
}

// CHECK-LABEL: @there_and_back(
// CHECK-SAME: %[[X:.*]]: tensor
func.func @there_and_back(%x: tensor<2x2xf32, #rows>) -> tensor<2x2xf32, #rows> {
  // CHECK-NEXT: return %[[X]]
  %y = layout.convert %x : tensor<2x2xf32, #rows> -> tensor<2x2xf32, #columns>
  %z = layout.convert %y : tensor<2x2xf32, #columns> -> tensor<2x2xf32, #rows>
  return %z : tensor<2x2xf32, #rows>
}

// CHECK-LABEL: @chain(
// CHECK-SAME: %[[X:.*]]: tensor<2x2xf32, #[[ROWS:[a-z0-9]+]]>) -> tensor<2x2xf32, #[[ALL:[a-z0-9]+]]>
func.func @chain(%x: tensor<2x2xf32, #rows>) -> tensor<2x2xf32, #all> {
  // CHECK-NEXT: %[[Y:.*]] = layout.convert %[[X]] : tensor<2x2xf32, #[[ROWS]]> -> tensor<2x2xf32, #[[ALL]]>
  // CHECK-NEXT: return %[[Y]]
  %y = layout.convert %x : tensor<2x2xf32, #rows> -> tensor<2x2xf32, #columns>
  %z = layout.convert %y : tensor<2x2xf32, #columns> -> tensor<2x2xf32, #all>
  return %z : tensor<2x2xf32, #all>
}

// CHECK-LABEL: @constant()
// CHECK-SAME: -> (tensor<2x2xi32, #[[ALL:[a-z0-9]+]]>, tensor
func.func @constant() -> (tensor<2x2xi32, #all>, tensor<2x2xf32, #all>) {
  // CHECK-DAG: arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32, #[[ALL]]>
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<2x2xf32, #[[ALL]]>
  // CHECK-NOT: layout.convert
  %x = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32, #rows>
  %y = layout.convert %x : tensor<2x2xi32, #rows> -> tensor<2x2xi32, #all>
  %u = arith.constant dense<1.0> : tensor<2x2xf32, #rows>
  %v = layout.convert %u : tensor<2x2xf32, #rows> -> tensor<2x2xf32, #all>
  return %y, %v : tensor<2x2xi32, #all>, tensor<2x2xf32, #all>
}
