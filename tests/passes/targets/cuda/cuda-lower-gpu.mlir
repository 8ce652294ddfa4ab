// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cuda-lower-gpu | FileCheck %s

// CHECK-LABEL: func @threads_and_blocks_have_numbers_in_a_range
func.func @threads_and_blocks_have_numbers_in_a_range() -> (index, index, index) {
  // CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 1024> : i32
  // CHECK: nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2147483647> : i32
  // CHECK: arith.constant 0 : i32
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %y = gpu.thread_id y
  return %t, %b, %y : index, index, index
}

// -----

// CHECK-LABEL: func @a_barrier_is_one_of_all_threads
func.func @a_barrier_is_one_of_all_threads() {
  // CHECK-NEXT: nvvm.barrier
  // CHECK-NEXT: return
  gpu.barrier
  return
}

// -----

// CHECK-LABEL: func @a_word_is_shuffled_at_once
// CHECK-SAME:    %[[X:.*]]: f32
func.func @a_word_is_shuffled_at_once(%x: f32) -> f32 {
  // CHECK-DAG:  %[[MASK:.*]] = arith.constant 4 : i32
  // CHECK-DAG:  %[[ALL:.*]] = arith.constant -1 : i32
  // CHECK-DAG:  %[[CLAMP:.*]] = arith.constant 31 : i32
  // CHECK:      %[[BITS:.*]] = llvm.bitcast %[[X]] : f32 to i32
  // CHECK-NEXT: %[[R:.*]] = nvvm.shfl.sync bfly %[[ALL]], %[[BITS]], %[[MASK]], %[[CLAMP]] : i32 -> i32
  // CHECK-NEXT: llvm.bitcast %[[R]] : i32 to f32
  %mask = arith.constant 4 : i32
  %width = arith.constant 32 : i32
  %r, %valid = gpu.shuffle xor %x, %mask, %width : f32
  return %r : f32
}

// -----

// CHECK-LABEL: func @a_double_word_is_shuffled_in_two
func.func @a_double_word_is_shuffled_in_two(%x: f64, %lane: i32) -> f64 {
  // CHECK-COUNT-2: nvvm.shfl.sync idx
  // CHECK:         llvm.bitcast %{{.*}} : i64 to f64
  %width = arith.constant 32 : i32
  %r, %valid = gpu.shuffle idx %x, %lane, %width : f64
  return %r : f64
}

// -----

// CHECK-LABEL: func @up_clamps_at_the_first_lane
func.func @up_clamps_at_the_first_lane(%x: i32) -> i32 {
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK: nvvm.shfl.sync up %{{.*}}, %{{.*}}, %{{.*}}, %[[ZERO]] : i32 -> i32
  %one = arith.constant 1 : i32
  %width = arith.constant 32 : i32
  %r, %valid = gpu.shuffle up %x, %one, %width : i32
  return %r : i32
}
