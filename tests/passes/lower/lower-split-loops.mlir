// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-split-loops | FileCheck %s
// RUN: tegula-opt %s -split-input-file --lower-split-loops --remarks-filter=lower-split-loops --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Analysis] bounds | Category:lower-split-loops | Remark="iterations whose tiles are inside their arrays have a loop of their own, without masks"

#a = #layout.linear<register = [[0, 1]], lane = [], warp = [], block = [], shape = [1, 2]>
#b = #layout.linear<register = [[1, 0]], lane = [], warp = [], block = [], shape = [2, 1]>

// Along the rows of %a nothing is known: %i may be anywhere. The counters of both tiles are two ahead, and the least of both
// arrays' tiles decides.
// CHECK-LABEL: func @ahead(
// CHECK-SAME:      %[[A:[a-z0-9]+]]: !tile.view<?x?xf32>, %[[B:[a-z0-9]+]]: !tile.view<?x?xf32>, %[[I:[a-z0-9]+]]: i64, %[[N:[a-z0-9]+]]: i64
// CHECK:         %[[KA:.*]] = tile.dim %[[A]], 1
// CHECK:         %[[TA:.*]] = arith.divui %[[KA]], %{{.*}} : i64
// CHECK:         %[[EA:.*]] = arith.subi %[[TA]], %{{.*}} : i64
// CHECK:         %[[MA:.*]] = arith.minsi %[[N]], %[[EA]] : i64
// CHECK:         %[[KB:.*]] = tile.dim %[[B]], 0
// CHECK:         %[[TB:.*]] = arith.divui %[[KB]], %{{.*}} : i64
// CHECK:         %[[EB:.*]] = arith.subi %[[TB]], %{{.*}} : i64
// CHECK:         %[[MB:.*]] = arith.minsi %[[MA]], %[[EB]] : i64
// CHECK:         %[[MIDDLE:.*]] = arith.maxsi %[[MB]], %[[ZERO:.*]] : i64
// CHECK:         %[[FIRST:.*]]:2 = scf.for %{{.*}} = %[[ZERO]] to %[[MIDDLE]] step
// CHECK:           tile.load %[[A]][%[[I]], %{{.*}}] {tegula.inside = array<i64: 1>}
// CHECK:           tile.load %[[B]][%{{.*}}, %[[I]]] {tegula.inside = array<i64: 0>}
// CHECK:         %[[LAST:.*]]:2 = scf.for %{{.*}} = %[[MIDDLE]] to %[[N]] step %{{.*}} iter_args(%{{.*}} = %[[FIRST]]#0, %{{.*}} = %[[FIRST]]#1)
// CHECK-NOT:       tegula.inside
// CHECK:         return %[[LAST]]#0, %[[LAST]]#1
func.func @ahead(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %i: i64, %n: i64)
    -> (tensor<1x2xf32, #a>, tensor<2x1xf32, #b>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %x0 = tile.load %a[%i, %c0] : !tile.view<?x?xf32> -> tensor<1x2xf32, #a>
  %y0 = tile.load %b[%c0, %i] : !tile.view<?x?xf32> -> tensor<2x1xf32, #b>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%x = %x0, %y = %y0) -> (tensor<1x2xf32, #a>, tensor<2x1xf32, #b>) : i64 {
    %next = arith.addi %k, %c2 : i64
    %p = tile.load %a[%i, %next] : !tile.view<?x?xf32> -> tensor<1x2xf32, #a>
    %q = tile.load %b[%next, %i] : !tile.view<?x?xf32> -> tensor<2x1xf32, #b>
    %s = arith.addf %x, %p : tensor<1x2xf32, #a>
    %t = arith.addf %y, %q : tensor<2x1xf32, #b>
    scf.yield %s, %t : tensor<1x2xf32, #a>, tensor<2x1xf32, #b>
  }
  return %r#0, %r#1 : tensor<1x2xf32, #a>, tensor<2x1xf32, #b>
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [], warp = [], block = [], shape = [4]>

// Padded tiles are counted by their extents. A store is an access as well; two accesses of the same tiles need one limit.
// CHECK-LABEL: func @in_place(
// CHECK:         %[[FIVE:.*]] = arith.constant 5 : i64
// CHECK:         %[[SIZE:.*]] = tile.dim
// CHECK:         %[[THREE:.*]] = arith.constant 3 : i64
// CHECK:         %[[TILES:.*]] = arith.divui %[[SIZE]], %[[THREE]] : i64
// CHECK-NOT:     tile.dim
// CHECK:         %[[LEAST:.*]] = arith.minsi %{{.*}}, %[[TILES]] : i64
// CHECK:         %[[MIDDLE:.*]] = arith.maxsi %[[LEAST]], %[[FIVE]] : i64
// CHECK:         scf.for %{{.*}} = %[[FIVE]] to %[[MIDDLE]] step
// CHECK:           tile.load {{.*}} extents [3] {tegula.inside = array<i64: 0>}
// CHECK:           tile.store {{.*}} extents [3] {tegula.inside = array<i64: 0>}
// CHECK:         scf.for %{{.*}} = %[[MIDDLE]] to
// CHECK-NOT:       tegula.inside
func.func @in_place(%a: !tile.view<?xf32>, %n: i64) {
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  scf.for %i = %c5 to %n step %c1 : i64 {
    %x = tile.load %a[%i] {extents = array<i64: 3>} : !tile.view<?xf32> -> tensor<4xf32, #row>
    %y = arith.negf %x : tensor<4xf32, #row>
    tile.store %y, %a[%i] {extents = array<i64: 3>} : tensor<4xf32, #row>, !tile.view<?xf32>
  }
  return
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [], warp = [], block = [], shape = [4]>

// Of nested loops the inner ones are made two; what the outer counter says of the inner accesses stays as it is.
// CHECK-LABEL: func @nested(
// CHECK:         scf.for
// CHECK:           tile.dim
// CHECK:           scf.for
// CHECK:             tile.load {{.*}} {tegula.inside = array<i64: 1>}
// CHECK:           scf.for
// CHECK-NOT:         tegula.inside
// CHECK:           return
func.func @nested(%a: !tile.view<?x?xf32>, %n: i64, %zero: tensor<4xf32, #row>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<4xf32, #row>) : i64 {
      %x = tile.load %a[%i, %j] : !tile.view<?x?xf32> -> tensor<1x4xf32, #layout.linear<register = [[0, 1], [0, 2]], lane = [], warp = [], block = [], shape = [1, 4]>>
      %y = tile.reshape %x : tensor<1x4xf32, #layout.linear<register = [[0, 1], [0, 2]], lane = [], warp = [], block = [], shape = [1, 4]>> -> tensor<4xf32, #row>
      %t = arith.addf %s, %y : tensor<4xf32, #row>
      scf.yield %t : tensor<4xf32, #row>
    }
    tile.print "sum {}" %r : tensor<4xf32, #row>
  }
  return
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [], warp = [], block = [], shape = [4]>

// Branches that have code from a bound on, or after it, have none in the first loop: it ends before. Bounds are moved to where
// nothing wraps.
// CHECK-LABEL: func @late_code(
// CHECK-SAME:      %[[A:[a-z0-9]+]]: !tile.view<?xf32>, %[[N:[a-z0-9]+]]: i64, %[[B:[a-z0-9]+]]: i64
// CHECK:         %[[LOW0:.*]] = arith.maxsi %[[B]], %{{.*}} : i64
// CHECK:         %[[END0:.*]] = arith.minsi %[[LOW0]], %{{.*}} : i64
// CHECK:         %[[M0:.*]] = arith.minsi %[[N]], %[[END0]] : i64
// CHECK:         %[[LOW1:.*]] = arith.maxsi %[[B]], %{{.*}} : i64
// CHECK:         %[[SAT1:.*]] = arith.minsi %[[LOW1]], %{{.*}} : i64
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i64
// CHECK:         %[[END1:.*]] = arith.addi %[[SAT1]], %[[ONE]] : i64
// CHECK:         %[[M1:.*]] = arith.minsi %[[M0]], %[[END1]] : i64
// CHECK:         %[[SAT2:.*]] = arith.minsi %{{.*}}, %{{.*}} : i64
// CHECK:         %[[TWO:.*]] = arith.constant -2 : i64
// CHECK:         %[[END2:.*]] = arith.addi %[[SAT2]], %[[TWO]] : i64
// CHECK:         %[[M2:.*]] = arith.minsi %[[M1]], %[[END2]] : i64
// CHECK:         %[[M3:.*]] = arith.minsi %[[M2]], %{{.*}} : i64
// CHECK:         tile.dim
// CHECK:         scf.for
// CHECK-DAG:       %[[FALSE:.*]] = arith.constant false
// CHECK-DAG:       %[[TRUE:.*]] = arith.constant true
// CHECK:           scf.if %[[FALSE]]
// CHECK:           scf.if %[[FALSE]]
// CHECK:           scf.if %[[TRUE]]
// CHECK:           scf.if %[[TRUE]]
// CHECK:         scf.for
// CHECK-NOT:       scf.if %{{false|true}}
// CHECK:           return
func.func @late_code(%a: !tile.view<?xf32>, %n: i64, %b: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %w = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32, #row>
    %from = arith.cmpi sge, %i, %b : i64
    %x = scf.if %from -> (tensor<4xf32, #row>) {
      %y = arith.negf %w : tensor<4xf32, #row>
      scf.yield %y : tensor<4xf32, #row>
    } else {
      scf.yield %w : tensor<4xf32, #row>
    }
    %after = arith.cmpi slt, %b, %i : i64
    scf.if %after {
      tile.print "after"
    }
    %next = arith.addi %i, %c2 : i64
    %before = arith.cmpi slt, %next, %b : i64
    %z = scf.if %before -> (tensor<4xf32, #row>) {
      scf.yield %x : tensor<4xf32, #row>
    } else {
      %y = arith.negf %x : tensor<4xf32, #row>
      scf.yield %y : tensor<4xf32, #row>
    }
    %until = arith.cmpi sle, %i, %b : i64
    scf.if %until {
    } else {
      tile.print "not until"
    }
    tile.store %z, %a[%i] : tensor<4xf32, #row>, !tile.view<?xf32>
  }
  return
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [], warp = [], block = [], shape = [4]>

// What comes first, or is asked for elsewhere too, or of what changes, stays.
// CHECK-LABEL: func @early_code(
// CHECK-SAME:      %{{.*}}, %[[N:[a-z0-9]+]]: i64, %[[B:[a-z0-9]+]]: i64
// CHECK:         %[[TILES:.*]] = arith.divui
// CHECK:         %[[M:.*]] = arith.minsi %[[N]], %[[TILES]] : i64
// CHECK:         arith.maxsi %[[M]],
// CHECK:         scf.for
// CHECK-NOT:       arith.constant
// CHECK:         scf.for
func.func @early_code(%a: !tile.view<?xf32>, %n: i64, %b: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %w = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32, #row>
    %first = arith.cmpi slt, %i, %b : i64
    scf.if %first {
      tile.print "first"
    }
    %same = arith.cmpi eq, %i, %b : i64
    scf.if %same {
      tile.print "same"
    }
    %twice = arith.addi %i, %i : i64
    %changes = arith.cmpi sge, %i, %twice : i64
    scf.if %changes {
      tile.print "never"
    }
    %late = arith.cmpi sge, %i, %b : i64
    scf.if %late {
      tile.print "late"
    }
    %t = tile.full %late : tensor<4xi1, #row>
    %z = arith.select %t, %w, %w : tensor<4xi1, #row>, tensor<4xf32, #row>
    tile.store %z, %a[%i] : tensor<4xf32, #row>, !tile.view<?xf32>
  }
  return
}
