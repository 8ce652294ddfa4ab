// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -canonicalize -split-input-file | FileCheck %s

// test_folders.py checks the values of elementwise folds on all types; here are their forms.

// CHECK-LABEL: func.func @stride_that_the_type_states
func.func @stride_that_the_type_states(%a: !tile.view<?x?xf32, strides = [?, -3]>) -> (i64, i64) {
  // CHECK-DAG: %[[KNOWN:.*]] = arith.constant -3 : i64
  // CHECK-DAG: %[[UNKNOWN:.*]] = tile.stride %{{.*}}, 0
  %0 = tile.stride %a, 0 : !tile.view<?x?xf32, strides = [?, -3]>
  %1 = tile.stride %a, 1 : !tile.view<?x?xf32, strides = [?, -3]>
  // CHECK: return %[[UNKNOWN]], %[[KNOWN]]
  return %0, %1 : i64, i64
}

// -----

// CHECK-LABEL: func.func @full_of_a_constant
func.func @full_of_a_constant() -> (tensor<2x3xf32>, tensor<4xi1>) {
  %x = arith.constant -0.0 : f32
  %y = arith.constant true
  // CHECK-DAG: arith.constant dense<-0.000000e+00> : tensor<2x3xf32>
  %0 = tile.full %x : tensor<2x3xf32>
  // CHECK-DAG: arith.constant dense<true> : tensor<4xi1>
  %1 = tile.full %y : tensor<4xi1>
  // CHECK-NOT: tile.full
  return %0, %1 : tensor<2x3xf32>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func.func @full_of_poison_stays
func.func @full_of_poison_stays() -> (tensor<4xf32>, i1) {
  // Parsing an operation of arith loads ub, which it depends on.
  %y = arith.constant true
  %x = ub.poison : f32
  // CHECK: tile.full
  %0 = tile.full %x : tensor<4xf32>
  return %0, %y : tensor<4xf32>, i1
}

// -----

// CHECK-LABEL: func.func @iota_of_one_element
func.func @iota_of_one_element() -> (tensor<1xi16>, tensor<2xi16>) {
  // CHECK-DAG: arith.constant dense<0> : tensor<1xi16>
  %0 = tile.iota : tensor<1xi16>
  // CHECK-DAG: tile.iota : tensor<2xi16>
  %1 = tile.iota : tensor<2xi16>
  return %0, %1 : tensor<1xi16>, tensor<2xi16>
}

// -----

// CHECK-LABEL: func.func @moves_that_change_nothing
// CHECK-SAME: (%[[T:.*]]: tensor<2x3xf32>, %[[X:.*]]: f32)
func.func @moves_that_change_nothing(%t: tensor<2x3xf32>, %x: f32)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, f32) {
  %0 = tile.broadcast %t : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = tile.reshape %t : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = tile.permute %t [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = tile.concat %t axis 1 : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = tile.reshape %x : f32 -> f32
  // CHECK-NEXT: return %[[T]], %[[T]], %[[T]], %[[T]], %[[X]]
  return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, f32
}

// -----

// CHECK-LABEL: func.func @moves_of_splats
func.func @moves_of_splats() -> (tensor<4x3xf32>, f32, tensor<3x1xf32>, tensor<3xf32>) {
  %t = arith.constant dense<2.0> : tensor<1x3xf32>
  %u = arith.constant dense<4.0> : tensor<1x1xf32>
  %v = arith.constant dense<5.0> : tensor<3x2xf32>
  // CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<4x3xf32>
  %0 = tile.broadcast %t : tensor<1x3xf32> -> tensor<4x3xf32>
  // CHECK-DAG: arith.constant 4.000000e+00 : f32
  %1 = tile.reshape %u : tensor<1x1xf32> -> f32
  // CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<3x1xf32>
  %2 = tile.permute %t [1, 0] : tensor<1x3xf32> -> tensor<3x1xf32>
  // CHECK-DAG: arith.constant dense<5.000000e+00> : tensor<3xf32>
  %3, %4 = tile.split %v : tensor<3x2xf32> -> tensor<3xf32>
  // CHECK-NOT: tile.
  return %0, %1, %2, %3 : tensor<4x3xf32>, f32, tensor<3x1xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @reshape_of_a_constant
func.func @reshape_of_a_constant() -> tensor<2x2xi32> {
  %t = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  // CHECK: arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = tile.reshape %t : tensor<4xi32> -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

// CHECK-LABEL: func.func @join_and_split_undo_each_other
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4x2xf32>)
func.func @join_and_split_undo_each_other(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4x2xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>) {
  %0 = tile.join %a, %b : tensor<4xf32> -> tensor<4x2xf32>
  %1, %2 = tile.split %0 : tensor<4x2xf32> -> tensor<4xf32>
  %3, %4 = tile.split %c : tensor<4x2xf32> -> tensor<4xf32>
  %5 = tile.join %3, %4 : tensor<4xf32> -> tensor<4x2xf32>
  // CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
  return %1, %2, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>
}

// -----

// CHECK-LABEL: func.func @join_in_another_order_stays
func.func @join_in_another_order_stays(%c: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0, %1 = tile.split %c : tensor<4x2xf32> -> tensor<4xf32>
  // CHECK: tile.join
  %2 = tile.join %1, %0 : tensor<4xf32> -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// -----

// CHECK-LABEL: func.func @one_element_along_the_axis
// CHECK-SAME: (%[[X:.*]]: tensor<4x1xf32>)
func.func @one_element_along_the_axis(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4xi64>) {
  // CHECK-DAG: %[[I:.*]] = arith.constant dense<0> : tensor<4xi64>
  %0 = tile.scan <add> %x axis 1 : tensor<4x1xf32> -> tensor<4x1xf32>
  %1 = tile.arg_reduce <max> %x axis 1 : tensor<4x1xf32> -> tensor<4xi64>
  // CHECK: return %[[X]], %[[I]]
  return %0, %1 : tensor<4x1xf32>, tensor<4xi64>
}

// -----

// CHECK-LABEL: func.func @identities_of_integers
// CHECK-SAME: (%[[X:.*]]: tensor<4xi32>)
func.func @identities_of_integers(%x: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = arith.constant dense<0> : tensor<4xi32>
  %one = arith.constant dense<1> : tensor<4xi32>
  %0 = tile.floordiv %x, %one : tensor<4xi32>
  %1 = tile.shl %x, %zero : tensor<4xi32>
  %2 = tile.shr %x, %zero : tensor<4xi32>
  %3 = tile.ipow %x, %one : tensor<4xi32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]]
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func.func @integers_that_are_always_0
func.func @integers_that_are_always_0(%x: i32) -> (i32, i32, i32, i32, i32, i32, i32) {
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = tile.floordiv %zero, %x : i32
  %1 = tile.floormod %zero, %x : i32
  %2 = tile.floormod %x, %zero : i32
  %3 = tile.floormod %x, %one : i32
  %4 = tile.floormod %x, %x : i32
  %5 = tile.shl %zero, %x : i32
  %6 = tile.shr %zero, %x : i32
  // CHECK-NEXT: return %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]
  return %0, %1, %2, %3, %4, %5, %6 : i32, i32, i32, i32, i32, i32, i32
}

// -----

// Constants become `f(operands)` whether scalar, splat or neither.

// CHECK-LABEL: func.func @arithmetic_on_constants
func.func @arithmetic_on_constants() -> (i32, tensor<4xi32>, tensor<2xi32>, tensor<2xi32>) {
  %a = arith.constant -7 : i32
  %b = arith.constant 2 : i32
  %c = arith.constant dense<-7> : tensor<4xi32>
  %d = arith.constant dense<2> : tensor<4xi32>
  %e = arith.constant dense<[-7, 7]> : tensor<2xi32>
  %f = arith.constant dense<2> : tensor<2xi32>
  // CHECK-DAG: arith.constant -4 : i32
  %0 = tile.floordiv %a, %b : i32
  // CHECK-DAG: arith.constant dense<1> : tensor<4xi32>
  %1 = tile.floormod %c, %d : tensor<4xi32>
  // CHECK-DAG: arith.constant dense<[-2, 1]> : tensor<2xi32>
  %2 = tile.shr %e, %f : tensor<2xi32>
  // CHECK-DAG: arith.constant dense<49> : tensor<2xi32>
  %3 = tile.ipow %e, %f : tensor<2xi32>
  // CHECK-NOT: tile.
  return %0, %1, %2, %3 : i32, tensor<4xi32>, tensor<2xi32>, tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @conversions_of_constants
func.func @conversions_of_constants() -> (f8E4M3FN, tensor<4xi8>, tensor<2xi32>, i1) {
  %a = arith.constant 1.0e6 : f32
  %b = arith.constant dense<-3.5> : tensor<4xf64>
  %c = arith.constant dense<[1.0, -2.0]> : tensor<2xf32>
  // CHECK-DAG: arith.constant 4.480000e+02 : f8E4M3FN
  %0 = tile.cast %a : f32 -> f8E4M3FN
  // CHECK-DAG: arith.constant dense<-3> : tensor<4xi8>
  %1 = tile.cast %b : tensor<4xf64> -> tensor<4xi8>
  // CHECK-DAG: arith.constant dense<[1065353216, -1073741824]> : tensor<2xi32>
  %2 = tile.bitcast %c : tensor<2xf32> -> tensor<2xi32>
  // CHECK-DAG: arith.constant true
  %3 = tile.fpclass <finite> %a : f32 -> i1
  // CHECK-NOT: tile.
  return %0, %1, %2, %3 : f8E4M3FN, tensor<4xi8>, tensor<2xi32>, i1
}

// -----

// CHECK-LABEL: func.func @conversions_that_change_nothing
// CHECK-SAME: (%[[X:.*]]: tensor<4xi32>)
func.func @conversions_that_change_nothing(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = tile.cast %x from_unsigned : tensor<4xi32> -> tensor<4xi32>
  %1 = tile.bitcast %x : tensor<4xi32> -> tensor<4xi32>
  %2 = tile.bitcast %x : tensor<4xi32> -> tensor<4xf32>
  %3 = tile.bitcast %2 : tensor<4xf32> -> tensor<4xi32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
  return %0, %1, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// Poison is not a value of the language: operations on it stay.

// CHECK-LABEL: func.func @operations_on_poison_stay
func.func @operations_on_poison_stay(%x: i32) -> (i32, f32) {
  %five = arith.constant 5 : i32
  %p = ub.poison : i32
  // CHECK: tile.floordiv
  %0 = tile.floordiv %p, %five : i32
  // CHECK: tile.cast
  %1 = tile.cast %p : i32 -> f32
  return %0, %1 : i32, f32
}

// -----

// CHECK-LABEL: func.func @take_from_zeros
// CHECK-SAME: (%[[I:.*]]: tensor<8xi64>)
func.func @take_from_zeros(%i: tensor<8xi64>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  // An index out of range gives zero: another splat does not stay one.
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  // CHECK-DAG: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf32>
  %0 = tile.take %zeros[%i] axis 0 : tensor<4xf32>, tensor<8xi64> -> tensor<8xf32>
  // CHECK: %[[T:.*]] = tile.take
  %1 = tile.take %ones[%i] axis 0 : tensor<4xf32>, tensor<8xi64> -> tensor<8xf32>
  // CHECK: return %[[Z]], %[[T]]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
