// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt --lower-scalarize-vectors --split-input-file %s | FileCheck %s

// What cannot do without vectors keeps them: values go in and come out.

// CHECK-LABEL: llvm.func @signature(
// CHECK-SAME: %[[V:.+]]: vector<1xf32>) -> vector<1xf32>
// CHECK: %[[X:.+]] = llvm.extractelement %[[V]]
// CHECK: %[[S:.+]] = llvm.fadd %[[X]], %[[X]] : f32
// CHECK: %[[R:.+]] = llvm.insertelement %[[S]], %{{.+}} : vector<1xf32>
// CHECK: %[[C:.+]] = llvm.call @signature(%[[R]]) : (vector<1xf32>) -> vector<1xf32>
// CHECK: llvm.return %[[C]] : vector<1xf32>
llvm.func @signature(%v: vector<1xf32>) -> vector<1xf32> {
  %s = llvm.fadd %v, %v : vector<1xf32>
  %c = llvm.call @signature(%s) : (vector<1xf32>) -> vector<1xf32>
  llvm.return %c : vector<1xf32>
}

// -----

// CHECK-LABEL: llvm.func @reduction(
// CHECK: "llvm.intr.vector.reduce.add"(%{{.+}}) : (vector<1xi32>) -> i32
llvm.func @reduction(%p: !llvm.ptr) -> i32 {
  %v = llvm.load %p : !llvm.ptr -> vector<1xi32>
  %r = "llvm.intr.vector.reduce.add"(%v) : (vector<1xi32>) -> i32
  llvm.return %r : i32
}

// -----

// CHECK-LABEL: llvm.func @wide(
// CHECK: llvm.add %{{.+}}, %{{.+}} : vector<2xi16>
llvm.func @wide(%v: vector<2xi16>) -> vector<2xi16> {
  %s = llvm.add %v, %v : vector<2xi16>
  llvm.return %s : vector<2xi16>
}
