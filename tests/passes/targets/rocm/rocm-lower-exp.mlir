// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -rocm-lower-exp | FileCheck %s

// CHECK-LABEL: @exponentials_of_f32_are_intrinsics
func.func @exponentials_of_f32_are_intrinsics(%x: f32, %v: vector<4xf32>) -> (f32, vector<4xf32>) {
  // CHECK: llvm.intr.exp(%arg0) : (f32) -> f32
  %0 = math.exp %x : f32
  // CHECK: llvm.intr.exp2(%arg1) : (vector<4xf32>) -> vector<4xf32>
  %1 = math.exp2 %v : vector<4xf32>
  return %0, %1 : f32, vector<4xf32>
}

// CHECK-LABEL: @approximate_ones_are_the_instruction_alone
func.func @approximate_ones_are_the_instruction_alone(%x: f32, %v: vector<2xf32>) -> (f32, vector<2xf32>) {
  // CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
  // CHECK: %[[POWER:.*]] = arith.mulf %arg0, %[[LOG2E]] : f32
  // CHECK: rocdl.exp2 %[[POWER]]
  %0 = math.exp %x fastmath<afn> : f32
  // CHECK: %[[ELEMENTS:.*]]:2 = vector.to_elements %arg1
  // CHECK: rocdl.exp2 %[[ELEMENTS]]#0
  // CHECK: rocdl.exp2 %[[ELEMENTS]]#1
  // CHECK: vector.from_elements
  %1 = math.exp2 %v fastmath<afn> : vector<2xf32>
  return %0, %1 : f32, vector<2xf32>
}

// CHECK-LABEL: @those_of_16_bits_go_by_way_of_f32
func.func @those_of_16_bits_go_by_way_of_f32(%v: vector<2xbf16>) -> vector<2xbf16> {
  // CHECK: %[[WIDE:.*]] = arith.extf %arg0 : vector<2xbf16> to vector<2xf32>
  // CHECK: %[[POWER:.*]] = llvm.intr.exp(%[[WIDE]])
  // CHECK: arith.truncf %[[POWER]] : vector<2xf32> to vector<2xbf16>
  %0 = math.exp %v : vector<2xbf16>
  return %0 : vector<2xbf16>
}
