// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(lower-assign-layouts))'

// expected-error @+1 {{the module does not say what it is compiled for; run lower-set-target first}}
func.func @no_target() attributes {tile.kernel} {
  return
}

// -----

module attributes {tegula.arch = "generic32"} {
  func.func @extent_of_100(%a: !tile.view<?xf32>, %i: i64) attributes {tile.kernel} {
    // expected-error @+1 {{a tile of 'tensor<100xf32>' has an extent that is no power of two; run tile-pad-extents first}}
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<100xf32>
    tile.store %x, %a[%i] : tensor<100xf32>, !tile.view<?xf32>
    return
  }
}

// -----

// A regression: no layout is of three warps.
module attributes {tegula.arch = "generic32"} {
  // expected-error @+1 {{'func.func' op 'tegula.num_warps' must be a power of two from 1 to 32, got 3}}
  func.func @three_warps(%x: tensor<4xf32>) attributes {tile.kernel, tegula.num_warps = 3 : i32} {
    return
  }
}
