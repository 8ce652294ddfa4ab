// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -rocm-finish-kernel | FileCheck %s

// CHECK: module attributes {
// CHECK-SAME: llvm.data_layout = "e-m:e-p:64:64
// CHECK-SAME: llvm.target_triple = "amdgcn-amd-amdhsa"
module attributes {tegula.arch = "gfx942"} {
  // CHECK: llvm.module_flags [#llvm.mlir.module_flag<error, "amdhsa_code_object_version", 500 : i32>]
  // CHECK: llvm.mlir.global internal @tegula_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2048 x i8> {
  // CHECK-NEXT: llvm.mlir.poison
  llvm.mlir.global external @tegula_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // CHECK: llvm.func amdgpu_kernelcc @kernel(
  // CHECK-SAME: passthrough = ["amdgpu-no-dispatch-ptr"
  // CHECK-SAME: rocdl.flat_work_group_size = "256,256", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 256, 1, 1>
  // CHECK-SAME: rocdl.uniform_work_group_size = true
  // CHECK-SAME: tegula.argument_bytes = [8 : i32, 1 : i32, 4 : i32]
  // CHECK-SAME: tegula.num_lanes = 64 : i32
  llvm.func @kernel(%a: !llvm.ptr<1>, %b: i8, %c: f32) attributes {tegula.num_warps = 4 : i32, tegula.shared_bytes = 2048 : i32} {
    %0 = llvm.mlir.addressof @tegula_shared : !llvm.ptr<3>
    llvm.store %b, %0 : i8, !llvm.ptr<3>
    llvm.return
  }
}

// -----

// CHECK: module attributes {{.*}}tegula.arch = "gfx1201"
module attributes {tegula.arch = "gfx1201"} {
  // Shared memory that nobody uses goes.
  // CHECK-NOT: tegula_shared
  llvm.mlir.global external @tegula_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
  // CHECK: llvm.func amdgpu_kernelcc @no_shared_memory
  // CHECK-SAME: rocdl.flat_work_group_size = "32,32"
  llvm.func @no_shared_memory() attributes {tegula.num_warps = 1 : i32} {
    llvm.return
  }
  // Other functions are left alone.
  // CHECK: llvm.func @helper()
  llvm.func @helper() {
    llvm.return
  }
}

// -----

// LLVM would move the product into the branch, where lanes are missing.
// CHECK: llvm.func amdgpu_kernelcc @product_before_a_branch
// CHECK: %[[SUM:.*]] = rocdl.wmma.f32.16x16x16.f16
// CHECK-NEXT: %[[KEPT:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "", "=v,0" %[[SUM]]
// CHECK: llvm.extractelement %[[KEPT]]
module attributes {tegula.arch = "gfx1201"} {
  llvm.func @product_before_a_branch(%a: vector<8xf16>, %c: vector<8xf32>, %p: !llvm.ptr<1>, %some: i1) attributes {tegula.num_warps = 1 : i32} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %sum = rocdl.wmma.f32.16x16x16.f16 %a, %a, %c : (vector<8xf16>, vector<8xf16>, vector<8xf32>) -> vector<8xf32>
    %first = llvm.extractelement %sum[%zero : i32] : vector<8xf32>
    llvm.cond_br %some, ^store, ^end
  ^store:
    llvm.store %first, %p : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}

// -----

// Nothing is in the way of the schedule of a loop.
// CHECK: llvm.func amdgpu_kernelcc @product_for_the_next_trip
// CHECK: rocdl.wmma.f32.16x16x16.f16
// CHECK-NOT: llvm.inline_asm
module attributes {tegula.arch = "gfx1201"} {
  llvm.func @product_for_the_next_trip(%a: vector<8xf16>, %c: vector<8xf32>, %p: !llvm.ptr<1>, %more: i1) attributes {tegula.num_warps = 1 : i32} {
    llvm.br ^loop(%c : vector<8xf32>)
  ^loop(%carried: vector<8xf32>):
    %sum = rocdl.wmma.f32.16x16x16.f16 %a, %a, %carried : (vector<8xf16>, vector<8xf16>, vector<8xf32>) -> vector<8xf32>
    llvm.cond_br %more, ^loop(%sum : vector<8xf32>), ^end(%sum : vector<8xf32>)
  ^end(%last: vector<8xf32>):
    llvm.store %last, %p : vector<8xf32>, !llvm.ptr<1>
    llvm.return
  }
}
