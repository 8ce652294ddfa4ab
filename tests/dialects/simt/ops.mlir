// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s | tegula-opt | FileCheck %s

#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
#columns = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1, 0], [0, 1]], shape = [2, 2]>
#batch = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 0, 1], [0, 1, 0]], shape = [1, 2, 2]>
#thread = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
!buffer = !simt.buffer<tensor<2x2xf32, #rows>>
!ring = !simt.ring<3, tensor<2x2xf32, #rows>, tensor<2x2xf32, #columns>>

// CHECK-LABEL: func.func @ring_of_two_tiles
func.func @ring_of_two_tiles(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %i: i64, %k: i32, %more: i1) -> tensor<2x2xf32, #thread> {
  // CHECK: %[[RING:.*]] = simt.ring "async" at 1024 : !simt.ring<3, tensor<2x2xf32, #{{.*}}>, tensor<2x2xf32, #{{.*}}>>
  %ring = simt.ring "async" at 1024 : !ring
  // CHECK: simt.issue %[[RING]][%{{.*}}] if %{{.*}}, %arg0, %arg1[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : !simt.ring
  simt.issue %ring[%k] if %more, %a, %b[%i, %i, %i, %i] : !ring, !tile.view<?x?xf32>, !tile.view<?x?xf32>
  // CHECK: simt.issue %[[RING]]{{.*}} maps [0, 1] :
  simt.issue %ring[%k] if %more, %a, %b[%i, %i, %i, %i] maps [0, 1] : !ring, !tile.view<?x?xf32>, !tile.view<?x?xf32>
  // CHECK: simt.await %[[RING]][%{{.*}}] : !simt.ring
  simt.await %ring[%k] : !ring
  // CHECK: %[[SLOT:.*]] = simt.slot %[[RING]][%{{.*}}] 0 : !simt.ring<{{.*}}> -> !simt.buffer
  %slot = simt.slot %ring[%k] 0 : !ring -> !buffer
  // CHECK: %[[READ:.*]] = simt.read %[[SLOT]] : !simt.buffer<{{.*}}> -> tensor<2x2xf32, #
  %read = simt.read %slot : !buffer -> tensor<2x2xf32, #thread>
  // CHECK: simt.write %[[READ]] to %[[SLOT]] : tensor<2x2xf32, #{{.*}}>, !simt.buffer
  simt.write %read to %slot : tensor<2x2xf32, #thread>, !buffer
  // CHECK: simt.release %[[RING]][%{{.*}}] : !simt.ring
  simt.release %ring[%k] : !ring
  // CHECK: return %[[READ]]
  return %read : tensor<2x2xf32, #thread>
}

// CHECK-LABEL: func.func @product
func.func @product(%a: !buffer, %acc: tensor<2x2xf32, #thread>) -> tensor<2x2xf32, #thread> {
  // CHECK: %[[T:.*]] = simt.permute %arg0 [1, 0] : !simt.buffer<{{.*}}> -> !simt.buffer<{{.*}}>
  %t = simt.permute %a [1, 0] : !buffer -> !simt.buffer<tensor<2x2xf32, #columns>>
  // CHECK: %[[P:.*]] = simt.mma %arg0, %[[T]], %arg1 : !simt.buffer<{{.*}}>, !simt.buffer<{{.*}}>, tensor<2x2xf32, #
  %p = simt.mma %a, %t, %acc : !buffer, !simt.buffer<tensor<2x2xf32, #columns>>, tensor<2x2xf32, #thread>
  // CHECK: simt.mma_wait 0 %[[P]] : tensor<2x2xf32, #
  %w = simt.mma_wait 0 %p : tensor<2x2xf32, #thread>
  return %w : tensor<2x2xf32, #thread>
}

// CHECK-LABEL: func.func @buffer_without_extents_of_one
func.func @buffer_without_extents_of_one(%a: !simt.buffer<tensor<1x2x2xf32, #batch>>) -> !buffer {
  // CHECK: simt.reshape %arg0 : !simt.buffer<tensor<1x2x2xf32, #{{.*}}>> -> !simt.buffer<tensor<2x2xf32, #{{.*}}>>
  %t = simt.reshape %a : !simt.buffer<tensor<1x2x2xf32, #batch>> -> !buffer
  return %t : !buffer
}

// CHECK-LABEL: func.func @held
func.func @held(%t: tensor<2x2xf32, #thread>) -> tensor<2x2xf32, #thread> {
  // CHECK: %[[B:.*]] = simt.reserve at 1024 : !simt.buffer<
  %b = simt.reserve at 1024 : !buffer
  simt.write %t to %b : tensor<2x2xf32, #thread>, !buffer
  // CHECK: simt.renew %arg0 : tensor<2x2xf32, #
  %r = simt.renew %t : tensor<2x2xf32, #thread>
  return %r : tensor<2x2xf32, #thread>
}
