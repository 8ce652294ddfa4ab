// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-remove-conversions,lower-pipeline-loads,lower-use-shared-operands),canonicalize,cse,func.func(lower-overlap-products),tile-expand-elementwise,lower-to-threads)' | FileCheck %s

// Three rings are made one after the other: their barriers are announced together, and threads wait once. What every trip reads
// is asked for first; each ring's copies are another warp's work, and the first ones find their slots free.
// CHECK-LABEL: func.func @kept
// Scratch is in a ring's memory: nothing is behind the rings.
// CHECK-SAME:  tegula.shared_bytes = 51328 : i32
// CHECK:       %[[THREAD:.*]] = gpu.thread_id x
// CHECK:       mbarrier.init
// CHECK-NOT:   gpu.barrier
// CHECK-NOT:   fence
// CHECK-COUNT-11: mbarrier.init
// CHECK:       fence.mbarrier_init
// CHECK:       gpu.barrier
// CHECK-NOT:   gpu.barrier
// CHECK-NOT:   try_wait
// CHECK:       cp.async.bulk.tensor
// CHECK-NOT:   try_wait
// CHECK:       %[[SECOND:.*]] = arith.constant 32 : i32
// CHECK:       arith.cmpi eq, %{{.*}}, %[[SECOND]] : i32
// CHECK-NOT:   try_wait
// CHECK:       cp.async.bulk.tensor
// CHECK:       %[[THIRD:.*]] = arith.constant 64 : i32
// CHECK:       arith.cmpi eq, %{{.*}}, %[[THIRD]] : i32
// CHECK-NOT:   try_wait
// CHECK:       cp.async.bulk.tensor
// CHECK:       try_wait
// CHECK:       scf.for

// When the rings are done, threads exchange the result in the memory of the largest. All of it is read back before the first
// store where the whole tile is inside.
// CHECK:       gpu.barrier
// CHECK-NOT:   gpu.barrier
// CHECK:       llvm.getelementptr %{{.*}}[-24704] : (!llvm.ptr<3>)
// CHECK:       gpu.barrier
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3>
// CHECK:       scf.if
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<8xf16>, !llvm.ptr<1>
// CHECK:       } else {
// CHECK:         scf.if
module attributes {tegula.arch = "sm_90a"} {
  func.func @kept(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %q = tile.load %x[%zero, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %t = tile.permute %a [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
      %s = tile.dot %q, %t, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      %e = math.exp2 %s : tensor<64x64xf32>
      %p = tile.cast %e : tensor<64x64xf32> -> tensor<64x64xf16>
      %c = tile.dot %p, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    %r = tile.cast %sum : tensor<64x64xf32> -> tensor<64x64xf16>
    tile.store %r, %z[%zero, %zero] : tensor<64x64xf16>, !tile.view<?x?xf16, strides = [?, 1], align = 16>
    return
  }
}
