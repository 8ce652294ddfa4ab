// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cpu-lower-reductions | FileCheck %s
//
// Every reduction of tiles without layouts can be lowered; what the pass does not know stays.

// CHECK-LABEL: func @other_tile_operations_stay(
// CHECK-NEXT:    %[[S:.*]] = tile.permute
// CHECK-NEXT:    %[[C:.*]] = tile.cast %[[S]]
// CHECK-NEXT:    return %[[C]]
func.func @other_tile_operations_stay(%x: tensor<4x8xf32>) -> tensor<8x4xi32> {
  %s = tile.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %c = tile.cast %s : tensor<8x4xf32> -> tensor<8x4xi32>
  return %c : tensor<8x4xi32>
}

// -----

// CHECK-LABEL: func @reductions_of_other_dialects_stay(
// CHECK-NEXT:    %[[S:.*]] = linalg.reduce { arith.addf } ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<f32>)
// CHECK:         return %[[S]]
func.func @reductions_of_other_dialects_stay(%x: tensor<8xf32>, %init: tensor<f32>) -> tensor<f32> {
  %s = linalg.reduce { arith.addf } ins(%x : tensor<8xf32>) outs(%init : tensor<f32>) dimensions = [0]
  return %s : tensor<f32>
}

// -----

// Other targets' tiles. A regression: the type of the result was made with the layout, of another rank.
#layout = #layout.linear<register = [[1], [2], [4]], lane = [], warp = [], block = [], shape = [8]>
func.func @tiles_with_layouts(%x: tensor<8xf32, #layout>) -> f32 {
  // expected-error @+1 {{'tile.reduce' op has a tile with a layout, which this target has not}}
  %s = tile.reduce <add> %x axis 0 : tensor<8xf32, #layout> -> f32
  return %s : f32
}
