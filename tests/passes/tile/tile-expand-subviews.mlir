// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --tile-expand-subviews -split-input-file | FileCheck %s
// RUN: tegula-opt %s --tile-expand-subviews=keep-tile-accesses -split-input-file | FileCheck %s --check-prefix=KEEP

// CHECK-LABEL: func @an_element_of_a_part(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?xf32>, %[[I:.*]]: i64, %[[N:.*]]: i64, %[[AT:.*]]: i64)
// CHECK:         %[[SIZE:.*]] = arith.maxsi %[[N]], %{{.*}} : i64
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %[[AT]], %[[SIZE]] : i64
// CHECK:         %[[WAY:.*]] = arith.muli %[[AT]], %{{.*}} : i64
// CHECK:         %[[PLACE:.*]] = arith.addi %[[WAY]], %[[I]] : i64
// CHECK:         tile.gather %[[A]][%[[PLACE]]] mask %[[IN]] :
// CHECK-NOT:     tile.subview
// KEEP-LABEL: func @an_element_of_a_part(
// KEEP-NOT:     tile.subview
func.func @an_element_of_a_part(%a: !tile.view<?xf32>, %i: i64, %n: i64, %at: i64) -> f32 {
  %b = tile.subview %a[%i] dims [0] sizes [%n] steps [2] : !tile.view<?xf32> -> !tile.view<?xf32>
  %x = tile.gather %b[%at] : !tile.view<?xf32>, i64 -> f32
  return %x : f32
}

// -----

// A position that no dimension walks along is the same in every lane.
// CHECK-LABEL: func @lanes_of_a_row(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?x?xf32>, %[[I:.*]]: i64, %[[J:.*]]: i64, %{{.*}}: i64,
// CHECK-SAME:    %[[AT:.*]]: tensor<8xi64>, %[[V:.*]]: tensor<8xf32>, %[[M:.*]]: tensor<8xi1>)
// CHECK-DAG:     %[[ROW:.*]] = tile.full %[[I]] : tensor<8xi64>
// CHECK-DAG:     %[[START:.*]] = tile.full %[[J]] : tensor<8xi64>
// CHECK:         %[[MASK:.*]] = arith.andi %[[M]], %{{.*}} : tensor<8xi1>
// CHECK:         %[[PLACE:.*]] = arith.addi %{{.*}}, %[[START]] : tensor<8xi64>
// CHECK:         tile.scatter %[[V]], %[[A]][%[[ROW]], %[[PLACE]]] mask %[[MASK]] :
func.func @lanes_of_a_row(%a: !tile.view<?x?xf32>, %i: i64, %j: i64, %n: i64, %at: tensor<8xi64>, %v: tensor<8xf32>,
                          %m: tensor<8xi1>) {
  %b = tile.subview %a[%i, %j] dims [1] sizes [%n] steps [1] : !tile.view<?x?xf32> -> !tile.view<?xf32>
  tile.scatter %v, %b[%at] mask %m : tensor<8xf32>, !tile.view<?xf32>, tensor<8xi64>, tensor<8xi1>
  return
}

// -----

// CHECK-LABEL: func @a_tile_of_a_transposed_part(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?x?xf32>
// CHECK:         tile.gather %[[A]][%{{.*}}, %{{.*}}] mask %{{.*}} : !tile.view<?x?xf32>, tensor<4x8xi64>, tensor<4x8xi1> -> tensor<4x8xf32>
// CHECK-NOT:     tile.load
// KEEP-LABEL: func @a_tile_of_a_transposed_part(
// KEEP:         %[[B:.*]] = tile.subview
// KEEP-NEXT:    tile.load %[[B]]
func.func @a_tile_of_a_transposed_part(%a: !tile.view<?x?xf32>, %i: i64, %n: i64) -> tensor<4x8xf32> {
  %b = tile.subview %a[%i, %i] dims [1, 0] sizes [%n, %n] steps [1, 1] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  %x = tile.load %b[%i, %i] : !tile.view<?x?xf32> -> tensor<4x8xf32>
  return %x : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func @sizes_and_strides_are_computed(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?x?xf32>, %[[I:.*]]: i64, %[[N:.*]]: i64)
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK:         %[[SIZE:.*]] = arith.maxsi %[[N]], %[[ZERO]] : i64
// CHECK:         %[[STRIDE:.*]] = tile.stride %[[A]], 1
// CHECK:         %[[STEP:.*]] = arith.constant -3 : i64
// CHECK:         %[[SCALED:.*]] = arith.muli %[[STRIDE]], %[[STEP]] : i64
// CHECK:         return %[[SIZE]], %[[SCALED]]
func.func @sizes_and_strides_are_computed(%a: !tile.view<?x?xf32>, %i: i64, %n: i64) -> (i64, i64) {
  %b = tile.subview %a[%i, %i] dims [1] sizes [%n] steps [-3] : !tile.view<?x?xf32> -> !tile.view<?xf32>
  %s = tile.dim %b, 0 : !tile.view<?xf32>
  %t = tile.stride %b, 0 : !tile.view<?xf32>
  return %s, %t : i64, i64
}

// -----

// Where the array has one dimension, no division is needed.
// CHECK-LABEL: func @an_element_of_a_line_in_rows(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?xf32>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[I:.*]]: i64, %[[J:.*]]: i64)
// CHECK:         %[[ROWS:.*]] = arith.maxsi %[[M]], %{{.*}} : i64
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %[[I]], %[[ROWS]] : i64
// CHECK:         %[[COLUMNS:.*]] = arith.maxsi %[[N]], %{{.*}} : i64
// CHECK:         arith.cmpi ult, %[[J]], %[[COLUMNS]] : i64
// CHECK:         %[[MASK:.*]] = arith.andi %[[IN]], %{{.*}} : i1
// CHECK:         %[[ROW:.*]] = arith.muli %[[I]], %[[COLUMNS]] : i64
// CHECK:         %[[PLACE:.*]] = arith.addi %[[ROW]], %[[J]] : i64
// CHECK-NOT:     arith.div
// CHECK:         tile.gather %[[A]][%[[PLACE]]] mask %[[MASK]] :
func.func @an_element_of_a_line_in_rows(%a: !tile.view<?xf32>, %m: i64, %n: i64, %i: i64, %j: i64) -> f32 {
  %one = arith.constant 1 : i64
  %b = tile.reshape_view %a sizes [%m, %n] strides [%n, %one] : !tile.view<?xf32> -> !tile.view<?x?xf32>
  %x = tile.gather %b[%i, %j] : !tile.view<?x?xf32>, i64 -> f32
  return %x : f32
}

// -----

// Whole tiles of other sizes become single elements, whatever the target takes; so do those of their parts.
// CHECK-LABEL: func @tiles_of_flat_rows(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?x?xf32>
// CHECK:         %[[WIDTH:.*]] = tile.dim %[[A]], 1
// CHECK:         %[[SAFE:.*]] = arith.maxui %[[WIDTH]], %{{.*}} : i64
// CHECK:         %[[DIVISOR:.*]] = tile.full %[[SAFE]] : tensor<8xi64>
// CHECK:         %[[COLUMN:.*]] = arith.remui %[[AT:.*]], %[[DIVISOR]] : tensor<8xi64>
// CHECK:         %[[ROW:.*]] = arith.divui %[[AT]], %[[DIVISOR]] : tensor<8xi64>
// CHECK:         tile.gather %[[A]][%[[ROW]], %[[COLUMN]]] mask
// CHECK-NOT:     tile.{{load|store|reshape_view|subview}}
// CHECK:         tile.scatter %{{.*}}, %[[A]][
// KEEP-LABEL: func @tiles_of_flat_rows(
// KEEP-NOT:     tile.{{load|store|reshape_view|subview}}
func.func @tiles_of_flat_rows(%a: !tile.view<?x?xf32>, %i: i64, %n: i64) -> i64 {
  %b = tile.reshape_view %a sizes [%n] strides [%i] : !tile.view<?x?xf32> -> !tile.view<?xf32>
  %x = tile.load %b[%i] : !tile.view<?xf32> -> tensor<8xf32>
  %c = tile.subview %b[%i] dims [0] sizes [%n] steps [1] : !tile.view<?xf32> -> !tile.view<?xf32>
  tile.store %x, %c[%i] : tensor<8xf32>, !tile.view<?xf32>
  %s = tile.stride %b, 0 : !tile.view<?xf32>
  return %s : i64
}
