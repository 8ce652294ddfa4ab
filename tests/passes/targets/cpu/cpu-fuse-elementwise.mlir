// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-tile-to-linalg --convert-elementwise-to-linalg --cpu-fuse-elementwise | FileCheck %s
// RUN: tegula-opt %s -split-input-file --cpu-tile-to-linalg --convert-elementwise-to-linalg --cpu-fuse-elementwise --remarks-filter=cpu-fuse-elementwise --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Missed] fusion | Category:cpu-fuse-elementwise | Remark="this is computed on its own, before what reads it: it has several readers, or one inside a loop"

// CHECK-LABEL: func @a_chain_makes_one_pass(
// CHECK-SAME:    %[[X:.*]]: tensor<16xf32>, %[[Y:.*]]: tensor<16xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[Y]] :
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT:      %[[PRODUCT:.*]] = arith.mulf %[[SUM]], %[[B]]
// CHECK-NEXT:      %[[ROOT:.*]] = math.sqrt %[[PRODUCT]]
// CHECK-NEXT:      linalg.yield %[[ROOT]]
// CHECK-NOT:     linalg.generic
func.func @a_chain_makes_one_pass(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %s = arith.addf %x, %y : tensor<16xf32>
  %p = arith.mulf %s, %y : tensor<16xf32>
  %r = math.sqrt %p : tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// CHECK-LABEL: func @a_value_with_several_readers_is_computed_once(
// CHECK:         %[[E:.*]] = linalg.generic
// CHECK:           math.exp
// CHECK:         linalg.generic {{.*}} ins(%[[E]], %{{.*}} :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.addf
// CHECK:         linalg.generic {{.*}} ins(%[[E]], %{{.*}} :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
func.func @a_value_with_several_readers_is_computed_once(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %e = math.exp %x : tensor<16xf32>
  %s = arith.addf %e, %x : tensor<16xf32>
  %p = arith.mulf %e, %x : tensor<16xf32>
  return %s, %p : tensor<16xf32>, tensor<16xf32>
}

// -----

// CHECK-LABEL: func @a_reader_that_names_a_value_twice_is_one_reader(
// CHECK:         %[[E:.*]] = math.exp
// CHECK-NEXT:    arith.mulf %[[E]], %[[E]]
// CHECK-NOT:     linalg.generic
func.func @a_reader_that_names_a_value_twice_is_one_reader(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = math.exp %x : tensor<16xf32>
  %p = arith.mulf %e, %e : tensor<16xf32>
  return %p : tensor<16xf32>
}

// -----

// Inside it would be computed once a step.
// CHECK-LABEL: func @a_value_is_not_moved_into_a_loop(
// CHECK:         %[[E:.*]] = linalg.generic
// CHECK:           math.exp
// CHECK:         scf.for
// CHECK-NOT:       math.exp
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %[[E]] :
func.func @a_value_is_not_moved_into_a_loop(%x: tensor<16xf32>, %n: index, %one: index) -> tensor<16xf32> {
  %e = math.exp %x : tensor<16xf32>
  %r = scf.for %i = %one to %n step %one iter_args(%s = %x) -> (tensor<16xf32>) {
    %p = arith.addf %s, %e : tensor<16xf32>
    scf.yield %p : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// -----

// Each element of the column would be computed once for every element of its row.
// CHECK-LABEL: func @a_value_that_is_stretched_is_computed_first(
// CHECK:         %[[E:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<16x1xf32>)
// CHECK:           math.exp
// CHECK:         linalg.generic {{.*}} ins(%[[E]], %{{.*}} : tensor<16x1xf32>, tensor<16x32xf32>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
// CHECK-NOT:     linalg.generic
func.func @a_value_that_is_stretched_is_computed_first(%x: tensor<16x1xf32>, %y: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %e = math.exp %x : tensor<16x1xf32>
  %b = tile.broadcast %e : tensor<16x1xf32> -> tensor<16x32xf32>
  %p = arith.mulf %b, %y : tensor<16x32xf32>
  return %p : tensor<16x32xf32>
}

// -----

// CHECK-LABEL: func @moves_fold_into_every_reader(
// CHECK-SAME:    %[[X:.*]]: tensor<16x8xf32>, %[[Y:.*]]: tensor<8x16xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[Y]] :
// CHECK:           arith.addf
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[Y]] :
// CHECK:           arith.mulf
// CHECK-NOT:     linalg.generic
func.func @moves_fold_into_every_reader(%x: tensor<16x8xf32>, %y: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %t = tile.permute %x [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %s = arith.addf %t, %y : tensor<8x16xf32>
  %p = arith.mulf %t, %y : tensor<8x16xf32>
  return %s, %p : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

// CHECK-LABEL: func @splats_and_index_arithmetic_fold_into_every_reader(
// CHECK:         %[[THREE:.*]] = arith.constant 3 : i64
// CHECK-COUNT-2: linalg.generic {{.*}} ins(%{{.*}} : tensor<16xi64>)
// CHECK-NOT:     linalg.generic
func.func @splats_and_index_arithmetic_fold_into_every_reader(%x: tensor<16xi64>) -> (tensor<16xi64>, tensor<16xi64>) {
  %i = tile.iota : tensor<16xi64>
  %three = arith.constant dense<3> : tensor<16xi64>
  %k = arith.addi %i, %three : tensor<16xi64>
  %s = arith.addi %k, %x : tensor<16xi64>
  %p = arith.muli %k, %x : tensor<16xi64>
  return %s, %p : tensor<16xi64>, tensor<16xi64>
}

// -----

// CHECK-LABEL: func @cheap_values_fold_into_loops(
// CHECK-NOT:     linalg.generic
// CHECK:         scf.for
// CHECK:           linalg.generic
// CHECK:             linalg.index
// CHECK-NOT:       linalg.generic
func.func @cheap_values_fold_into_loops(%x: tensor<16xi64>, %n: index, %one: index) -> tensor<16xi64> {
  %i = tile.iota : tensor<16xi64>
  %r = scf.for %k = %one to %n step %one iter_args(%s = %x) -> (tensor<16xi64>) {
    %p = arith.addi %s, %i : tensor<16xi64>
    scf.yield %p : tensor<16xi64>
  }
  return %r : tensor<16xi64>
}

// -----

// CHECK-LABEL: func @long_index_arithmetic_is_computed_once(
// CHECK:         %[[K:.*]] = linalg.generic
// CHECK:           arith.muli
// CHECK:           arith.muli
// CHECK:           arith.muli
// CHECK:         linalg.generic {{.*}} ins(%[[K]],
// CHECK:         linalg.generic {{.*}} ins(%[[K]],
func.func @long_index_arithmetic_is_computed_once(%x: tensor<16xi64>) -> (tensor<16xi64>, tensor<16xi64>) {
  %i = tile.iota : tensor<16xi64>
  %2 = arith.muli %i, %i : tensor<16xi64>
  %3 = arith.muli %2, %2 : tensor<16xi64>
  %4 = arith.muli %3, %3 : tensor<16xi64>
  %5 = arith.muli %4, %4 : tensor<16xi64>
  %s = arith.addi %5, %x : tensor<16xi64>
  %p = arith.muli %5, %x : tensor<16xi64>
  return %s, %p : tensor<16xi64>, tensor<16xi64>
}

// -----

// CHECK-LABEL: func @what_feeds_a_reduction_is_computed_in_it(
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK:           %[[SQUARE:.*]] = arith.mulf
// CHECK:           arith.addf %{{.*}}, %[[SQUARE]]
// CHECK-NOT:     linalg.generic
func.func @what_feeds_a_reduction_is_computed_in_it(%x: tensor<16x32xf32>, %init: tensor<16xf32>) -> tensor<16xf32> {
  %p = arith.mulf %x, %x : tensor<16x32xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                       iterator_types = ["parallel", "reduction"]} ins(%p : tensor<16x32xf32>) outs(%init : tensor<16xf32>) {
  ^bb0(%e: f32, %acc: f32):
    %t = arith.addf %acc, %e : f32
    linalg.yield %t : f32
  } -> tensor<16xf32>
  return %s : tensor<16xf32>
}
