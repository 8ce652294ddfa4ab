// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-tile-to-linalg | FileCheck %s
//
// Every move and product that passes the verifier can be lowered, so there is no error to pin: what the pass does not know
// stays.

// CHECK-LABEL: func @accesses_and_elementwise_operations_stay(
// CHECK-NEXT:    %[[T:.*]] = tile.load
// CHECK-NEXT:    %[[C:.*]] = tile.cast %[[T]]
// CHECK-NEXT:    %[[S:.*]] = arith.addi %[[C]], %[[C]]
// CHECK-NEXT:    return %[[S]]
func.func @accesses_and_elementwise_operations_stay(%a: !tile.view<?xf32>, %i: i64) -> tensor<4xi32> {
  %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32>
  %c = tile.cast %t : tensor<4xf32> -> tensor<4xi32>
  %s = arith.addi %c, %c : tensor<4xi32>
  return %s : tensor<4xi32>
}

// -----

// CHECK-LABEL: func @scalars_stay(
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i64
// CHECK:         %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ONE]] : i64
// CHECK-NEXT:    return %[[S]]
func.func @scalars_stay(%c: i1, %n: i64) -> i64 {
  %one = arith.constant 1 : i64
  %s = arith.select %c, %n, %one : i64
  return %s : i64
}
