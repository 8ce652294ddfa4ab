// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --lower-set-target="arch=gfx942" --tegula-rocdl-llvm-phase | FileCheck %s --check-prefixes=CHECK,GFX942
// RUN: tegula-opt %s --lower-set-target="arch=gfx1100" --tegula-rocdl-llvm-phase | FileCheck %s --check-prefixes=CHECK,GFX1100

// CHECK: module attributes {
// CHECK-SAME: llvm.target_triple = "amdgcn-amd-amdhsa"
// CHECK: llvm.mlir.global internal @tegula_shared() {addr_space = 3 : i32{{.*}}} : !llvm.array<512 x i8>
llvm.mlir.global external @tegula_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

// One thread's code: memory, shared memory, a branch, vectors.
// CHECK: llvm.func amdgpu_kernelcc @exchange(
// GFX942-SAME: rocdl.flat_work_group_size = "128,128"
// GFX1100-SAME: rocdl.flat_work_group_size = "64,64"
func.func @exchange(%a: !llvm.ptr<1>, %n: i64) attributes {tegula.num_warps = 2 : i32, tegula.shared_bytes = 512 : i32} {
  // CHECK: rocdl.workitem.id.x
  %thread = gpu.thread_id x
  %t = arith.index_cast %thread : index to i32
  %limit = arith.trunci %n : i64 to i32
  %inside = arith.cmpi slt, %t, %limit : i32
  %pointer = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  // CHECK: llvm.cond_br
  %x = scf.if %inside -> f32 {
    // CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> f32
    %loaded = llvm.load %pointer : !llvm.ptr<1> -> f32
    scf.yield %loaded : f32
  } else {
    %zero = arith.constant 0.0 : f32
    scf.yield %zero : f32
  }
  %shared = llvm.mlir.addressof @tegula_shared : !llvm.ptr<3>
  %cell = llvm.getelementptr %shared[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  llvm.store %x, %cell : f32, !llvm.ptr<3>
  // CHECK: rocdl.s.barrier
  gpu.barrier
  %y = llvm.load %shared : !llvm.ptr<3> -> f32
  %v = vector.from_elements %x, %y : vector<2xf32>
  %w = arith.addf %v, %v : vector<2xf32>
  %z = vector.extract %w[1] : f32 from vector<2xf32>
  // CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
  scf.if %inside {
    llvm.store %z, %pointer : f32, !llvm.ptr<1>
  }
  return
}
