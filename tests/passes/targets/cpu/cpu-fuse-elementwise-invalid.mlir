// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-fuse-elementwise | FileCheck %s
//
// Fusion never fails, so there is no error to pin: what it does not apply to stays.

// CHECK-LABEL: func @operations_that_are_no_generics_stay(
// CHECK-NEXT:    %[[E:.*]] = math.exp
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[E]]
// CHECK-NEXT:    return %[[S]]
func.func @operations_that_are_no_generics_stay(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = math.exp %x : tensor<16xf32>
  %s = arith.addf %e, %x : tensor<16xf32>
  return %s : tensor<16xf32>
}

// -----

// CHECK-LABEL: func @generics_on_buffers_stay(
// CHECK:         linalg.generic {{.*}} outs(%[[T:.*]] : memref<16xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[T]] : memref<16xf32>)
func.func @generics_on_buffers_stay(%x: memref<16xf32>, %t: memref<16xf32>, %y: memref<16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<16xf32>) outs(%t : memref<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%t : memref<16xf32>) outs(%y : memref<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %e = math.sqrt %a : f32
    linalg.yield %e : f32
  }
  return
}
