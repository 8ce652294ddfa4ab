// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics

func.func @reduce_of_nothing() {
  // expected-error @below {{'tile.reduce' op C1: needs at least one tile}}
  "tile.reduce"() <{kind = #tile.combine<add>, axis = 0 : i32}> ({}) : () -> ()
  return
}

// -----

// expected-note @below {{this operand has type 'tensor<5xf32>'}}
func.func @reduce_of_two_shapes(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @below {{'tile.reduce' op C1: operands differ in shape: (4,) and (5,)}}
  %0, %1 = tile.reduce %x, %y axis 0 : tensor<4xf32>, tensor<5xf32> -> f32, f32 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @reduce_past_the_rank(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op C2: axis 1 is out of range for a tile of rank 1}}
  %0 = tile.reduce <add> %x axis 1 : tensor<4xf32> -> f32
  return
}

// -----

func.func @reduce_along_a_negative_axis(%x: tensor<4xf32>) {
  // expected-error @below {{attribute 'axis' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  %0 = tile.reduce <add> %x axis -1 : tensor<4xf32> -> f32
  return
}

// -----

func.func @reduce_by_neither_kind_nor_region(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op C3: needs either a named kind or a combiner region}}
  %0 = tile.reduce %x axis 0 : tensor<4xf32> -> f32
  return
}

// -----

func.func @reduce_by_both_kind_and_region(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op C3: needs either a named kind or a combiner region}}
  %0 = tile.reduce <add> %x axis 0 : tensor<4xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @reduce_of_two_tiles_by_kind(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op C3: a named kind takes one tile, got 2}}
  %0, %1 = tile.reduce <add> %x, %x axis 0 : tensor<4xf32>, tensor<4xf32> -> f32, f32
  return
}

// -----

// expected-note @below {{the operand has type 'tensor<4xf32>'}}
func.func @reduce_of_float_bits(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op C4: 'xor' is not defined for 'f32'}}
  %0 = tile.reduce <xor> %x axis 0 : tensor<4xf32> -> f32
  return
}

// -----

// expected-note @below {{the operand has type 'tensor<4xi1>'}}
func.func @reduce_of_signed_booleans(%x: tensor<4xi1>) {
  // expected-error @below {{'tile.reduce' op C4: 'max' is not defined for 'i1'}}
  %0 = tile.reduce <max> %x axis 0 : tensor<4xi1> -> i1
  return
}

// -----

func.func @reduce_by_a_region_with_other_arguments(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op C5: the region's arguments must be 'f32', 'f32', got 'f32', 'f64'}}
  %0 = tile.reduce %x axis 0 : tensor<4xf32> -> f32 {
  ^bb0(%a: f32, %b: f64):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @reduce_by_a_region_without_arguments(%x: tensor<4xf32>, %y: f32) {
  // expected-error @below {{'tile.reduce' op C5: the region's arguments must be 'f32', 'f32', got }}
  %0 = tile.reduce %x axis 0 : tensor<4xf32> -> f32 {
    tile.yield %y : f32
  }
  return
}

// -----

func.func @reduce_by_a_region_that_yields_another_type(%x: tensor<4xf32>, %y: i32) {
  // expected-error @below {{'tile.reduce' op C5: the region must end in a tile.yield of 'f32'}}
  %0 = tile.reduce %x axis 0 : tensor<4xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-note @below {{it ends here}}
    tile.yield %y : i32
  }
  return
}

// -----

func.func @reduce_by_a_region_that_ends_in_another_terminator(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op C5: the region must end in a tile.yield of 'f32'}}
  %0 = tile.reduce %x axis 0 : tensor<4xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-note @below {{it ends here}}
    "llvm.unreachable"() : () -> ()
  }
  return
}

// -----

func.func @reduce_by_an_empty_region(%x: tensor<4xf32>) {
  // expected-error @below {{empty block: expect at least a terminator}}
  %0 = tile.reduce %x axis 0 : tensor<4xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
  }
  return
}

// -----

func.func @reduce_by_two_blocks(%x: tensor<4xf32>) {
  // expected-error @below {{region #0 ('combiner') failed to verify constraint: region with at most 1 blocks}}
  %0 = tile.reduce %x axis 0 : tensor<4xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  ^bb1(%c: f32, %d: f32):
    tile.yield %c : f32
  }
  return
}

// -----

func.func @reduce_with_results_of_another_type(%x: tensor<4x5xf32>) {
  // expected-error @below {{'tile.reduce' op C6: result types should be 'tensor<5xf32>', got 'tensor<4xf32>'}}
  %0 = tile.reduce <add> %x axis 0 : tensor<4x5xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_without_results(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.reduce' op C6: result types should be 'f32', got }}
  "tile.reduce"(%x) <{kind = #tile.combine<add>, axis = 0 : i32}> ({}) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @scan_of_nothing() {
  // expected-error @below {{'tile.scan' op C1: needs at least one tile}}
  "tile.scan"() <{axis = 0 : i32}> ({}) : () -> ()
  return
}

// -----

func.func @scan_past_the_rank(%x: tensor<4x4xf32>) {
  // expected-error @below {{'tile.scan' op C2: axis 2 is out of range for a tile of rank 2}}
  %0 = tile.scan <add> %x axis 2 : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @scan_to_another_type(%x: tensor<4x4xf32>) {
  // expected-error @below {{'tile.scan' op C6: result types should be 'tensor<4x4xf32>', got 'tensor<4xf32>'}}
  %0 = tile.scan <add> %x axis 0 : tensor<4x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @scan_by_an_unknown_kind(%x: tensor<4xf32>) {
  // expected-error @below {{unknown keyword 'sub'}}
  %0 = tile.scan <sub> %x axis 0 : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @scan_by_a_region_that_yields_too_much(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.scan' op C5: the region must end in a tile.yield of 'f32'}}
  %0 = tile.scan %x axis 0 : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    // expected-note @below {{it ends here}}
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @yield_outside_a_combiner(%x: f32) {
  // expected-error @below {{'tile.yield' op expects parent op to be one of 'tile.reduce, tile.scan'}}
  tile.yield %x : f32
}
