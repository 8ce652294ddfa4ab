// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cuda-widen-bf16 | FileCheck %s
//
// There is no error to pin: what is no pairs of bf16 stays.

// CHECK-LABEL: func @one
func.func @one(%x: bf16) -> f32 {
  // CHECK-NEXT: arith.extf %{{.*}} : bf16 to f32
  %r = arith.extf %x : bf16 to f32
  return %r : f32
}

// -----

// CHECK-LABEL: func @odd
func.func @odd(%x: vector<3xbf16>) -> vector<3xf32> {
  // CHECK-NEXT: arith.extf %{{.*}} : vector<3xbf16> to vector<3xf32>
  %r = arith.extf %x : vector<3xbf16> to vector<3xf32>
  return %r : vector<3xf32>
}

// -----

// CHECK-LABEL: func @other_types
func.func @other_types(%x: vector<4xf16>, %y: vector<4xbf16>) -> (vector<4xf32>, vector<4xf64>) {
  // CHECK-NEXT: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
  // CHECK-NEXT: arith.extf %{{.*}} : vector<4xbf16> to vector<4xf64>
  %r = arith.extf %x : vector<4xf16> to vector<4xf32>
  %s = arith.extf %y : vector<4xbf16> to vector<4xf64>
  return %r, %s : vector<4xf32>, vector<4xf64>
}
