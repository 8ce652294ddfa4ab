// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-overlap-products),canonicalize,cse)' | FileCheck %s
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-overlap-products),canonicalize,cse)' --remarks-filter=lower-overlap-products --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Missed] overlap | Category:lower-overlap-products | Remark="the products of this loop's iterations do not overlap: it has no two products"

// The trip of the new loop: the next iteration's first product, then this iteration's second; what follows from the first waits
// for it alone.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    (%[[K:.*]]: !simt.ring<{{.*}}>, %[[V:.*]]: !simt.ring<{{.*}}>, %[[Q:.*]]: tensor<2x2xf32, #{{.*}}>, %[[ZERO:.*]]: tensor<2x2xf32, #{{.*}}>, %[[FROM:.*]]: i32, %[[TO:.*]]: i32, %[[STEP:.*]]: i32)
// CHECK:       %[[ANY:.*]] = arith.cmpi slt, %[[FROM]], %[[TO]]
// CHECK:       %[[RESULT:.*]] = scf.if %[[ANY]]
// CHECK:         simt.await %[[K]][%[[FROM]]]
// CHECK:         %[[S0:.*]] = simt.mma %[[Q]], %{{.*}}, %[[ZERO]]
// CHECK:         %[[T0:.*]] = simt.mma_wait 0 %[[S0]]
// CHECK:         simt.release %[[K]][%[[FROM]]]
// CHECK:         %[[P0:.*]] = math.exp2 %[[T0]]
// CHECK:         %[[SCALED0:.*]] = arith.mulf %[[ZERO]], %[[P0]]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[FROM]], %[[STEP]]
// CHECK:         %[[CARRIED:.*]]:3 = scf.for %[[I:.*]] = %[[NEXT]] to %[[TO]] step %[[STEP]] iter_args(%[[BEFORE:.*]] = %[[FROM]], %[[P:.*]] = %[[P0]], %[[SCALED:.*]] = %[[SCALED0]])
// CHECK:           simt.await %[[K]][%[[I]]]
// CHECK:           %[[B:.*]] = simt.slot %[[K]][%[[I]]] 0
// CHECK:           %[[S:.*]] = simt.mma %[[Q]], %[[B]], %[[ZERO]]
// CHECK:           simt.await %[[V]][%[[BEFORE]]]
// CHECK:           %[[C:.*]] = simt.slot %[[V]][%[[BEFORE]]] 0
// CHECK:           %[[O:.*]] = simt.mma %[[P]], %[[C]], %[[SCALED]]
// CHECK:           %[[T:.*]] = simt.mma_wait 1 %[[S]]
// CHECK:           simt.release %[[K]][%[[I]]]
// CHECK:           %[[PN:.*]] = math.exp2 %[[T]]
// CHECK:           %[[W:.*]] = simt.mma_wait 0 %[[O]]
// CHECK:           simt.release %[[V]][%[[BEFORE]]]
// CHECK:           %[[SN:.*]] = arith.mulf %[[W]], %[[PN]]
// CHECK:           scf.yield %[[I]], %[[PN]], %[[SN]]
// CHECK:         simt.await %[[V]][%[[CARRIED]]#0]
// CHECK:         %[[LAST:.*]] = simt.mma %[[CARRIED]]#1, %{{.*}}, %[[CARRIED]]#2
// CHECK:         %[[END:.*]] = simt.mma_wait 0 %[[LAST]]
// CHECK:         simt.release %[[V]][%[[CARRIED]]#0]
// CHECK:         scf.yield %[[END]]
// CHECK:       } else {
// CHECK:         scf.yield %[[ZERO]]
// CHECK:       return %[[RESULT]]
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
!ring = !simt.ring<2, tensor<2x2xf32, #rows>>
!buffer = !simt.buffer<tensor<2x2xf32, #rows>>
!tile = tensor<2x2xf32, #tile>
func.func @chain(%k: !ring, %v: !ring, %q: !tile, %zero: !tile, %from: i32, %to: i32, %step: i32) -> !tile {
  %r = scf.for %i = %from to %to step %step iter_args(%sum = %zero) -> (!tile) : i32 {
    simt.await %k[%i] : !ring
    %b = simt.slot %k[%i] 0 : !ring -> !buffer
    %s = simt.mma %q, %b, %zero : !tile, !buffer, !tile
    %t = simt.mma_wait 0 %s : !tile
    simt.release %k[%i] : !ring
    %p = math.exp2 %t : !tile
    %scaled = arith.mulf %sum, %p : !tile
    simt.await %v[%i] : !ring
    %c = simt.slot %v[%i] 0 : !ring -> !buffer
    %o = simt.mma %p, %c, %scaled : !tile, !buffer, !tile
    %w = simt.mma_wait 0 %o : !tile
    simt.release %v[%i] : !ring
    scf.yield %w : !tile
  }
  return %r : !tile
}

// -----

// One product: nothing to do meanwhile.
// CHECK-LABEL: func.func @single
// CHECK:       scf.for
// CHECK-NEXT:    simt.await
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
!ring = !simt.ring<2, tensor<2x2xf32, #rows>>
!buffer = !simt.buffer<tensor<2x2xf32, #rows>>
!tile = tensor<2x2xf32, #tile>
func.func @single(%k: !ring, %q: !tile, %zero: !tile, %from: i32, %to: i32, %step: i32) -> !tile {
  %r = scf.for %i = %from to %to step %step iter_args(%sum = %zero) -> (!tile) : i32 {
    simt.await %k[%i] : !ring
    %b = simt.slot %k[%i] 0 : !ring -> !buffer
    %s = simt.mma %q, %b, %sum : !tile, !buffer, !tile
    %t = simt.mma_wait 0 %s : !tile
    simt.release %k[%i] : !ring
    scf.yield %t : !tile
  }
  return %r : !tile
}

// -----

// Copies that start after the first product, by scalars that are computed there: they come along.
// CHECK-LABEL: func.func @copies_start_after_the_product
// CHECK-SAME:    (%[[K:[^:]*]]: !simt.ring
// CHECK:         scf.if
// CHECK:           simt.mma %
// CHECK:           %[[AHEAD:.*]] = arith.addi %{{.*}}, %{{.*}}
// CHECK:           %[[MORE:.*]] = arith.cmpi slt, %[[AHEAD]]
// CHECK:           simt.issue %[[K]][%[[AHEAD]]] if %[[MORE]]
// CHECK:           simt.mma_wait 0
// CHECK:           scf.for
// CHECK:             simt.mma %
// CHECK:             %[[NEXT:.*]] = arith.addi
// CHECK:             %[[ANY:.*]] = arith.cmpi slt, %[[NEXT]]
// CHECK:             simt.mma %
// CHECK:             simt.issue %[[K]][%[[NEXT]]] if %[[ANY]]
// CHECK:             simt.mma_wait 1
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
!ring = !simt.ring<2, tensor<2x2xf32, #rows>>
!buffer = !simt.buffer<tensor<2x2xf32, #rows>>
!tile = tensor<2x2xf32, #tile>
func.func @copies_start_after_the_product(%k: !ring, %v: !ring, %q: !tile, %zero: !tile, %from: i32, %to: i32, %step: i32, %a: !tile.view<?x?xf32>, %at: i64) -> !tile {
  %r = scf.for %i = %from to %to step %step iter_args(%sum = %zero) -> (!tile) : i32 {
    simt.await %k[%i] : !ring
    %b = simt.slot %k[%i] 0 : !ring -> !buffer
    %s = simt.mma %q, %b, %zero : !tile, !buffer, !tile
    %t = simt.mma_wait 0 %s : !tile
    simt.release %k[%i] : !ring
    %ahead = arith.addi %i, %step : i32
    %more = arith.cmpi slt, %ahead, %to : i32
    simt.issue %k[%ahead] if %more, %a[%at, %at] : !ring, !tile.view<?x?xf32>
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

// -----

// A copy whose place a product gives cannot start beside that product.
// CHECK-LABEL: func.func @copies_start_by_what_a_product_gives
// CHECK-NOT:     scf.if
// CHECK:         scf.for
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
!ring = !simt.ring<2, tensor<2x2xf32, #rows>>
!buffer = !simt.buffer<tensor<2x2xf32, #rows>>
!tile = tensor<2x2xf32, #tile>
func.func @copies_start_by_what_a_product_gives(%k: !ring, %v: !ring, %q: !tile, %zero: !tile, %from: i32, %to: i32, %step: i32, %a: !tile.view<?x?xf32>) -> !tile {
  %r = scf.for %i = %from to %to step %step iter_args(%sum = %zero) -> (!tile) : i32 {
    simt.await %k[%i] : !ring
    %b = simt.slot %k[%i] 0 : !ring -> !buffer
    %s = simt.mma %q, %b, %zero : !tile, !buffer, !tile
    %t = simt.mma_wait 0 %s : !tile
    simt.release %k[%i] : !ring
    %rows = tile.reduce <max> %t axis 0 : !tile -> tensor<2xf32, #layout.linear<register = [[1], [0]], lane = [], warp = [], block = [], shape = [2]>>
    %most = tile.reduce <max> %rows axis 0 : tensor<2xf32, #layout.linear<register = [[1], [0]], lane = [], warp = [], block = [], shape = [2]>> -> f32
    %at = tile.cast %most : f32 -> i64
    %more = arith.cmpi slt, %i, %to : i32
    simt.issue %k[%i] if %more, %a[%at, %at] : !ring, !tile.view<?x?xf32>
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
