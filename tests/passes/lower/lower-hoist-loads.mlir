// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-hoist-loads | FileCheck %s
// RUN: tegula-opt %s -split-input-file --lower-hoist-loads --remarks-filter=lower-hoist-loads --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Analysis] loads | Category:lower-hoist-loads | Remark="this tile is asked for earlier, before line {{[0-9]+}} is computed"

// CHECK-LABEL: func @loads_are_on_their_way_together
// CHECK:         %[[X:.*]] = tile.load
// CHECK-NEXT:    %[[Y:.*]] = tile.load
// CHECK-NEXT:    arith.mulf %[[X]], %[[X]]
// CHECK-NEXT:    arith.addf %{{.*}}, %[[Y]]
func.func @loads_are_on_their_way_together(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>, %i: i64) -> tensor<64xf32> {
  %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %s = arith.mulf %x, %x : tensor<64xf32>
  %y = tile.load %b[%i] : !tile.view<?xf32> -> tensor<64xf32>
  %t = arith.addf %s, %y : tensor<64xf32>
  return %t : tensor<64xf32>
}

// -----

// CHECK-LABEL: func @in_loops_too
// CHECK:         scf.for
// CHECK-NEXT:      tile.load
// CHECK-NEXT:      arith.mulf
func.func @in_loops_too(%a: !tile.view<?xf32>, %n: i64, %start: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %start) -> (tensor<64xf32>) : i64 {
    %q = arith.mulf %s, %s : tensor<64xf32>
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<64xf32>
    %t = arith.addf %q, %x : tensor<64xf32>
    scf.yield %t : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// -----

// A ring and its first copies, with the scalars that these need, come before what threads load themselves.
// CHECK-LABEL: func @copies_start_first
// CHECK:         %[[RING:.*]] = simt.ring
// CHECK:         %[[ANY:.*]] = arith.cmpi
// CHECK:         %[[J:.*]] = arith.addi
// CHECK:         simt.issue %[[RING]][%{{.*}}] if %[[ANY]], %{{.*}}[%[[J]], %{{.*}}]
// CHECK:         tile.load
// CHECK:         simt.await
#tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
!ring = !simt.ring<2, tensor<2x2xf32, #rows>>
func.func @copies_start_first(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %i: i64, %n: i64) -> tensor<2x2xf32, #tile> {
  %number = arith.constant 0 : i32
  %x = tile.load %a[%i, %i] : !tile.view<?x?xf32> -> tensor<2x2xf32, #tile>
  %y = arith.mulf %x, %x : tensor<2x2xf32, #tile>
  %ring = simt.ring "async" at 0 : !ring
  %any = arith.cmpi slt, %i, %n : i64
  %j = arith.addi %i, %n : i64
  simt.issue %ring[%number] if %any, %b[%j, %i] : !ring, !tile.view<?x?xf32>
  simt.await %ring[%number] : !ring
  return %y : tensor<2x2xf32, #tile>
}
