// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cuda-lower-gpu

func.func @shuffles_are_of_whole_warps(%x: f32) -> f32 {
  %mask = arith.constant 4 : i32
  %width = arith.constant 16 : i32
  // expected-error @+1 {{must be among the 32 lanes of a warp}}
  %r, %valid = gpu.shuffle xor %x, %mask, %width : f32
  return %r : f32
}

// -----

func.func @nothing_asks_for_the_predicate(%x: f32) -> i1 {
  %mask = arith.constant 4 : i32
  %width = arith.constant 32 : i32
  // expected-error @+1 {{is asked whether its source lane exists}}
  %r, %valid = gpu.shuffle xor %x, %mask, %width : f32
  return %valid : i1
}

// -----

func.func @other_operations_have_no_code() -> index {
  // expected-error @+1 {{'gpu.num_subgroups' op has no code for NVIDIA GPUs}}
  %r = gpu.num_subgroups : index
  return %r : index
}
