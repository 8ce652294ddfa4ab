// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-remove-conversions,lower-pipeline-loads,lower-use-shared-operands),canonicalize,cse,func.func(lower-overlap-products),tile-expand-elementwise,lower-to-threads)' | FileCheck %s

// The wait for a product beside which tiles are computed stays behind that: the assembler would move it up. Where nothing is
// computed meanwhile, nothing keeps the wait back. The address of the operand that stays is opaque to each iteration: the eight
// that follow from it are no values that the loop holds.
// CHECK-LABEL: func.func @late_wait
// CHECK-NOT:   @never trap
// CHECK:       scf.for
// CHECK-NOT:   @never trap
// CHECK:         %[[KEPT:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "", "=r,0" %{{.*}} : (i32) -> i32
// CHECK:         arith.addi %[[KEPT]]
// CHECK-NOT:   "=r,0"
// CHECK:         wgmma.commit_group
// CHECK-NOT:   @never trap
// CHECK:         wgmma.commit_group
// CHECK-NOT:   @never trap
// CHECK:         wgmma.wait_group.sync.aligned 1
// CHECK:         math.exp2
// CHECK:         @never trap
// CHECK:         wgmma.wait_group.sync.aligned 0
// CHECK:         scf.yield
// CHECK-NOT:   @never trap
// CHECK:         wgmma.wait_group.sync.aligned 0
module attributes {tegula.arch = "sm_90a"} {
  func.func @late_wait(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
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
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32>
    return
  }
}
