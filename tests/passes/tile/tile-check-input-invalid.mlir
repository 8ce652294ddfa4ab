// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --tile-check-input
// RUN: not tegula-opt %s -split-input-file --tegula-cpu-pipeline 2>/dev/null
// RUN: not tegula-opt %s -split-input-file --tegula-nvvm-pipeline 2>/dev/null
// RUN: not tegula-opt %s -split-input-file --tegula-rocdl-pipeline 2>/dev/null

func.func @operations_of_later_levels(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'linalg.copy' op is not part of the tile level, where the lowering of kernels starts}}
  %s = linalg.copy ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

func.func @loops_of_other_kinds(%n: i64) {
  // expected-error @+1 {{'scf.forall' op is not part of the tile level}}
  scf.forall (%i) in (4) {
  }
  return
}

// -----

// expected-error @+1 {{the type 'memref<4xf32>' is neither an array, a tile nor an element of one}}
func.func @buffers(%x: memref<4xf32>) {
  return
}

// -----

func.func @integers_of_other_widths(%x: i32) {
  // expected-error @+1 {{the type 'i7' is neither an array, a tile nor an element of one}}
  %y = arith.trunci %x : i32 to i7
  return
}

// -----

// expected-error @+1 {{the type 'tensor<?xf32>' has an extent that is unknown, 0 or too large}}
func.func @tiles_of_unknown_extents(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error @+1 {{the type 'tensor<4294967296x4294967296xf32>' has an extent that is unknown, 0 or too large}}
func.func @tiles_whose_size_wraps(%x: tensor<4294967296x4294967296xf32>) {
  return
}

// -----

// expected-error @+1 {{the type 'tensor<8192x8192xf32>' has too many elements}}
func.func @tiles_of_too_many_elements(%x: tensor<8192x8192xf32>) {
  return
}

// -----

// expected-error @+1 {{the type 'tensor<f32>' does not have one to eight dimensions}}
func.func @tiles_without_a_dimension(%x: tensor<f32>) {
  return
}

// -----

// expected-error @+1 {{has a layout already}}
func.func @tiles_with_layouts(%x: tensor<8xf32, "layout">) {
  return
}

// -----

// expected-error @+2 {{'func.func' op has operations on tiles, but is no kernel and would stay as it is}}
// expected-note @+1 {{help: kernels have the attribute 'tile.kernel'}}
func.func @no_kernel(%a: !tile.view<?xf32>, %i: i64) {
  %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<8xf32>
  tile.store %t, %a[%i] : tensor<8xf32>, !tile.view<?xf32>
  return
}
