// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s | FileCheck %s
// RUN: tegula-opt %s --mlir-print-op-generic | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --emit-bytecode | tegula-opt | FileCheck %s

// CHECK-LABEL: func.func @dot_of_matrices
// CHECK-SAME: (%[[A:.*]]: tensor<3x5xf32>, %[[B:.*]]: tensor<5x7xf32>, %[[C:.*]]: tensor<3x7xf32>)
func.func @dot_of_matrices(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<3x7xf32>) {
  // CHECK-NEXT: tile.dot %[[A]], %[[B]], %[[C]] : tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>
  %0 = tile.dot %a, %b, %c : tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>
  // The default, spelled out.
  // CHECK-NEXT: tile.dot %[[A]], %[[B]], %[[C]] : tensor<3x5xf32>
  %1 = tile.dot %a, %b, %c <ieee> : tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>
  // CHECK-NEXT: tile.dot %[[A]], %[[B]], %[[C]] <tf32> : tensor<3x5xf32>
  %2 = tile.dot %a, %b, %c <tf32> : tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>
  return
}

// CHECK-LABEL: func.func @dot_of_signed_and_unsigned
// CHECK-SAME: (%[[A:.*]]: tensor<2x3x5xi8>, %[[B:.*]]: tensor<2x5x7xi8>, %[[C:.*]]: tensor<2x3x7xi32>)
func.func @dot_of_signed_and_unsigned(%a: tensor<2x3x5xi8>, %b: tensor<2x5x7xi8>, %c: tensor<2x3x7xi32>) {
  // CHECK-NEXT: tile.dot %[[A]], %[[B]], %[[C]] b_unsigned : tensor<2x3x5xi8>, tensor<2x5x7xi8>, tensor<2x3x7xi32>
  %0 = tile.dot %a, %b, %c b_unsigned : tensor<2x3x5xi8>, tensor<2x5x7xi8>, tensor<2x3x7xi32>
  // CHECK-NEXT: tile.dot %[[A]], %[[B]], %[[C]] a_unsigned b_unsigned : tensor<2x3x5xi8>
  %1 = tile.dot %a, %b, %c a_unsigned b_unsigned : tensor<2x3x5xi8>, tensor<2x5x7xi8>, tensor<2x3x7xi32>
  return
}

// CHECK-LABEL: func.func @dot_of_every_float
func.func @dot_of_every_float(%f64: tensor<4x4xf64>, %f32: tensor<4x4xf32>, %f16: tensor<4x4xf16>,
                              %bf16: tensor<4x4xbf16>, %e4: tensor<4x4xf8E4M3FN>, %e5: tensor<4x4xf8E5M2>) {
  // CHECK-COUNT-5: tile.dot
  %0 = tile.dot %f64, %f64, %f64 : tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64>
  %1 = tile.dot %f16, %f16, %f32 : tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf32>
  %2 = tile.dot %bf16, %bf16, %f32 : tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4x4xf32>
  %3 = tile.dot %e4, %e4, %f32 : tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>, tensor<4x4xf32>
  %4 = tile.dot %e4, %e5, %f32 : tensor<4x4xf8E4M3FN>, tensor<4x4xf8E5M2>, tensor<4x4xf32>
  return
}

// CHECK-LABEL: func.func @reduce_of_every_kind
// CHECK-SAME: (%[[X:.*]]: tensor<16x32xi32>)
func.func @reduce_of_every_kind(%x: tensor<16x32xi32>) {
  // CHECK-NEXT: tile.reduce <add> %[[X]] axis 1 : tensor<16x32xi32> -> tensor<16xi32>
  %0 = tile.reduce <add> %x axis 1 : tensor<16x32xi32> -> tensor<16xi32>
  // CHECK-NEXT: tile.reduce <mul> %[[X]] axis 0 : tensor<16x32xi32> -> tensor<32xi32>
  %1 = tile.reduce <mul> %x axis 0 : tensor<16x32xi32> -> tensor<32xi32>
  // CHECK-NEXT: tile.reduce <max>
  %2 = tile.reduce <max> %x axis 0 : tensor<16x32xi32> -> tensor<32xi32>
  // CHECK-NEXT: tile.reduce <min>
  %3 = tile.reduce <min> %x axis 0 : tensor<16x32xi32> -> tensor<32xi32>
  // CHECK-NEXT: tile.reduce <umax>
  %4 = tile.reduce <umax> %x axis 0 : tensor<16x32xi32> -> tensor<32xi32>
  // CHECK-NEXT: tile.reduce <umin>
  %5 = tile.reduce <umin> %x axis 0 : tensor<16x32xi32> -> tensor<32xi32>
  // CHECK-NEXT: tile.reduce <and>
  %6 = tile.reduce <and> %x axis 0 : tensor<16x32xi32> -> tensor<32xi32>
  // CHECK-NEXT: tile.reduce <or>
  %7 = tile.reduce <or> %x axis 0 : tensor<16x32xi32> -> tensor<32xi32>
  // CHECK-NEXT: tile.reduce <xor>
  %8 = tile.reduce <xor> %x axis 0 : tensor<16x32xi32> -> tensor<32xi32>
  return
}

// CHECK-LABEL: func.func @reduce_of_booleans_to_a_scalar
// CHECK-SAME: (%[[X:.*]]: tensor<7xi1>)
func.func @reduce_of_booleans_to_a_scalar(%x: tensor<7xi1>) {
  // CHECK-NEXT: tile.reduce <or> %[[X]] axis 0 : tensor<7xi1> -> i1
  %0 = tile.reduce <or> %x axis 0 : tensor<7xi1> -> i1
  return
}

// CHECK-LABEL: func.func @reduce_of_two_tiles_by_a_region
// CHECK-SAME: (%[[X:.*]]: tensor<4x32xf32>, %[[Y:.*]]: tensor<4x32xi64>)
func.func @reduce_of_two_tiles_by_a_region(%x: tensor<4x32xf32>, %y: tensor<4x32xi64>) {
  // CHECK-NEXT: tile.reduce %[[X]], %[[Y]] axis 1 : tensor<4x32xf32>, tensor<4x32xi64> -> tensor<4xf32>, tensor<4xi64> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: i64, %[[C:.*]]: f32, %[[D:.*]]: i64):
  %0, %1 = tile.reduce %x, %y axis 1 : tensor<4x32xf32>, tensor<4x32xi64> -> tensor<4xf32>, tensor<4xi64> {
  ^bb0(%a: f32, %b: i64, %c: f32, %d: i64):
    %first = arith.cmpf oge, %a, %c : f32
    %v = arith.select %first, %a, %c : f32
    %i = arith.select %first, %b, %d : i64
    // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i64
    tile.yield %v, %i : f32, i64
  }
  return
}

// CHECK-LABEL: func.func @scan_by_kind_and_by_region
// CHECK-SAME: (%[[X:.*]]: tensor<4x64xf32>)
func.func @scan_by_kind_and_by_region(%x: tensor<4x64xf32>) {
  // CHECK-NEXT: tile.scan <add> %[[X]] axis 0 : tensor<4x64xf32> -> tensor<4x64xf32>
  %0 = tile.scan <add> %x axis 0 : tensor<4x64xf32> -> tensor<4x64xf32>
  // CHECK-NEXT: tile.scan <max> %[[X]] axis 1 reverse : tensor<4x64xf32> -> tensor<4x64xf32>
  %1 = tile.scan <max> %x axis 1 reverse : tensor<4x64xf32> -> tensor<4x64xf32>
  // CHECK-NEXT: tile.scan %[[X]] axis 1 reverse : tensor<4x64xf32> -> tensor<4x64xf32> {
  %2 = tile.scan %x axis 1 reverse : tensor<4x64xf32> -> tensor<4x64xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    // CHECK: tile.yield %{{.*}} : f32
    tile.yield %s : f32
  }
  return
}

// CHECK-LABEL: func.func @arg_reduce_of_every_kind
// CHECK-SAME: (%[[X:.*]]: tensor<16x32xi8>, %[[Y:.*]]: tensor<5xbf16>)
func.func @arg_reduce_of_every_kind(%x: tensor<16x32xi8>, %y: tensor<5xbf16>) {
  // CHECK-NEXT: tile.arg_reduce <max> %[[X]] axis 1 : tensor<16x32xi8> -> tensor<16xi64>
  %0 = tile.arg_reduce <max> %x axis 1 : tensor<16x32xi8> -> tensor<16xi64>
  // CHECK-NEXT: tile.arg_reduce <min> %[[Y]] axis 0 : tensor<5xbf16> -> i64
  %1 = tile.arg_reduce <min> %y axis 0 : tensor<5xbf16> -> i64
  // CHECK-NEXT: tile.arg_reduce <umax> %[[X]] axis 0 : tensor<16x32xi8> -> tensor<32xi64>
  %2 = tile.arg_reduce <umax> %x axis 0 : tensor<16x32xi8> -> tensor<32xi64>
  // CHECK-NEXT: tile.arg_reduce <umin> %[[X]] axis 0 : tensor<16x32xi8> -> tensor<32xi64>
  %3 = tile.arg_reduce <umin> %x axis 0 : tensor<16x32xi8> -> tensor<32xi64>
  return
}

// CHECK-LABEL: func.func @messages
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[N:.*]]: i64, %[[B:.*]]: i1)
func.func @messages(%x: tensor<4xf32>, %n: i64, %b: i1) {
  // CHECK-NEXT{LITERAL}: tile.print "only {{}} text"
  tile.print "only {{}} text"
  // CHECK-NEXT: tile.print "x = {}, n = {}" %[[X]], %[[N]] : tensor<4xf32>, i64
  tile.print "x = {}, n = {}" %x, %n : tensor<4xf32>, i64
  // CHECK-NEXT: tile.print "{}" %[[N]] : i64 {unsigned_mask = array<i1: true>}
  tile.print "{}" %n : i64 {unsigned_mask = array<i1: true>}
  // CHECK-NEXT: tile.print "{} {}" %[[X]], %[[N]] : tensor<4xf32>, i64 {extents = [array<i64: 3>, array<i64>]}
  tile.print "{} {}" %x, %n : tensor<4xf32>, i64 {extents = [array<i64: 3>, array<i64>]}
  // CHECK-NEXT: tile.assert %[[B]], "row is not \22sorted\22"
  tile.assert %b, "row is not \"sorted\""
  return
}
