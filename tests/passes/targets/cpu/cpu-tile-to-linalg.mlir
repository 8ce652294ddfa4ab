// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-tile-to-linalg | FileCheck %s

// CHECK-DAG: #[[$NONE:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-DAG: #[[$ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @a_splat_reads_one_scalar(
// CHECK-SAME:    %[[X:.*]]: f32)
// CHECK:         linalg.generic {indexing_maps = [#[[$NONE]], #[[$ALL]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]] : f32)
func.func @a_splat_reads_one_scalar(%x: f32) -> tensor<4x8xf32> {
  %t = tile.full %x : tensor<4x8xf32>
  return %t : tensor<4x8xf32>
}

// -----

// As data it would be as large as the tile.
// CHECK-LABEL: func @a_constant_splat_is_a_scalar(
// CHECK:         %[[X:.*]] = arith.constant 2.500000e+00 : f32
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : f32)
// CHECK-NOT:     dense
func.func @a_constant_splat_is_a_scalar() -> tensor<4x8xf32> {
  %t = arith.constant dense<2.5> : tensor<4x8xf32>
  return %t : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func @other_constants_stay_data(
// CHECK-NEXT:    arith.constant dense<[1, 2]> : tensor<2xi32>
// CHECK-NEXT:    return
func.func @other_constants_stay_data() -> tensor<2xi32> {
  %t = arith.constant dense<[1, 2]> : tensor<2xi32>
  return %t : tensor<2xi32>
}

// -----

// CHECK-LABEL: func @iota_is_the_loop_index(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<16xi32>)
// CHECK:           %[[I:.*]] = linalg.index 0
// CHECK:           arith.index_cast %[[I]] : index to i32
func.func @iota_is_the_loop_index() -> tensor<16xi32> {
  %t = tile.iota : tensor<16xi32>
  return %t : tensor<16xi32>
}

// -----

// CHECK-DAG: #[[$STRETCH:.*]] = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
// CHECK-LABEL: func @a_stretched_dimension_reads_index_zero(
// CHECK:         linalg.generic {indexing_maps = [#[[$STRETCH]],
func.func @a_stretched_dimension_reads_index_zero(%x: tensor<1x1x4xf32>) -> tensor<1x8x4xf32> {
  %t = tile.broadcast %x : tensor<1x1x4xf32> -> tensor<1x8x4xf32>
  return %t : tensor<1x8x4xf32>
}

// -----

// Dimension d of the result is dimension perm[d] of the source: a map from result to source inverts that.
// CHECK-DAG: #[[$MOVE:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-LABEL: func @a_permutation_is_a_map(
// CHECK:         linalg.generic {indexing_maps = [#[[$MOVE]],
func.func @a_permutation_is_a_map(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %t = tile.permute %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %t : tensor<4x2x3xf32>
}

// -----

// CHECK-DAG: #[[$DROP:.*]] = affine_map<(d0, d1, d2) -> (d1, 0)>
// CHECK-LABEL: func @dimensions_of_one_come_and_go_by_map(
// CHECK:         linalg.generic {indexing_maps = [#[[$DROP]],
// CHECK-NOT:     tensor.expand_shape
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         return
func.func @dimensions_of_one_come_and_go_by_map(%x: tensor<8x1xf32>) -> tensor<1x8x1xf32> {
  %t = tile.reshape %x : tensor<8x1xf32> -> tensor<1x8x1xf32>
  return %t : tensor<1x8x1xf32>
}

// -----

// CHECK-LABEL: func @a_reshape_that_merges_dimensions_collapses(
// CHECK-NEXT:    %[[T:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]]
// CHECK-NEXT:    return %[[T]]
func.func @a_reshape_that_merges_dimensions_collapses(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %t = tile.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  return %t : tensor<6x4xf32>
}

// -----

// CHECK-LABEL: func @a_reshape_that_splits_a_dimension_expands(
// CHECK-NEXT:    %[[T:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [3, 2, 4]
// CHECK-NEXT:    return %[[T]]
func.func @a_reshape_that_splits_a_dimension_expands(%x: tensor<3x8xf32>) -> tensor<3x2x4xf32> {
  %t = tile.reshape %x : tensor<3x8xf32> -> tensor<3x2x4xf32>
  return %t : tensor<3x2x4xf32>
}

// -----

// CHECK-LABEL: func @any_other_reshape_goes_through_one_dimension(
// CHECK-NEXT:    %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{.*}} into tensor<6xf32>
// CHECK-NEXT:    %[[T:.*]] = tensor.expand_shape %[[FLAT]] {{.*}} into tensor<3x2xf32>
// CHECK-NEXT:    return %[[T]]
func.func @any_other_reshape_goes_through_one_dimension(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %t = tile.reshape %x : tensor<2x3xf32> -> tensor<3x2xf32>
  return %t : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func @mixed_reshapes_end(
// CHECK-NOT:     tile.reshape
// CHECK:         return
func.func @mixed_reshapes_end(%x: tensor<6x1xf32>, %y: tensor<1x2x3xf32>, %z: tensor<2x3xf32>, %w: tensor<4x1x6xf32>)
    -> (tensor<2x3xf32>, tensor<6x1x1xf32>, tensor<1x6xf32>, tensor<1x3x1x8xf32>) {
  %0 = tile.reshape %x : tensor<6x1xf32> -> tensor<2x3xf32>
  %1 = tile.reshape %y : tensor<1x2x3xf32> -> tensor<6x1x1xf32>
  %2 = tile.reshape %z : tensor<2x3xf32> -> tensor<1x6xf32>
  %3 = tile.reshape %w : tensor<4x1x6xf32> -> tensor<1x3x1x8xf32>
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<6x1x1xf32>, tensor<1x6xf32>, tensor<1x3x1x8xf32>
}

// -----

// CHECK-LABEL: func @a_scalar_and_a_tile_of_one_element_are_one_another(
// CHECK-SAME:    %[[X:.*]]: f32, %[[T:.*]]: tensor<1x1xf32>)
// CHECK:         %[[ELEMENT:.*]] = tensor.extract %[[T]][%{{.*}}, %{{.*}}]
// CHECK:         %[[TILE:.*]] = linalg.generic {{.*}} ins(%[[X]] : f32) outs(%{{.*}} : tensor<1x1xf32>)
// CHECK:         return %[[TILE]], %[[ELEMENT]]
func.func @a_scalar_and_a_tile_of_one_element_are_one_another(%x: f32, %t: tensor<1x1xf32>) -> (tensor<1x1xf32>, f32) {
  %e = tile.reshape %t : tensor<1x1xf32> -> f32
  %u = tile.reshape %x : f32 -> tensor<1x1xf32>
  return %u, %e : tensor<1x1xf32>, f32
}

// -----

// CHECK-DAG: #[[$HALF:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @a_join_selects_by_the_last_index(
// CHECK:         linalg.generic {indexing_maps = [#[[$HALF]], #[[$HALF]],
// CHECK:         ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK:           %[[I:.*]] = linalg.index 1
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[I]]
// CHECK:           arith.select %[[FIRST]], %[[A]], %[[B]]
func.func @a_join_selects_by_the_last_index(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8x2xf32> {
  %t = tile.join %a, %b : tensor<8xf32> -> tensor<8x2xf32>
  return %t : tensor<8x2xf32>
}

// -----

// CHECK-DAG: #[[$LEFT:.*]] = affine_map<(d0) -> (d0, 0)>
// CHECK-DAG: #[[$RIGHT:.*]] = affine_map<(d0) -> (d0, 1)>
// CHECK-LABEL: func @a_split_reads_either_half(
// CHECK:         linalg.generic {indexing_maps = [#[[$LEFT]],
// CHECK:         linalg.generic {indexing_maps = [#[[$RIGHT]],
func.func @a_split_reads_either_half(%x: tensor<8x2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a, %b = tile.split %x : tensor<8x2xf32> -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func @tiles_are_joined_end_to_end_in_one_buffer(
// CHECK-SAME:    %[[A:.*]]: tensor<3x4xf32>, %[[B:.*]]: tensor<5x4xf32>)
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<8x4xf32>
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %[[A]] into %[[EMPTY]][0, 0] [3, 4] [1, 1]
// CHECK:         tensor.insert_slice %[[B]] into %[[FIRST]][3, 0] [5, 4] [1, 1]
func.func @tiles_are_joined_end_to_end_in_one_buffer(%a: tensor<3x4xf32>, %b: tensor<5x4xf32>) -> tensor<8x4xf32> {
  %t = tile.concat %a, %b axis 0 : tensor<3x4xf32>, tensor<5x4xf32> -> tensor<8x4xf32>
  return %t : tensor<8x4xf32>
}

// -----

// CHECK-DAG: #[[$A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$B:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$C:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @a_dot_is_a_contraction(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf16>, %[[Y:.*]]: tensor<4x16xf16>, %[[ACC:.*]]: tensor<8x16xf32>)
// CHECK:         linalg.contract indexing_maps = [#[[$A]], #[[$B]], #[[$C]]] {{.*}} ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[ACC]]
func.func @a_dot_is_a_contraction(%a: tensor<8x4xf16>, %b: tensor<4x16xf16>, %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %t = tile.dot %a, %b, %c : tensor<8x4xf16>, tensor<4x16xf16>, tensor<8x16xf32>
  return %t : tensor<8x16xf32>
}

// -----

// CHECK-DAG: #[[$A:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[$B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func @transposed_operands_are_read_in_place(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<16x4xf32>,
// CHECK-NEXT:    linalg.contract indexing_maps = [#[[$A]], #[[$B]], #{{.*}}] {{.*}} ins(%[[X]], %[[Y]] :
// CHECK-NEXT:    return
func.func @transposed_operands_are_read_in_place(%a: tensor<4x8xf32>, %b: tensor<16x4xf32>, %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %at = tile.permute %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %bt = tile.permute %b [1, 0] : tensor<16x4xf32> -> tensor<4x16xf32>
  %t = tile.dot %at, %bt, %c : tensor<8x4xf32>, tensor<4x16xf32>, tensor<8x16xf32>
  return %t : tensor<8x16xf32>
}

// -----

// CHECK-DAG: #[[$A:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[$B:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[$C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func @a_batched_dot_has_a_loop_more(
// CHECK-SAME:    %{{.*}}: tensor<2x8x4xf32>, %[[Y:.*]]: tensor<2x16x4xf32>,
// CHECK:         linalg.contract indexing_maps = [#[[$A]], #[[$B]], #[[$C]]] {{.*}} ins(%{{.*}}, %[[Y]] :
func.func @a_batched_dot_has_a_loop_more(%a: tensor<2x8x4xf32>, %b: tensor<2x16x4xf32>, %c: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %bt = tile.permute %b [0, 2, 1] : tensor<2x16x4xf32> -> tensor<2x4x16xf32>
  %t = tile.dot %a, %bt, %c : tensor<2x8x4xf32>, tensor<2x4x16xf32>, tensor<2x8x16xf32>
  return %t : tensor<2x8x16xf32>
}

// -----

// CHECK-LABEL: func @other_permutations_of_an_operand_are_made_first(
// CHECK:         %[[MOVED:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x16xf32>)
// CHECK:         linalg.contract {{.*}} ins(%{{.*}}, %[[MOVED]] :
func.func @other_permutations_of_an_operand_are_made_first(%a: tensor<2x8x4xf32>, %b: tensor<4x2x16xf32>, %c: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %bt = tile.permute %b [1, 0, 2] : tensor<4x2x16xf32> -> tensor<2x4x16xf32>
  %t = tile.dot %a, %bt, %c : tensor<2x8x4xf32>, tensor<2x4x16xf32>, tensor<2x8x16xf32>
  return %t : tensor<2x8x16xf32>
}

// -----

// CHECK-LABEL: func @a_dot_of_unsigned_integers_extends_by_zeros(
// CHECK-NEXT:    linalg.contract {{.*}} {cast = #linalg.type_fn<cast_unsigned>}
// CHECK-SAME:      tensor<8x4xi8>, tensor<4x8xi8>
func.func @a_dot_of_unsigned_integers_extends_by_zeros(%a: tensor<8x4xi8>, %b: tensor<4x8xi8>, %c: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %t = tile.dot %a, %b, %c a_unsigned b_unsigned : tensor<8x4xi8>, tensor<4x8xi8>, tensor<8x8xi32>
  return %t : tensor<8x8xi32>
}

// -----

// 200 as unsigned is -56 as signed and 256 more: two signed products.
// CHECK-LABEL: func @a_dot_of_mixed_signs_sums_what_the_sign_left_out_first(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xi8>, %[[Y:.*]]: tensor<4x8xi8>, %[[ACC:.*]]: tensor<8x8xi32>)
// CHECK:         %[[TOPS:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<8x4xi8>)
// CHECK:           arith.shrui
// CHECK:         %[[EXTRA:.*]] = linalg.contract {{.*}} {cast = #linalg.type_fn<cast_signed>} ins(%[[TOPS]], %[[Y]] :
// CHECK:         %[[START:.*]] = linalg.generic {{.*}} ins(%[[ACC]], %[[EXTRA]] :
// CHECK:           %[[SCALED:.*]] = arith.shli
// CHECK:           arith.addi %{{.*}}, %[[SCALED]]
// CHECK:         linalg.contract {{.*}} {cast = #linalg.type_fn<cast_signed>} ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[START]]
func.func @a_dot_of_mixed_signs_sums_what_the_sign_left_out_first(%a: tensor<8x4xi8>, %b: tensor<4x8xi8>, %c: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %t = tile.dot %a, %b, %c a_unsigned : tensor<8x4xi8>, tensor<4x8xi8>, tensor<8x8xi32>
  return %t : tensor<8x8xi32>
}

// -----

// CHECK-LABEL: func @the_condition_of_a_choice_of_tiles_becomes_a_tile(
// CHECK-SAME:    %[[C:.*]]: i1,
// CHECK:         %[[MASK:.*]] = linalg.generic {{.*}} ins(%[[C]] : i1) outs(%{{.*}} : tensor<8xi1>)
// CHECK:         arith.select %[[MASK]], %{{.*}}, %{{.*}} : tensor<8xi1>, tensor<8xf32>
func.func @the_condition_of_a_choice_of_tiles_becomes_a_tile(%c: i1, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %t = arith.select %c, %a, %b : tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// CHECK-LABEL: func @the_right_operand_may_be_the_unsigned_one(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xi8>, %[[Y:.*]]: tensor<4x8xi8>,
// CHECK:         %[[TOPS:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<4x8xi8>)
// CHECK:         linalg.contract {{.*}} ins(%[[X]], %[[TOPS]] :
// CHECK:         linalg.contract {{.*}} ins(%[[X]], %[[Y]] :
func.func @the_right_operand_may_be_the_unsigned_one(%a: tensor<8x4xi8>, %b: tensor<4x8xi8>, %c: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %t = tile.dot %a, %b, %c b_unsigned : tensor<8x4xi8>, tensor<4x8xi8>, tensor<8x8xi32>
  return %t : tensor<8x8xi32>
}

// -----

// CHECK-LABEL: func @elements_are_taken_without_a_branch(
// CHECK-SAME:    %[[X:.*]]: tensor<4x16xf32>, %[[I:.*]]: tensor<4x8xi32>)
// CHECK:         linalg.generic {{.*}} ins(%[[I]] : tensor<4x8xi32>)
// CHECK:         ^bb0(%[[AT:.*]]: i32, %{{.*}}: f32):
// CHECK:         %[[P:.*]] = arith.index_cast %[[AT]]
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[P]], %{{.*}} : index
// CHECK:         %[[SAFE:.*]] = arith.select %[[INSIDE]], %[[P]],
// CHECK:         %[[ROW:.*]] = linalg.index 0
// CHECK:         %[[E:.*]] = tensor.extract %[[X]][%[[ROW]], %[[SAFE]]]
// CHECK:         arith.select %[[INSIDE]], %[[E]],
func.func @elements_are_taken_without_a_branch(%x: tensor<4x16xf32>, %i: tensor<4x8xi32>) -> tensor<4x8xf32> {
  %t = tile.take %x[%i] axis 1 : tensor<4x16xf32>, tensor<4x8xi32> -> tensor<4x8xf32>
  return %t : tensor<4x8xf32>
}
