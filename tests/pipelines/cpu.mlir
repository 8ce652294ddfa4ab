// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --tegula-cpu-pipeline | FileCheck %s
// RUN: tegula-opt %s --tegula-cpu-tensor-phase | FileCheck %s --check-prefix=TENSOR
// RUN: tegula-opt %s --tegula-cpu-tensor-phase --tegula-cpu-buffer-phase | FileCheck %s --check-prefix=BUFFER
// RUN: tegula-opt %s --tegula-cpu-tensor-phase --tegula-cpu-buffer-phase --tegula-cpu-loop-phase | FileCheck %s --check-prefix=LOOP
// RUN: tegula-opt %s --tegula-cpu-tensor-phase --tegula-cpu-buffer-phase --tegula-cpu-loop-phase --tegula-cpu-llvm-phase | FileCheck %s
// RUN: tegula-opt %s --tegula-cpu-pipeline="vector-bits=512 vector-registers=32 l1-bytes=49152 l2-bytes=2097152" | FileCheck %s --check-prefixes=CHECK,WIDE

// A product with a bias and an epilogue: loads of whole tiles, a loop that carries an accumulator, fused elementwise work.
// CHECK-LABEL: llvm.func @scaled_product.program(
// The workspace, then each array's pointer, sizes and strides.
// CHECK-SAME:    !llvm.ptr {llvm.align = 64 : i64, llvm.noalias},
// CHECK-SAME:    !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}
// WIDE:        vector<16xf32>
// CHECK-LABEL: llvm.func @scaled_product.entry(
// CHECK-SAME:    %[[ARGS:[^:]*]]: !llvm.ptr, %[[BEGIN:[^:]*]]: i64, %[[END:[^:]*]]: i64, %[[GX:[^:]*]]: i64, %[[GY:[^:]*]]: i64, %[[GZ:[^:]*]]: i64, %[[CTX:[^:]*]]: !llvm.ptr)
// CHECK:         llvm.load %[[ARGS]] : !llvm.ptr -> !llvm.ptr
// CHECK:         llvm.icmp "slt" %{{.*}}, %[[END]] : i64
// CHECK:         llvm.udiv %{{.*}}, %[[GX]]
// CHECK:         llvm.call @scaled_product.program(%{{.*}}, %[[GX]], %[[GY]], %[[GZ]], %[[CTX]])
// CHECK:         llvm.return

// One generic after the loop: bias, scale and what they are computed from.
// TENSOR-LABEL: func private @scaled_product.program(
// TENSOR-NOT:     tile.
// TENSOR:         %[[SUM:.*]] = scf.for
// TENSOR:           linalg.contract
// TENSOR:         linalg.generic {{.*}} ins({{.*}}%[[SUM]]
// TENSOR:           arith.addf
// TENSOR:           arith.mulf
// TENSOR:         bufferization.materialize_in_destination
// TENSOR-LABEL: func @scaled_product.entry(

// BUFFER-LABEL: func private @scaled_product.program(
// BUFFER-NOT:     tensor<
// BUFFER-NOT:     memref.copy
// BUFFER:         linalg.contract {{.*}} outs(%{{.*}} : memref<8x16xf32>)
// BUFFER-LABEL: func @scaled_product.entry(

// LOOP-LABEL: func private @scaled_product.program(
// LOOP-NOT:     linalg.
// LOOP-NOT:     memref.alloc
// LOOP-NOT:     memref.subview
// LOOP:         vector.fma {{.*}} : vector<8xf32>
// LOOP-NOT:     linalg.
// LOOP-LABEL: func @scaled_product.entry(
// LOOP:         llvm.alloca

func.func @scaled_product(%a: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %b: !tile.view<?x?xf32, strides = [?, 1]>,
                          %bias: !tile.view<?xf32, strides = [1]>, %c: !tile.view<?x?xf32, strides = [?, 1]>, %scale: f32)
    attributes {tile.kernel} {
  %i = tile.program_id 0
  %j = tile.program_id 1
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %extent = arith.constant 32 : i64
  %k = tile.dim %a, 1 : !tile.view<?x?xf32, strides = [?, 1], align = 16>
  %steps = arith.ceildivsi %k, %extent : i64
  %init = arith.constant dense<0.0> : tensor<8x16xf32>
  %sum = scf.for %s = %zero to %steps step %one iter_args(%acc = %init) -> (tensor<8x16xf32>) : i64 {
    %x = tile.load %a[%i, %s] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<8x32xf32>
    %y = tile.load %b[%s, %j] : !tile.view<?x?xf32, strides = [?, 1]> -> tensor<32x16xf32>
    %next = tile.dot %x, %y, %acc : tensor<8x32xf32>, tensor<32x16xf32>, tensor<8x16xf32>
    scf.yield %next : tensor<8x16xf32>
  }
  %row = tile.load %bias[%j] : !tile.view<?xf32, strides = [1]> -> tensor<16xf32>
  %row2 = tile.reshape %row : tensor<16xf32> -> tensor<1x16xf32>
  %rows = tile.broadcast %row2 : tensor<1x16xf32> -> tensor<8x16xf32>
  %biased = arith.addf %sum, %rows : tensor<8x16xf32>
  %scales = tile.full %scale : tensor<8x16xf32>
  %result = arith.mulf %biased, %scales : tensor<8x16xf32>
  tile.store %result, %c[%i, %j] : tensor<8x16xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  return
}
