// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices, whole: tensor maps and warpgroups where the device has them, copies by each thread and warps elsewhere.
//
// RUN: tegula-opt %s --tegula-nvvm-pipeline=arch=sm_90a | FileCheck %s --check-prefix=BULK
// RUN: tegula-opt %s --tegula-nvvm-pipeline=arch=sm_80 | FileCheck %s --check-prefix=ASYNC
// RUN: tegula-opt %s --tegula-nvvm-layout-phase=arch=sm_90a --tegula-nvvm-thread-phase --tegula-nvvm-llvm-phase=arch=sm_90a | FileCheck %s --check-prefix=BULK

// BULK: llvm.mlir.global external @tegula_shared
// BULK: llvm.func @product(
// BULK-SAME: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// BULK-SAME: nvvm.kernel
// BULK-SAME: nvvm.reqntid = array<i32: 256>
// BULK: mbarrier.init
// BULK: cp.async.bulk.tensor.2d
// BULK: mbarrier.try_wait.parity
// BULK: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// BULK: wgmma.wait_group.sync.aligned 0
// BULK-NOT: {{(^|[ "])(arith|cf|func|gpu|layout|math|scf|simt|tile|vector)[.]}}

// ASYNC: llvm.func @product(
// ASYNC-SAME: nvvm.kernel
// ASYNC: "@$3 cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r,b,~{memory}"
// ASYNC: nvvm.cp.async.commit.group
// ASYNC: nvvm.cp.async.wait.group
// ASYNC: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// ASYNC-NOT: {{(^|[ "])(arith|cf|func|gpu|layout|math|scf|simt|tile|vector)[.]}}

!a = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
module {
  func.func @product(%x: !a {tile.stride_div = array<i64: 16, 1>}, %y: !a {tile.stride_div = array<i64: 16, 1>}, %z: !a {tile.stride_div = array<i64: 16, 1>}, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant 0.0 : f32
    %i = tile.program_id 0
    %j = tile.program_id 1
    %start = tile.full %none : tensor<128x256xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %start) -> (tensor<128x256xf32>) : i64 {
      %a = tile.load %x[%i, %k] : !a -> tensor<128x32xbf16>
      %b = tile.load %y[%k, %j] : !a -> tensor<32x256xbf16>
      %c = tile.dot %a, %b, %acc : tensor<128x32xbf16>, tensor<32x256xbf16>, tensor<128x256xf32>
      scf.yield %c : tensor<128x256xf32>
    }
    %d = tile.cast %sum : tensor<128x256xf32> -> tensor<128x256xbf16>
    tile.store %d, %z[%i, %j] : tensor<128x256xbf16>, !a
    return
  }
}
