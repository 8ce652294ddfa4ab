// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-expand-math=libm | FileCheck %s
// RUN: tegula-opt %s -split-input-file --lower-expand-math | FileCheck %s --check-prefix=ALONE

// CHECK-LABEL: func @rsqrt_is_a_division
// CHECK-SAME:    %[[X:.*]]: f32
func.func @rsqrt_is_a_division(%x: f32) -> f32 {
  // CHECK-DAG: %[[ROOT:.*]] = math.sqrt %[[X]]
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.0
  // CHECK:     %[[R:.*]] = arith.divf %[[ONE]], %[[ROOT]]
  // CHECK:     return %[[R]]
  %r = math.rsqrt %x : f32
  return %r : f32
}

// -----

// CHECK-LABEL: func @exp_is_straight_line_code
// CHECK-SAME:    %[[X:.*]]: f32
func.func @exp_is_straight_line_code(%x: f32) -> f32 {
  // Arguments whose result underflows are taken out before the slow subnormal arithmetic.
  // CHECK:     %[[TINY:.*]] = arith.cmpf olt, %[[X]]
  // CHECK:     arith.select %[[TINY]]
  // CHECK-NOT: math.exp
  // CHECK-NOT: call
  // CHECK-NOT: scf.if
  // CHECK-NOT: arith.fptosi
  // CHECK:     math.fma
  // CHECK:     %[[R:.*]] = arith.select %[[TINY]]
  // CHECK:     return %[[R]]
  %r = math.exp %x : f32
  return %r : f32
}

// -----

// Every function on f32 becomes arithmetic; only what processors have instructions for is left of the math dialect.
// CHECK-LABEL: func @every_function_of_f32_is_expanded
// CHECK-NOT:     math.{{exp|log|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan|erf|cbrt|powf|rsqrt}}
// CHECK-NOT:     call
// CHECK:         return
func.func @every_function_of_f32_is_expanded(%x: f32, %y: f32) -> f32 {
  %0 = math.exp2 %x : f32
  %1 = math.expm1 %0 : f32
  %2 = math.log %1 : f32
  %3 = math.log2 %2 : f32
  %4 = math.log10 %3 : f32
  %5 = math.log1p %4 : f32
  %6 = math.sin %5 : f32
  %7 = math.cos %6 : f32
  %8 = math.tan %7 : f32
  %9 = math.sinh %8 : f32
  %10 = math.cosh %9 : f32
  %11 = math.tanh %10 : f32
  %12 = math.asin %11 : f32
  %13 = math.acos %12 : f32
  %14 = math.atan %13 : f32
  %15 = math.erf %14 : f32
  %16 = math.cbrt %15 : f32
  %17 = math.atan2 %16, %y : f32
  %18 = math.powf %17, %y : f32
  return %18 : f32
}

// -----

// CHECK-LABEL: func @sixteen_bits_are_computed_in_f32
func.func @sixteen_bits_are_computed_in_f32(%x: bf16) -> bf16 {
  // CHECK:     arith.extf %{{.*}} : bf16 to f32
  // CHECK-NOT: : bf16
  // CHECK:     arith.truncf %{{.*}} : f32 to bf16
  %r = math.tanh %x : bf16
  return %r : bf16
}

// -----

// CHECK-LABEL: func @vectors_are_expanded_like_scalars
func.func @vectors_are_expanded_like_scalars(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK: math.fma %{{.*}} : vector<8xf32>
  %r = math.log2 %x : vector<8xf32>
  return %r : vector<8xf32>
}

// -----

// Without the library f64 is written out too.
// ALONE-LABEL: func @f64_calls_the_c_library_declared_once
// ALONE-NOT:     call
// ALONE-NOT:     math.exp
// ALONE:         math.fma {{.*}} : f64
// ALONE:         return {{.*}} : f64
// CHECK-LABEL: func @f64_calls_the_c_library_declared_once
func.func @f64_calls_the_c_library_declared_once(%x: f64, %y: f64) -> f64 {
  // CHECK: call @exp(%{{.*}}) : (f64) -> f64
  // CHECK: call @exp(%{{.*}}) : (f64) -> f64
  // CHECK: call @pow(%{{.*}}, %{{.*}}) : (f64, f64) -> f64
  %0 = math.exp %x : f64
  %1 = math.exp %0 : f64
  %2 = math.powf %1, %y : f64
  return %2 : f64
}
// CHECK-COUNT-1: func.func private @exp(f64) -> f64 attributes {llvm.readnone}
// CHECK-NOT:     func.func private @exp(

// -----

// CHECK-LABEL: func @instructions_stay
func.func @instructions_stay(%x: f32) -> f32 {
  // CHECK-NEXT: math.sqrt
  // CHECK-NEXT: math.floor
  // CHECK-NEXT: math.absf
  // CHECK-NEXT: math.fma
  // CHECK-NEXT: return
  %0 = math.sqrt %x : f32
  %1 = math.floor %0 : f32
  %2 = math.absf %1 : f32
  %3 = math.fma %0, %1, %2 : f32
  return %3 : f32
}
