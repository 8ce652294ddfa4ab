// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics

func.func @full_of_another_element_type(%x: f32) {
  // expected-error @below {{'tile.full' op failed to verify that C1: value has the tile's element type}}
  %0 = "tile.full"(%x) : (f32) -> tensor<4xf16>
  return
}

// -----

func.func @full_of_rank_0(%x: f32) {
  // expected-error @below {{must be tile (tensor of rank 1 to 8, static extents from 1 up, less than 2^31 elements)}}
  %0 = tile.full %x : tensor<f32>
  return
}

// -----

func.func @full_of_rank_9(%x: f32) {
  // expected-error @below {{must be tile (tensor of rank 1 to 8, static extents from 1 up, less than 2^31 elements)}}
  %0 = tile.full %x : tensor<1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @full_of_2_to_the_31_elements(%x: f32) {
  // expected-error @below {{must be tile (tensor of rank 1 to 8, static extents from 1 up, less than 2^31 elements)}}
  %0 = tile.full %x : tensor<65536x32768xf32>
  return
}

// -----

func.func @full_of_an_unsupported_type(%x: f128) {
  // expected-error @below {{operand #0 must be bool, 8/16/32/64-bit integer or float (fp8, fp16, bf16, fp32, fp64), but got 'f128'}}
  %0 = "tile.full"(%x) : (f128) -> tensor<4xf128>
  return
}

// -----

func.func @iota_of_rank_2() {
  // expected-error @below {{'tile.iota' op C1: makes a tile of rank 1, not 'tensor<2x2xi32>'}}
  %0 = tile.iota : tensor<2x2xi32>
  return
}

// -----

func.func @iota_of_floats() {
  // expected-error @below {{values, but got 'tensor<4xf32>'}}
  %0 = tile.iota : tensor<4xf32>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<4xf32>'}}
func.func @broadcast_to_another_rank(%t: tensor<4xf32>) {
  // expected-error @below {{'tile.broadcast' op C1: changes the rank from (4,) to (2, 4); reshape to the result's rank first}}
  %0 = tile.broadcast %t : tensor<4xf32> -> tensor<2x4xf32>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<1x4xf32>'}}
func.func @broadcast_of_an_extent_that_is_not_1(%t: tensor<1x4xf32>) {
  // expected-error @below {{'tile.broadcast' op C2: cannot stretch dimension 1 from 4 to 8; only an extent of 1 stretches}}
  %0 = tile.broadcast %t : tensor<1x4xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @broadcast_to_another_element_type(%t: tensor<1xf32>) {
  // expected-error @below {{requires the same element type for all operands and results}}
  %0 = tile.broadcast %t : tensor<1xf32> -> tensor<4xf16>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<4xf32>'}}
func.func @reshape_to_another_element_type(%t: tensor<4xf32>) {
  // expected-error @below {{'tile.reshape' op C1: changes the element type from 'f32' to 'i32'}}
  %0 = tile.reshape %t : tensor<4xf32> -> tensor<2x2xi32>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<2x3xf32>'}}
func.func @reshape_to_another_count(%t: tensor<2x3xf32>) {
  // expected-error @below {{'tile.reshape' op C2: turns (2, 3) of 6 elements into (7,) of 7}}
  %0 = tile.reshape %t : tensor<2x3xf32> -> tensor<7xf32>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<2xf32>'}}
func.func @reshape_of_two_elements_to_a_scalar(%t: tensor<2xf32>) {
  // expected-error @below {{'tile.reshape' op C2: turns (2,) of 2 elements into () of 1}}
  %0 = tile.reshape %t : tensor<2xf32> -> f32
  return
}

// -----

// expected-note @below {{the source has type 'tensor<2x3xf32>'}}
func.func @permute_with_a_dimension_twice(%t: tensor<2x3xf32>) {
  // expected-error @below {{'tile.permute' op C1: [1, 1] is not a permutation of 2 dimensions}}
  %0 = tile.permute %t [1, 1] : tensor<2x3xf32> -> tensor<3x3xf32>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<2x3xf32>'}}
func.func @permute_with_a_dimension_missing(%t: tensor<2x3xf32>) {
  // expected-error @below {{'tile.permute' op C1: [0] is not a permutation of 2 dimensions}}
  %0 = tile.permute %t [0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<2x3xf32>'}}
func.func @permute_with_a_negative_dimension(%t: tensor<2x3xf32>) {
  // expected-error @below {{'tile.permute' op C1: [-1, 0] is not a permutation of 2 dimensions}}
  %0 = tile.permute %t [-1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<2x3xf32>'}}
func.func @permute_to_another_shape(%t: tensor<2x3xf32>) {
  // expected-error @below {{'tile.permute' op C2: result shape (2, 3) should be (3, 2)}}
  %0 = tile.permute %t [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

// expected-note @below {{the operand has type 'tensor<4xf32>'}}
func.func @join_to_another_shape(%a: tensor<4xf32>) {
  // expected-error @below {{'tile.join' op C1: joined tile has type 'tensor<2x4xf32>', expected 'tensor<4x2xf32>'}}
  %0 = tile.join %a, %a : tensor<4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @join_of_two_types(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error @below {{failed to verify that all of {lhs, rhs} have same type}}
  %0 = "tile.join"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4x2xf32>
  return
}

// -----

// expected-note @below {{the operand has type 'tensor<4x3xf32>'}}
func.func @split_of_an_extent_that_is_not_2(%a: tensor<4x3xf32>) {
  // expected-error @below {{'tile.split' op C1: joined tile has type 'tensor<4x3xf32>', expected 'tensor<4x2xf32>'}}
  %0, %1 = tile.split %a : tensor<4x3xf32> -> tensor<4xf32>
  return
}

// -----

func.func @concat_of_nothing() {
  // expected-error @below {{'tile.concat' op C1: needs at least one tile}}
  %0 = "tile.concat"() <{axis = 0 : i32}> : () -> tensor<4xf32>
  return
}

// -----

func.func @concat_past_the_rank(%a: tensor<4xf32>) {
  // expected-error @below {{'tile.concat' op C2: axis 1 is out of range for a tile of rank 1}}
  %0 = tile.concat %a, %a axis 1 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

// expected-note @below {{the operand has type 'tensor<5x3xf32>'}}
func.func @concat_of_another_extent(%a: tensor<4x4xf32>, %b: tensor<5x3xf32>) {
  // expected-error @below {{'tile.concat' op C3: operand type 'tensor<5x3xf32>' does not fit the result 'tensor<9x4xf32>' along axis 0}}
  %0 = tile.concat %a, %b axis 0 : tensor<4x4xf32>, tensor<5x3xf32> -> tensor<9x4xf32>
  return
}

// -----

// expected-note @below {{the operand has type 'tensor<4xi32>'}}
func.func @concat_of_another_element_type(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error @below {{'tile.concat' op C3: operand type 'tensor<4xi32>' does not fit the result 'tensor<8xf32>' along axis 0}}
  %0 = tile.concat %a, %b axis 0 : tensor<4xf32>, tensor<4xi32> -> tensor<8xf32>
  return
}

// -----

func.func @concat_to_another_extent(%a: tensor<4xf32>) {
  // expected-error @below {{'tile.concat' op C4: operands add up to 8 along axis 0, the result has 9}}
  %0 = tile.concat %a, %a axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<9xf32>
  return
}

// -----

func.func @take_past_the_rank(%x: tensor<4xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{'tile.take' op C1: axis 1 is out of range for a tile of rank 1}}
  %0 = tile.take %x[%i] axis 1 : tensor<4xf32>, tensor<4xi64> -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<4x8xf32>'}}
func.func @take_by_indices_of_another_rank(%x: tensor<4x8xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{'tile.take' op C2: index shape (4,) differs from the source's (4, 8) in more than axis 0}}
  %0 = tile.take %x[%i] axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<4x8xf32>'}}
func.func @take_by_indices_of_other_extents(%x: tensor<4x8xf32>, %i: tensor<3x3xi32>) {
  // expected-error @below {{'tile.take' op C2: index shape (3, 3) differs from the source's (4, 8) in more than axis 0}}
  %0 = tile.take %x[%i] axis 0 : tensor<4x8xf32>, tensor<3x3xi32> -> tensor<3x3xf32>
  return
}

// -----

func.func @take_to_another_type(%x: tensor<4x8xf32>, %i: tensor<3x8xi32>) {
  // expected-error @below {{'tile.take' op C3: result has type 'tensor<3x8xf64>', expected 'tensor<3x8xf32>'}}
  %0 = tile.take %x[%i] axis 0 : tensor<4x8xf32>, tensor<3x8xi32> -> tensor<3x8xf64>
  return
}
