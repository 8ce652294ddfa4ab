// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --tile-insert-checks -split-input-file | FileCheck %s

// CHECK-LABEL: func @a_tile_begins_inside(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?xf32>, %[[I:.*]]: i64)
// CHECK:         %[[SIZE:.*]] = tile.dim %[[A]], 0
// CHECK:         %[[TILES:.*]] = arith.ceildivui %[[SIZE]], %{{.*}} : i64
// CHECK:         %[[OK:.*]] = arith.cmpi ult, %[[I]], %[[TILES]] : i64
// CHECK:         scf.if %{{.*}} {
// CHECK:           tile.print "\1Fprogram ({}, {}, {}): load of the array 'a' along axis 0: tile index {} is outside, there are {} tiles" %{{.*}}, %{{.*}}, %{{.*}}, %[[I]], %[[TILES]]
// CHECK:         }
// CHECK-NEXT:    tile.assert %[[OK]], "load of the array 'a' along axis 0: tile index is outside"
// CHECK-NEXT:    tile.load
func.func @a_tile_begins_inside(%a: !tile.view<?xf32>, %i: i64) attributes {tile.kernel, tegula.array_names = ["a", "i"]} {
  %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<16xf32>
  return
}

// -----

// CHECK-LABEL: func @lanes_that_are_not_masked_off_are_inside(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?xf32>, %[[AT:.*]]: tensor<2x4xi64>, %[[M:.*]]: tensor<2x4xi1>, %[[V:.*]]: tensor<2x4xf32>)
// CHECK:         %[[OUT:.*]] = arith.cmpi uge, %[[AT]], %{{.*}} : tensor<2x4xi64>
// CHECK:         %[[BAD:.*]] = arith.andi %[[OUT]], %[[M]] : tensor<2x4xi1>
// CHECK:         %[[FOUND:.*]] = arith.select %[[BAD]], %{{.*}}, %{{.*}} : tensor<2x4xi1>, tensor<2x4xi64>
// CHECK:         %[[FLAT:.*]] = tile.reshape %[[FOUND]]
// CHECK:         %[[WORST:.*]] = tile.reduce <max> %[[FLAT]] axis 0 : tensor<8xi64> -> i64
// CHECK:         tile.print "\1Fprogram ({}, {}, {}): scatter of argument 0 along axis 0: index {} is outside, there are {} elements"
// CHECK:         tile.assert %{{.*}}, "scatter of argument 0 along axis 0: index is outside"
// CHECK-NEXT:    tile.scatter
func.func @lanes_that_are_not_masked_off_are_inside(%a: !tile.view<?xf32>, %at: tensor<2x4xi64>, %m: tensor<2x4xi1>, %v: tensor<2x4xf32>) {
  tile.scatter %v, %a[%at] mask %m : tensor<2x4xf32>, !tile.view<?xf32>, tensor<2x4xi64>, tensor<2x4xi1>
  return
}

// -----

// CHECK-LABEL: func @a_part_has_the_name_of_its_array(
// CHECK:         %[[B:.*]] = tile.subview
// CHECK:         tile.dim %[[B]], 0
// CHECK:         tile.assert %{{.*}}, "gather of the array 'a{x}' along axis 0: index is outside"
func.func @a_part_has_the_name_of_its_array(%a: !tile.view<?xf32>, %i: i64) -> f32 attributes {tegula.array_names = ["a{x}", "i"]} {
  %b = tile.subview %a[%i] dims [0] sizes [%i] steps [1] : !tile.view<?xf32> -> !tile.view<?xf32>
  %x = tile.gather %b[%i] : !tile.view<?xf32>, i64 -> f32
  return %x : f32
}

// -----

// A tile at an offset in elements is a part of its size; it may begin before the array and end after it.
// CHECK-LABEL: func @a_tile_at_an_offset_has_an_element_of_the_array(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?xf32>, %[[I:.*]]: i64)
// CHECK:         %[[SIZE:.*]] = tile.dim %[[A]], 0
// CHECK:         %[[BEFORE:.*]] = arith.constant 15 : i64
// CHECK:         %[[LAST:.*]] = arith.addi %[[I]], %[[BEFORE]]
// CHECK:         %[[END:.*]] = arith.addi %[[SIZE]], %[[BEFORE]]
// CHECK:         %[[OK:.*]] = arith.cmpi ult, %[[LAST]], %[[END]]
// CHECK:         tile.print "\1Fprogram ({}, {}, {}): load of the array 'a' along axis 0: offset {} is outside, there are {} elements" %{{.*}}, %{{.*}}, %{{.*}}, %[[I]], %[[SIZE]]
// CHECK:         tile.assert %[[OK]], "load of the array 'a' along axis 0: offset is outside"
func.func @a_tile_at_an_offset_has_an_element_of_the_array(%a: !tile.view<?xf32>, %i: i64) attributes {tile.kernel, tegula.array_names = ["a", "i"]} {
  %c0 = arith.constant 0 : i64
  %c16 = arith.constant 16 : i64
  %b = tile.subview %a[%i] dims [0] sizes [%c16] steps [1] : !tile.view<?xf32> -> !tile.view<?xf32>
  %t = tile.load %b[%c0] : !tile.view<?xf32> -> tensor<16xf32>
  return
}
