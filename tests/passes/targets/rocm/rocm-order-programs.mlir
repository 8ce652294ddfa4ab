// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -rocm-order-programs | FileCheck %s
// RUN: tegula-opt %s -rocm-order-programs --remarks-filter=rocm-order-programs --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Missed] order | Category:rocm-order-programs | Remark="programs stay in order: there is no product, so neighbours share no tiles"

module attributes {tegula.arch = "gfx950"} {
  // CHECK-LABEL: @programs_of_a_product_are_renumbered
  // CHECK-SAME: %[[GX:[^:]*]]: i32, %[[GY:[^:]*]]: i32, %[[GZ:[^:]*]]: i32, %{{[^:]*}}: !llvm.ptr<1>)
  func.func @programs_of_a_product_are_renumbered(%a: vector<4xf16>, %c: vector<4xf32>, %out: !llvm.ptr<1>, %gx: i32, %gy: i32, %gz: i32, %ctx: !llvm.ptr<1>) {
    // CHECK: %[[XY:.*]] = arith.muli %[[GX]], %[[GY]] : i32
    // CHECK: %[[COUNT:.*]] = arith.muli %[[XY]], %[[GZ]] : i32
    // CHECK: %[[ID:.*]] = gpu.block_id x
    // CHECK: %[[BLOCK:.*]] = arith.index_castui %[[ID]] : index to i32
    // CHECK: %[[DIES:.*]] = arith.constant 8 : i32
    // CHECK: %[[DIE:.*]] = arith.remui %[[BLOCK]], %[[DIES]]
    // CHECK: %[[PLACE:.*]] = arith.divui %[[BLOCK]], %[[DIES]]
    // CHECK: %[[EACH:.*]] = arith.divui %[[COUNT]], %[[DIES]]
    // CHECK: %[[MORE:.*]] = arith.remui %[[COUNT]], %[[DIES]]
    // CHECK: %[[PRODUCT:.*]] = arith.muli %[[DIE]], %[[EACH]]
    // CHECK: %[[BEFORE:.*]] = arith.minui %[[DIE]], %[[MORE]]
    // CHECK: %[[START:.*]] = arith.addi %[[PRODUCT]], %[[BEFORE]]
    // CHECK: arith.addi %[[START]], %[[PLACE]]
    %zero = arith.constant 0 : i32
    %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %c, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
    // CHECK-NOT: gpu.block_id
    %block = gpu.block_id x
    %program = arith.index_cast %block : index to i64
    llvm.store %program, %out : i64, !llvm.ptr<1>
    return
  }

  // CHECK-LABEL: @other_kernels_keep_their_order
  func.func @other_kernels_keep_their_order(%out: !llvm.ptr<1>, %gx: i32, %gy: i32, %gz: i32, %ctx: !llvm.ptr<1>) {
    // CHECK-NEXT: gpu.block_id x
    // CHECK-NOT: arith.remui
    %block = gpu.block_id x
    %program = arith.index_cast %block : index to i64
    llvm.store %program, %out : i64, !llvm.ptr<1>
    return
  }
}
