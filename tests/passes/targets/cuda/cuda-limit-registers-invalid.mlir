// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(cuda-limit-registers))' | FileCheck %s
// RUN: not tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(cuda-limit-registers))' --remarks-filter=cuda-limit-registers --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// expected-error @+1 {{the module does not say which GPU it is for}}
func.func @for_no_gpu() {
  return
}

// -----

#row = #layout.linear<register = [[0, 1], [0, 2], [0, 4], [0, 4096], [0, 8192]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = [[0, 256], [0, 512], [0, 1024], [0, 2048]], block = [], shape = [1, 16384]>
module attributes {tegula.arch = "sm_90a"} {
  // 32 registers are loaded and 32 held.
  // CHECK-LABEL: func.func @too_much_is_held
  // CHECK-NOT:     tegula.registers
  // REMARK: the program's registers are not limited: its tiles need more registers
  func.func @too_much_is_held(%a: !tile.view<?x?xf32>, %i: i64) -> tensor<1x16384xf32, #row>
      attributes {tegula.num_warps = 16 : i32} {
    %x = tile.load %a[%i, %i] : !tile.view<?x?xf32> -> tensor<1x16384xf32, #row>
    %e = math.exp %x : tensor<1x16384xf32, #row>
    %s = tile.reduce <add> %e axis 1 : tensor<1x16384xf32, #row> -> tensor<1xf32>
    return %e : tensor<1x16384xf32, #row>
  }
}

// -----

module attributes {tegula.arch = "sm_90a"} {
  // CHECK-LABEL: func.func @few_warps
  // CHECK-NOT:     tegula.registers
  // REMARK: the program's registers are not limited: it has not half of a processor's threads, or is told
  func.func @few_warps() attributes {tegula.num_warps = 8 : i32} {
    return
  }
}
