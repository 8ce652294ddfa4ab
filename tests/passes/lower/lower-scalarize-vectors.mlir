// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt --lower-scalarize-vectors --canonicalize --split-input-file %s | FileCheck %s

// CHECK-LABEL: llvm.func @arithmetic(
// CHECK-NOT: vector<1x
// CHECK: %[[C:.+]] = llvm.mlir.constant(3 : i16) : i16
// CHECK: %[[X:.+]] = llvm.load %{{.+}} : !llvm.ptr -> i16
// CHECK: %[[S:.+]] = llvm.add %[[X]], %[[C]] overflow<nsw> : i16
// CHECK: %[[L:.+]] = llvm.icmp "slt" %[[S]], %[[X]] : i16
// CHECK: %[[R:.+]] = llvm.select %[[L]], %[[S]], %[[X]] : i1, i16
// CHECK: llvm.store %[[R]], %{{.+}} {alignment = 2 : i64} : i16, !llvm.ptr
llvm.func @arithmetic(%p: !llvm.ptr) {
  %x = llvm.load %p : !llvm.ptr -> vector<1xi16>
  %c = llvm.mlir.constant(dense<3> : vector<1xi16>) : vector<1xi16>
  %s = llvm.add %x, %c overflow<nsw> : vector<1xi16>
  %l = llvm.icmp "slt" %s, %x : vector<1xi16>
  %r = llvm.select %l, %s, %x : vector<1xi1>, vector<1xi16>
  llvm.store %r, %p {alignment = 2 : i64} : vector<1xi16>, !llvm.ptr
  llvm.return
}

// -----

// Elements go in and out of vectors by name; there is nothing to do.
// CHECK-LABEL: llvm.func @moves(
// CHECK-SAME: %[[X:.+]]: i16, %[[W:.+]]: vector<4xi16>) -> vector<4xi16>
// CHECK-NOT: vector<1x
// CHECK: %[[E:.+]] = llvm.extractelement %[[W]][%{{.+}} : i32] : vector<4xi16>
// CHECK: %[[S:.+]] = llvm.add %[[X]], %[[E]] : i16
// CHECK: llvm.insertelement %[[S]], %{{.+}} : vector<4xi16>
llvm.func @moves(%x: i16, %w: vector<4xi16>) -> vector<4xi16> {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %rest = llvm.mlir.poison : vector<1xi16>
  %v = llvm.insertelement %x, %rest[%zero : i32] : vector<1xi16>
  %one = llvm.shufflevector %w, %w [6] : vector<4xi16>
  %s = llvm.add %v, %one : vector<1xi16>
  %wide = llvm.shufflevector %s, %s [0, 1, 0, -1] : vector<1xi16>
  llvm.return %wide : vector<4xi16>
}

// -----

// CHECK-LABEL: llvm.func @casts(
// CHECK-SAME: %[[X:.+]]: f32)
// CHECK-NOT: vector<1x
// CHECK: %[[I:.+]] = llvm.bitcast %[[X]] : f32 to i32
// CHECK: %[[S:.+]] = llvm.intr.smax(%[[I]], %{{.+}}) : (i32, i32) -> i32
// CHECK: llvm.bitcast %[[S]] : i32 to vector<2xi16>
llvm.func @casts(%x: f32) -> vector<2xi16> {
  %v = llvm.bitcast %x : f32 to vector<1xf32>
  %i = llvm.bitcast %v : vector<1xf32> to vector<1xi32>
  %zero = llvm.mlir.zero : vector<1xi32>
  %s = llvm.intr.smax(%i, %zero) : (vector<1xi32>, vector<1xi32>) -> vector<1xi32>
  %halves = llvm.bitcast %s : vector<1xi32> to vector<2xi16>
  llvm.return %halves : vector<2xi16>
}

// -----

// Values that control flow carries, and structures that intrinsics give.
// CHECK-LABEL: llvm.func @flow(
// CHECK-NOT: vector<1x
// CHECK: ^bb1(%{{.+}}: i32):
// CHECK: llvm.intr.uadd.with.overflow{{.*}} -> !llvm.struct<(i32, i1)>
// CHECK: llvm.cond_br %{{.+}}, ^bb1(%{{.+}} : i32), ^bb2
llvm.func @flow(%p: !llvm.ptr, %again: i1) {
  %x = llvm.load %p : !llvm.ptr -> vector<1xi32>
  llvm.br ^loop(%x : vector<1xi32>)
^loop(%y: vector<1xi32>):
  %both = "llvm.intr.uadd.with.overflow"(%y, %x) : (vector<1xi32>, vector<1xi32>) -> !llvm.struct<(vector<1xi32>, vector<1xi1>)>
  %sum = llvm.extractvalue %both[0] : !llvm.struct<(vector<1xi32>, vector<1xi1>)>
  llvm.cond_br %again, ^loop(%sum : vector<1xi32>), ^done
^done:
  llvm.store %sum, %p : vector<1xi32>, !llvm.ptr
  llvm.return
}
