// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @moves_of_one_kind_merge
// CHECK-SAME: (%[[T:.*]]: tensor<1x1x4xf32>)
func.func @moves_of_one_kind_merge(%t: tensor<1x1x4xf32>) -> (tensor<3x2x4xf32>, tensor<2x2xf32>, tensor<4x1x1xf32>) {
  // CHECK-DAG: %[[B:.*]] = tile.broadcast %[[T]] : tensor<1x1x4xf32> -> tensor<3x2x4xf32>
  %0 = tile.broadcast %t : tensor<1x1x4xf32> -> tensor<1x2x4xf32>
  %1 = tile.broadcast %0 : tensor<1x2x4xf32> -> tensor<3x2x4xf32>
  // CHECK-DAG: %[[R:.*]] = tile.reshape %[[T]] : tensor<1x1x4xf32> -> tensor<2x2xf32>
  %2 = tile.reshape %t : tensor<1x1x4xf32> -> tensor<4xf32>
  %3 = tile.reshape %2 : tensor<4xf32> -> tensor<2x2xf32>
  // CHECK-DAG: %[[P:.*]] = tile.permute %[[T]] [2, 1, 0] : tensor<1x1x4xf32> -> tensor<4x1x1xf32>
  %4 = tile.permute %t [2, 0, 1] : tensor<1x1x4xf32> -> tensor<4x1x1xf32>
  %5 = tile.permute %4 [0, 2, 1] : tensor<4x1x1xf32> -> tensor<4x1x1xf32>
  // CHECK: return %[[B]], %[[R]], %[[P]]
  return %1, %3, %5 : tensor<3x2x4xf32>, tensor<2x2xf32>, tensor<4x1x1xf32>
}

// -----

// CHECK-LABEL: func.func @permutes_that_undo_each_other
// CHECK-SAME: (%[[T:.*]]: tensor<2x3x5xf32>)
func.func @permutes_that_undo_each_other(%t: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = tile.permute %t [2, 0, 1] : tensor<2x3x5xf32> -> tensor<5x2x3xf32>
  %1 = tile.permute %0 [1, 2, 0] : tensor<5x2x3xf32> -> tensor<2x3x5xf32>
  // CHECK-NEXT: return %[[T]]
  return %1 : tensor<2x3x5xf32>
}

// -----

// CHECK-LABEL: func.func @moves_of_a_full_tile
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @moves_of_a_full_tile(%x: f32) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3x1xf32>, f32, tensor<1x1xf32>) {
  %0 = tile.full %x : tensor<1x3xf32>
  // CHECK-DAG: %[[B:.*]] = tile.full %[[X]] : tensor<4x3xf32>
  %1 = tile.broadcast %0 : tensor<1x3xf32> -> tensor<4x3xf32>
  // CHECK-DAG: %[[R:.*]] = tile.full %[[X]] : tensor<3xf32>
  %2 = tile.reshape %0 : tensor<1x3xf32> -> tensor<3xf32>
  // CHECK-DAG: %[[P:.*]] = tile.full %[[X]] : tensor<3x1xf32>
  %3 = tile.permute %0 [1, 0] : tensor<1x3xf32> -> tensor<3x1xf32>
  // CHECK-DAG: %[[S:.*]] = tile.full %[[X]] : tensor<1x1xf32>
  %4 = tile.reshape %x : f32 -> tensor<1x1xf32>
  %5 = tile.reshape %4 : tensor<1x1xf32> -> f32
  // CHECK-NOT: tile.reshape
  // CHECK: return %[[B]], %[[R]], %[[P]], %[[X]], %[[S]]
  return %1, %2, %3, %5, %4 : tensor<4x3xf32>, tensor<3xf32>, tensor<3x1xf32>, f32, tensor<1x1xf32>
}

// -----

// CHECK-LABEL: func.func @conversions_of_a_full_tile
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @conversions_of_a_full_tile(%x: f32) -> (tensor<8xi16>, tensor<8xi32>, tensor<8xi1>) {
  %0 = tile.full %x : tensor<8xf32>
  // CHECK: %[[C:.*]] = tile.cast %[[X]] to_unsigned {note = "kept"} : f32 -> i16
  // CHECK: %[[CT:.*]] = tile.full %[[C]] : tensor<8xi16>
  %1 = tile.cast %0 to_unsigned {note = "kept"} : tensor<8xf32> -> tensor<8xi16>
  // CHECK: %[[B:.*]] = tile.bitcast %[[X]] : f32 -> i32
  // CHECK: %[[BT:.*]] = tile.full %[[B]] : tensor<8xi32>
  %2 = tile.bitcast %0 : tensor<8xf32> -> tensor<8xi32>
  // CHECK: %[[N:.*]] = tile.fpclass <nan> %[[X]] : f32 -> i1
  // CHECK: %[[NT:.*]] = tile.full %[[N]] : tensor<8xi1>
  %3 = tile.fpclass <nan> %0 : tensor<8xf32> -> tensor<8xi1>
  // CHECK: return %[[CT]], %[[BT]], %[[NT]]
  return %1, %2, %3 : tensor<8xi16>, tensor<8xi32>, tensor<8xi1>
}

// -----

// CHECK-LABEL: func.func @casts_after_an_exact_one_merge
// CHECK-SAME: (%[[H:.*]]: f16, %[[I:.*]]: i8)
func.func @casts_after_an_exact_one_merge(%h: f16, %i: i8) -> (bf16, i16, f64, i8, i64) {
  %0 = tile.cast %h : f16 -> f32
  // CHECK-DAG: %[[A:.*]] = tile.cast %[[H]] : f16 -> bf16
  %1 = tile.cast %0 : f32 -> bf16
  // CHECK-DAG: %[[B:.*]] = tile.cast %[[H]] to_unsigned : f16 -> i16
  %2 = tile.cast %0 to_unsigned : f32 -> i16
  %3 = tile.cast %i from_unsigned : i8 -> i32
  // CHECK-DAG: %[[C:.*]] = tile.cast %[[I]] from_unsigned : i8 -> f64
  %4 = tile.cast %3 : i32 -> f64
  %5 = tile.cast %3 : i32 -> i8
  // CHECK-DAG: %[[D:.*]] = tile.cast %[[I]] from_unsigned : i8 -> i64
  %6 = tile.cast %3 : i32 -> i64
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[I]], %[[D]]
  return %1, %2, %4, %5, %6 : bf16, i16, f64, i8, i64
}

// -----

// CHECK-LABEL: func.func @casts_after_one_that_loses_something_stay
func.func @casts_after_one_that_loses_something_stay(%x: f32, %y: f8E5M2, %i: i8) -> (f32, f8E5M2, i64) {
  // Rounds.
  // CHECK-COUNT-2: tile.cast
  %0 = tile.cast %x : f32 -> f16
  %1 = tile.cast %0 : f16 -> f32
  // Infinity becomes the largest finite value.
  // CHECK-COUNT-2: tile.cast
  %2 = tile.cast %y : f8E5M2 -> f16
  %3 = tile.cast %2 : f16 -> f8E5M2
  // A sign is read as part of the value.
  // CHECK-COUNT-2: tile.cast
  %4 = tile.cast %i : i8 -> i32
  %5 = tile.cast %4 from_unsigned : i32 -> i64
  return %1, %3, %5 : f32, f8E5M2, i64
}

// -----

// CHECK-LABEL: func.func @bitcasts_merge
// CHECK-SAME: (%[[X:.*]]: f16)
func.func @bitcasts_merge(%x: f16) -> bf16 {
  %0 = tile.bitcast %x : f16 -> i16
  // CHECK-NEXT: tile.bitcast %[[X]] : f16 -> bf16
  %1 = tile.bitcast %0 : i16 -> bf16
  return %1 : bf16
}

// -----

// CHECK-LABEL: func.func @pad_of_zero_is_no_pad
func.func @pad_of_zero_is_no_pad(%a: !tile.view<?xf32>, %b: !tile.view<?xi8>, %i: i64)
    -> (tensor<4xf32>, f32, i8, i8) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i8
  // CHECK: tile.load %{{.*}}[%{{.*}}] : !tile.view
  %0 = tile.load %a[%i] pad %zero : !tile.view<?xf32> -> tensor<4xf32>
  // CHECK: tile.gather %{{.*}}[%{{.*}}] : !tile.view
  %1 = tile.gather %a[%i] pad %zero : !tile.view<?xf32>, i64 -> f32
  // CHECK: tile.atomic_rmw <or> %{{.*}}, %{{.*}}[%{{.*}}] : i8
  %2 = tile.atomic_rmw <or> %none, %b[%i] pad %none : i8, !tile.view<?xi8>, i64 -> i8
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}] : i8
  %3 = tile.atomic_cas %none, %none, %b[%i] pad %none : i8, !tile.view<?xi8>, i64 -> i8
  return %0, %1, %2, %3 : tensor<4xf32>, f32, i8, i8
}

// -----

// CHECK-LABEL: func.func @pad_of_negative_zero_stays
func.func @pad_of_negative_zero_stays(%a: !tile.view<?xf32>, %i: i64) -> tensor<4xf32> {
  %zero = arith.constant -0.0 : f32
  // CHECK: tile.load %{{.*}}[%{{.*}}] pad %{{.*}} : !tile.view
  %0 = tile.load %a[%i] pad %zero : !tile.view<?xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @mask_of_true_is_no_mask
func.func @mask_of_true_is_no_mask(%a: !tile.view<?xi32>, %i: tensor<4xi64>, %v: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %true = arith.constant true
  %m = tile.full %true : tensor<4xi1>
  // CHECK: tile.gather %{{.*}}[%{{.*}}] : !tile.view
  %0 = tile.gather %a[%i] mask %m : !tile.view<?xi32>, tensor<4xi64>, tensor<4xi1> -> tensor<4xi32>
  // CHECK: tile.scatter %{{.*}}, %{{.*}}[%{{.*}}] : tensor
  tile.scatter %v, %a[%i] mask %m : tensor<4xi32>, !tile.view<?xi32>, tensor<4xi64>, tensor<4xi1>
  // CHECK: tile.atomic_rmw <add> %{{.*}}, %{{.*}}[%{{.*}}] : tensor
  %1 = tile.atomic_rmw <add> %v, %a[%i] mask %m : tensor<4xi32>, !tile.view<?xi32>, tensor<4xi64>, tensor<4xi1> -> tensor<4xi32>
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}] : tensor
  %2 = tile.atomic_cas %v, %v, %a[%i] mask %m : tensor<4xi32>, !tile.view<?xi32>, tensor<4xi64>, tensor<4xi1> -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @mask_of_false_leaves_the_pad
// CHECK-SAME: i64, %[[P:.*]]: i32)
func.func @mask_of_false_leaves_the_pad(%a: !tile.view<?xi32>, %i: tensor<4xi64>, %v: tensor<4xi32>, %j: i64, %p: i32)
    -> (tensor<4xi32>, tensor<4xi32>, i32) {
  %false = arith.constant false
  %m = tile.full %false : tensor<4xi1>
  // CHECK-DAG: %[[FULL:.*]] = tile.full %[[P]] : tensor<4xi32>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0> : tensor<4xi32>
  %0 = tile.gather %a[%i] mask %m pad %p : !tile.view<?xi32>, tensor<4xi64>, tensor<4xi1> -> tensor<4xi32>
  // CHECK-NOT: tile.scatter
  tile.scatter %v, %a[%i] mask %m : tensor<4xi32>, !tile.view<?xi32>, tensor<4xi64>, tensor<4xi1>
  // CHECK-NOT: tile.atomic
  %1 = tile.atomic_rmw <add> %v, %a[%i] mask %m : tensor<4xi32>, !tile.view<?xi32>, tensor<4xi64>, tensor<4xi1> -> tensor<4xi32>
  %2 = tile.atomic_cas %p, %p, %a[%j] mask %false pad %p : i32, !tile.view<?xi32>, i64, i1 -> i32
  // CHECK: return %[[FULL]], %[[ZERO]], %[[P]]
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, i32
}

// -----

// CHECK-LABEL: func.func @reduce_of_one_element_reshapes
// CHECK-SAME: (%[[X:.*]]: tensor<4x1xf32>, %[[Y:.*]]: tensor<1xi32>, %[[Z:.*]]: tensor<1xf32>)
func.func @reduce_of_one_element_reshapes(%x: tensor<4x1xf32>, %y: tensor<1xi32>, %z: tensor<1xf32>)
    -> (tensor<4xf32>, i32, f32) {
  // CHECK-DAG: %[[A:.*]] = tile.reshape %[[X]] : tensor<4x1xf32> -> tensor<4xf32>
  %0 = tile.reduce <mul> %x axis 1 : tensor<4x1xf32> -> tensor<4xf32>
  // CHECK-DAG: %[[B:.*]] = tile.reshape %[[Y]] : tensor<1xi32> -> i32
  // CHECK-DAG: %[[C:.*]] = tile.reshape %[[Z]] : tensor<1xf32> -> f32
  %1, %2 = tile.reduce %y, %z axis 0 : tensor<1xi32>, tensor<1xf32> -> i32, f32 {
  ^bb0(%a: i32, %b: f32, %c: i32, %d: f32):
    tile.yield %c, %d : i32, f32
  }
  // CHECK-NOT: tile.reduce
  // CHECK: return %[[A]], %[[B]], %[[C]]
  return %0, %1, %2 : tensor<4xf32>, i32, f32
}

// -----

// CHECK-LABEL: func.func @sum_of_one_float_stays
func.func @sum_of_one_float_stays(%x: tensor<4x1xf32>, %y: tensor<1xi32>) -> (tensor<4xf32>, i32) {
  // It makes 0.0 of -0.0.
  // CHECK: tile.reduce <add> %{{.*}} axis 1
  %0 = tile.reduce <add> %x axis 1 : tensor<4x1xf32> -> tensor<4xf32>
  // CHECK: tile.reshape
  %1 = tile.reduce <add> %y axis 0 : tensor<1xi32> -> i32
  return %0, %1 : tensor<4xf32>, i32
}

// -----

// CHECK-LABEL: func.func @assert_of_what_holds_goes
func.func @assert_of_what_holds_goes(%x: i1) {
  %true = arith.constant true
  %false = arith.constant false
  // CHECK-NOT: "holds"
  tile.assert %true, "holds"
  // CHECK: tile.assert %{{.*}}, "does not"
  tile.assert %false, "does not"
  // CHECK: tile.assert %{{.*}}, "may not"
  tile.assert %x, "may not"
  return
}

// -----

// What reads memory or nothing at all goes when unused; what writes or talks stays.

// CHECK-LABEL: func.func @unused_operations
func.func @unused_operations(%a: !tile.view<?xi32>, %i: i64, %v: i32, %t: tensor<4xi32>) {
  // CHECK-NOT: tile.load
  // CHECK-NOT: tile.gather
  // CHECK-NOT: tile.reduce
  %0 = tile.load %a[%i] : !tile.view<?xi32> -> tensor<4xi32>
  %1 = tile.gather %a[%i] : !tile.view<?xi32>, i64 -> i32
  %2 = tile.reduce <add> %t axis 0 : tensor<4xi32> -> i32
  // CHECK: tile.atomic_rmw
  %3 = tile.atomic_rmw <add> %v, %a[%i] : i32, !tile.view<?xi32>, i64 -> i32
  // CHECK: tile.print
  tile.print "here"
  return
}
