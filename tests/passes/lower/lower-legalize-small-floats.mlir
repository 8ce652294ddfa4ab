// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-legalize-small-floats | FileCheck %s

// CHECK-LABEL: func @f16_rounds_after_each_operation
func.func @f16_rounds_after_each_operation(%a: f16, %b: f16) -> f16 {
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
  // CHECK: %[[ROUNDED:.*]] = arith.truncf %[[PRODUCT]] : f32 to f16
  // CHECK: %[[WIDE:.*]] = arith.extf %[[ROUNDED]] : f16 to f32
  // CHECK: %[[SUM:.*]] = arith.addf %[[WIDE]], %{{.*}} : f32
  // CHECK: arith.truncf %[[SUM]] : f32 to f16
  %0 = arith.mulf %a, %b : f16
  %1 = arith.addf %0, %b : f16
  return %1 : f16
}

// -----

// CHECK-LABEL: func @bf16_converts_by_integer_operations
// CHECK-NOT:     arith.extf
// CHECK-NOT:     arith.truncf
func.func @bf16_converts_by_integer_operations(%a: bf16, %x: vector<4xf32>) -> (f32, vector<4xbf16>) {
  // CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : i16 to i32
  // CHECK: arith.shli %[[WIDE]]
  %0 = arith.extf %a : bf16 to f32
  // Half of the last place, and one more if that is odd; NaN is kept apart.
  // CHECK: arith.addi %{{.*}} : vector<4xi32>
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %{{.*}} : vector<4xf32>
  // CHECK: arith.select %[[NAN]]
  // CHECK: arith.trunci %{{.*}} : vector<4xi32> to vector<4xi16>
  %1 = arith.truncf %x : vector<4xf32> to vector<4xbf16>
  return %0, %1 : f32, vector<4xbf16>
}

// -----

// CHECK-LABEL: func @f16_and_f32_convert_in_hardware
func.func @f16_and_f32_convert_in_hardware(%a: f16, %x: f32) -> (f32, f16) {
  // CHECK-NEXT: arith.extf
  // CHECK-NEXT: arith.truncf
  // CHECK-NEXT: return
  %0 = arith.extf %a : f16 to f32
  %1 = arith.truncf %x : f32 to f16
  return %0, %1 : f32, f16
}

// -----

// CHECK-LABEL: func @f64_is_not_rounded_twice
func.func @f64_is_not_rounded_twice(%x: f64) -> f16 {
  // CHECK: arith.cmpi ne
  // CHECK: %[[ODD:.*]] = arith.ori
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %0 = arith.truncf %x : f64 to f16
  return %0 : f16
}

// -----

// CHECK-LABEL: func @an_exact_result_is_not_rounded
func.func @an_exact_result_is_not_rounded(%a: bf16, %b: bf16) -> bf16 {
  // CHECK:      %[[MAX:.*]] = arith.maximumf %{{.*}} : f32
  // CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[MAX]] : f32 to i32
  // CHECK:      arith.shrui %[[BITS]]
  // CHECK-NOT:  arith.addi
  // CHECK:      return
  %0 = arith.maximumf %a, %b : bf16
  return %0 : bf16
}

// -----

// CHECK-LABEL: func @signs_are_bits
// CHECK-NOT:     arith.extf
func.func @signs_are_bits(%a: f16, %b: f16) -> (f16, f16, f16) {
  // CHECK: arith.xori %{{.*}} : i16
  // CHECK: arith.andi %{{.*}} : i16
  // CHECK: arith.ori %{{.*}} : i16
  %0 = arith.negf %a : f16
  %1 = math.absf %a : f16
  %2 = math.copysign %a, %b : f16
  return %0, %1, %2 : f16, f16, f16
}

// -----

// CHECK-LABEL: func @fma_is_rounded_once
func.func @fma_is_rounded_once(%a: bf16, %b: bf16, %c: bf16) -> bf16 {
  // The product is exact in f64; what the sum loses makes it odd.
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}} : f64
  // CHECK: %[[SUM:.*]] = arith.addf %[[PRODUCT]], %{{.*}} : f64
  // CHECK: arith.cmpf one, %{{.*}} : f64
  %0 = math.fma %a, %b, %c : bf16
  return %0 : bf16
}

// -----

// CHECK-LABEL: func @comparisons_and_integers_see_f32
func.func @comparisons_and_integers_see_f32(%a: f16, %b: f16) -> (i1, i32) {
  // CHECK: arith.cmpf olt, %{{.*}} : f32
  // CHECK: arith.fptosi %{{.*}} : f32 to i32
  %0 = arith.cmpf olt, %a, %b : f16
  %1 = arith.fptosi %a : f16 to i32
  return %0, %1 : i1, i32
}

// -----

// CHECK-LABEL: func @the_larger_number_ignores_nan_and_orders_zeros
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32
func.func @the_larger_number_ignores_nan_and_orders_zeros(%x: f32, %y: f32) -> f32 {
  // CHECK:     arith.cmpf ogt, %[[X]], %[[Y]]
  // CHECK:     arith.cmpf oeq, %[[X]], %[[Y]]
  // CHECK:     %[[NAN:.*]] = arith.cmpf uno, %[[Y]], %[[Y]]
  // CHECK:     arith.select %[[NAN]], %[[X]]
  %0 = arith.maxnumf %x, %y : f32
  return %0 : f32
}

// -----

// CHECK-LABEL: func @moves_stay
func.func @moves_stay(%c: i1, %a: bf16, %b: bf16) -> bf16 {
  // CHECK-NEXT: arith.select %{{.*}} : i16
  // CHECK-NEXT: return
  %0 = arith.select %c, %a, %b : bf16
  return %0 : bf16
}

// -----

// LLVM would move a bfloat through an f32 register, where subnormals are flushed and NaNs made quiet.
// CHECK-LABEL: func @bf16_is_carried_as_its_bits(
// CHECK-SAME:    %{{.*}}: memref<4xi16>, %{{.*}}: i1) -> vector<2xi16>
func.func @bf16_is_carried_as_its_bits(%m: memref<4xbf16>, %p: i1) -> vector<2xbf16> {
  // CHECK: %[[ONE:.*]] = arith.constant 16256 : i16
  // CHECK: arith.constant dense<[16256, -16384]> : vector<2xi16>
  // CHECK: memref.store %[[ONE]], %{{.*}} : memref<4xi16>
  %i = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %pair = arith.constant dense<[1.0, -2.0]> : vector<2xbf16>
  memref.store %one, %m[%i] : memref<4xbf16>
  return %pair : vector<2xbf16>
}

// -----

// Also the conversions that widening makes: LLVM has no fp8.
// CHECK-LABEL: func @no_conversion_of_fp8_is_left(
// CHECK-NOT:     f8E5M2 to f32
// CHECK-NOT:     f32 to f8E5M2
// CHECK:         arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     f32 to f8E5M2
// CHECK:         return
func.func @no_conversion_of_fp8_is_left(%a: f8E5M2, %b: f8E5M2) -> f8E5M2 {
  %y = arith.addf %a, %b : f8E5M2
  return %y : f8E5M2
}
