// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --tile-expand-elementwise

func.func @fp8_has_no_arithmetic(%a: f8E5M2, %b: f8E5M2) -> f8E5M2 {
  // expected-error @+1 {{'tile.fmod' op has no arithmetic on 'f8E5M2'; cast to f32 and back}}
  %r = tile.fmod %a, %b : f8E5M2
  return %r : f8E5M2
}
