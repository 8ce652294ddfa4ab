// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s | FileCheck %s
// RUN: tegula-opt %s --mlir-print-op-generic | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --emit-bytecode | tegula-opt | FileCheck %s

// CHECK-LABEL: func.func private @every_element_type
// CHECK-SAME: (!tile.view<?xi1>, !tile.view<?xi8>, !tile.view<?xi16>, !tile.view<?xi32>, !tile.view<?xi64>,
// CHECK-SAME: !tile.view<?xf16>, !tile.view<?xbf16>, !tile.view<?xf32>, !tile.view<?xf64>,
// CHECK-SAME: !tile.view<?xf8E4M3FN>, !tile.view<?xf8E5M2>)
func.func private @every_element_type(
  !tile.view<?xi1>, !tile.view<?xi8>, !tile.view<?xi16>, !tile.view<?xi32>, !tile.view<?xi64>,
  !tile.view<?xf16>, !tile.view<?xbf16>, !tile.view<?xf32>, !tile.view<?xf64>,
  !tile.view<?xf8E4M3FN>, !tile.view<?xf8E5M2>)

// CHECK-LABEL: func.func private @rank_1_to_8
// CHECK-SAME: (!tile.view<?xf32>, !tile.view<?x?x?x?x?x?x?x?xf32>)
func.func private @rank_1_to_8(!tile.view<?xf32>, !tile.view<?x?x?x?x?x?x?x?xf32>)

// CHECK-LABEL: func.func private @known_strides
// CHECK-SAME: (!tile.view<?x?xf32, strides = [?, 1]>, !tile.view<?x?xf32, strides = [-64, 0]>)
func.func private @known_strides(!tile.view<?x?xf32, strides = [?, 1]>, !tile.view<?x?xf32, strides = [-64, 0]>)

// Strides that are all unknown and the alignment that the element size gives are the default.
// CHECK-LABEL: func.func private @defaults_are_left_out
// CHECK-SAME: (!tile.view<?x?xf32>, !tile.view<?xbf16>, !tile.view<?xi1>)
func.func private @defaults_are_left_out(
  !tile.view<?x?xf32, strides = [?, ?], align = 4>, !tile.view<?xbf16, align = 2>, !tile.view<?xi1, align = 1>)

// CHECK-LABEL: func.func private @alignment
// CHECK-SAME: (!tile.view<?xf32, align = 16>, !tile.view<?xf64, align = 1>, !tile.view<?x?xf32, strides = [?, 1], align = 64>)
func.func private @alignment(
  !tile.view<?xf32, align = 16>, !tile.view<?xf64, align = 1>, !tile.view<?x?xf32, align = 64, strides = [?, 1]>)

// CHECK-LABEL: func.func private @attributes_on_their_own
// CHECK-SAME: test.arg = #tile.arg<umin>, test.atomic = #tile.atomic<xchg>, test.combine = #tile.combine<xor>,
// CHECK-SAME: test.fpclass = #tile.fpclass<finite>, test.precision = #tile.precision<tf32>, test.type = !tile.view<?xf32>
func.func private @attributes_on_their_own() attributes {
  test.arg = #tile.arg<umin>, test.atomic = #tile.atomic<xchg>, test.combine = #tile.combine<xor>,
  test.fpclass = #tile.fpclass<finite>, test.precision = #tile.precision<tf32>, test.type = !tile.view<?xf32>}

// CHECK-LABEL: func.func @attributes_of_kernels
// CHECK-SAME: (%{{.*}}: !tile.view<?x?xf32> {tile.size_div = array<i64: 16, 1>, tile.stride_div = array<i64: 16, 1>},
// CHECK-SAME: %{{.*}}: !tile.view<?xf32>, %{{.*}}: i64)
// CHECK-SAME: attributes {tile.fast_math, tile.kernel, tile.may_alias = {{\[\[}}0, 1]]}
func.func @attributes_of_kernels(
    %a: !tile.view<?x?xf32> {tile.size_div = array<i64: 16, 1>, tile.stride_div = array<i64: 16, 1>},
    %b: !tile.view<?xf32>, %n: i64) attributes {tile.kernel, tile.fast_math, tile.may_alias = [[0, 1]]} {
  return
}

// CHECK-LABEL: func.func private @hints
// CHECK-SAME: attributes {tile.num_stages = 1 : i32, tile.num_warps = 64 : i32}
func.func private @hints() attributes {tile.num_stages = 1 : i32, tile.num_warps = 64 : i32}

// CHECK-LABEL: func.func private @attributes_of_a_declaration
// CHECK-SAME: (!tile.view<?xf32> {tile.size_div = array<i64: 16>}, !tile.view<?xf32>)
// CHECK-SAME: attributes {tile.kernel, tile.may_alias = []}
func.func private @attributes_of_a_declaration(!tile.view<?xf32> {tile.size_div = array<i64: 16>}, !tile.view<?xf32>)
  attributes {tile.kernel, tile.may_alias = []}
