// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cuda-lower-float8 | FileCheck %s

module attributes {tegula.arch = "sm_89"} {
  // The first operand of the instruction is the upper byte.
  // CHECK-LABEL: func @pairs_are_converted_together
  // CHECK-SAME:    %[[X:.*]]: vector<4xf32>
  func.func @pairs_are_converted_together(%x: vector<4xf32>) -> vector<4xf8E4M3FN> {
    // CHECK-NEXT: %[[E:.*]]:4 = vector.to_elements %[[X]]
    // CHECK-NEXT: %[[A:.*]] = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%[[E]]#1, %[[E]]#0) : (f32, f32) -> i16
    // CHECK-NEXT: %[[B:.*]] = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%[[E]]#3, %[[E]]#2) : (f32, f32) -> i16
    // CHECK-NEXT: %[[P:.*]] = vector.from_elements %[[A]], %[[B]] : vector<2xi16>
    // CHECK-NEXT: %[[Y:.*]] = vector.bitcast %[[P]] : vector<2xi16> to vector<4xi8>
    // CHECK-NEXT: arith.bitcast %[[Y]] : vector<4xi8> to vector<4xf8E4M3FN>
    %r = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
    return %r : vector<4xf8E4M3FN>
  }

  // CHECK-LABEL: func @a_scalar_leaves_half_of_a_pair_unused
  func.func @a_scalar_leaves_half_of_a_pair_unused(%x: f32) -> f8E5M2 {
    // CHECK:      %[[ZERO:.*]] = arith.constant 0.0
    // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.ff.to.e5m2x2.rn"(%[[ZERO]], %{{.*}})
    // CHECK:      arith.bitcast %{{.*}} : i8 to f8E5M2
    %r = arith.truncf %x : f32 to f8E5M2
    return %r : f8E5M2
  }

  // CHECK-LABEL: func @the_way_back_is_by_f16
  func.func @the_way_back_is_by_f16(%x: vector<3xf8E5M2>) -> vector<3xf32> {
    // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.e5m2x2.to.f16x2.rn"(%{{.*}}) : (i16) -> vector<2xf16>
    // CHECK:         vector.from_elements %{{.*}} : vector<3xf32>
    %r = arith.extf %x : vector<3xf8E5M2> to vector<3xf32>
    return %r : vector<3xf32>
  }

  // CHECK-LABEL: func @a_conversion_of_another_type_stays
  func.func @a_conversion_of_another_type_stays(%x: f16) -> f8E5M2 {
    // CHECK-NEXT: arith.truncf %{{.*}} : f16 to f8E5M2
    %r = arith.truncf %x : f16 to f8E5M2
    return %r : f8E5M2
  }
}

// -----

module attributes {tegula.arch = "sm_86"} {
  // CHECK-LABEL: func @older_devices_have_no_such_instruction
  func.func @older_devices_have_no_such_instruction(%x: f32) -> f8E4M3FN {
    // CHECK-NEXT: arith.truncf %{{.*}} : f32 to f8E4M3FN
    %r = arith.truncf %x : f32 to f8E4M3FN
    return %r : f8E4M3FN
  }
}
