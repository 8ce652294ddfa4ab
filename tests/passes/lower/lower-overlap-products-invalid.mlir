// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-overlap-products))' | FileCheck %s

// Loops that keep their order; the pass has no errors.

// The products are independent: neither waits for something computed from the other.
// CHECK-LABEL: func.func @independent
// CHECK-NOT:   scf.if
// CHECK-NOT:   simt.mma_wait 1
// CHECK:       return
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
!ring = !simt.ring<2, tensor<2x2xf32, #rows>>
!two = !simt.ring<2, tensor<2x2xf32, #rows>, tensor<2x2xf32, #rows>>
!buffer = !simt.buffer<tensor<2x2xf32, #rows>>
!tile = tensor<2x2xf32, #tile>
func.func @independent(%k: !ring, %v: !ring, %q: !tile, %zero: !tile, %from: i32, %to: i32, %step: i32) -> (!tile, !tile) {
  %r:2 = scf.for %i = %from to %to step %step iter_args(%x = %zero, %y = %zero) -> (!tile, !tile) : i32 {
    simt.await %k[%i] : !ring
    %b = simt.slot %k[%i] 0 : !ring -> !buffer
    %s = simt.mma %q, %b, %x : !tile, !buffer, !tile
    %t = simt.mma_wait 0 %s : !tile
    simt.release %k[%i] : !ring
    simt.await %v[%i] : !ring
    %c = simt.slot %v[%i] 0 : !ring -> !buffer
    %o = simt.mma %q, %c, %y : !tile, !buffer, !tile
    %w = simt.mma_wait 0 %o : !tile
    simt.release %v[%i] : !ring
    scf.yield %t, %w : !tile, !tile
  }
  return %r#0, %r#1 : !tile, !tile
}

// -----

// One ring for both: its slot would be given back, and asked for, in two parts of the trip.
// CHECK-LABEL: func.func @one_ring
// CHECK-NOT:   scf.if
// CHECK-NOT:   simt.mma_wait 1
// CHECK:       return
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
!ring = !simt.ring<2, tensor<2x2xf32, #rows>>
!two = !simt.ring<2, tensor<2x2xf32, #rows>, tensor<2x2xf32, #rows>>
!buffer = !simt.buffer<tensor<2x2xf32, #rows>>
!tile = tensor<2x2xf32, #tile>
func.func @one_ring(%k: !two, %q: !tile, %zero: !tile, %from: i32, %to: i32, %step: i32) -> !tile {
  %r = scf.for %i = %from to %to step %step iter_args(%sum = %zero) -> (!tile) : i32 {
    simt.await %k[%i] : !two
    %b = simt.slot %k[%i] 0 : !two -> !buffer
    %s = simt.mma %q, %b, %zero : !tile, !buffer, !tile
    %t = simt.mma_wait 0 %s : !tile
    %c = simt.slot %k[%i] 1 : !two -> !buffer
    %o = simt.mma %t, %c, %sum : !tile, !buffer, !tile
    %w = simt.mma_wait 0 %o : !tile
    simt.release %k[%i] : !two
    scf.yield %w : !tile
  }
  return %r : !tile
}

// -----

// The next iteration's first product needs this one's second.
// CHECK-LABEL: func.func @recurrence
// CHECK-NOT:   scf.if
// CHECK-NOT:   simt.mma_wait 1
// CHECK:       return
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
!ring = !simt.ring<2, tensor<2x2xf32, #rows>>
!two = !simt.ring<2, tensor<2x2xf32, #rows>, tensor<2x2xf32, #rows>>
!buffer = !simt.buffer<tensor<2x2xf32, #rows>>
!tile = tensor<2x2xf32, #tile>
func.func @recurrence(%k: !ring, %v: !ring, %zero: !tile, %from: i32, %to: i32, %step: i32) -> !tile {
  %r = scf.for %i = %from to %to step %step iter_args(%state = %zero) -> (!tile) : i32 {
    simt.await %k[%i] : !ring
    %b = simt.slot %k[%i] 0 : !ring -> !buffer
    %s = simt.mma %state, %b, %zero : !tile, !buffer, !tile
    %t = simt.mma_wait 0 %s : !tile
    simt.release %k[%i] : !ring
    simt.await %v[%i] : !ring
    %c = simt.slot %v[%i] 0 : !ring -> !buffer
    %o = simt.mma %t, %c, %zero : !tile, !buffer, !tile
    %w = simt.mma_wait 0 %o : !tile
    simt.release %v[%i] : !ring
    scf.yield %w : !tile
  }
  return %r : !tile
}

// -----

// Other programs' products run meanwhile.
// CHECK-LABEL: func.func @takes_turns
// CHECK-NOT:   scf.if
// CHECK-NOT:   simt.mma_wait 1
// CHECK:       return
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
!ring = !simt.ring<2, tensor<2x2xf32, #rows>>
!buffer = !simt.buffer<tensor<2x2xf32, #rows>>
!tile = tensor<2x2xf32, #tile>
func.func @takes_turns(%k: !ring, %v: !ring, %q: !tile, %zero: !tile, %from: i32, %to: i32, %step: i32) -> !tile attributes {tegula.takes_turns} {
  %r = scf.for %i = %from to %to step %step iter_args(%sum = %zero) -> (!tile) : i32 {
    simt.await %k[%i] : !ring
    %b = simt.slot %k[%i] 0 : !ring -> !buffer
    %s = simt.mma %q, %b, %zero : !tile, !buffer, !tile
    %t = simt.mma_wait 0 %s : !tile
    simt.release %k[%i] : !ring
    %p = math.exp2 %t : !tile
    simt.await %v[%i] : !ring
    %c = simt.slot %v[%i] 0 : !ring -> !buffer
    %o = simt.mma %p, %c, %sum : !tile, !buffer, !tile
    %w = simt.mma_wait 0 %o : !tile
    simt.release %v[%i] : !ring
    scf.yield %w : !tile
  }
  return %r : !tile
}
