// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(cuda-plan-prefetches))'

// expected-error @+1 {{the module does not say which GPU it is for}}
func.func @for_no_gpu() {
  return
}
