// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-version-bounds --canonicalize --cse | FileCheck %s
// RUN: tegula-opt %s -split-input-file --lower-version-bounds --remarks-filter=lower-version-bounds --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Analysis] bounds | Category:lower-version-bounds | Remark="programs whose tiles are inside their arrays have code of their own, without masks"

#row = #layout.linear<register = [[1], [2], [4], [8]], lane = [], warp = [], block = [], shape = [16]>

// CHECK-LABEL: func @tiles_inside_are_marked
// CHECK-SAME:    %[[A:.*]]: !tile.view<?xf32>, %[[B:.*]]: !tile.view<?xf32>
// CHECK-DAG:     %[[STEP:.*]] = arith.constant 16 : i64
// CHECK:         %[[I:.*]] = tile.program_id 0
// CHECK:         %[[M:.*]] = tile.dim %[[A]], 0
// CHECK:         %[[TILES:.*]] = arith.divui %[[M]], %[[STEP]]
// CHECK:         %[[LOADS:.*]] = arith.cmpi ult, %[[I]], %[[TILES]]
// CHECK:         %[[N:.*]] = tile.dim %[[B]], 0
// CHECK:         %[[PLACES:.*]] = arith.divui %[[N]], %[[STEP]]
// CHECK:         %[[STORES:.*]] = arith.cmpi ult, %[[I]], %[[PLACES]]
// CHECK:         %[[INSIDE:.*]] = arith.andi %[[LOADS]], %[[STORES]]
// CHECK:         scf.if %[[INSIDE]] {
// CHECK:           tile.load %[[A]][%[[I]]] pad %{{.*}} {tegula.inside = array<i64: 0>}
// CHECK:           tile.reduce
// CHECK:           tile.store %{{.*}}, %[[B]][%[[I]]] {tegula.inside = array<i64: 0>}
// CHECK:         } else {
// CHECK-NOT:       tegula.inside
// CHECK:           tile.load
// CHECK:           tile.store
// CHECK:         }
func.func @tiles_inside_are_marked(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>) attributes {tegula.registers = 64 : i32, tile.kernel} {
  %pad = arith.constant 1.0 : f32
  %i = tile.program_id 0
  %x = tile.load %a[%i] pad %pad : !tile.view<?xf32> -> tensor<16xf32, #row>
  %s = tile.reduce <add> %x axis 0 : tensor<16xf32, #row> -> f32
  %t = tile.full %s : tensor<16xf32, #row>
  tile.store %t, %b[%i] : tensor<16xf32, #row>, !tile.view<?xf32>
  return
}

// -----

#row = #layout.linear<register = [[1], [2], [4], [8]], lane = [], warp = [], block = [], shape = [16]>

// The last of several tiles is asked for; the array then has 32 elements or more, so that a mask of the first 32 is true. One that
// asks for less than the 33rd is not known, and neither is one of another array.
// CHECK-LABEL: func @masks_of_what_is_inside_are_gone
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : i64
// CHECK:         %[[TILES:.*]] = arith.divui
// CHECK:         arith.cmpi ugt, %[[TILES]], %[[ONE]]
// CHECK:         scf.if
// CHECK:           %[[X:.*]] = tile.load %{{.*}} {tegula.inside = array<i64: 0>}
// CHECK:           %[[Y:.*]] = tile.load %{{.*}} {tegula.inside = array<i64: 0>}
// CHECK:           %[[SUM:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK:           %[[UNKNOWN:.*]] = arith.select %{{.*}}, %[[SUM]]
// CHECK:           %[[OTHER:.*]] = arith.select %{{.*}}, %[[UNKNOWN]]
// CHECK:           tile.reduce <add> %[[OTHER]]
// CHECK:         } else {
// CHECK:           arith.select
// CHECK:           arith.select
// CHECK:           arith.select
// CHECK:         }
func.func @masks_of_what_is_inside_are_gone(%a: !tile.view<?xf32>, %c: !tile.view<?xf32>, %b: !tile.view<?xf32>) attributes {tegula.registers = 64 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16xf32, #row>
  %next = arith.constant dense<16> : tensor<16xi32, #row>
  %after = arith.constant dense<17> : tensor<16xi32, #row>
  %x = tile.load %a[%c0] : !tile.view<?xf32> -> tensor<16xf32, #row>
  %y = tile.load %a[%c1] : !tile.view<?xf32> -> tensor<16xf32, #row>
  %n = tile.dim %a, 0 : !tile.view<?xf32>
  %most = arith.constant 64 : i64
  %clamped = arith.minsi %n, %most : i64
  %narrow = arith.trunci %clamped : i64 to i32
  %bound = tile.full %narrow : tensor<16xi32, #row>
  %k = tile.iota : tensor<16xi32, #row>
  %second = arith.addi %k, %next : tensor<16xi32, #row>
  %third = arith.addi %k, %after : tensor<16xi32, #row>
  %m = tile.dim %c, 0 : !tile.view<?xf32>
  %other = arith.minsi %m, %most : i64
  %othernarrow = arith.trunci %other : i64 to i32
  %otherbound = tile.full %othernarrow : tensor<16xi32, #row>
  %known = arith.cmpi slt, %second, %bound : tensor<16xi32, #row>
  %unknown = arith.cmpi slt, %third, %bound : tensor<16xi32, #row>
  %elsewhere = arith.cmpi slt, %k, %otherbound : tensor<16xi32, #row>
  %masked = arith.select %known, %y, %zero : tensor<16xi1, #row>, tensor<16xf32, #row>
  %sum = arith.addf %x, %masked : tensor<16xf32, #row>
  %some = arith.select %unknown, %sum, %zero : tensor<16xi1, #row>, tensor<16xf32, #row>
  %all = arith.select %elsewhere, %some, %zero : tensor<16xi1, #row>, tensor<16xf32, #row>
  %s = tile.reduce <add> %all axis 0 : tensor<16xf32, #row> -> f32
  %t = tile.full %s : tensor<16xf32, #row>
  tile.store %t, %b[%c0] : tensor<16xf32, #row>, !tile.view<?xf32>
  return
}

// -----

#row = #layout.linear<register = [[1], [2], [4], [8], [16]], lane = [], warp = [], block = [], shape = [32]>

// All tiles of a loop that starts at one of them are inside if its end is no further than the last whole tile's.
// CHECK-LABEL: func @loops_over_tiles
// CHECK-SAME:    %[[A:.*]]: !tile.view<?xf32>, %[[B:.*]]: !tile.view<?xf32>, %[[N:.*]]: i64
// CHECK:         %[[M:.*]] = tile.dim %[[A]], 0
// CHECK:         %[[TILES:.*]] = arith.divui %[[M]]
// CHECK:         arith.cmpi ule, %[[N]], %[[TILES]]
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:             tile.load %[[A]]{{.*}} {tegula.inside = array<i64: 0>}
// CHECK:         } else {
// CHECK:           scf.for
// CHECK-NOT:         tegula.inside
// CHECK:             tile.load %[[A]]
func.func @loops_over_tiles(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>, %n: i64) attributes {tegula.registers = 64 : i32, tile.kernel} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<32xf32, #row>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<32xf32, #row>) : i64 {
    %x = tile.load %a[%j] : !tile.view<?xf32> -> tensor<32xf32, #row>
    %next = arith.addf %sum, %x : tensor<32xf32, #row>
    scf.yield %next : tensor<32xf32, #row>
  }
  %s = tile.reduce <add> %r axis 0 : tensor<32xf32, #row> -> f32
  %t = tile.full %s : tensor<32xf32, #row>
  tile.store %t, %b[%c0] : tensor<32xf32, #row>, !tile.view<?xf32>
  return
}
