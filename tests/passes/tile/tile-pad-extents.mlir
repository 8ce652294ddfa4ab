// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --tile-pad-extents | FileCheck %s
// RUN: tegula-opt %s -split-input-file --tile-pad-extents --remarks-filter-analyse=tile-pad-extents --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Analysis] padding | Category:tile-pad-extents | Remark="the tile 100x64xf32 is carried as 128x64xf32"
// CHECK-LABEL: func @a_load_pads_and_a_store_drops(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?x?xf32>, %[[P:.*]]: f32
func.func @a_load_pads_and_a_store_drops(%a: !tile.view<?x?xf32>, %p: f32) {
  // CHECK: %[[I:.*]] = tile.program_id 0
  // CHECK-NEXT: %[[T:.*]] = tile.load %[[A]][%[[I]], %[[I]]] pad %[[P]] extents [100, 64] : !tile.view<?x?xf32> -> tensor<128x64xf32>
  // CHECK-NEXT: %[[N:.*]] = arith.negf %[[T]] : tensor<128x64xf32>
  // CHECK-NEXT: tile.store %[[N]], %[[A]][%[[I]], %[[I]]] extents [100, 64] : tensor<128x64xf32>, !tile.view<?x?xf32>
  %i = tile.program_id 0
  %t = tile.load %a[%i, %i] pad %p : !tile.view<?x?xf32> -> tensor<100x64xf32>
  %n = arith.negf %t : tensor<100x64xf32>
  tile.store %n, %a[%i, %i] : tensor<100x64xf32>, !tile.view<?x?xf32>
  return
}

// -----

// CHECK-LABEL: func @lanes_of_padding_touch_no_memory(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?xf32>, %[[X:.*]]: tensor<4x8xi64>, %[[M:.*]]: tensor<4x8xi1>, %[[V:.*]]: tensor<4x8xf32>
func.func @lanes_of_padding_touch_no_memory(%a: !tile.view<?xf32>, %x: tensor<3x5xi64>, %m: tensor<3x5xi1>, %v: tensor<3x5xf32>) {
  // CHECK: %[[I0:.*]] = tile.iota : tensor<4xi32>
  // CHECK: %[[E0:.*]] = arith.constant dense<3> : tensor<4xi32>
  // CHECK: %[[L0:.*]] = arith.cmpi ult, %[[I0]], %[[E0]]
  // CHECK: %[[R0:.*]] = tile.reshape %[[L0]] : tensor<4xi1> -> tensor<4x1xi1>
  // CHECK: %[[M0:.*]] = tile.broadcast %[[R0]] : tensor<4x1xi1> -> tensor<4x8xi1>
  // CHECK: %[[I1:.*]] = tile.iota : tensor<8xi32>
  // CHECK: %[[E1:.*]] = arith.constant dense<5> : tensor<8xi32>
  // CHECK: %[[L1:.*]] = arith.cmpi ult, %[[I1]], %[[E1]]
  // CHECK: %[[R1:.*]] = tile.reshape %[[L1]] : tensor<8xi1> -> tensor<1x8xi1>
  // CHECK: %[[M1:.*]] = tile.broadcast %[[R1]] : tensor<1x8xi1> -> tensor<4x8xi1>
  // CHECK: %[[MASK:.*]] = arith.andi %[[M0]], %[[M1]]
  // CHECK: tile.gather %[[A]][%[[X]]] mask %[[MASK]] : !tile.view<?xf32>, tensor<4x8xi64>, tensor<4x8xi1> -> tensor<4x8xf32>
  %0 = tile.gather %a[%x] : !tile.view<?xf32>, tensor<3x5xi64> -> tensor<3x5xf32>
  // CHECK: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[M]] : tensor<4x8xi1>
  // CHECK: tile.scatter %[[V]], %[[A]][%[[X]]] mask %[[BOTH]]
  tile.scatter %v, %a[%x] mask %m : tensor<3x5xf32>, !tile.view<?xf32>, tensor<3x5xi64>, tensor<3x5xi1>
  // CHECK: tile.atomic_rmw <add> %[[V]], %[[A]][%[[X]]] mask
  %1 = tile.atomic_rmw <add> %v, %a[%x] : tensor<3x5xf32>, !tile.view<?xf32>, tensor<3x5xi64> -> tensor<3x5xf32>
  // CHECK: tile.atomic_cas %[[V]], %[[V]], %[[A]][%[[X]]] mask
  %2 = tile.atomic_cas %v, %v, %a[%x] : tensor<3x5xf32>, !tile.view<?xf32>, tensor<3x5xi64> -> tensor<3x5xf32>
  return
}

// -----

// CHECK-LABEL: func @what_is_reduced_sees_the_identity(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf32>, %[[Y:.*]]: tensor<4xi8>
func.func @what_is_reduced_sees_the_identity(%x: tensor<6x4xf32>, %y: tensor<3xi8>) -> (tensor<4xf32>, tensor<6xf32>, i8, i64) {
  // CHECK: %[[MASK:.*]] = tile.broadcast %{{.*}} : tensor<8x1xi1> -> tensor<8x4xi1>
  // CHECK: %[[LOWEST:.*]] = arith.constant dense<0xFF800000> : tensor<8x4xf32>
  // CHECK: %[[FILLED:.*]] = arith.select %[[MASK]], %[[X]], %[[LOWEST]]
  // CHECK: tile.reduce <max> %[[FILLED]] axis 0 : tensor<8x4xf32> -> tensor<4xf32>
  %0 = tile.reduce <max> %x axis 0 : tensor<6x4xf32> -> tensor<4xf32>
  // Along the other axis there is no padding.
  // CHECK: tile.reduce <add> %[[X]] axis 1 : tensor<8x4xf32> -> tensor<8xf32>
  %1 = tile.reduce <add> %x axis 1 : tensor<6x4xf32> -> tensor<6xf32>
  // CHECK: arith.constant dense<-1> : tensor<4xi8>
  // CHECK: tile.reduce <umin>
  %2 = tile.reduce <umin> %y axis 0 : tensor<3xi8> -> i8
  // CHECK: arith.constant dense<127> : tensor<4xi8>
  // CHECK: tile.arg_reduce <min>
  %3 = tile.arg_reduce <min> %y axis 0 : tensor<3xi8> -> i64
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<6xf32>, i8, i64
}

// -----

// CHECK-LABEL: func @a_region_learns_what_takes_part(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
func.func @a_region_learns_what_takes_part(%x: tensor<3xf32>) -> f32 {
  // CHECK:      %[[MASK:.*]] = arith.cmpi ult
  // CHECK-NEXT: %[[R:.*]]:2 = tile.reduce %[[X]], %[[MASK]] axis 0 : tensor<4xf32>, tensor<4xi1> -> f32, i1 {
  // CHECK-NEXT: ^bb0(%[[L:.*]]: f32, %[[LV:.*]]: i1, %[[R:.*]]: f32, %[[RV:.*]]: i1):
  // CHECK-NEXT:   %[[BOTH:.*]] = arith.andi %[[LV]], %[[RV]]
  // CHECK-NEXT:   %[[C:.*]] = arith.addf %[[L]], %[[R]]
  // CHECK-NEXT:   %[[ONE:.*]] = arith.select %[[LV]], %[[L]], %[[R]]
  // CHECK-NEXT:   %[[S:.*]] = arith.select %[[BOTH]], %[[C]], %[[ONE]]
  // CHECK-NEXT:   %[[ANY:.*]] = arith.ori %[[LV]], %[[RV]]
  // CHECK-NEXT:   tile.yield %[[S]], %[[ANY]]
  %r = tile.reduce %x axis 0 : tensor<3xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tile.yield %t : f32
  }
  return %r : f32
}

// -----

// CHECK-LABEL: func @a_combiner_that_may_trap_runs_on_elements_only(
func.func @a_combiner_that_may_trap_runs_on_elements_only(%x: tensor<3xi32>) -> i32 {
  // CHECK: %[[BOTH:.*]] = arith.andi
  // CHECK: scf.if %[[BOTH]] -> (i32) {
  // CHECK:   arith.divsi
  // CHECK: } else {
  // CHECK:   arith.select
  // CHECK: }
  %r = tile.reduce %x axis 0 : tensor<3xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %t = arith.divsi %a, %b : i32
    tile.yield %t : i32
  }
  return %r : i32
}

// -----

// CHECK-LABEL: func @only_scans_from_the_end_meet_padding(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
func.func @only_scans_from_the_end_meet_padding(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // CHECK-NEXT: tile.scan <add> %[[X]] axis 0 : tensor<4xf32> -> tensor<4xf32>
  %0 = tile.scan <add> %x axis 0 : tensor<3xf32> -> tensor<3xf32>
  // The identity of a sum is -0.0.
  // CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<4xf32>
  // CHECK: %[[FILLED:.*]] = arith.select %{{.*}}, %[[X]], %[[ZERO]]
  // CHECK: tile.scan <add> %[[FILLED]] axis 0 reverse
  %1 = tile.scan <add> %x axis 0 reverse : tensor<3xf32> -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func @products_sum_over_zeros(
// CHECK-SAME:    %[[A:.*]]: !tile.view<?x?xf16>, %[[B:.*]]: tensor<8x4xf16>, %[[C:.*]]: tensor<16x4xf32>
func.func @products_sum_over_zeros(%a: !tile.view<?x?xf16>, %b: tensor<5x3xf16>, %c: tensor<9x3xf32>) -> tensor<9x3xf32> {
  %i = tile.program_id 0
  // A load without a pad value has zeros there already.
  // CHECK: %[[T:.*]] = tile.load
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<8x4xf16>
  // CHECK: %[[FILLED:.*]] = arith.select %{{.*}}, %[[B]], %[[ZERO]]
  // CHECK: tile.dot %[[T]], %[[FILLED]], %[[C]] : tensor<16x8xf16>, tensor<8x4xf16>, tensor<16x4xf32>
  %t = tile.load %a[%i, %i] : !tile.view<?x?xf16> -> tensor<9x5xf16>
  %d = tile.dot %t, %b, %c : tensor<9x5xf16>, tensor<5x3xf16>, tensor<9x3xf32>
  return %d : tensor<9x3xf32>
}

// -----

// CHECK-LABEL: func @constants_keep_their_places(
func.func @constants_keep_their_places() -> (tensor<2x3xi32>, tensor<3xf32>) {
  // CHECK: arith.constant dense<{{\[}}[1, 2, 3, 0], [4, 5, 6, 0]]> : tensor<2x4xi32>
  %0 = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  // CHECK: arith.constant dense<1.000000e+00> : tensor<4xf32>
  %1 = arith.constant dense<1.0> : tensor<3xf32>
  return %0, %1 : tensor<2x3xi32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func @what_keeps_places_only_changes_its_type(
func.func @what_keeps_places_only_changes_its_type(%s: f32, %x: tensor<3xf32>, %y: tensor<3x5xi32>, %z: tensor<3x2xf32>) {
  // CHECK: tile.full %{{.*}} : tensor<4x8xf32>
  %0 = tile.full %s : tensor<3x5xf32>
  // CHECK: tile.iota : tensor<4xi16>
  %1 = tile.iota : tensor<3xi16>
  // CHECK: tile.permute %{{.*}} [1, 0] : tensor<4x8xi32> -> tensor<8x4xi32>
  %2 = tile.permute %y [1, 0] : tensor<3x5xi32> -> tensor<5x3xi32>
  // CHECK: tile.join %{{.*}} : tensor<4xf32> -> tensor<4x2xf32>
  %3 = tile.join %x, %x : tensor<3xf32> -> tensor<3x2xf32>
  // CHECK: tile.split %{{.*}} : tensor<4x2xf32> -> tensor<4xf32>
  %4, %5 = tile.split %z : tensor<3x2xf32> -> tensor<3xf32>
  // CHECK: tile.cast %{{.*}} : tensor<4xf32> -> tensor<4xi8>
  %6 = tile.cast %x : tensor<3xf32> -> tensor<3xi8>
  // CHECK: tile.floordiv %{{.*}} : tensor<4x8xi32>
  %7 = tile.floordiv %y, %y : tensor<3x5xi32>
  return
}

// -----

// CHECK-LABEL: func @padding_divides_by_one(
// CHECK-SAME:    %[[X:.*]]: tensor<4xi32>
func.func @padding_divides_by_one(%x: tensor<3xi32>) -> tensor<3xi32> {
  // CHECK: %[[ONE:.*]] = arith.constant dense<1> : tensor<4xi32>
  // CHECK: %[[SAFE:.*]] = arith.select %{{.*}}, %[[X]], %[[ONE]]
  // CHECK: arith.divsi %[[X]], %[[SAFE]] : tensor<4xi32>
  %0 = arith.divsi %x, %x : tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

// CHECK-LABEL: func @control_flow_carries_padded_tiles(
func.func @control_flow_carries_padded_tiles(%x: tensor<3xf32>, %c: i1, %n: index) -> tensor<3xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<4xf32>)
  %0 = scf.for %i = %zero to %n step %one iter_args(%y = %x) -> tensor<3xf32> {
    // CHECK: scf.if %{{.*}} -> (tensor<4xf32>)
    %1 = scf.if %c -> tensor<3xf32> {
      %2 = arith.negf %y : tensor<3xf32>
      scf.yield %2 : tensor<3xf32>
    } else {
      scf.yield %y : tensor<3xf32>
    }
    scf.yield %1 : tensor<3xf32>
  }
  // CHECK: scf.while (%{{.*}} = %{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = scf.while (%y = %0) : (tensor<3xf32>) -> tensor<3xf32> {
    scf.condition(%c) %y : tensor<3xf32>
  } do {
  ^bb0(%y: tensor<3xf32>):
    %4 = arith.addf %y, %y : tensor<3xf32>
    scf.yield %4 : tensor<3xf32>
  }
  return %3 : tensor<3xf32>
}

// -----

// CHECK-LABEL: func @a_print_lists_the_extents(
func.func @a_print_lists_the_extents(%x: tensor<3x4xf32>, %n: i64) {
  // CHECK: tile.print "{} {}" %{{.*}}, %{{.*}} : tensor<4x4xf32>, i64 {extents = [array<i64: 3, 4>, array<i64>]}
  tile.print "{} {}" %x, %n : tensor<3x4xf32>, i64
  return
}
