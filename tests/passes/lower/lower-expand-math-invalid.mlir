// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --lower-expand-math=libm

func.func @library_calls_need_scalars(%x: vector<4xf64>) -> vector<4xf64> {
  // expected-error @+1 {{'math.exp' op of 'vector<4xf64>' needs a call for each element: lower to scalars first}}
  %r = math.exp %x : vector<4xf64>
  return %r : vector<4xf64>
}

// -----

func.func @there_is_no_code_for_wider_floats(%x: f128) -> f128 {
  // expected-error @+1 {{'math.sin' op has no code for 'f128'}}
  %r = math.sin %x : f128
  return %r : f128
}

// -----

// expected-note @+1 {{rename this}}
func.func @exp(%x: f64) -> f64 {
  // expected-error @+1 {{'math.exp' op needs the C library's 'exp', but the module has another symbol of that name}}
  %r = math.exp %x : f64
  return %r : f64
}
