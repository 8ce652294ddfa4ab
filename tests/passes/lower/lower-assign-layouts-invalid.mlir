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
