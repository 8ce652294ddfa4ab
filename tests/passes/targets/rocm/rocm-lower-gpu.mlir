// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -rocm-lower-gpu -mlir-print-local-scope | FileCheck %s

module attributes {tegula.arch = "gfx942"} {
  // CHECK-LABEL: @threads_and_blocks_have_one_dimension
  func.func @threads_and_blocks_have_one_dimension(%out: !llvm.ptr<1>) {
    // CHECK: %[[T:.*]] = rocdl.workitem.id.x : i32
    // CHECK: arith.index_castui %[[T]]
    %t = gpu.thread_id x
    // CHECK: %[[B:.*]] = rocdl.workgroup.id.x : i32
    // CHECK: arith.index_castui %[[B]]
    %b = gpu.block_id x
    // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
    // CHECK: arith.index_castui %[[ZERO]]
    %y = gpu.thread_id y
    // CHECK: rocdl.mbcnt.lo
    // CHECK: rocdl.mbcnt.hi
    %l = gpu.lane_id
    %0 = arith.addi %t, %b : index
    %1 = arith.addi %0, %y : index
    %2 = arith.addi %1, %l : index
    %3 = arith.index_cast %2 : index to i64
    llvm.store %3, %out : i64, !llvm.ptr<1>
    return
  }

  // CHECK-LABEL: @a_barrier_orders_all_memory_unless_it_says_shared_only
  func.func @a_barrier_orders_all_memory_unless_it_says_shared_only() {
    // CHECK-NEXT: llvm.fence syncscope("workgroup") release{{$}}
    // CHECK-NEXT: rocdl.s.barrier
    // CHECK-NEXT: llvm.fence syncscope("workgroup") acquire{{$}}
    gpu.barrier
    // CHECK-NEXT: llvm.fence syncscope("workgroup") release {llvm.mmra = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">}
    // CHECK-NEXT: rocdl.s.barrier
    // CHECK-NEXT: llvm.fence syncscope("workgroup") acquire {llvm.mmra = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">}
    gpu.barrier {tegula.shared_only}
    return
  }

  // CHECK-LABEL: @a_mask_within_a_row_is_one_or_two_data_parallel_primitives
  func.func @a_mask_within_a_row_is_one_or_two_data_parallel_primitives(%x: i32) -> (i32, i32, i32, i32) {
    %w = arith.constant 64 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %c8 = arith.constant 8 : i32
    %c13 = arith.constant 13 : i32
    // CHECK: rocdl.update.dpp %{{.*}}, %arg0 with 177, 15, 15, true : i32
    %0, %v0 = gpu.shuffle xor %x, %c1, %w : i32
    // CHECK: rocdl.update.dpp %{{.*}}, %arg0 with 321, 15, 15, true : i32
    %1, %v1 = gpu.shuffle xor %x, %c7, %w : i32
    // CHECK: rocdl.update.dpp %{{.*}}, %arg0 with 296, 15, 15, true : i32
    %2, %v2 = gpu.shuffle xor %x, %c8, %w : i32
    // CHECK: %[[MIRROR:.*]] = rocdl.update.dpp %{{.*}}, %arg0 with 320, 15, 15, true : i32
    // CHECK: rocdl.update.dpp %{{.*}}, %[[MIRROR]] with 78, 15, 15, true : i32
    %3, %v3 = gpu.shuffle xor %x, %c13, %w : i32
    return %0, %1, %2, %3 : i32, i32, i32, i32
  }

  // CHECK-LABEL: @wider_masks_swizzle_or_permute
  func.func @wider_masks_swizzle_or_permute(%x: i32) -> (i32, i32) {
    %w = arith.constant 64 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    // CHECK: %[[PATTERN:.*]] = arith.constant 16415 : i32
    // CHECK: rocdl.ds_swizzle %arg0, %[[PATTERN]]
    %0, %v0 = gpu.shuffle xor %x, %c16, %w : i32
    // CHECK: rocdl.ds_bpermute
    %1, %v1 = gpu.shuffle xor %x, %c32, %w : i32
    return %0, %1 : i32, i32
  }

  // CHECK-LABEL: @values_move_in_words_of_32_bits
  func.func @values_move_in_words_of_32_bits(%x: f64, %y: f16, %lane: i32) -> (f64, f16, i1) {
    %w = arith.constant 64 : i32
    %c5 = arith.constant 5 : i32
    // CHECK: llvm.bitcast %arg0 : f64 to vector<2xi32>
    // CHECK-COUNT-2: rocdl.readlane
    // CHECK: llvm.bitcast %{{.*}} : vector<2xi32> to f64
    %0, %v0 = gpu.shuffle idx %x, %c5, %w : f64
    // CHECK: llvm.zext %{{.*}} : i16 to i32
    // CHECK: rocdl.ds_bpermute
    // CHECK: llvm.trunc %{{.*}} : i32 to i16
    // CHECK: %[[VALID:.*]] = arith.cmpi ult, %arg2
    %1, %v1 = gpu.shuffle idx %y, %lane, %w : f16
    // CHECK: return %{{.*}}, %{{.*}}, %[[VALID]]
    return %0, %1, %v1 : f64, f16, i1
  }
}

// -----

module attributes {tegula.arch = "gfx1100"} {
  // CHECK-LABEL: @waves_of_32_lanes_reach_the_other_row
  func.func @waves_of_32_lanes_reach_the_other_row(%x: f32) -> (f32, f32) {
    %w = arith.constant 32 : i32
    %c5 = arith.constant 5 : i32
    %c17 = arith.constant 17 : i32
    // CHECK: rocdl.update.dpp %{{.*}}, %{{.*}} with 357, 15, 15, true : i32
    %0, %v0 = gpu.shuffle xor %x, %c5, %w : f32
    // CHECK: %[[LOW:.*]] = arith.constant 1732584193 : i32
    // CHECK: %[[HIGH:.*]] = arith.constant -271733879 : i32
    // CHECK: rocdl.permlanex16 %{{.*}}, %{{.*}}, %[[LOW]], %[[HIGH]], true, true
    %1, %v1 = gpu.shuffle xor %x, %c17, %w : f32
    return %0, %1 : f32, f32
  }
}
