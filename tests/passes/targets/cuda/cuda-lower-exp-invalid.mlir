// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cuda-lower-exp | FileCheck %s
//
// There is no error to pin: what the hardware has no instruction for stays for the general expansion.

// CHECK-LABEL: func @doubles_stay
func.func @doubles_stay(%x: f64) -> f64 {
  // CHECK-NEXT: math.exp %{{.*}} : f64
  %r = math.exp %x : f64
  return %r : f64
}

// -----

// CHECK-LABEL: func @other_functions_stay
func.func @other_functions_stay(%x: f32) -> f32 {
  // CHECK-NEXT: math.log2 %{{.*}} : f32
  %r = math.log2 %x : f32
  return %r : f32
}
