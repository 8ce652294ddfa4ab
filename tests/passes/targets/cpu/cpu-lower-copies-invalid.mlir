// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cpu-lower-copies

func.func @a_source_of_unknown_rank(%a: memref<*xf32>, %b: memref<4xf32>) {
  // expected-error @+1 {{'memref.copy' op needs buffers of known rank}}
  memref.copy %a, %b : memref<*xf32> to memref<4xf32>
  return
}

// -----

func.func @a_target_of_unknown_rank(%a: memref<4xf32>, %b: memref<*xf32>) {
  // expected-error @+1 {{'memref.copy' op needs buffers of known rank}}
  memref.copy %a, %b : memref<4xf32> to memref<*xf32>
  return
}
