// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cuda-finish-kernel | FileCheck %s

// CHECK: module attributes
// CHECK-SAME: llvm.data_layout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
// CHECK-SAME: llvm.target_triple = "nvptx64-nvidia-cuda"
module attributes {tegula.arch = "sm_90a"} {
  // CHECK-LABEL: llvm.func @a_kernel_has_an_exact_number_of_threads
  // CHECK-SAME:    nvvm.kernel
  // CHECK-SAME:    nvvm.reqntid = array<i32: 128>
  // CHECK-SAME:    tegula.num_lanes = 32 : i32
  llvm.func @a_kernel_has_an_exact_number_of_threads(%a: !llvm.ptr<1>)
      attributes {tegula.num_warps = 4 : i32, tegula.shared_bytes = 232448 : i32} {
    llvm.return
  }

  // CHECK-LABEL: llvm.func @a_helper_is_no_kernel()
  // CHECK-NOT:     nvvm.kernel
  llvm.func @a_helper_is_no_kernel() {
    llvm.return
  }
}

// -----

// Four programs of 128 threads fit into a processor's registers, and into its shared memory three.
module attributes {tegula.arch = "sm_90a"} {
  // CHECK-LABEL: llvm.func @shares_its_processor
  // CHECK-SAME:    nvvm.minctasm = 3 : i32
  // CHECK-NOT:     tegula.registers
  // CHECK-NOT:     tegula.takes_turns
  llvm.func @shares_its_processor(%a: !llvm.ptr<1>)
      attributes {tegula.num_warps = 4 : i32, tegula.registers = 120 : i32, tegula.shared_bytes = 65536 : i32, tegula.takes_turns} {
    llvm.return
  }
}
