// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-hoist-loads | FileCheck %s
//
// There is no error to pin: what a load must or should not pass stays before it.

// CHECK-LABEL: func @stores_stay_before
// CHECK:         tile.store
// CHECK-NEXT:    tile.load
func.func @stores_stay_before(%a: !tile.view<?xf32>, %t: tensor<64xf32>, %i: i64) -> tensor<64xf32> {
  tile.store %t, %a[%i] : tensor<64xf32>, !tile.view<?xf32>
  %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<64xf32>
  return %x : tensor<64xf32>
}

// -----

// CHECK-LABEL: func @so_does_what_it_uses
// CHECK:         %[[J:.*]] = arith.addi
// CHECK-NEXT:    tile.load %{{.*}}[%[[J]]]
func.func @so_does_what_it_uses(%a: !tile.view<?xf32>, %i: i64) -> tensor<64xf32> {
  %j = arith.addi %i, %i : i64
  %x = tile.load %a[%j] : !tile.view<?xf32> -> tensor<64xf32>
  return %x : tensor<64xf32>
}

// -----

// CHECK-LABEL: func @and_where_threads_meet
// CHECK:         tile.reduce
// CHECK-NEXT:    tile.load
// CHECK-NEXT:    tile.full
func.func @and_where_threads_meet(%a: !tile.view<?xf32>, %t: tensor<64xf32>, %i: i64) -> (tensor<64xf32>, tensor<64xf32>) {
  %s = tile.reduce <add> %t axis 0 : tensor<64xf32> -> f32
  %f = tile.full %s : tensor<64xf32>
  %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<64xf32>
  return %f, %x : tensor<64xf32>, tensor<64xf32>
}
