// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s | FileCheck %s
// RUN: tegula-opt %s --mlir-print-op-generic | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --emit-bytecode | tegula-opt | FileCheck %s

// CHECK-LABEL: func.func @tiles_from_scalars
// CHECK-SAME: (%[[X:.*]]: f8E4M3FN)
func.func @tiles_from_scalars(%x: f8E4M3FN) {
  // CHECK-NEXT: tile.full %[[X]] : tensor<16x32xf8E4M3FN>
  %0 = tile.full %x : tensor<16x32xf8E4M3FN>
  // CHECK-NEXT: tile.iota : tensor<17xi8>
  %1 = tile.iota : tensor<17xi8>
  return
}

// CHECK-LABEL: func.func @broadcast_stretches_extents_of_1
// CHECK-SAME: (%[[T:.*]]: tensor<1x16x1xi1>)
func.func @broadcast_stretches_extents_of_1(%t: tensor<1x16x1xi1>) {
  // CHECK-NEXT: tile.broadcast %[[T]] : tensor<1x16x1xi1> -> tensor<5x16x32xi1>
  %0 = tile.broadcast %t : tensor<1x16x1xi1> -> tensor<5x16x32xi1>
  return
}

// CHECK-LABEL: func.func @reshape_of_tiles_and_scalars
// CHECK-SAME: (%[[T:.*]]: tensor<16x32xf32>, %[[U:.*]]: tensor<1x1xf32>, %[[X:.*]]: f32)
func.func @reshape_of_tiles_and_scalars(%t: tensor<16x32xf32>, %u: tensor<1x1xf32>, %x: f32) {
  // CHECK-NEXT: tile.reshape %[[T]] : tensor<16x32xf32> -> tensor<512xf32>
  %0 = tile.reshape %t : tensor<16x32xf32> -> tensor<512xf32>
  // CHECK-NEXT: tile.reshape %[[U]] : tensor<1x1xf32> -> f32
  %1 = tile.reshape %u : tensor<1x1xf32> -> f32
  // CHECK-NEXT: tile.reshape %[[X]] : f32 -> tensor<1xf32>
  %2 = tile.reshape %x : f32 -> tensor<1xf32>
  // CHECK-NEXT: tile.reshape %[[X]] : f32 -> f32
  %3 = tile.reshape %x : f32 -> f32
  return
}

// CHECK-LABEL: func.func @permute_of_dimensions
// CHECK-SAME: (%[[T:.*]]: tensor<2x3x5xi16>)
func.func @permute_of_dimensions(%t: tensor<2x3x5xi16>) {
  // CHECK-NEXT: tile.permute %[[T]] [2, 0, 1] : tensor<2x3x5xi16> -> tensor<5x2x3xi16>
  %0 = tile.permute %t [2, 0, 1] : tensor<2x3x5xi16> -> tensor<5x2x3xi16>
  return
}

// CHECK-LABEL: func.func @join_and_split_a_last_dimension
// CHECK-SAME: (%[[A:.*]]: tensor<3xf64>, %[[B:.*]]: tensor<3xf64>)
func.func @join_and_split_a_last_dimension(%a: tensor<3xf64>, %b: tensor<3xf64>) {
  // CHECK-NEXT: %[[J:.*]] = tile.join %[[A]], %[[B]] : tensor<3xf64> -> tensor<3x2xf64>
  %j = tile.join %a, %b : tensor<3xf64> -> tensor<3x2xf64>
  // CHECK-NEXT: tile.split %[[J]] : tensor<3x2xf64> -> tensor<3xf64>
  %c, %d = tile.split %j : tensor<3x2xf64> -> tensor<3xf64>
  return
}

// CHECK-LABEL: func.func @concat_along_an_axis
// CHECK-SAME: (%[[A:.*]]: tensor<3x4xf32>, %[[B:.*]]: tensor<3x5xf32>)
func.func @concat_along_an_axis(%a: tensor<3x4xf32>, %b: tensor<3x5xf32>) {
  // CHECK-NEXT: tile.concat %[[A]], %[[B]], %[[A]] axis 1 : tensor<3x4xf32>, tensor<3x5xf32>, tensor<3x4xf32> -> tensor<3x13xf32>
  %0 = tile.concat %a, %b, %a axis 1 : tensor<3x4xf32>, tensor<3x5xf32>, tensor<3x4xf32> -> tensor<3x13xf32>
  return
}

// CHECK-LABEL: func.func @take_along_an_axis
// CHECK-SAME: (%[[X:.*]]: tensor<4x16xf32>, %[[I:.*]]: tensor<4x8xi64>, %[[J:.*]]: tensor<2x16xi32>)
func.func @take_along_an_axis(%x: tensor<4x16xf32>, %i: tensor<4x8xi64>, %j: tensor<2x16xi32>) {
  // CHECK-NEXT: tile.take %[[X]][%[[I]]] axis 1 : tensor<4x16xf32>, tensor<4x8xi64> -> tensor<4x8xf32>
  %0 = tile.take %x[%i] axis 1 : tensor<4x16xf32>, tensor<4x8xi64> -> tensor<4x8xf32>
  // CHECK-NEXT: tile.take %[[X]][%[[J]]] axis 0 : tensor<4x16xf32>, tensor<2x16xi32> -> tensor<2x16xf32>
  %1 = tile.take %x[%j] axis 0 : tensor<4x16xf32>, tensor<2x16xi32> -> tensor<2x16xf32>
  return
}
