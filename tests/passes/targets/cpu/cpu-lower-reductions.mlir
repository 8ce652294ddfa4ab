// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-lower-reductions | FileCheck %s

// CHECK-DAG: #[[$ELEMENT:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @a_sum_is_a_generic_that_may_be_reassociated(
// CHECK-SAME:    %[[X:.*]]: tensor<16x32xf32>)
// From 0 as NumPy's, so that a sum of -0 is 0.
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[INIT:.*]] = linalg.generic {{.*}} ins(%[[ZERO]] : f32)
// CHECK:         %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[$ELEMENT]], #[[$ROW]]], iterator_types = ["parallel", "reduction"]}
// CHECK-SAME:      ins(%[[X]] : tensor<16x32xf32>) outs(%[[INIT]] : tensor<16xf32>)
// CHECK:         ^bb0(%[[E:.*]]: f32, %[[ACC:.*]]: f32):
// CHECK:           arith.addf %[[ACC]], %[[E]] fastmath<reassoc> : f32
// CHECK:         return %[[SUM]]
func.func @a_sum_is_a_generic_that_may_be_reassociated(%x: tensor<16x32xf32>) -> tensor<16xf32> {
  %s = tile.reduce <add> %x axis 1 : tensor<16x32xf32> -> tensor<16xf32>
  return %s : tensor<16xf32>
}

// -----

// CHECK-LABEL: func @a_reduction_to_a_scalar_is_extracted(
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i32
// CHECK:         %[[TILE:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} {{.*}} outs(%{{.*}} : tensor<i32>)
// CHECK:           arith.muli
// CHECK:         %[[SCALAR:.*]] = tensor.extract %[[TILE]][]
// CHECK:         return %[[SCALAR]]
func.func @a_reduction_to_a_scalar_is_extracted(%x: tensor<64xi32>) -> i32 {
  %s = tile.reduce <mul> %x axis 0 : tensor<64xi32> -> i32
  return %s : i32
}

// -----

// CHECK-LABEL: func @small_floats_are_summed_in_f32(
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<16x32xbf16>) outs(%{{.*}} : tensor<16xf32>)
// CHECK:           %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK:           arith.addf %{{.*}}, %[[WIDE]] fastmath<reassoc> : f32
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : tensor<16xf32>) outs(%{{.*}} : tensor<16xbf16>)
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
func.func @small_floats_are_summed_in_f32(%x: tensor<16x32xbf16>) -> tensor<16xbf16> {
  %s = tile.reduce <add> %x axis 1 : tensor<16x32xbf16> -> tensor<16xbf16>
  return %s : tensor<16xbf16>
}

// -----

// CHECK-LABEL: func @extremes_of_small_floats_are_exact_as_they_are(
// CHECK:         arith.constant 0xFC00 : f16
// CHECK-NOT:     arith.extf
// CHECK:         arith.maximumf %{{.*}}, %{{.*}} : f16
func.func @extremes_of_small_floats_are_exact_as_they_are(%x: tensor<16x32xf16>) -> tensor<16xf16> {
  %s = tile.reduce <max> %x axis 1 : tensor<16x32xf16> -> tensor<16xf16>
  return %s : tensor<16xf16>
}

// -----

// CHECK-LABEL: func @a_float_without_infinity_starts_from_its_largest_value(
// CHECK:         arith.constant 4.480000e+02 : f8E4M3FN
// CHECK:         arith.minimumf
func.func @a_float_without_infinity_starts_from_its_largest_value(%x: tensor<16xf8E4M3FN>) -> f8E4M3FN {
  %s = tile.reduce <min> %x axis 0 : tensor<16xf8E4M3FN> -> f8E4M3FN
  return %s : f8E4M3FN
}

// -----

// CHECK-LABEL: func @each_integer_combination_starts_from_its_neutral_element(
// CHECK:         arith.constant -128 : i8
// CHECK:           arith.maxsi
// CHECK:         arith.constant 127 : i8
// CHECK:           arith.minsi
// CHECK:         arith.constant 0 : i8
// CHECK:           arith.maxui
// CHECK:         arith.constant -1 : i8
// CHECK:           arith.minui
// CHECK:         arith.constant -1 : i8
// CHECK:           arith.andi
// CHECK:         arith.constant 0 : i8
// CHECK:           arith.ori
// CHECK:         arith.constant 0 : i8
// CHECK:           arith.xori
func.func @each_integer_combination_starts_from_its_neutral_element(%x: tensor<8xi8>) -> (i8, i8, i8, i8, i8, i8, i8) {
  %0 = tile.reduce <max> %x axis 0 : tensor<8xi8> -> i8
  %1 = tile.reduce <min> %x axis 0 : tensor<8xi8> -> i8
  %2 = tile.reduce <umax> %x axis 0 : tensor<8xi8> -> i8
  %3 = tile.reduce <umin> %x axis 0 : tensor<8xi8> -> i8
  %4 = tile.reduce <and> %x axis 0 : tensor<8xi8> -> i8
  %5 = tile.reduce <or> %x axis 0 : tensor<8xi8> -> i8
  %6 = tile.reduce <xor> %x axis 0 : tensor<8xi8> -> i8
  return %0, %1, %2, %3, %4, %5, %6 : i8, i8, i8, i8, i8, i8, i8
}

// -----

// CHECK-LABEL: func @all_of_bools_starts_from_true(
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK:         linalg.generic {{.*}} ins(%[[TRUE]] : i1)
// CHECK:         arith.andi
func.func @all_of_bools_starts_from_true(%x: tensor<8xi1>) -> i1 {
  %0 = tile.reduce <and> %x axis 0 : tensor<8xi1> -> i1
  return %0 : i1
}

// -----

// The first elements start, the rest follow in order: left is what came before.
// CHECK-LABEL: func @a_reduction_by_region_keeps_the_order(
// CHECK-SAME:    %[[X:.*]]: tensor<4x32xf32>, %[[Y:.*]]: tensor<4x32xi64>)
// CHECK-DAG:     %[[X0:.*]] = tensor.extract_slice %[[X]][0, 0] [4, 1] [1, 1] : tensor<4x32xf32> to tensor<4xf32>
// CHECK-DAG:     %[[XS:.*]] = tensor.extract_slice %[[X]][0, 1] [4, 31] [1, 1]
// CHECK-DAG:     %[[Y0:.*]] = tensor.extract_slice %[[Y]][0, 0] [4, 1] [1, 1] : tensor<4x32xi64> to tensor<4xi64>
// CHECK-DAG:     %[[YS:.*]] = tensor.extract_slice %[[Y]][0, 1] [4, 31] [1, 1]
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[XS]], %[[YS]] {{.*}} outs(%[[X0]], %[[Y0]]
// CHECK:         ^bb0(%[[RX:.*]]: f32, %[[RY:.*]]: i64, %[[LX:.*]]: f32, %[[LY:.*]]: i64):
// CHECK:           %[[A:.*]] = arith.subf %[[LX]], %[[RX]] : f32
// CHECK:           %[[B:.*]] = arith.subi %[[LY]], %[[RY]] : i64
// CHECK:           linalg.yield %[[A]], %[[B]]
func.func @a_reduction_by_region_keeps_the_order(%x: tensor<4x32xf32>, %y: tensor<4x32xi64>) -> (tensor<4xf32>, tensor<4xi64>) {
  %a, %b = tile.reduce %x, %y axis 1 : tensor<4x32xf32>, tensor<4x32xi64> -> tensor<4xf32>, tensor<4xi64> {
  ^bb0(%lx: f32, %ly: i64, %rx: f32, %ry: i64):
    %t = arith.subf %lx, %rx : f32
    %u = arith.subi %ly, %ry : i64
    tile.yield %t, %u : f32, i64
  }
  return %a, %b : tensor<4xf32>, tensor<4xi64>
}

// -----

// CHECK-LABEL: func @a_region_may_use_values_from_outside(
// CHECK-SAME:    %{{.*}}: tensor<32xf32>, %[[SCALE:.*]]: f32)
// CHECK:         linalg.generic
// CHECK:           arith.mulf %{{.*}}, %[[SCALE]]
func.func @a_region_may_use_values_from_outside(%x: tensor<32xf32>, %scale: f32) -> f32 {
  %a = tile.reduce %x axis 0 : tensor<32xf32> -> f32 {
  ^bb0(%l: f32, %r: f32):
    %t = arith.mulf %r, %scale : f32
    %u = arith.addf %l, %t : f32
    tile.yield %u : f32
  }
  return %a : f32
}

// -----

// CHECK-LABEL: func @one_element_is_its_own_reduction(
// CHECK-SAME:    %[[X:.*]]: tensor<4x1xf32>)
// CHECK:         %[[FIRST:.*]] = tensor.extract_slice %[[X]][0, 0] [4, 1] [1, 1]
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[FIRST]]
func.func @one_element_is_its_own_reduction(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  %a = tile.reduce %x axis 1 : tensor<4x1xf32> -> tensor<4xf32> {
  ^bb0(%l: f32, %r: f32):
    %u = arith.addf %l, %r : f32
    tile.yield %u : f32
  }
  return %a : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @the_index_of_the_extreme_is_the_lowest_that_attains_it(
// CHECK-SAME:    %[[X:.*]]: tensor<4x32xf32>)
// CHECK:         %[[EXTREME:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x32xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK:           arith.maximumf
// CHECK:         %[[LAST:.*]] = arith.constant 31 : i64
// CHECK:         %[[START:.*]] = linalg.generic {{.*}} ins(%[[LAST]] : i64)
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[EXTREME]] {{.*}} outs(%[[START]]
// CHECK:         ^bb0(%[[E:.*]]: f32, %[[M:.*]]: f32, %[[SO_FAR:.*]]: i64):
// A NaN is the extreme, though it equals nothing.
// CHECK:           %[[EQUAL:.*]] = arith.cmpf oeq, %[[E]], %[[M]]
// CHECK:           %[[NAN:.*]] = arith.cmpf uno, %[[E]], %[[E]]
// CHECK:           %[[ATTAINS:.*]] = arith.ori %[[EQUAL]], %[[NAN]]
// CHECK:           linalg.index 1
// CHECK:           %[[CANDIDATE:.*]] = arith.select %[[ATTAINS]], %{{.*}}, %[[SO_FAR]]
// CHECK:           arith.minsi %[[CANDIDATE]], %[[SO_FAR]]
func.func @the_index_of_the_extreme_is_the_lowest_that_attains_it(%x: tensor<4x32xf32>) -> tensor<4xi64> {
  %i = tile.arg_reduce <max> %x axis 1 : tensor<4x32xf32> -> tensor<4xi64>
  return %i : tensor<4xi64>
}

// -----

// CHECK-LABEL: func @the_index_of_unsigned_integers_is_a_scalar(
// CHECK:         arith.minui
// CHECK:         arith.cmpi eq
// CHECK-NOT:     arith.cmpf
// CHECK:         tensor.extract %{{.*}}[] : tensor<i64>
func.func @the_index_of_unsigned_integers_is_a_scalar(%x: tensor<32xi16>) -> i64 {
  %i = tile.arg_reduce <umin> %x axis 0 : tensor<32xi16> -> i64
  return %i : i64
}

// -----

// CHECK-LABEL: func @a_scan_combines_with_the_result_before(
// CHECK-SAME:    %[[X:.*]]: tensor<64xf32>)
// CHECK:         %[[FIRST:.*]] = tensor.extract_slice %[[X]][0] [1] [1]
// CHECK:         %[[INIT:.*]] = tensor.insert_slice %[[FIRST]] into %{{.*}}[0] [1] [1]
// CHECK:         scf.for %[[AT:.*]] = {{.*}} iter_args(%[[RESULT:.*]] = %[[INIT]])
// CHECK:           %[[HERE:.*]] = arith.addi %[[AT]]
// CHECK:           %[[RUNNING:.*]] = tensor.extract %[[RESULT]][%[[AT]]]
// CHECK:           %[[ELEMENT:.*]] = tensor.extract %[[X]][%[[HERE]]]
// Sums of a scan are not reordered.
// CHECK:           %[[NEXT:.*]] = arith.addf %[[RUNNING]], %[[ELEMENT]] : f32
// CHECK:           tensor.insert %[[NEXT]] into %[[RESULT]][%[[HERE]]]
// CHECK:         } {tegula.in_place}
func.func @a_scan_combines_with_the_result_before(%x: tensor<64xf32>) -> tensor<64xf32> {
  %s = tile.scan <add> %x axis 0 : tensor<64xf32> -> tensor<64xf32>
  return %s : tensor<64xf32>
}

// -----

// CHECK-LABEL: func @a_reverse_scan_starts_at_the_end_with_the_running_value_right(
// CHECK-SAME:    %[[X:.*]]: tensor<64xf32>)
// CHECK:         tensor.extract_slice %[[X]][63] [1] [1]
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[63] [1] [1]
// CHECK:         scf.for %[[AT:.*]] = {{.*}} iter_args(%[[RESULT:.*]] =
// CHECK:           %[[LAST:.*]] = arith.constant 63 : index
// CHECK:           %[[AFTER:.*]] = arith.subi %[[LAST]], %[[AT]]
// CHECK:           %[[HERE:.*]] = arith.subi %[[AFTER]]
// CHECK:           %[[RUNNING:.*]] = tensor.extract %[[RESULT]][%[[AFTER]]]
// CHECK:           %[[ELEMENT:.*]] = tensor.extract %[[X]][%[[HERE]]]
// CHECK:           arith.mulf %[[ELEMENT]], %[[RUNNING]] : f32
func.func @a_reverse_scan_starts_at_the_end_with_the_running_value_right(%x: tensor<64xf32>) -> tensor<64xf32> {
  %s = tile.scan <mul> %x axis 0 reverse : tensor<64xf32> -> tensor<64xf32>
  return %s : tensor<64xf32>
}

// -----

// CHECK-LABEL: func @a_scan_walks_the_dimensions_after_its_axis_innermost(
// CHECK:         tensor.extract_slice %{{.*}}[0, 0] [1, 8] [1, 1]
// CHECK:         scf.for %[[ROW:.*]] = {{.*}} iter_args
// CHECK:           scf.for %[[COLUMN:.*]] = {{.*}} iter_args(%[[RESULT:.*]] =
// CHECK:             tensor.extract %[[RESULT]][%[[ROW]], %[[COLUMN]]]
func.func @a_scan_walks_the_dimensions_after_its_axis_innermost(%x: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %s = tile.scan <max> %x axis 0 : tensor<4x8xi32> -> tensor<4x8xi32>
  return %s : tensor<4x8xi32>
}

// -----

// CHECK-LABEL: func @a_scan_by_region_carries_every_operand(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xi1>)
// CHECK:         %[[RESULTS:.*]]:2 = scf.for {{.*}} iter_args(%[[RX:.*]] = %{{.*}}, %[[RY:.*]] = %{{.*}}) -> (tensor<8xf32>, tensor<8xi1>)
// CHECK-DAG:       %[[LX:.*]] = tensor.extract %[[RX]]
// CHECK-DAG:       %[[EX:.*]] = tensor.extract %[[X]]
// CHECK-DAG:       %[[LY:.*]] = tensor.extract %[[RY]]
// CHECK-DAG:       %[[EY:.*]] = tensor.extract %[[Y]]
// CHECK:           %[[SUM:.*]] = arith.addf %[[LX]], %[[EX]]
// CHECK:           arith.select %[[EY]], %[[EX]], %[[SUM]]
// CHECK:           arith.ori %[[LY]], %[[EY]]
// CHECK:         return %[[RESULTS]]#0, %[[RESULTS]]#1
func.func @a_scan_by_region_carries_every_operand(%x: tensor<8xf32>, %y: tensor<8xi1>) -> (tensor<8xf32>, tensor<8xi1>) {
  %a, %b = tile.scan %x, %y axis 0 : tensor<8xf32>, tensor<8xi1> -> tensor<8xf32>, tensor<8xi1> {
  ^bb0(%lx: f32, %ly: i1, %rx: f32, %ry: i1):
    %sum = arith.addf %lx, %rx : f32
    %value = arith.select %ry, %rx, %sum : f32
    %flag = arith.ori %ly, %ry : i1
    tile.yield %value, %flag : f32, i1
  }
  return %a, %b : tensor<8xf32>, tensor<8xi1>
}

// -----

// CHECK-LABEL: func @a_scan_of_one_element_is_a_copy(
// CHECK:         %[[COPY:.*]] = tensor.insert_slice
// CHECK-NOT:     scf.for
// CHECK:         return %[[COPY]]
func.func @a_scan_of_one_element_is_a_copy(%x: tensor<1xi32>) -> tensor<1xi32> {
  %s = tile.scan <add> %x axis 0 : tensor<1xi32> -> tensor<1xi32>
  return %s : tensor<1xi32>
}
