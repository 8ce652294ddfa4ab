// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cuda-lower-exp | FileCheck %s

// CHECK-LABEL: func @a_power_of_two_is_one_instruction
// CHECK-SAME:    %[[X:.*]]: f32
func.func @a_power_of_two_is_one_instruction(%x: f32) -> f32 {
  // CHECK-NEXT: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%[[X]]) : (f32) -> f32
  // CHECK-NEXT: return %[[R]]
  %r = math.exp2 %x : f32
  return %r : f32
}

// -----

// CHECK-LABEL: func @exp_corrects_the_rounding_of_its_argument
// CHECK-SAME:    %[[X:.*]]: f32
func.func @exp_corrects_the_rounding_of_its_argument(%x: f32) -> f32 {
  // CHECK:      %[[LOG2E:.*]] = arith.constant 1.442695
  // CHECK:      %[[HIGH:.*]] = arith.mulf %[[BOUNDED:.*]], %[[LOG2E]]
  // CHECK:      math.fma %[[BOUNDED]], %[[LOG2E]]
  // CHECK:      %[[LOW:.*]] = math.fma %[[BOUNDED]]
  // CHECK:      %[[POWER:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%[[HIGH]])
  // CHECK:      %[[FACTOR:.*]] = arith.mulf %[[LOW]]
  // CHECK:      %[[CORRECTED:.*]] = math.fma %[[POWER]], %[[FACTOR]], %[[POWER]]
  // CHECK:      arith.select %{{.*}}, %[[POWER]], %[[CORRECTED]]
  %r = math.exp %x : f32
  return %r : f32
}

// -----

// CHECK-LABEL: func @vectors_are_computed_element_by_element
func.func @vectors_are_computed_element_by_element(%x: vector<2xf32>) -> vector<2xf32> {
  // CHECK:         %[[E:.*]]:2 = vector.to_elements
  // CHECK-NEXT:    %[[A:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%[[E]]#0)
  // CHECK-NEXT:    %[[B:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%[[E]]#1)
  // CHECK-NEXT:    vector.from_elements %[[A]], %[[B]]
  %r = math.exp2 %x : vector<2xf32>
  return %r : vector<2xf32>
}

// -----

// CHECK-LABEL: func @small_floats_are_computed_in_f32
func.func @small_floats_are_computed_in_f32(%x: bf16) -> bf16 {
  // CHECK-NEXT: %[[W:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK-NEXT: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%[[W]])
  // CHECK-NEXT: arith.truncf %[[R]] : f32 to bf16
  %r = math.exp2 %x : bf16
  return %r : bf16
}

// -----

// CHECK-LABEL: func @approximations_are_one_instruction_and_a_product
// CHECK-SAME:    %[[X:.*]]: f32
func.func @approximations_are_one_instruction_and_a_product(%x: f32) -> (f32, f32) {
  // CHECK:      %[[LOG2E:.*]] = arith.constant 1.442695
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %[[X]], %[[LOG2E]]
  // CHECK-NEXT: %[[A:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[P]])
  // CHECK-NEXT: %[[B:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[X]])
  // CHECK-NEXT: return %[[A]], %[[B]]
  %a = math.exp %x fastmath<afn> : f32
  %b = math.exp2 %x fastmath<afn> : f32
  return %a, %b : f32, f32
}
