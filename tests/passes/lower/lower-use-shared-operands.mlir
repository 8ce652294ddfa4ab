// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-pipeline-loads,lower-use-shared-operands),canonicalize)' | FileCheck %s
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-pipeline-loads,lower-use-shared-operands),canonicalize)' --remarks-filter=lower-use-shared-operands --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Missed] matrix-unit | Category:lower-use-shared-operands | Remark="operands go through registers: they are not in shared memory in a layout that the matrix unit reads"

// Both operands, the right one turned on the way.
// CHECK-LABEL: func.func @product
// CHECK: simt.await %[[RING:.*]][%[[NUMBER:.*]]]
// CHECK: %[[A:.*]] = simt.slot %[[RING]][%[[NUMBER]]] 0
// CHECK: %[[B:.*]] = simt.slot %[[RING]][%[[NUMBER]]] 1
// CHECK: %[[T:.*]] = simt.permute %[[B]] [1, 0]
// CHECK: %[[P:.*]] = simt.mma %[[A]], %[[T]], %{{.*}}
// CHECK: %[[D:.*]] = simt.mma_wait 0 %[[P]]
// CHECK: simt.release
// CHECK: scf.yield %[[D]]
// CHECK-NOT: tile.dot
module attributes {tegula.arch = "sm_90a"} {
  func.func @product(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x16xf16>
      %b = tile.load %y[%zero, %k] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x16xf16>
      %t = tile.permute %b [1, 0] : tensor<64x16xf16> -> tensor<16x64xf16>
      %c = tile.dot %a, %t, %acc : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    return
  }
}

// -----

// A batch of one, as arrays of matrices are loaded: views of the buffers all the same. The left operand is no load of the
// loop and stays in registers.
// CHECK-LABEL: func.func @product_of_a_batch
// CHECK: simt.await %[[RING:.*]][%[[NUMBER:.*]]]
// CHECK: %[[B:.*]] = simt.slot %[[RING]][%[[NUMBER]]] 0
// CHECK: %[[R:.*]] = simt.reshape %[[B]] : !simt.buffer<tensor<1x64x16xf16, {{.*}}>> -> !simt.buffer<tensor<64x16xf16,
// CHECK: %[[T:.*]] = simt.permute %[[R]] [1, 0]
// CHECK: simt.mma %{{.*}}, %[[T]], %{{.*}} : tensor<64x16xf16, #{{.*}}>, !simt.buffer<tensor<16x64xf16,
// CHECK-NOT: simt.read
// CHECK-NOT: tile.dot
module attributes {tegula.arch = "sm_90a"} {
  func.func @product_of_a_batch(%v: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %z: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %y: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tile.stride_div = array<i64: 16, 16, 1>}, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %x = tile.load %v[%zero, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x16xf16>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %b = tile.load %y[%one, %zero, %k] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x64x16xf16>
      %r = tile.reshape %b : tensor<1x64x16xf16> -> tensor<64x16xf16>
      %t = tile.permute %r [1, 0] : tensor<64x16xf16> -> tensor<16x64xf16>
      %c = tile.dot %x, %t, %acc : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}

// -----

// Outside of a loop nothing is in shared memory yet.
// CHECK-LABEL: func.func @single
// CHECK: tile.dot
module attributes {tegula.arch = "sm_90a"} {
  func.func @single(%x: !tile.view<?x?xf16>, %z: !tile.view<?x?xf32>) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %a = tile.load %x[%zero, %zero] : !tile.view<?x?xf16> -> tensor<64x16xf16>
    %b = tile.load %x[%zero, %zero] : !tile.view<?x?xf16> -> tensor<16x64xf16>
    %c = tile.dot %a, %b, %none : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
    tile.store %c, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32>
    return
  }
}
