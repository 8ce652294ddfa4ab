// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s | FileCheck %s
// RUN: tegula-opt %s --mlir-print-op-generic | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --emit-bytecode | tegula-opt | FileCheck %s

// CHECK-LABEL: func.func @grid_position_and_size
func.func @grid_position_and_size() {
  // CHECK-NEXT: tile.program_id 0
  %0 = tile.program_id 0
  // CHECK-NEXT: tile.program_id 2
  %1 = tile.program_id 2
  // CHECK-NEXT: tile.num_programs 1
  %2 = tile.num_programs 1
  return
}

// CHECK-LABEL: func.func @view_sizes_and_strides
// CHECK-SAME: (%[[A:.*]]: !tile.view<?x?xf32, strides = [?, 1]>)
func.func @view_sizes_and_strides(%a: !tile.view<?x?xf32, strides = [?, 1]>) {
  // CHECK-NEXT: tile.dim %[[A]], 0 : !tile.view<?x?xf32, strides = [?, 1]>
  %0 = tile.dim %a, 0 : !tile.view<?x?xf32, strides = [?, 1]>
  // CHECK-NEXT: tile.stride %[[A]], 1 : !tile.view<?x?xf32, strides = [?, 1]>
  %1 = tile.stride %a, 1 : !tile.view<?x?xf32, strides = [?, 1]>
  return
}

// CHECK-LABEL: func.func @load_with_and_without_pad
// CHECK-SAME: (%[[A:.*]]: !tile.view<?x?xf32>, %[[I:.*]]: i64, %[[J:.*]]: i64, %[[P:.*]]: f32)
func.func @load_with_and_without_pad(%a: !tile.view<?x?xf32>, %i: i64, %j: i64, %p: f32) {
  // CHECK-NEXT: tile.load %[[A]][%[[I]], %[[J]]] : !tile.view<?x?xf32> -> tensor<16x32xf32>
  %0 = tile.load %a[%i, %j] : !tile.view<?x?xf32> -> tensor<16x32xf32>
  // CHECK-NEXT: tile.load %[[A]][%[[I]], %[[J]]] pad %[[P]] : !tile.view<?x?xf32> -> tensor<3x1xf32>
  %1 = tile.load %a[%i, %j] pad %p : !tile.view<?x?xf32> -> tensor<3x1xf32>
  return
}

// CHECK-LABEL: func.func @load_and_store_of_a_part
// CHECK-SAME: (%[[A:.*]]: !tile.view<?x?xf32>, %[[I:.*]]: i64, %[[P:.*]]: f32)
func.func @load_and_store_of_a_part(%a: !tile.view<?x?xf32>, %i: i64, %p: f32) {
  // CHECK-NEXT: %[[T:.*]] = tile.load %[[A]][%[[I]], %[[I]]] pad %[[P]] extents [10, 32] : !tile.view<?x?xf32> -> tensor<16x32xf32>
  %0 = tile.load %a[%i, %i] pad %p extents [10, 32] : !tile.view<?x?xf32> -> tensor<16x32xf32>
  // CHECK-NEXT: tile.store %[[T]], %[[A]][%[[I]], %[[I]]] extents [16, 1] : tensor<16x32xf32>, !tile.view<?x?xf32>
  tile.store %0, %a[%i, %i] extents [16, 1] : tensor<16x32xf32>, !tile.view<?x?xf32>
  return
}

// CHECK-LABEL: func.func @load_of_rank_8
func.func @load_of_rank_8(%a: !tile.view<?x?x?x?x?x?x?x?xi1>, %i: i64) {
  // CHECK: tile.load %{{.*}}[%[[I:.*]], %[[I]], %[[I]], %[[I]], %[[I]], %[[I]], %[[I]], %[[I]]] :
  // CHECK-SAME: -> tensor<1x2x1x1x1x1x3x1xi1>
  %0 = tile.load %a[%i, %i, %i, %i, %i, %i, %i, %i] : !tile.view<?x?x?x?x?x?x?x?xi1> -> tensor<1x2x1x1x1x1x3x1xi1>
  return
}

// CHECK-LABEL: func.func @store_of_a_tile
// CHECK-SAME: (%[[A:.*]]: !tile.view<?xbf16>, %[[T:.*]]: tensor<100xbf16>, %[[I:.*]]: i64)
func.func @store_of_a_tile(%a: !tile.view<?xbf16>, %t: tensor<100xbf16>, %i: i64) {
  // CHECK-NEXT: tile.store %[[T]], %[[A]][%[[I]]] : tensor<100xbf16>, !tile.view<?xbf16>
  tile.store %t, %a[%i] : tensor<100xbf16>, !tile.view<?xbf16>
  return
}

// CHECK-LABEL: func.func @gather_of_tiles
// CHECK-SAME: (%[[A:.*]]: !tile.view<?x?xf16>, %[[R:.*]]: tensor<64xi64>, %[[M:.*]]: tensor<64xi1>, %[[P:.*]]: f16)
func.func @gather_of_tiles(%a: !tile.view<?x?xf16>, %r: tensor<64xi64>, %m: tensor<64xi1>, %p: f16) {
  // CHECK-NEXT: tile.gather %[[A]][%[[R]], %[[R]]] : !tile.view<?x?xf16>, tensor<64xi64> -> tensor<64xf16>
  %0 = tile.gather %a[%r, %r] : !tile.view<?x?xf16>, tensor<64xi64> -> tensor<64xf16>
  // CHECK-NEXT: tile.gather %[[A]][%[[R]], %[[R]]] pad %[[P]] : !tile.view<?x?xf16>, tensor<64xi64> -> tensor<64xf16>
  %1 = tile.gather %a[%r, %r] pad %p : !tile.view<?x?xf16>, tensor<64xi64> -> tensor<64xf16>
  // CHECK-NEXT: tile.gather %[[A]][%[[R]], %[[R]]] mask %[[M]] pad %[[P]] {note = "kept"}
  // CHECK-SAME: : !tile.view<?x?xf16>, tensor<64xi64>, tensor<64xi1> -> tensor<64xf16>
  %2 = tile.gather %a[%r, %r] mask %m pad %p {note = "kept"} : !tile.view<?x?xf16>, tensor<64xi64>, tensor<64xi1> -> tensor<64xf16>
  return
}

// CHECK-LABEL: func.func @gather_and_scatter_of_scalars
// CHECK-SAME: (%[[A:.*]]: !tile.view<?xi8>, %[[I:.*]]: i64, %[[M:.*]]: i1)
func.func @gather_and_scatter_of_scalars(%a: !tile.view<?xi8>, %i: i64, %m: i1) {
  // CHECK-NEXT: %[[V:.*]] = tile.gather %[[A]][%[[I]]] mask %[[M]] : !tile.view<?xi8>, i64, i1 -> i8
  %v = tile.gather %a[%i] mask %m : !tile.view<?xi8>, i64, i1 -> i8
  // CHECK-NEXT: tile.scatter %[[V]], %[[A]][%[[I]]] : i8, !tile.view<?xi8>, i64
  tile.scatter %v, %a[%i] : i8, !tile.view<?xi8>, i64
  return
}

// CHECK-LABEL: func.func @scatter_of_tiles
// CHECK-SAME: (%[[A:.*]]: !tile.view<?xf64>, %[[V:.*]]: tensor<2x3xf64>, %[[I:.*]]: tensor<2x3xi64>, %[[M:.*]]: tensor<2x3xi1>)
func.func @scatter_of_tiles(%a: !tile.view<?xf64>, %v: tensor<2x3xf64>, %i: tensor<2x3xi64>, %m: tensor<2x3xi1>) {
  // CHECK-NEXT: tile.scatter %[[V]], %[[A]][%[[I]]] mask %[[M]]
  // CHECK-SAME: : tensor<2x3xf64>, !tile.view<?xf64>, tensor<2x3xi64>, tensor<2x3xi1>
  tile.scatter %v, %a[%i] mask %m : tensor<2x3xf64>, !tile.view<?xf64>, tensor<2x3xi64>, tensor<2x3xi1>
  return
}

// CHECK-LABEL: func.func @atomics_of_every_kind
// CHECK-SAME: (%[[A:.*]]: !tile.view<?xi32>, %[[V:.*]]: tensor<8xi32>, %[[I:.*]]: tensor<8xi64>)
func.func @atomics_of_every_kind(%a: !tile.view<?xi32>, %v: tensor<8xi32>, %i: tensor<8xi64>) {
  // CHECK-NEXT: tile.atomic_rmw <add> %[[V]], %[[A]][%[[I]]] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  %0 = tile.atomic_rmw <add> %v, %a[%i] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  // CHECK-NEXT: tile.atomic_rmw <max>
  %1 = tile.atomic_rmw <max> %v, %a[%i] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  // CHECK-NEXT: tile.atomic_rmw <min>
  %2 = tile.atomic_rmw <min> %v, %a[%i] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  // CHECK-NEXT: tile.atomic_rmw <umax>
  %3 = tile.atomic_rmw <umax> %v, %a[%i] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  // CHECK-NEXT: tile.atomic_rmw <umin>
  %4 = tile.atomic_rmw <umin> %v, %a[%i] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  // CHECK-NEXT: tile.atomic_rmw <and>
  %5 = tile.atomic_rmw <and> %v, %a[%i] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  // CHECK-NEXT: tile.atomic_rmw <or>
  %6 = tile.atomic_rmw <or> %v, %a[%i] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  // CHECK-NEXT: tile.atomic_rmw <xor>
  %7 = tile.atomic_rmw <xor> %v, %a[%i] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  // CHECK-NEXT: tile.atomic_rmw <xchg>
  %8 = tile.atomic_rmw <xchg> %v, %a[%i] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  return
}

// CHECK-LABEL: func.func @atomics_with_mask_and_pad
// CHECK-SAME: (%[[A:.*]]: !tile.view<?x?xf32>, %[[V:.*]]: f32, %[[I:.*]]: i64, %[[M:.*]]: i1)
func.func @atomics_with_mask_and_pad(%a: !tile.view<?x?xf32>, %v: f32, %i: i64, %m: i1) {
  // CHECK-NEXT: tile.atomic_rmw <add> %[[V]], %[[A]][%[[I]], %[[I]]] mask %[[M]] pad %[[V]] : f32, !tile.view<?x?xf32>, i64, i1 -> f32
  %0 = tile.atomic_rmw <add> %v, %a[%i, %i] mask %m pad %v : f32, !tile.view<?x?xf32>, i64, i1 -> f32
  // CHECK-NEXT: tile.atomic_cas %[[V]], %[[V]], %[[A]][%[[I]], %[[I]]] : f32, !tile.view<?x?xf32>, i64 -> f32
  %1 = tile.atomic_cas %v, %v, %a[%i, %i] : f32, !tile.view<?x?xf32>, i64 -> f32
  // CHECK-NEXT: tile.atomic_cas %[[V]], %[[V]], %[[A]][%[[I]], %[[I]]] mask %[[M]] pad %[[V]] : f32, !tile.view<?x?xf32>, i64, i1 -> f32
  %2 = tile.atomic_cas %v, %v, %a[%i, %i] mask %m pad %v : f32, !tile.view<?x?xf32>, i64, i1 -> f32
  return
}

// CHECK-LABEL: func.func @parts_of_arrays
// CHECK-SAME: (%[[A:.*]]: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %[[I:.*]]: i64, %[[N:.*]]: i64)
func.func @parts_of_arrays(%a: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %i: i64, %n: i64) {
  // CHECK-NEXT: %[[T:.*]] = tile.subview %[[A]][%[[I]], %[[I]]] dims [1, 0] sizes[%[[N]], %[[N]]] steps [-2, 1] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> !tile.view<?x?xf32, strides = [-2, ?]>
  %t = tile.subview %a[%i, %i] dims [1, 0] sizes [%n, %n] steps [-2, 1] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> !tile.view<?x?xf32, strides = [-2, ?]>
  // CHECK-NEXT: tile.subview %[[T]][%[[I]], %[[N]]] dims [1] sizes[%[[N]]] steps [1] : !tile.view<?x?xf32, strides = [-2, ?]> -> !tile.view<?xf32>
  %row = tile.subview %t[%i, %n] dims [1] sizes [%n] steps [1] : !tile.view<?x?xf32, strides = [-2, ?]> -> !tile.view<?xf32>
  return
}

// CHECK-LABEL: func.func @other_sizes(
// CHECK-SAME: %[[A:.*]]: !tile.view<?xf32, strides = [1], align = 16>, %[[N:.*]]: i64, %[[S:.*]]: i64)
func.func @other_sizes(%a: !tile.view<?xf32, strides = [1], align = 16>, %n: i64, %s: i64) {
  // CHECK-NEXT: tile.reshape_view %[[A]] sizes[%[[N]], %[[N]]] strides[%[[N]], %[[S]]] : !tile.view<?xf32, strides = [1], align = 16> -> !tile.view<?x?xf32>
  %b = tile.reshape_view %a sizes [%n, %n] strides [%n, %s] : !tile.view<?xf32, strides = [1], align = 16> -> !tile.view<?x?xf32>
  return
}
