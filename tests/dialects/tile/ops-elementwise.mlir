// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s | FileCheck %s
// RUN: tegula-opt %s --mlir-print-op-generic | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --emit-bytecode | tegula-opt | FileCheck %s

// CHECK-LABEL: func.func @integer_operations_on_tiles
// CHECK-SAME: (%[[A:.*]]: tensor<64xi32>, %[[B:.*]]: tensor<64xi32>)
func.func @integer_operations_on_tiles(%a: tensor<64xi32>, %b: tensor<64xi32>) {
  // CHECK-NEXT: tile.floordiv %[[A]], %[[B]] : tensor<64xi32>
  %0 = tile.floordiv %a, %b : tensor<64xi32>
  // CHECK-NEXT: tile.floormod %[[A]], %[[B]] : tensor<64xi32>
  %1 = tile.floormod %a, %b : tensor<64xi32>
  // CHECK-NEXT: tile.shl %[[A]], %[[B]] : tensor<64xi32>
  %2 = tile.shl %a, %b : tensor<64xi32>
  // CHECK-NEXT: tile.shr %[[A]], %[[B]] : tensor<64xi32>
  %3 = tile.shr %a, %b : tensor<64xi32>
  // CHECK-NEXT: tile.ipow %[[A]], %[[B]] : tensor<64xi32>
  %4 = tile.ipow %a, %b : tensor<64xi32>
  return
}

// CHECK-LABEL: func.func @unsigned_operations_on_scalars
// CHECK-SAME: (%[[A:.*]]: i8, %[[B:.*]]: i8)
func.func @unsigned_operations_on_scalars(%a: i8, %b: i8) {
  // CHECK-NEXT: tile.floordiv unsigned %[[A]], %[[B]] : i8
  %0 = tile.floordiv unsigned %a, %b : i8
  // CHECK-NEXT: tile.floormod unsigned %[[A]], %[[B]] : i8
  %1 = tile.floormod unsigned %a, %b : i8
  // CHECK-NEXT: tile.shl unsigned %[[A]], %[[B]] : i8
  %2 = tile.shl unsigned %a, %b : i8
  // CHECK-NEXT: tile.shr unsigned %[[A]], %[[B]] : i8
  %3 = tile.shr unsigned %a, %b : i8
  // CHECK-NEXT: tile.ipow unsigned %[[A]], %[[B]] : i8
  %4 = tile.ipow unsigned %a, %b : i8
  return
}

// CHECK-LABEL: func.func @float_remainder
// CHECK-SAME: (%[[A:.*]]: bf16, %[[B:.*]]: tensor<3x3xf64>)
func.func @float_remainder(%a: bf16, %b: tensor<3x3xf64>) {
  // CHECK-NEXT: tile.fmod %[[A]], %[[A]] : bf16
  %0 = tile.fmod %a, %a : bf16
  // CHECK-NEXT: tile.fmod %[[B]], %[[B]] : tensor<3x3xf64>
  %1 = tile.fmod %b, %b : tensor<3x3xf64>
  return
}

// CHECK-LABEL: func.func @conversions
// CHECK-SAME: (%[[F:.*]]: tensor<64xf32>, %[[U:.*]]: i8)
func.func @conversions(%f: tensor<64xf32>, %u: i8) {
  // CHECK-NEXT: tile.cast %[[F]] : tensor<64xf32> -> tensor<64xf8E5M2>
  %0 = tile.cast %f : tensor<64xf32> -> tensor<64xf8E5M2>
  // CHECK-NEXT: tile.cast %[[F]] to_unsigned : tensor<64xf32> -> tensor<64xi64>
  %1 = tile.cast %f to_unsigned : tensor<64xf32> -> tensor<64xi64>
  // CHECK-NEXT: tile.cast %[[U]] from_unsigned : i8 -> f16
  %2 = tile.cast %u from_unsigned : i8 -> f16
  // CHECK-NEXT: tile.cast %[[U]] from_unsigned to_unsigned : i8 -> i1
  %3 = tile.cast %u from_unsigned to_unsigned : i8 -> i1
  return
}

// CHECK-LABEL: func.func @reinterpreted_bits
// CHECK-SAME: (%[[F:.*]]: tensor<4x4xbf16>, %[[X:.*]]: i8)
func.func @reinterpreted_bits(%f: tensor<4x4xbf16>, %x: i8) {
  // CHECK-NEXT: tile.bitcast %[[F]] : tensor<4x4xbf16> -> tensor<4x4xi16>
  %0 = tile.bitcast %f : tensor<4x4xbf16> -> tensor<4x4xi16>
  // CHECK-NEXT: tile.bitcast %[[X]] : i8 -> f8E4M3FN
  %1 = tile.bitcast %x : i8 -> f8E4M3FN
  return
}

// CHECK-LABEL: func.func @class_tests
// CHECK-SAME: (%[[F:.*]]: tensor<64xf32>, %[[X:.*]]: f8E5M2)
func.func @class_tests(%f: tensor<64xf32>, %x: f8E5M2) {
  // CHECK-NEXT: tile.fpclass <nan> %[[F]] : tensor<64xf32> -> tensor<64xi1>
  %0 = tile.fpclass <nan> %f : tensor<64xf32> -> tensor<64xi1>
  // CHECK-NEXT: tile.fpclass <inf> %[[F]] : tensor<64xf32> -> tensor<64xi1>
  %1 = tile.fpclass <inf> %f : tensor<64xf32> -> tensor<64xi1>
  // CHECK-NEXT: tile.fpclass <finite> %[[X]] : f8E5M2 -> i1
  %2 = tile.fpclass <finite> %x : f8E5M2 -> i1
  return
}
