// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cuda-lower-exp -verify-diagnostics | FileCheck %s
//
// What the hardware has no instruction for stays for the general expansion.

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

// -----

func.func @a_vector_that_no_thread_holds(%x: vector<2147483647x31xf32>) -> vector<2147483647x31xf32> {
  // expected-error @+1 {{is of more elements than are computed one by one: 'vector<2147483647x31xf32>'}}
  %r = math.exp2 %x : vector<2147483647x31xf32>
  return %r : vector<2147483647x31xf32>
}
