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

// -----

// What a copy needs of the loaded tile keeps it after the load; a store keeps it after the store.
// CHECK-LABEL: func @copies_stay
// CHECK:         tile.load
// CHECK:         tile.store
// CHECK:         simt.ring
// CHECK:         tile.load
// CHECK:         tile.reduce
// CHECK:         simt.issue
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
#line = #layout.linear<register = [[1]], lane = [], warp = [], block = [], shape = [2]>
#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
!ring = !simt.ring<2, tensor<2x2xf32, #rows>>
func.func @copies_stay(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %d: !tile.view<?xi64>, %i: i64) {
  %number = arith.constant 0 : i32
  %any = arith.constant true
  %x = tile.load %a[%i, %i] : !tile.view<?x?xf32> -> tensor<2x2xf32, #tile>
  tile.store %x, %a[%i, %i] : tensor<2x2xf32, #tile>, !tile.view<?x?xf32>
  %ring = simt.ring "async" at 0 : !ring
  %where = tile.load %d[%i] : !tile.view<?xi64> -> tensor<2xi64, #line>
  %j = tile.reduce <add> %where axis 0 : tensor<2xi64, #line> -> i64
  simt.issue %ring[%number] if %any, %b[%j, %i] : !ring, !tile.view<?x?xf32>
  return
}
