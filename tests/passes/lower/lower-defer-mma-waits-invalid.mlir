// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(lower-defer-mma-waits))'

// expected-error @+1 {{the module does not say what it is compiled for; run lower-set-target first}}
func.func @no_target() {
  return
}

// -----

module attributes {tegula.arch = "abacus"} {
  // expected-error @+1 {{unknown architecture "abacus"; known are}}
  func.func @unknown_target() {
    return
  }
}
