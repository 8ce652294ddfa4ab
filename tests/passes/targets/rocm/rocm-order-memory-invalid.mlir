// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -verify-diagnostics -rocm-order-memory | FileCheck %s

// Nothing is required of what comes in, and what cannot be moved stays. A store may change what is read.
// CHECK-LABEL: @a_read_does_not_pass_a_store
func.func @a_read_does_not_pass_a_store(%p: !llvm.ptr<3>, %q: !llvm.ptr<3>, %x: f32) -> f32 {
  // CHECK: llvm.load
  // CHECK-NEXT: llvm.store
  %a = llvm.load %p : !llvm.ptr<3> -> f32
  llvm.store %x, %q : f32, !llvm.ptr<3>
  %b = arith.addf %a, %x : f32
  return %b : f32
}

// CHECK-LABEL: @nor_a_barrier
func.func @nor_a_barrier(%p: !llvm.ptr<3>, %x: f32) -> f32 {
  // CHECK: llvm.load
  // CHECK-NEXT: gpu.barrier
  %a = llvm.load %p : !llvm.ptr<3> -> f32
  gpu.barrier
  %b = arith.addf %a, %x : f32
  return %b : f32
}
