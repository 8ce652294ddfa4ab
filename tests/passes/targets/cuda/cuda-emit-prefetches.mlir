// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --cuda-emit-prefetches | FileCheck %s

// 132 multiprocessors with 1024 threads each.
// CHECK-LABEL: func.func @the_row_of_the_program_that_begins_next
// CHECK-SAME:    %[[X:[^:]*]]: !llvm.ptr<1>, %[[M:[^:]*]]: i64, %[[N:[^:]*]]: i64, %[[S:[^:]*]]: i64, %{{[^:]*}}: i64, %[[GX:[^:]*]]: i32
// CHECK-NOT:     tegula.prefetch
// CHECK:         %[[P:.*]] = arith.remui %{{.*}}, %[[GX]] : i32
// CHECK:         %[[DISTANCE:.*]] = arith.constant 528 : i32
// CHECK:         %[[NEXT:.*]] = arith.addi %[[P]], %[[DISTANCE]] : i32
// CHECK:         %[[EXISTS:.*]] = arith.cmpi ult, %[[NEXT]], %[[GX]] : i32
// CHECK:         %[[BOTH:.*]] = arith.andi %[[EXISTS]], %{{.*}} : i1
// CHECK:         scf.if %[[BOTH]] {
// CHECK:           %[[WIDE:.*]] = arith.extui %[[NEXT]] : i32 to i64
// What the row has of the tile's columns, in whole pieces.
// CHECK:           arith.minsi %[[N]], %{{.*}} : i64
// CHECK:           arith.constant -16 : i64
// CHECK:           %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW:.*]], %[[M]] : i64
// CHECK:           scf.if
// CHECK:             arith.muli %[[ROW]], %[[S]] : i64
// CHECK:             %[[PLACE:.*]] = llvm.getelementptr %[[X]][
// CHECK:             llvm.inline_asm has_side_effects {{.*}}"cp.async.bulk.prefetch.L2.global [$0], $1;", "l,r" %[[PLACE]],
func.func @the_row_of_the_program_that_begins_next(
    %x: !llvm.ptr<1>, %m: i64, %n: i64, %s: i64, %one: i64, %gx: i32, %gy: i32, %gz: i32, %messages: !llvm.ptr<1>)
    attributes {tegula.num_warps = 8 : i32, tegula.prefetch = [array<i64: 0, 1, 2048, 4>]} {
  return
}

// CHECK-LABEL: func.func @one_large_program_on_each_multiprocessor
// CHECK:         arith.constant 132 : i32
// CHECK-COUNT-2: cp.async.bulk.prefetch
func.func @one_large_program_on_each_multiprocessor(
    %x: !llvm.ptr<1>, %m: i64, %n: i64, %s: i64, %one: i64, %gx: i32, %gy: i32, %gz: i32, %messages: !llvm.ptr<1>)
    attributes {tegula.num_warps = 32 : i32, tegula.prefetch = [array<i64: 0, 2, 16384, 4>]} {
  return
}

// CHECK-LABEL: func.func @nothing_to_fetch
// CHECK-NEXT:    return
func.func @nothing_to_fetch() {
  return
}
