// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-legalize-small-floats | FileCheck %s
//
// Every operation on small floats can be written out, so there is no error to pin: what has none stays.

// CHECK-LABEL: func @wide_arithmetic_stays(
// CHECK-NEXT:    %[[S:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    %[[W:.*]] = arith.extf %[[S]] : f32 to f64
// CHECK-NEXT:    %[[E:.*]] = math.exp %[[W]] : f64
// CHECK-NEXT:    %[[I:.*]] = arith.fptosi %[[E]] : f64 to i16
// CHECK-NEXT:    return %[[I]]
func.func @wide_arithmetic_stays(%x: f32, %y: f32) -> i16 {
  %s = arith.addf %x, %y : f32
  %w = arith.extf %s : f32 to f64
  %e = math.exp %w : f64
  %i = arith.fptosi %e : f64 to i16
  return %i : i16
}

// -----

// CHECK-LABEL: func @moves_through_memory_stay(
// CHECK-NEXT:    %[[X:.*]] = memref.load %{{.*}} : memref<4xf16>
// CHECK-NEXT:    memref.store %[[X]], %{{.*}} : memref<4xf16>
// CHECK-NEXT:    return
func.func @moves_through_memory_stay(%m: memref<4xf16>, %i: index) {
  %x = memref.load %m[%i] : memref<4xf16>
  memref.store %x, %m[%i] : memref<4xf16>
  return
}
