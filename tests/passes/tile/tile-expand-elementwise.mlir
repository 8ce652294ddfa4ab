// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --tile-expand-elementwise | FileCheck %s --implicit-check-not=tile.

// CHECK-LABEL: func @unsigned_division_by_zero_gives_zero
// CHECK-SAME:    %[[A:.*]]: i32, %[[B:.*]]: i32
func.func @unsigned_division_by_zero_gives_zero(%a: i32, %b: i32) -> i32 {
  // CHECK: %[[IS_ZERO:.*]] = arith.cmpi eq, %[[B]], %[[ZERO:.*]] : i32
  // CHECK: %[[SAFE:.*]] = arith.select %[[IS_ZERO]], %{{.*}}, %[[B]]
  // CHECK: %[[Q:.*]] = arith.divui %[[A]], %[[SAFE]]
  // CHECK: %[[R:.*]] = arith.select %[[IS_ZERO]], %{{.*}}, %[[Q]]
  // CHECK: return %[[R]]
  %q = tile.floordiv unsigned %a, %b : i32
  return %q : i32
}

// -----

// CHECK-LABEL: func @signed_division_never_divides_by_zero_or_minus_one
// CHECK-SAME:    %[[A:.*]]: tensor<4xi8>, %[[B:.*]]: tensor<4xi8>
func.func @signed_division_never_divides_by_zero_or_minus_one(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[B]]
  // CHECK: %[[MINUS_ONE:.*]] = arith.cmpi eq, %[[B]]
  // CHECK: %[[UNSAFE:.*]] = arith.ori %[[ZERO]], %[[MINUS_ONE]]
  // CHECK: %[[SAFE:.*]] = arith.select %[[UNSAFE]], %{{.*}}, %[[B]]
  // CHECK: arith.divsi %[[A]], %[[SAFE]]
  %q = tile.floordiv %a, %b : tensor<4xi8>
  return %q : tensor<4xi8>
}

// -----

// CHECK-LABEL: func @division_by_a_power_of_two_is_a_shift
// CHECK-SAME:    %[[A:.*]]: i64
func.func @division_by_a_power_of_two_is_a_shift(%a: i64) -> (i64, i64) {
  // CHECK-NOT: arith.divsi
  // CHECK-DAG: %[[THREE:.*]] = arith.constant 3
  // CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7
  // CHECK-DAG: %[[Q:.*]] = arith.shrsi %[[A]], %[[THREE]]
  // CHECK-DAG: %[[R:.*]] = arith.andi %[[A]], %[[SEVEN]]
  // CHECK:     return %[[Q]], %[[R]]
  %b = arith.constant 8 : i64
  %q = tile.floordiv %a, %b : i64
  %r = tile.floormod %a, %b : i64
  return %q, %r : i64, i64
}

// -----

// CHECK-LABEL: func @booleans_divide_as_zero_and_one
func.func @booleans_divide_as_zero_and_one(%a: i1, %b: i1) -> (i1, i1) {
  // CHECK: %[[FALSE:.*]] = arith.constant false
  // CHECK: return %{{.*}}, %[[FALSE]]
  %q = tile.floordiv %a, %b : i1
  %r = tile.floormod %a, %b : i1
  return %q, %r : i1, i1
}

// -----

// CHECK-LABEL: func @shift_amounts_stay_in_range
// CHECK-SAME:    %[[A:.*]]: i32, %[[B:.*]]: i32
func.func @shift_amounts_stay_in_range(%a: i32, %b: i32) -> (i32, i32) {
  // CHECK: %[[IN_RANGE:.*]] = arith.cmpi ult, %[[B]], %{{.*}}
  // CHECK: %[[AMOUNT:.*]] = arith.andi %[[B]], %{{.*}}
  // CHECK: %[[LEFT:.*]] = arith.shli %[[A]], %[[AMOUNT]]
  // CHECK: %[[SHL:.*]] = arith.select %[[IN_RANGE]], %[[LEFT]], %{{.*}}
  %l = tile.shl %a, %b : i32
  // CHECK: %[[MOST:.*]] = arith.minui %[[B]], %{{.*}}
  // CHECK: %[[SHR:.*]] = arith.shrsi %[[A]], %[[MOST]]
  %r = tile.shr %a, %b : i32
  // CHECK: return %[[SHL]], %[[SHR]]
  return %l, %r : i32, i32
}

// -----

// CHECK-LABEL: func @power_takes_one_step_for_each_bit
func.func @power_takes_one_step_for_each_bit(%a: tensor<8xi8>, %b: tensor<8xi8>) -> tensor<8xi8> {
  // 7 squares and 7 products: the first step needs neither.
  // CHECK-COUNT-14: arith.muli
  // CHECK-NOT:      arith.muli
  %p = tile.ipow %a, %b : tensor<8xi8>
  return %p : tensor<8xi8>
}

// -----

// CHECK-LABEL: func @power_by_a_constant_multiplies_only
// CHECK-SAME:    %[[A:.*]]: i64
func.func @power_by_a_constant_multiplies_only(%a: i64) -> i64 {
  // CHECK:     %[[SQUARE:.*]] = arith.muli %[[A]], %[[A]]
  // CHECK:     %[[CUBE:.*]] = arith.muli %[[A]], %[[SQUARE]]
  // CHECK-NOT: arith.muli
  // CHECK:     return %[[CUBE]]
  %b = arith.constant 3 : i64
  %p = tile.ipow %a, %b : i64
  return %p : i64
}

// -----

// CHECK-LABEL: func @the_remainder_of_f16_takes_one_step
func.func @the_remainder_of_f16_takes_one_step(%a: f16, %b: f16) -> f16 {
  // CHECK:     arith.divf %{{.*}} : f64
  // CHECK:     math.fma %{{.*}} : f64
  // CHECK-NOT: math.fma
  // CHECK:     arith.truncf %{{.*}} : f64 to f32
  // CHECK:     arith.truncf %{{.*}} : f32 to f16
  %r = tile.fmod %a, %b : f16
  return %r : f16
}

// -----

// CHECK-LABEL: func @the_remainder_of_f32_spans_all_exponents
func.func @the_remainder_of_f32_spans_all_exponents(%a: f32, %b: f32) -> f32 {
  // CHECK-COUNT-6: math.fma %{{.*}} : f64
  // CHECK-NOT:     math.fma
  // CHECK-NOT:     arith.remf
  %r = tile.fmod %a, %b : f32
  return %r : f32
}

// -----

// CHECK-LABEL: func @the_remainder_of_f64_moves_to_the_sign_of_the_divisor
// CHECK-SAME:    %[[A:.*]]: f64, %[[B:.*]]: f64
func.func @the_remainder_of_f64_moves_to_the_sign_of_the_divisor(%a: f64, %b: f64) -> f64 {
  // CHECK: %[[REST:.*]] = arith.remf %[[A]], %[[B]]
  // CHECK: %[[SUM:.*]] = arith.addf %[[REST]], %[[B]]
  // CHECK: arith.select %{{.*}}, %[[SUM]], %[[REST]]
  %r = tile.fmod %a, %b : f64
  return %r : f64
}

// -----

// CHECK-LABEL: func @classes_are_read_from_the_bits
func.func @classes_are_read_from_the_bits(%x: tensor<4xf8E4M3FN>, %y: f32) -> (tensor<4xi1>, i1) {
  // CHECK: %[[NEVER:.*]] = arith.constant dense<false>
  // CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
  // CHECK: %[[MAGNITUDE:.*]] = arith.andi %[[BITS]], %{{.*}}
  // CHECK: %[[NAN:.*]] = arith.cmpi ugt, %[[MAGNITUDE]], %{{.*}}
  // CHECK: return %[[NEVER]], %[[NAN]]
  %i = tile.fpclass <inf> %x : tensor<4xf8E4M3FN> -> tensor<4xi1>
  %n = tile.fpclass <nan> %y : f32 -> i1
  return %i, %n : tensor<4xi1>, i1
}

// -----

// CHECK-LABEL: func @bitcast_is_arith_bitcast
func.func @bitcast_is_arith_bitcast(%x: tensor<4xf8E5M2>) -> tensor<4xi8> {
  // CHECK: arith.bitcast %{{.*}} : tensor<4xf8E5M2> to tensor<4xi8>
  %b = tile.bitcast %x : tensor<4xf8E5M2> -> tensor<4xi8>
  return %b : tensor<4xi8>
}

// -----

// CHECK-LABEL: func @float_to_integer_is_clamped_and_nan_is_zero
// CHECK-SAME:    %[[X:.*]]: f32
func.func @float_to_integer_is_clamped_and_nan_is_zero(%x: f32) -> i32 {
  // CHECK: arith.cmpf ogt, %[[X]], %{{.*}}
  // CHECK: arith.cmpf olt
  // CHECK: %[[CLAMPED:.*]] = arith.select
  // CHECK: %[[I:.*]] = arith.fptosi %[[CLAMPED]] : f32 to i32
  // The largest f32 below 2^31 is not 2^31 - 1.
  // CHECK: arith.cmpf oge, %[[X]], %{{.*}}
  // CHECK: %[[SATURATED:.*]] = arith.select %{{.*}}, %{{.*}}, %[[I]]
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
  // CHECK: arith.select %[[NAN]], %{{.*}}, %[[SATURATED]]
  %i = tile.cast %x : f32 -> i32
  return %i : i32
}

// -----

// CHECK-LABEL: func @float_to_unsigned_needs_no_test_for_nan
func.func @float_to_unsigned_needs_no_test_for_nan(%x: f64) -> i8 {
  // CHECK-NOT: arith.cmpf uno
  // CHECK:     arith.fptosi %{{.*}} : f64 to i32
  // CHECK:     arith.trunci %{{.*}} : i32 to i8
  %i = tile.cast %x to_unsigned : f64 -> i8
  return %i : i8
}

// -----

// CHECK-LABEL: func @f64_to_bf16_rounds_to_odd_first
func.func @f64_to_bf16_rounds_to_odd_first(%x: f64) -> bf16 {
  // CHECK: %[[NEAR:.*]] = arith.truncf %{{.*}} : f64 to f32
  // CHECK: arith.extf %[[NEAR]] : f32 to f64
  // CHECK: %[[INEXACT:.*]] = arith.cmpi ne
  // CHECK: %[[BIT:.*]] = arith.extui %[[INEXACT]] : i1 to i32
  // CHECK: %[[ODD:.*]] = arith.ori %{{.*}}, %[[BIT]]
  // CHECK: %[[SINGLE:.*]] = arith.bitcast %[[ODD]] : i32 to f32
  // CHECK: arith.truncf %[[SINGLE]] : f32 to bf16
  %h = tile.cast %x : f64 -> bf16
  return %h : bf16
}

// -----

// CHECK-LABEL: func @upstream_conversions_stay_where_they_are_right
func.func @upstream_conversions_stay_where_they_are_right(%x: tensor<4xf32>, %i: tensor<4xi64>) -> (tensor<4xf16>, tensor<4xf32>) {
  // CHECK-NEXT: arith.truncf %{{.*}} : tensor<4xf32> to tensor<4xf16>
  // CHECK-NEXT: arith.uitofp %{{.*}} : tensor<4xi64> to tensor<4xf32>
  // CHECK-NEXT: return
  %h = tile.cast %x : tensor<4xf32> -> tensor<4xf16>
  %f = tile.cast %i from_unsigned : tensor<4xi64> -> tensor<4xf32>
  return %h, %f : tensor<4xf16>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @fp8_saturates_and_keeps_nan
func.func @fp8_saturates_and_keeps_nan(%x: f32) -> f8E4M3FN {
  // CHECK: %[[MAX:.*]] = arith.constant 126 : i32
  // CHECK: %[[CODE:.*]] = arith.minui %{{.*}}, %[[MAX]]
  // CHECK: %[[NAN:.*]] = arith.constant 127 : i32
  // CHECK: arith.select %{{.*}}, %[[NAN]], %[[CODE]]
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E4M3FN
  %h = tile.cast %x : f32 -> f8E4M3FN
  return %h : f8E4M3FN
}

// -----

// CHECK-LABEL: func @e5m2_is_the_upper_half_of_f16
func.func @e5m2_is_the_upper_half_of_f16(%x: f8E5M2) -> f32 {
  // CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : i8 to i16
  // CHECK: %[[SHIFTED:.*]] = arith.shli %[[WIDE]]
  // CHECK: %[[HALF:.*]] = arith.bitcast %[[SHIFTED]] : i16 to f16
  // CHECK: arith.extf %[[HALF]] : f16 to f32
  %f = tile.cast %x : f8E5M2 -> f32
  return %f : f32
}

// -----

// CHECK-LABEL: func @a_boolean_is_one_or_zero
func.func @a_boolean_is_one_or_zero(%x: i1) -> (i32, bf16) {
  // CHECK: arith.extui %{{.*}} : i1 to i32
  // CHECK: arith.select %{{.*}} : bf16
  %i = tile.cast %x : i1 -> i32
  %f = tile.cast %x : i1 -> bf16
  return %i, %f : i32, bf16
}

// -----

// CHECK-LABEL: func @nested_regions_are_expanded_too
func.func @nested_regions_are_expanded_too(%a: tensor<4xi32>, %n: i64) -> tensor<4xi32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  // CHECK: scf.for
  %r = scf.for %i = %zero to %n step %one iter_args(%x = %a) -> tensor<4xi32> : i64 {
    // CHECK: arith.shrsi
    %y = tile.shr %x, %a : tensor<4xi32>
    scf.yield %y : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}
