// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --tile-pad-extents | FileCheck %s

// CHECK-LABEL: func @padding_of_the_first_dimension_stays_last(
// CHECK-SAME:    %[[X:.*]]: tensor<4x4xf32>
func.func @padding_of_the_first_dimension_stays_last(%x: tensor<3x4xf32>) -> (tensor<12xf32>, tensor<6x2xf32>, tensor<1x3x1x4xf32>) {
  // CHECK-NEXT: tile.reshape %[[X]] : tensor<4x4xf32> -> tensor<16xf32>
  %0 = tile.reshape %x : tensor<3x4xf32> -> tensor<12xf32>
  // CHECK-NEXT: tile.reshape %[[X]] : tensor<4x4xf32> -> tensor<8x2xf32>
  %1 = tile.reshape %x : tensor<3x4xf32> -> tensor<6x2xf32>
  // CHECK-NEXT: tile.reshape %[[X]] : tensor<4x4xf32> -> tensor<1x4x1x4xf32>
  %2 = tile.reshape %x : tensor<3x4xf32> -> tensor<1x3x1x4xf32>
  return %0, %1, %2 : tensor<12xf32>, tensor<6x2xf32>, tensor<1x3x1x4xf32>
}

// -----

// CHECK-LABEL: func @padding_within_a_tile_is_left_out(
// CHECK-SAME:    %[[X:.*]]: tensor<2x4xf32>
func.func @padding_within_a_tile_is_left_out(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  // CHECK-DAG: %[[N:.*]] = tile.iota : tensor<8xi32>
  // CHECK-DAG: %[[FLAT:.*]] = tile.reshape %[[X]] : tensor<2x4xf32> -> tensor<8xf32>
  // CHECK:     arith.divui
  // CHECK:     %[[P:.*]] = arith.addi {{.*}} : tensor<8xi32>
  // CHECK-NEXT: %[[R:.*]] = tile.take %[[FLAT]][%[[P]]] axis 0 : tensor<8xf32>, tensor<8xi32> -> tensor<8xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = tile.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

// Only the dimensions between 7 and 16 are mixed.
// CHECK-LABEL: func @other_dimensions_are_left_alone(
func.func @other_dimensions_are_left_alone(%x: tensor<7x3x5x16xf32>) -> tensor<7x15x16xf32> {
  // CHECK: tile.reshape %{{.*}} : tensor<8x4x8x16xf32> -> tensor<8x32x16xf32>
  // CHECK: %[[P:.*]] = tile.broadcast %{{.*}} : tensor<1x16x1xi32> -> tensor<8x16x16xi32>
  // CHECK: %[[R:.*]] = tile.take %{{.*}}[%[[P]]] axis 1 : tensor<8x32x16xf32>, tensor<8x16x16xi32> -> tensor<8x16x16xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = tile.reshape %x : tensor<7x3x5x16xf32> -> tensor<7x15x16xf32>
  return %0 : tensor<7x15x16xf32>
}

// -----

// CHECK-LABEL: func @regular_concatenations_stay(
func.func @regular_concatenations_stay(%x: tensor<3x4xf32>) -> (tensor<3x8xf32>, tensor<3x16xf32>) {
  // CHECK-NEXT: tile.concat %{{.*}} axis 1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x8xf32>
  %0 = tile.concat %x, %x axis 1 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x8xf32>
  // CHECK-NEXT: tile.concat
  // CHECK-SAME: -> tensor<4x16xf32>
  %1 = tile.concat %x, %x, %x, %x axis 1 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x16xf32>
  return %0, %1 : tensor<3x8xf32>, tensor<3x16xf32>
}

// -----

// CHECK-LABEL: func @nested_concatenations_join_pairs(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<2xf32>
func.func @nested_concatenations_join_pairs(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[P:.*]] = tile.concat %[[Y]], %[[Y]] axis 0 : tensor<2xf32>, tensor<2xf32> -> tensor<4xf32>
  // CHECK-NEXT: %[[R:.*]] = tile.concat %[[X]], %[[P]] axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = tile.concat %x, %y, %y axis 0 : tensor<4xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func @what_follows_without_a_gap_needs_no_take(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<1xf32>
func.func @what_follows_without_a_gap_needs_no_take(%x: tensor<4xf32>, %y: tensor<1xf32>) -> tensor<5xf32> {
  // CHECK-NEXT: %[[F:.*]] = tile.concat %[[Y]], %[[Y]], %[[Y]], %[[Y]] axis 0
  // CHECK-NEXT: %[[R:.*]] = tile.concat %[[X]], %[[F]] axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = tile.concat %x, %y axis 0 : tensor<4xf32>, tensor<1xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// CHECK-LABEL: func @gaps_are_stepped_over(
// CHECK-SAME:    %[[X:.*]]: tensor<2x4xf32>, %[[Y:.*]]: tensor<2x2xf32>
func.func @gaps_are_stepped_over(%x: tensor<2x3xf32>, %y: tensor<2x2xf32>) -> tensor<2x5xf32> {
  // CHECK-NEXT: %[[F:.*]] = tile.concat %[[Y]], %[[Y]] axis 1
  // CHECK-NEXT: %[[S:.*]] = tile.concat %[[X]], %[[F]] axis 1 : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x8xf32>
  // CHECK-NEXT: %[[N:.*]] = tile.iota : tensor<8xi32>
  // CHECK:      %[[PAST:.*]] = arith.cmpi uge, %[[N]]
  // CHECK:      %[[GAP:.*]] = arith.select %[[PAST]]
  // CHECK:      %[[P:.*]] = arith.addi %[[N]], %[[GAP]]
  // CHECK:      %[[B:.*]] = tile.broadcast %{{.*}} : tensor<1x8xi32> -> tensor<2x8xi32>
  // CHECK:      tile.take %[[S]][%[[B]]] axis 1
  %0 = tile.concat %x, %y axis 1 : tensor<2x3xf32>, tensor<2x2xf32> -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----

// CHECK-LABEL: func @what_is_taken_from_past_the_end_is_zero(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<8xi64>
func.func @what_is_taken_from_past_the_end_is_zero(%x: tensor<3xf32>, %i: tensor<5xi64>) -> tensor<5xf32> {
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: %[[FILLED:.*]] = arith.select %{{.*}}, %[[X]], %[[ZERO]]
  // CHECK: tile.take %[[FILLED]][%[[I]]] axis 0 : tensor<4xf32>, tensor<8xi64> -> tensor<8xf32>
  %0 = tile.take %x[%i] axis 0 : tensor<3xf32>, tensor<5xi64> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
