// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --canonicalize | FileCheck %s
//
// What would fold away without encodings stays where they differ, and what folds gives the result's encoding.

#lanes = #layout.linear<lane = [[1], [2]], shape = [4]>
// CHECK-DAG: #[[$COPIES:.*]] = #layout.linear<register = {{\[\[}}1], [2]], lane = {{\[\[}}0], [0]]
#copies = #layout.linear<register = [[1], [2]], lane = [[0], [0]], shape = [4]>
// CHECK-DAG: #[[$PAIRS:.*]] = #layout.linear<register = {{\[\[}}0, 1]], lane = {{\[\[}}1, 0], [2, 0]]
#pairs = #layout.linear<register = [[0, 1]], lane = [[1, 0], [2, 0]], shape = [4, 2]>
#other = #layout.linear<register = [[0, 1], [1, 0], [2, 0]], lane = [[0, 0], [0, 0]], shape = [4, 2]>
#single = #layout.linear<lane = [[1, 0], [2, 0]], shape = [4, 1]>
#all = #layout.linear<register = [[1, 0], [2, 0]], lane = [[0, 0], [0, 0]], shape = [4, 1]>

// CHECK-LABEL: @moves_that_change_the_encoding_stay(
func.func @moves_that_change_the_encoding_stay(%x: tensor<4xf32, #lanes>)
    -> (tensor<4xf32, #copies>, tensor<4xf32, #copies>, tensor<4xf32, #copies>, tensor<4xf32, #copies>) {
  // CHECK: tile.permute
  %p = tile.permute %x [0] : tensor<4xf32, #lanes> -> tensor<4xf32, #copies>
  // CHECK: tile.broadcast
  %b = tile.broadcast %x : tensor<4xf32, #lanes> -> tensor<4xf32, #copies>
  // CHECK: tile.reshape
  %r = tile.reshape %x : tensor<4xf32, #lanes> -> tensor<4xf32, #copies>
  // CHECK: tile.concat
  %c = tile.concat %x axis 0 : tensor<4xf32, #lanes> -> tensor<4xf32, #copies>
  return %p, %b, %r, %c : tensor<4xf32, #copies>, tensor<4xf32, #copies>, tensor<4xf32, #copies>, tensor<4xf32, #copies>
}

// CHECK-LABEL: @moves_that_keep_it_fold(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor
func.func @moves_that_keep_it_fold(%x: tensor<4xf32, #lanes>) -> tensor<4xf32, #lanes> {
  // CHECK-NEXT: return %[[X]]
  %p = tile.permute %x [0] : tensor<4xf32, #lanes> -> tensor<4xf32, #lanes>
  %c = tile.concat %p axis 0 : tensor<4xf32, #lanes> -> tensor<4xf32, #lanes>
  return %c : tensor<4xf32, #lanes>
}

// CHECK-LABEL: @join_of_split_to_another_encoding(
func.func @join_of_split_to_another_encoding(%x: tensor<4x2xf32, #pairs>) -> tensor<4x2xf32, #other> {
  // CHECK: tile.split
  // CHECK: tile.join
  %a, %b = tile.split %x : tensor<4x2xf32, #pairs> -> tensor<4xf32, #lanes>
  %j = tile.join %a, %b : tensor<4xf32, #lanes> -> tensor<4x2xf32, #other>
  return %j : tensor<4x2xf32, #other>
}

// CHECK-LABEL: @split_of_join_to_another_encoding(
func.func @split_of_join_to_another_encoding(%x: tensor<4xf32, #lanes>, %y: tensor<4xf32, #lanes>) -> tensor<4xf32, #copies> {
  // CHECK: tile.join
  // CHECK: tile.split
  %j = tile.join %x, %y : tensor<4xf32, #lanes> -> tensor<4x2xf32, #pairs>
  %a, %b = tile.split %j : tensor<4x2xf32, #pairs> -> tensor<4xf32, #copies>
  return %a : tensor<4xf32, #copies>
}

// CHECK-LABEL: @scan_and_reduction_of_one(
func.func @scan_and_reduction_of_one(%x: tensor<4x1xf32, #single>) -> (tensor<4x1xf32, #all>, tensor<4xf32, #copies>) {
  // CHECK: tile.scan
  %s = tile.scan <max> %x axis 1 : tensor<4x1xf32, #single> -> tensor<4x1xf32, #all>
  // CHECK: tile.reshape {{.*}} -> tensor<4xf32, #[[$COPIES]]>
  %r = tile.reduce <max> %x axis 1 : tensor<4x1xf32, #single> -> tensor<4xf32, #copies>
  return %s, %r : tensor<4x1xf32, #all>, tensor<4xf32, #copies>
}

// CHECK-LABEL: @constants(
func.func @constants(%f: f32) -> (tensor<4x2xf32, #pairs>, tensor<4x2xi32, #pairs>, tensor<4x2xf32, #pairs>, tensor<4x2xf16, #pairs>, tensor<4xi64, #copies>) {
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<4x2xf32, #[[$PAIRS]]>
  %one = arith.constant 1.0 : f32
  %a = tile.full %one : tensor<4x2xf32, #pairs>
  // CHECK-DAG: arith.constant dense<{{\[\[}}1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi32, #[[$PAIRS]]>
  %c = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>
  %b = tile.reshape %c : tensor<8xi32> -> tensor<4x2xi32, #pairs>
  // CHECK: tile.full %{{.*}} : tensor<4x2xf32, #[[$PAIRS]]>
  %d = tile.full %f : tensor<4xf32, #lanes>
  %e = tile.reshape %d : tensor<4xf32, #lanes> -> tensor<4x1xf32, #single>
  %g = tile.broadcast %e : tensor<4x1xf32, #single> -> tensor<4x2xf32, #pairs>
  // CHECK: %[[H:.*]] = tile.cast %{{.*}} : f32 -> f16
  // CHECK: tile.full %[[H]] : tensor<4x2xf16, #[[$PAIRS]]>
  %h = tile.cast %g : tensor<4x2xf32, #pairs> -> tensor<4x2xf16, #pairs>
  %z = tile.arg_reduce <max> %e axis 1 : tensor<4x1xf32, #single> -> tensor<4xi64, #copies>
  return %a, %b, %g, %h, %z : tensor<4x2xf32, #pairs>, tensor<4x2xi32, #pairs>, tensor<4x2xf32, #pairs>, tensor<4x2xf16, #pairs>, tensor<4xi64, #copies>
}
