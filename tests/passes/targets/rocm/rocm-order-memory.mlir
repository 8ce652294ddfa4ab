// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -rocm-order-memory | FileCheck %s

// CHECK-LABEL: @reads_come_right_before_their_use
func.func @reads_come_right_before_their_use(%p: !llvm.ptr<3>, %q: !llvm.ptr<3>, %c: vector<4xf32>) -> vector<4xf32> {
  %zero = arith.constant 0 : i32
  %a = llvm.load %p : !llvm.ptr<3> -> vector<4xf16>
  %elements:4 = vector.to_elements %a : vector<4xf16>
  %b = llvm.load %q : !llvm.ptr<3> -> vector<4xf16>
  // CHECK: %[[A:.*]] = llvm.load %arg0
  // CHECK-NEXT: vector.to_elements %[[A]]
  // CHECK-NEXT: %[[LEFT:.*]] = vector.from_elements
  %left = vector.from_elements %elements#0, %elements#1, %elements#2, %elements#3 : vector<4xf16>
  // CHECK-NEXT: %[[D:.*]] = rocdl.mfma.f32.16x16x16f16 %[[LEFT]], %[[LEFT]]
  %d = rocdl.mfma.f32.16x16x16f16 %left, %left, %c, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  // CHECK-NEXT: %[[B:.*]] = llvm.load %arg1
  // CHECK-NEXT: rocdl.mfma.f32.16x16x16f16 %[[B]], %[[B]], %[[D]]
  %e = rocdl.mfma.f32.16x16x16f16 %b, %b, %d, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  return %e : vector<4xf32>
}

// What is stored after a load of another tile is not computed before it.
// CHECK-LABEL: @stores_stay_behind_the_loads_of_another_tile
func.func @stores_stay_behind_the_loads_of_another_tile(%p: !llvm.ptr<1>, %q: !llvm.ptr<3>, %x: f32, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: scf.for
  %last:2 = scf.for %i = %zero to %n step %one iter_args(%a = %x, %b = %x) -> (f32, f32) {
    // CHECK: llvm.store
    llvm.store %a, %q : f32, !llvm.ptr<3>
    // CHECK-NEXT: rocdl.sched.barrier 269
    // CHECK-NEXT: llvm.load
    %c = llvm.load %p : !llvm.ptr<1> -> f32
    // CHECK-NEXT: rocdl.sched.barrier 268
    // CHECK-NEXT: arith.addf
    %s = arith.addf %b, %b : f32
    llvm.store %s, %q : f32, !llvm.ptr<3>
    // CHECK-NEXT: llvm.store
    // CHECK-NEXT: rocdl.sched.barrier 269
    // CHECK-NEXT: llvm.load
    // CHECK-NOT: rocdl.sched.barrier
    %d = llvm.load %p : !llvm.ptr<1> -> f32
    scf.yield %c, %d : f32, f32
  }
  return
}

// Bytes that are stored after a load of another tile are taken out of their words after it.
// CHECK-LABEL: @bytes_stay_in_their_words
func.func @bytes_stay_in_their_words(%p: !llvm.ptr<1>, %q: !llvm.ptr<3>, %x: f32, %y: vector<4xi8>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[B:.*]] = %{{.*}})
  %last:2 = scf.for %i = %zero to %n step %one iter_args(%a = %x, %b = %y) -> (f32, vector<4xi8>) {
    llvm.store %a, %q : f32, !llvm.ptr<3>
    %c = llvm.load %p : !llvm.ptr<1> -> f32
    // CHECK: rocdl.sched.barrier 268
    // CHECK-NEXT: %[[CAST:.*]] = vector.bitcast %[[B]] : vector<4xi8> to vector<1xi32>
    // CHECK-NEXT: %[[WORD:.*]] = vector.to_elements %[[CAST]]
    // CHECK-NEXT: %[[SAME:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "", "=v,0" %[[WORD]]
    // CHECK-NEXT: %[[BACK:.*]] = vector.from_elements %[[SAME]]
    // CHECK-NEXT: %[[HELD:.*]] = vector.bitcast %[[BACK]] : vector<1xi32> to vector<4xi8>
    // CHECK-NEXT: vector.to_elements %[[HELD]]
    %bytes:4 = vector.to_elements %b : vector<4xi8>
    %turned = vector.from_elements %bytes#3, %bytes#2, %bytes#1, %bytes#0 : vector<4xi8>
    llvm.store %turned, %q : vector<4xi8>, !llvm.ptr<3>
    %d = llvm.load %p : !llvm.ptr<1> -> vector<4xi8>
    scf.yield %c, %d : f32, vector<4xi8>
  }
  return
}
