// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-lower-copies | FileCheck %s

// CHECK: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @a_copy_is_a_generic(
// CHECK-SAME:    %[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<4x8xf32>)
// CHECK-NEXT:    linalg.generic {indexing_maps = [#[[$ID]], #[[$ID]]], iterator_types = ["parallel", "parallel"]} ins(%[[A]] : memref<4x8xf32>) outs(%[[B]] : memref<4x8xf32>)
// CHECK-NEXT:    ^bb0(%[[E:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      linalg.yield %[[E]]
// CHECK-NOT:     memref.copy
func.func @a_copy_is_a_generic(%a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  memref.copy %a, %b : memref<4x8xf32> to memref<4x8xf32>
  return
}

// -----

// CHECK-LABEL: func @strides_and_run_time_sizes_are_no_obstacle(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : memref<?xi1, strided<[?], offset: ?>>) outs(%{{.*}} : memref<?xi1>)
func.func @strides_and_run_time_sizes_are_no_obstacle(%a: memref<?xi1, strided<[?], offset: ?>>, %b: memref<?xi1>) {
  memref.copy %a, %b : memref<?xi1, strided<[?], offset: ?>> to memref<?xi1>
  return
}

// -----

// CHECK-LABEL: func @a_single_element_needs_no_loop(
// CHECK:         linalg.generic {{.*}} iterator_types = []} ins(%{{.*}} : memref<f32>)
func.func @a_single_element_needs_no_loop(%a: memref<f32>, %b: memref<f32>) {
  memref.copy %a, %b : memref<f32> to memref<f32>
  return
}

// -----

// CHECK-LABEL: func @a_copy_to_itself_is_nothing(
// CHECK-NEXT:    return
func.func @a_copy_to_itself_is_nothing(%a: memref<4xf32>) {
  memref.copy %a, %a : memref<4xf32> to memref<4xf32>
  return
}

// -----

// CHECK-LABEL: func @copies_in_loops_are_found(
// CHECK:         scf.for
// CHECK-NEXT:      linalg.generic
func.func @copies_in_loops_are_found(%a: memref<4xf32>, %b: memref<4xf32>, %n: index, %one: index) {
  scf.for %i = %one to %n step %one {
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  }
  return
}
