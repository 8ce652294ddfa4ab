// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cuda-lower-exp | FileCheck %s

// CHECK-LABEL: func @a_power_of_two_is_a_normal_power_times_one_instruction
// CHECK-SAME:    %[[X:.*]]: f32
func.func @a_power_of_two_is_a_normal_power_times_one_instruction(%x: f32) -> f32 {
  // CHECK:      %[[SHARE:.*]] = llvm.call_intrinsic "llvm.nvvm.fma.rn.sat.f"(%[[X]], %{{.*}}, %{{.*}}) : (f32, f32, f32) -> f32
  // CHECK:      %[[NUMBER:.*]] = math.fma %[[SHARE]]
  // CHECK:      %[[MINUS:.*]] = arith.subf %{{.*}}, %[[NUMBER]]
  // CHECK-NEXT: %[[REST:.*]] = arith.addf %[[X]], %[[MINUS]]
  // CHECK-NEXT: %[[FRACTION:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[REST]]) : (f32) -> f32
  // CHECK:      %[[BITS:.*]] = arith.bitcast %[[NUMBER]] : f32 to i32
  // CHECK:      %[[EXPONENT:.*]] = arith.shli %[[BITS]]
  // CHECK-NEXT: %[[POWER:.*]] = arith.bitcast %[[EXPONENT]] : i32 to f32
  // CHECK-NEXT: %[[R:.*]] = arith.mulf %[[FRACTION]], %[[POWER]]
  // CHECK-NEXT: return %[[R]]
  %r = math.exp2 %x : f32
  return %r : f32
}

// -----

// CHECK-LABEL: func @exp_corrects_the_rounding_of_its_argument
// CHECK-SAME:    %[[X:.*]]: f32
func.func @exp_corrects_the_rounding_of_its_argument(%x: f32) -> f32 {
  // CHECK:      %[[MINUS:.*]] = arith.subf
  // CHECK:      %[[HIGH:.*]] = math.fma %[[X]], %{{.*}}, %[[MINUS]]
  // CHECK:      %[[REST:.*]] = math.fma %[[X]], %{{.*}}, %[[HIGH]]
  // CHECK:      llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[REST]])
  %r = math.exp %x : f32
  return %r : f32
}

// -----

// CHECK-LABEL: func @vectors_are_computed_element_by_element
func.func @vectors_are_computed_element_by_element(%x: vector<2xf32>) -> vector<2xf32> {
  // CHECK:         %[[REST:.*]] = arith.addf %{{.*}} : vector<2xf32>
  // CHECK:         %[[E:.*]]:2 = vector.to_elements %[[REST]]
  // CHECK-NEXT:    %[[A:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[E]]#0)
  // CHECK-NEXT:    %[[B:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[E]]#1)
  // CHECK-NEXT:    vector.from_elements %[[A]], %[[B]]
  %r = math.exp2 %x : vector<2xf32>
  return %r : vector<2xf32>
}

// -----

// CHECK-LABEL: func @small_floats_are_computed_in_f32
func.func @small_floats_are_computed_in_f32(%x: bf16) -> bf16 {
  // CHECK-NEXT: arith.extf %{{.*}} : bf16 to f32
  // CHECK:      %[[R:.*]] = arith.mulf %{{.*}} : f32
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
