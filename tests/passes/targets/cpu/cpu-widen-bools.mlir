// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-widen-bools | FileCheck %s

// CHECK-LABEL: func @bools_are_stored_and_loaded_as_bytes(
// CHECK-SAME:    %[[C:.*]]: i1, %[[I:.*]]: index)
// CHECK:         %[[BUFFER:.*]] = memref.alloc() : memref<16xi8>
// CHECK-NEXT:    %[[BYTE:.*]] = arith.extui %[[C]] : i1 to i8
// CHECK-NEXT:    memref.store %[[BYTE]], %[[BUFFER]][%[[I]]] : memref<16xi8>
// CHECK-NEXT:    %[[LOADED:.*]] = memref.load %[[BUFFER]][%[[I]]] : memref<16xi8>
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-NEXT:    %[[BOOL:.*]] = arith.cmpi ne, %[[LOADED]], %[[ZERO]]
// CHECK-NEXT:    return %[[BOOL]]
func.func @bools_are_stored_and_loaded_as_bytes(%c: i1, %i: index) -> i1 {
  %m = memref.alloc() : memref<16xi1>
  memref.store %c, %m[%i] : memref<16xi1>
  %d = memref.load %m[%i] : memref<16xi1>
  return %d : i1
}

// -----

// CHECK-LABEL: func @parts_and_casts_follow_their_buffer(
// CHECK:         %[[BUFFER:.*]] = memref.alloc() : memref<4x4xi8>
// CHECK:         %[[PART:.*]] = memref.subview %[[BUFFER]][0, %{{.*}}] [4, 1] [1, 1] : memref<4x4xi8> to memref<4xi8, strided<[4], offset: ?>>
// CHECK:         %[[CAST:.*]] = memref.cast %[[PART]] : memref<4xi8, strided<[4], offset: ?>> to memref<?xi8, strided<[?], offset: ?>>
// CHECK:         memref.load %[[CAST]]
func.func @parts_and_casts_follow_their_buffer(%i: index) -> i1 {
  %m = memref.alloc() : memref<4x4xi1>
  %p = memref.subview %m[0, %i] [4, 1] [1, 1] : memref<4x4xi1> to memref<4xi1, strided<[4], offset: ?>>
  %q = memref.cast %p : memref<4xi1, strided<[4], offset: ?>> to memref<?xi1, strided<[?], offset: ?>>
  %d = memref.load %q[%i] : memref<?xi1, strided<[?], offset: ?>>
  return %d : i1
}

// -----

// CHECK-LABEL: func @branches_and_choices_pass_bytes_on(
// CHECK:         %[[BRANCH:.*]] = scf.if %{{.*}} -> (memref<4xi8>)
// CHECK:         %[[CHOICE:.*]] = arith.select %{{.*}}, %[[BRANCH]], %{{.*}} : memref<4xi8>
// CHECK:         memref.load %[[CHOICE]]
func.func @branches_and_choices_pass_bytes_on(%c: i1, %i: index) -> i1 {
  %a = memref.alloc() : memref<4xi1>
  %b = memref.alloc() : memref<4xi1>
  %m = scf.if %c -> (memref<4xi1>) {
    scf.yield %a : memref<4xi1>
  } else {
    scf.yield %b : memref<4xi1>
  }
  %s = arith.select %c, %m, %b : memref<4xi1>
  %d = memref.load %s[%i] : memref<4xi1>
  return %d : i1
}

// -----

// CHECK-LABEL: func @loops_carry_bytes(
// CHECK:         scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}) -> (memref<4xi8>)
// CHECK:           memref.store %{{.*}}, %[[M]]
// CHECK:         scf.while (%{{.*}} = %{{.*}}) : (memref<4xi8>) -> memref<4xi8>
// CHECK:         ^bb0(%{{.*}}: memref<4xi8>):
func.func @loops_carry_bytes(%c: i1, %n: index, %one: index) {
  %a = memref.alloc() : memref<4xi1>
  %r = scf.for %i = %one to %n step %one iter_args(%m = %a) -> (memref<4xi1>) {
    memref.store %c, %m[%i] : memref<4xi1>
    scf.yield %m : memref<4xi1>
  }
  %s = scf.while (%m = %r) : (memref<4xi1>) -> (memref<4xi1>) {
    scf.condition(%c) %m : memref<4xi1>
  } do {
  ^bb0(%m: memref<4xi1>):
    scf.yield %m : memref<4xi1>
  }
  return
}

// -----

// CHECK:       memref.global "private" constant @table : memref<4xi8> = dense<[1, 0, 1, 1]>
// CHECK-LABEL: func @a_table_of_bools_becomes_bytes(
// CHECK:         %[[TABLE:.*]] = memref.get_global @table : memref<4xi8>
// CHECK:         memref.load %[[TABLE]]
memref.global "private" constant @table : memref<4xi1> = dense<[true, false, true, true]>
func.func @a_table_of_bools_becomes_bytes(%i: index) -> i1 {
  %m = memref.get_global @table : memref<4xi1>
  %d = memref.load %m[%i] : memref<4xi1>
  return %d : i1
}

// -----

// CHECK: memref.global "private" constant @all : memref<4xi8> = dense<1>
// CHECK: memref.global "private" @later : memref<4xi8>
memref.global "private" constant @all : memref<4xi1> = dense<true>
memref.global "private" @later : memref<4xi1>

// -----

// CHECK-LABEL: func @other_buffers_stay(
// CHECK-NEXT:    %[[X:.*]] = memref.load %{{.*}} : memref<4xf32>
// CHECK-NEXT:    memref.store %[[X]]
// CHECK-NEXT:    return
func.func @other_buffers_stay(%a: memref<4xf32>, %i: index) {
  %x = memref.load %a[%i] : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  return
}
