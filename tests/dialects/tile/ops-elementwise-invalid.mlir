// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics

func.func @integer_division_of_floats(%x: f32) {
  // expected-error @below {{operand #0 must be integer scalar or tile, but got 'f32'}}
  %0 = tile.floordiv %x, %x : f32
  return
}

// -----

func.func @integer_division_of_two_shapes(%x: tensor<4xi32>, %y: tensor<5xi32>) {
  // expected-error @below {{'tile.floordiv' op requires the same type for all operands and results}}
  %0 = "tile.floordiv"(%x, %y) : (tensor<4xi32>, tensor<5xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @shift_by_another_type(%x: i32, %y: i64) {
  // expected-error @below {{'tile.shl' op requires the same type for all operands and results}}
  %0 = "tile.shl"(%x, %y) : (i32, i64) -> i32
  return
}

// -----

func.func @float_remainder_of_integers(%x: tensor<4xi32>) {
  // expected-error @below {{operand #0 must be floating-point scalar or tile, but got 'tensor<4xi32>'}}
  %0 = tile.fmod %x, %x : tensor<4xi32>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<4xf32>'}}
func.func @cast_to_another_shape(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.cast' op C1: changes the shape from (4,) to (2, 2)}}
  %0 = tile.cast %x : tensor<4xf32> -> tensor<2x2xf16>
  return
}

// -----

// expected-note @below {{the source has type 'f32'}}
func.func @cast_of_a_scalar_to_a_tile(%x: f32) {
  // expected-error @below {{'tile.cast' op C1: changes the shape from () to (4,)}}
  %0 = tile.cast %x : f32 -> tensor<4xf16>
  return
}

// -----

// expected-note @below {{the source has type 'f32'}}
func.func @cast_from_unsigned_of_a_float(%x: f32) {
  // expected-error @below {{'tile.cast' op C2: 'from_unsigned' needs an integer source, got 'f32'}}
  %0 = tile.cast %x from_unsigned : f32 -> i32
  return
}

// -----

func.func @cast_to_unsigned_of_a_float(%x: i32) {
  // expected-error @below {{'tile.cast' op C2: 'to_unsigned' needs an integer result, got 'f32'}}
  %0 = tile.cast %x to_unsigned : i32 -> f32
  return
}

// -----

func.func @cast_to_an_unsupported_type(%x: f32) {
  // expected-error @below {{result #0 must be scalar or tile, but got 'index'}}
  %0 = tile.cast %x : f32 -> index
  return
}

// -----

// expected-note @below {{the source has type 'tensor<4xf32>'}}
func.func @bitcast_to_another_shape(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.bitcast' op C1: changes the shape from (4,) to (5,)}}
  %0 = tile.bitcast %x : tensor<4xf32> -> tensor<5xi32>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<4xf32>'}}
func.func @bitcast_to_another_width(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.bitcast' op C2: reinterprets 32-bit elements as 16-bit ones}}
  %0 = tile.bitcast %x : tensor<4xf32> -> tensor<4xi16>
  return
}

// -----

func.func @class_of_integers(%x: i32) {
  // expected-error @below {{operand #0 must be floating-point scalar or tile, but got 'i32'}}
  %0 = tile.fpclass <nan> %x : i32 -> i1
  return
}

// -----

// expected-note @below {{the source has type 'tensor<4xf32>'}}
func.func @class_of_another_shape(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.fpclass' op C1: changes the shape from (4,) to ()}}
  %0 = tile.fpclass <inf> %x : tensor<4xf32> -> i1
  return
}

// -----

func.func @class_that_is_unknown(%x: f32) {
  // expected-error @below {{expected ::tegula::tile::ClassKind to be one of: nan, inf, finite}}
  // expected-error @below {{failed to parse Tile_ClassKindAttr parameter 'value'}}
  %0 = tile.fpclass <zero> %x : f32 -> i1
  return
}
