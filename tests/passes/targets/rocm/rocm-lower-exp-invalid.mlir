// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -rocm-lower-exp -verify-diagnostics | FileCheck %s

// What the pass does not apply to stays.

// CHECK-LABEL: @f64_has_no_instruction
func.func @f64_has_no_instruction(%x: f64) -> f64 {
  // CHECK: math.exp %arg0 : f64
  %0 = math.exp %x : f64
  return %0 : f64
}

// CHECK-LABEL: @other_functions_are_not_exponentials
func.func @other_functions_are_not_exponentials(%x: f32) -> f32 {
  // CHECK: math.expm1 %arg0 : f32
  %0 = math.expm1 %x : f32
  return %0 : f32
}

// CHECK-LABEL: @vectors_of_several_dimensions_are_no_thread_values
func.func @vectors_of_several_dimensions_are_no_thread_values(%v: vector<2x2xf32>) -> vector<2x2xf32> {
  // CHECK: math.exp %arg0 : vector<2x2xf32>
  %0 = math.exp %v : vector<2x2xf32>
  return %0 : vector<2x2xf32>
}

// -----

func.func @a_vector_that_no_thread_holds(%v: vector<2147483647xbf16>) -> vector<2147483647xbf16> {
  // expected-error @+1 {{is of more elements than are computed one by one: 'vector<2147483647xbf16>'}}
  %0 = math.exp %v : vector<2147483647xbf16>
  return %0 : vector<2147483647xbf16>
}
