// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-remove-conversions,lower-pipeline-loads,lower-use-shared-operands),canonicalize,cse,func.func(lower-defer-mma-waits))' | FileCheck %s
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-remove-conversions,lower-pipeline-loads,lower-use-shared-operands),canonicalize,cse,func.func(lower-defer-mma-waits))' --remarks-filter=lower-defer-mma-waits --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-remove-conversions,lower-pipeline-loads,lower-use-shared-operands),canonicalize,cse,func.func(lower-defer-mma-waits))' -debug-only=lower-defer-mma-waits 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// REMARK: remark: [Missed] overlap | Category:lower-defer-mma-waits | Remark="each iteration of this loop waits for its products: a product is not only the next iteration's accumulator"

// The wait is for the product of the iteration before, whose slot is refilled after it.
// CHECK-LABEL: func.func @sum
// CHECK: %[[RING:.*]] = simt.ring "bulk"
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[NUMBER:.*]] = %[[FIRST:.*]]) ->
// CHECK-NEXT: simt.await %[[RING]][%[[NUMBER]]]
// CHECK-NOT: simt.issue
// CHECK: %[[P:.*]] = simt.mma
// CHECK-NEXT: %[[D:.*]] = simt.mma_wait 1 %[[P]]
// CHECK-NEXT: %[[LATER:.*]] = arith.cmpi ne, %[[NUMBER]], %[[FIRST]]
// CHECK-NEXT: scf.if %[[LATER]] {
// CHECK: %[[PREVIOUS:.*]] = arith.subi %[[NUMBER]], %{{.*}}
// CHECK-NEXT: simt.release %[[RING]][%[[PREVIOUS]]]
// CHECK-NEXT: }
// CHECK-NEXT: simt.issue %[[RING]]
// CHECK-NOT: simt.release
// CHECK: scf.yield %[[D]]
// CHECK: simt.mma_wait 0 %[[LOOP]]#0
module attributes {tegula.arch = "sm_90a"} {
  func.func @sum(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %c = tile.dot %a, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}

// -----

// Two products, the second of which the iteration itself goes on with.
// WHY: each iteration of this loop waits for its products: a product is not only the next iteration's accumulator
// CHECK-LABEL: func.func @scaled
// CHECK: scf.for
// CHECK: %[[P:.*]] = simt.mma
// CHECK: simt.mma_wait 0 %[[P]]
// CHECK: arith.mulf
module attributes {tegula.arch = "sm_90a"} {
  func.func @scaled(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %half = arith.constant dense<0.5> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %c = tile.dot %a, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      %d = arith.mulf %c, %half : tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}

// -----

// Strides that tensor maps cannot have: threads copy, and nobody asks whether a slot is still read.
// WHY: each iteration of this loop waits for its products: the ring's slots are refilled without asking whether they are still read
// CHECK-LABEL: func.func @groups
// CHECK: simt.ring "async"
// CHECK: %[[P:.*]] = simt.mma
// CHECK: simt.mma_wait 0 %[[P]]
module attributes {tegula.arch = "sm_90a"} {
  func.func @groups(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 2, 1>}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 2, 1>}, %z: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %c = tile.dot %a, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}
