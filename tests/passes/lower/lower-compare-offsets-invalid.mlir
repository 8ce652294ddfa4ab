// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-compare-offsets | FileCheck %s
//
// There is no error to pin: what does not fit stays as it is.

// CHECK-LABEL: func @a_bound_that_may_wrap
// CHECK-NOT:     arith.subi
// CHECK:         return
func.func @a_bound_that_may_wrap(%bound: i32, %thread: i32) -> vector<2xi1> {
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant 6 : i32
  %from = arith.andi %thread, %c6 : i32
  %next = arith.addi %from, %c1 overflow<nsw, nuw> : i32
  %positions = vector.from_elements %from, %next : vector<2xi32>
  %bounds = vector.from_elements %bound, %bound : vector<2xi32>
  %mask = arith.cmpi slt, %positions, %bounds : vector<2xi32>
  return %mask : vector<2xi1>
}

// -----

// CHECK-LABEL: func @positions_that_may_wrap
// CHECK-NOT:     arith.subi
// CHECK:         return
func.func @positions_that_may_wrap(%n: i32, %thread: i32) -> vector<2xi1> {
  %c1 = arith.constant 1 : i32
  %all = arith.constant 0x7fffffff : i32
  %c7 = arith.constant 7 : i32
  %bound = arith.andi %n, %c7 : i32
  %from = arith.andi %thread, %all : i32
  %next = arith.addi %from, %c1 : i32
  %positions = vector.from_elements %from, %next : vector<2xi32>
  %bounds = vector.from_elements %bound, %bound : vector<2xi32>
  %mask = arith.cmpi slt, %positions, %bounds : vector<2xi32>
  return %mask : vector<2xi1>
}

// -----

// A negative difference would be a large one.
// CHECK-LABEL: func @unsigned
// CHECK-NOT:     arith.subi
// CHECK:         return
func.func @unsigned(%n: i32, %thread: i32) -> vector<2xi1> {
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %bound = arith.andi %n, %c7 : i32
  %from = arith.andi %thread, %c7 : i32
  %next = arith.addi %from, %c1 : i32
  %positions = vector.from_elements %from, %next : vector<2xi32>
  %bounds = vector.from_elements %bound, %bound : vector<2xi32>
  %mask = arith.cmpi ult, %positions, %bounds : vector<2xi32>
  return %mask : vector<2xi1>
}

// -----

// Nothing is saved, in the first; in the second positions have two bases.
// CHECK-LABEL: func @as_many_bounds
// CHECK-NOT:     arith.subi
// CHECK:         return
func.func @as_many_bounds(%n: i32, %m: i32, %thread: i32) -> (vector<2xi1>, vector<3xi1>) {
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %x = arith.andi %n, %c7 : i32
  %y = arith.andi %m, %c7 : i32
  %from = arith.andi %thread, %c7 : i32
  %next = arith.addi %from, %c1 : i32
  %positions = vector.from_elements %from, %next : vector<2xi32>
  %bounds = vector.from_elements %x, %y : vector<2xi32>
  %mask = arith.cmpi slt, %positions, %bounds : vector<2xi32>
  %three = vector.from_elements %from, %next, %y : vector<3xi32>
  %same = vector.from_elements %x, %x, %x : vector<3xi32>
  %other = arith.cmpi slt, %three, %same : vector<3xi32>
  return %mask, %other : vector<2xi1>, vector<3xi1>
}
