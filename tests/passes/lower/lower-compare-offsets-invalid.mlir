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

// -----

// Numbers that no register of positions holds, and expressions of other types.
// CHECK-LABEL: func @other_types
// CHECK-NOT:     arith.subi
// CHECK:         return
func.func @other_types(%wide: i128, %p: !llvm.ptr, %q: !llvm.ptr, %x: f128, %i: index, %bound: i32)
    -> (vector<2xi1>, vector<2xi1>, vector<2xi1>, vector<2xi1>) {
  %far = arith.constant 36893488147419103232 : i128
  %a = arith.addi %wide, %far : i128
  %b = vector.from_elements %wide, %a : vector<2xi128>
  %c = vector.from_elements %far, %far : vector<2xi128>
  %d = arith.cmpi slt, %b, %c : vector<2xi128>
  %one = arith.constant 1 : i32
  %same = llvm.icmp "eq" %p, %q : !llvm.ptr
  %e = arith.extui %same : i1 to i32
  %f = arith.addi %e, %one : i32
  %g = vector.from_elements %e, %f : vector<2xi32>
  %h = vector.from_elements %bound, %bound : vector<2xi32>
  %k = arith.cmpi slt, %g, %h : vector<2xi32>
  %less = arith.cmpf olt, %x, %x : f128
  %narrow = arith.trunci %wide : i128 to i32
  %l = arith.extui %less : i1 to i32
  %m = arith.shli %narrow, %l : i32
  %n = arith.addi %m, %one : i32
  %o = vector.from_elements %m, %n : vector<2xi32>
  %r = arith.cmpi slt, %o, %h : vector<2xi32>
  %s = arith.addi %i, %i : index
  %t = vector.from_elements %i, %s : vector<2xindex>
  %u = vector.from_elements %i, %i : vector<2xindex>
  %v = arith.cmpi slt, %t, %u : vector<2xindex>
  return %d, %k, %r, %v : vector<2xi1>, vector<2xi1>, vector<2xi1>, vector<2xi1>
}
