// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -cse -loop-invariant-code-motion -split-input-file | FileCheck %s

// What upstream passes may do with the operations: merge, hoist, or leave in place.

// CHECK-LABEL: func.func @equal_loads_merge
func.func @equal_loads_merge(%a: !tile.view<?xf32>, %i: i64) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[T:.*]] = tile.load
  // CHECK-NOT: tile.load
  %0 = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32>
  %1 = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32>
  // CHECK: return %[[T]], %[[T]]
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @loads_with_a_write_between_stay
func.func @loads_with_a_write_between_stay(%a: !tile.view<?xf32>, %i: i64, %v: f32) -> (f32, f32, f32) {
  // CHECK: tile.gather
  %0 = tile.gather %a[%i] : !tile.view<?xf32>, i64 -> f32
  tile.scatter %v, %a[%i] : f32, !tile.view<?xf32>, i64
  // CHECK: tile.gather
  %1 = tile.gather %a[%i] : !tile.view<?xf32>, i64 -> f32
  %old = tile.atomic_rmw <add> %v, %a[%i] : f32, !tile.view<?xf32>, i64 -> f32
  // CHECK: tile.gather
  %2 = tile.gather %a[%i] : !tile.view<?xf32>, i64 -> f32
  return %0, %1, %2 : f32, f32, f32
}

// -----

// CHECK-LABEL: func.func @equal_atomics_and_messages_stay
func.func @equal_atomics_and_messages_stay(%a: !tile.view<?xi32>, %i: i64, %v: i32, %c: i1) -> (i32, i32) {
  // CHECK-COUNT-2: tile.atomic_rmw
  %0 = tile.atomic_rmw <add> %v, %a[%i] : i32, !tile.view<?xi32>, i64 -> i32
  %1 = tile.atomic_rmw <add> %v, %a[%i] : i32, !tile.view<?xi32>, i64 -> i32
  // CHECK-COUNT-2: tile.print
  tile.print "again"
  tile.print "again"
  // CHECK-COUNT-2: tile.assert
  tile.assert %c, "again"
  tile.assert %c, "again"
  return %0, %1 : i32, i32
}

// -----

// CHECK-LABEL: func.func @what_only_computes_leaves_a_loop
func.func @what_only_computes_leaves_a_loop(%a: !tile.view<?xf32>, %t: tensor<4x4xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // CHECK-DAG: tile.program_id
  // CHECK-DAG: tile.dot
  // CHECK-DAG: tile.reduce <max>
  // CHECK-DAG: tile.reduce %{{.*}} axis 0
  // CHECK-DAG: tile.cast
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i64 {
    %p = tile.program_id 0
    %d = tile.dot %t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    %r = tile.reduce <max> %d axis 1 : tensor<4x4xf32> -> tensor<4xf32>
    %s = tile.reduce %r axis 0 : tensor<4xf32> -> f32 {
    ^bb0(%x: f32, %y: f32):
      %z = arith.mulf %x, %y : f32
      tile.yield %z : f32
    }
    %q = tile.cast %p : i64 -> f32
    // CHECK-NEXT: tile.cast
    // CHECK-NEXT: arith.addf
    // CHECK-NEXT: arith.addf
    // CHECK-NEXT: tile.full
    // CHECK-NEXT: tile.store
    %u = tile.cast %i : i64 -> f32
    %v = arith.addf %s, %u : f32
    %w = arith.addf %v, %q : f32
    %o = tile.full %w : tensor<4xf32>
    tile.store %o, %a[%i] : tensor<4xf32>, !tile.view<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @what_reads_memory_or_talks_stays_in_a_loop
func.func @what_reads_memory_or_talks_stays_in_a_loop(%a: !tile.view<?xf32>, %t: tensor<4xf32>, %n: i64, %c: i1) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i64 {
    // CHECK: tile.load
    %0 = tile.load %a[%c0] : !tile.view<?xf32> -> tensor<4xf32>
    tile.store %0, %a[%i] : tensor<4xf32>, !tile.view<?xf32>
    // A combiner that reads memory makes its reduction do so.
    // CHECK: tile.reduce
    %1 = tile.reduce %t axis 0 : tensor<4xf32> -> f32 {
    ^bb0(%x: f32, %y: f32):
      %z = tile.gather %a[%c0] : !tile.view<?xf32>, i64 -> f32
      tile.yield %z : f32
    }
    tile.scatter %1, %a[%i] : f32, !tile.view<?xf32>, i64
    // CHECK: tile.assert
    tile.assert %c, "in the loop"
  }
  return
}
