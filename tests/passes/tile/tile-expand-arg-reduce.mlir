// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --tile-expand-arg-reduce | FileCheck %s --implicit-check-not=tile.arg_reduce

// CHECK-LABEL: func @a_nan_beats_every_number_and_the_first_one_all(
// CHECK-SAME:    %[[X:.*]]: tensor<64xf32>
func.func @a_nan_beats_every_number_and_the_first_one_all(%x: tensor<64xf32>) -> i64 {
  // CHECK:      %[[N:.*]] = tile.iota : tensor<64xi64>
  // CHECK-NEXT: %[[R:.*]]:2 = tile.reduce %[[X]], %[[N]] axis 0 : tensor<64xf32>, tensor<64xi64> -> f32, i64 {
  // CHECK-NEXT: ^bb0(%[[L:.*]]: f32, %[[LI:.*]]: i64, %[[V:.*]]: f32, %[[VI:.*]]: i64):
  // CHECK-NEXT:   %[[FURTHER:.*]] = arith.cmpf ugt, %[[V]], %[[L]] : f32
  // CHECK-NEXT:   %[[NUMBER:.*]] = arith.cmpf ord, %[[L]], %[[L]] : f32
  // CHECK-NEXT:   %[[TAKE:.*]] = arith.andi %[[FURTHER]], %[[NUMBER]] : i1
  // CHECK-NEXT:   %[[VALUE:.*]] = arith.select %[[TAKE]], %[[V]], %[[L]] : f32
  // CHECK-NEXT:   %[[INDEX:.*]] = arith.select %[[TAKE]], %[[VI]], %[[LI]] : i64
  // CHECK-NEXT:   tile.yield %[[VALUE]], %[[INDEX]] : f32, i64
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[R]]#1
  %i = tile.arg_reduce <max> %x axis 0 : tensor<64xf32> -> i64
  return %i : i64
}

// -----

// CHECK-LABEL: func @positions_run_along_the_axis(
// CHECK-SAME:    %[[X:.*]]: tensor<3x5x7xf16>
func.func @positions_run_along_the_axis(%x: tensor<3x5x7xf16>) -> tensor<3x7xi64> {
  // CHECK:      %[[N:.*]] = tile.iota : tensor<5xi64>
  // CHECK-NEXT: %[[S:.*]] = tile.reshape %[[N]] : tensor<5xi64> -> tensor<1x5x1xi64>
  // CHECK-NEXT: %[[P:.*]] = tile.broadcast %[[S]] : tensor<1x5x1xi64> -> tensor<3x5x7xi64>
  // CHECK-NEXT: %[[R:.*]]:2 = tile.reduce %[[X]], %[[P]] axis 1
  // CHECK-SAME:   tensor<3x5x7xf16>, tensor<3x5x7xi64> -> tensor<3x7xf16>, tensor<3x7xi64>
  // CHECK:        arith.cmpf ult
  // CHECK:      return %[[R]]#1
  %i = tile.arg_reduce <min> %x axis 1 : tensor<3x5x7xf16> -> tensor<3x7xi64>
  return %i : tensor<3x7xi64>
}

// -----

// CHECK-LABEL: func @integers_compare_with_their_sign_or_without(
func.func @integers_compare_with_their_sign_or_without(%x: tensor<8xi8>, %b: tensor<8xi1>) -> (i64, i64, i64, i64, i64) {
  // CHECK: tile.reduce
  // CHECK: ^bb0(%[[L:.*]]: i8, %{{.*}}: i64, %[[R:.*]]: i8, %{{.*}}: i64):
  // CHECK: arith.cmpi sgt, %[[R]], %[[L]] : i8
  %0 = tile.arg_reduce <max> %x axis 0 : tensor<8xi8> -> i64
  // CHECK: arith.cmpi slt
  %1 = tile.arg_reduce <min> %x axis 0 : tensor<8xi8> -> i64
  // CHECK: arith.cmpi ugt
  %2 = tile.arg_reduce <umax> %x axis 0 : tensor<8xi8> -> i64
  // CHECK: arith.cmpi ult
  %3 = tile.arg_reduce <umin> %x axis 0 : tensor<8xi8> -> i64
  // CHECK: arith.cmpi ugt, {{.*}} : i1
  %4 = tile.arg_reduce <umax> %b axis 0 : tensor<8xi1> -> i64
  return %0, %1, %2, %3, %4 : i64, i64, i64, i64, i64
}
