// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --tile-pad-extents

func.func @too_many_elements(%x: f32) {
  // expected-error @+1 {{cannot pad 'tensor<1073741825xf32>': with extents of powers of two it would exceed 2147483647 elements}}
  %0 = tile.full %x : tensor<1073741825xf32>
  return
}

// -----

// expected-error @+1 {{cannot pad 'tensor<3xf32, "layout">': it has a layout already}}
func.func @layouts_come_later(%x: tensor<3xf32, "layout">) {
  return
}

// -----

func.func @operations_that_nobody_can_pad(%x: tensor<3xf32>, %i: index) -> f32 {
  // expected-error @+1 {{failed to legalize operation 'tensor.extract'}}
  %0 = tensor.extract %x[%i] : tensor<3xf32>
  return %0 : f32
}
