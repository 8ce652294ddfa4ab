// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics

func.func @dot_of_rank_1(%a: tensor<4xf32>) {
  // expected-error @below {{'tile.dot' op C1: needs tiles of one rank, 2 or 3, got (4,), (4,) and (4,)}}
  %0 = tile.dot %a, %a, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @dot_of_two_ranks(%a: tensor<4x4xf32>, %b: tensor<2x4x4xf32>) {
  // expected-error @below {{'tile.dot' op C1: needs tiles of one rank, 2 or 3, got (4, 4), (2, 4, 4) and (4, 4)}}
  %0 = tile.dot %a, %b, %a : tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<4x4xf32>
  return
}

// -----

// expected-note @below {{the right operand has type 'tensor<5x7xf32>'}}
func.func @dot_with_inner_extents_that_differ(%a: tensor<3x4xf32>, %b: tensor<5x7xf32>, %c: tensor<3x7xf32>) {
  // expected-error @below {{'tile.dot' op C2: inner extents differ: (3, 4) @ (5, 7)}}
  %0 = tile.dot %a, %b, %c : tensor<3x4xf32>, tensor<5x7xf32>, tensor<3x7xf32>
  return
}

// -----

// expected-note @below {{the right operand has type 'tensor<6x4x4xf32>'}}
func.func @dot_with_batches_that_differ(%a: tensor<5x4x4xf32>, %b: tensor<6x4x4xf32>) {
  // expected-error @below {{'tile.dot' op C2: batch extents differ: (5, 4, 4) @ (6, 4, 4)}}
  %0 = tile.dot %a, %b, %a : tensor<5x4x4xf32>, tensor<6x4x4xf32>, tensor<5x4x4xf32>
  return
}

// -----

// expected-note @below {{the accumulator has type 'tensor<7x3xf32>'}}
func.func @dot_with_accumulator_of_another_shape(%a: tensor<3x4xf32>, %b: tensor<4x7xf32>, %c: tensor<7x3xf32>) {
  // expected-error @below {{'tile.dot' op C2: (3, 4) @ (4, 7) does not fit the accumulator's (7, 3)}}
  %0 = tile.dot %a, %b, %c : tensor<3x4xf32>, tensor<4x7xf32>, tensor<7x3xf32>
  return
}

// -----

// expected-note @below {{the right operand has type 'tensor<4x4xbf16>'}}
func.func @dot_of_two_float_types(%a: tensor<4x4xf16>, %b: tensor<4x4xbf16>, %c: tensor<4x4xf32>) {
  // expected-error @below {{'tile.dot' op C3: has no product of 'f16' and 'bf16'}}
  %0 = tile.dot %a, %b, %c : tensor<4x4xf16>, tensor<4x4xbf16>, tensor<4x4xf32>
  return
}

// -----

// expected-note @below {{the right operand has type 'tensor<4x4xi32>'}}
func.func @dot_of_i32(%a: tensor<4x4xi32>) {
  // expected-error @below {{'tile.dot' op C3: has no product of 'i32' and 'i32'}}
  %0 = tile.dot %a, %a, %a : tensor<4x4xi32>, tensor<4x4xi32>, tensor<4x4xi32>
  return
}

// -----

// expected-note @below {{the accumulator has type 'tensor<4x4xf16>'}}
func.func @dot_with_accumulator_of_another_type(%a: tensor<4x4xf16>) {
  // expected-error @below {{'tile.dot' op C3: product of 'f16' and 'f16' accumulates in 'f32', not 'f16'}}
  %0 = tile.dot %a, %a, %a : tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>
  return
}

// -----

// expected-note @below {{the left operand has type 'tensor<4x4xf64>'}}
func.func @dot_of_f64_in_tf32(%a: tensor<4x4xf64>) {
  // expected-error @below {{'tile.dot' op C4: tf32 is a precision of f32 operands, got 'f64'}}
  %0 = tile.dot %a, %a, %a <tf32> : tensor<4x4xf64>, tensor<4x4xf64>, tensor<4x4xf64>
  return
}

// -----

// expected-note @below {{the left operand has type 'tensor<4x4xf32>'}}
func.func @dot_of_unsigned_floats(%a: tensor<4x4xf32>) {
  // expected-error @below {{'tile.dot' op C5: unsigned operands are integers, got 'f32'}}
  %0 = tile.dot %a, %a, %a b_unsigned : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  return
}

// -----

func.func @dot_of_unknown_precision(%a: tensor<4x4xf32>) {
  // expected-error @below {{unknown keyword 'fp32'}}
  %0 = tile.dot %a, %a, %a <fp32> : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  return
}

// -----

func.func @dot_with_result_of_another_type(%a: tensor<4x4xf32>) {
  // expected-error @below {{failed to verify that all of {acc, result} have same type}}
  %0 = "tile.dot"(%a, %a, %a) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf64>
  return
}

// -----

func.func @arg_reduce_past_the_rank(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.arg_reduce' op C1: axis 1 is out of range for a tile of rank 1}}
  %0 = tile.arg_reduce <max> %x axis 1 : tensor<4xf32> -> i64
  return
}

// -----

// expected-note @below {{the source has type 'tensor<4x5xf32>'}}
func.func @arg_reduce_to_another_shape(%x: tensor<4x5xf32>) {
  // expected-error @below {{'tile.arg_reduce' op C2: result type should be 'tensor<5xi64>', got 'tensor<4xi64>'}}
  %0 = tile.arg_reduce <max> %x axis 0 : tensor<4x5xf32> -> tensor<4xi64>
  return
}

// -----

// expected-note @below {{the source has type 'tensor<4xf32>'}}
func.func @arg_reduce_of_unsigned_floats(%x: tensor<4xf32>) {
  // expected-error @below {{'tile.arg_reduce' op C3: 'umax' is not defined for 'f32'}}
  %0 = tile.arg_reduce <umax> %x axis 0 : tensor<4xf32> -> i64
  return
}

// -----

// expected-note @below {{the source has type 'tensor<4xi1>'}}
func.func @arg_reduce_of_signed_booleans(%x: tensor<4xi1>) {
  // expected-error @below {{'tile.arg_reduce' op C3: 'min' is not defined for 'i1'}}
  %0 = tile.arg_reduce <min> %x axis 0 : tensor<4xi1> -> i64
  return
}

// -----

func.func @print_with_too_few_operands(%x: f32) {
  // expected-error @below {{'tile.print' op C1: format has 2 '{}' for 1 operands}}
  tile.print "{} {} {{}}" %x : f32
  return
}

// -----

func.func @print_with_a_mask_of_another_length(%x: i32) {
  // expected-error @below {{'tile.print' op C2: 'unsigned_mask' has 2 entries for 1 operands}}
  tile.print "{}" %x : i32 {unsigned_mask = array<i1: true, false>}
  return
}

// -----

func.func @print_with_extents_of_another_length(%x: tensor<4xi32>) {
  // expected-error @below {{'tile.print' op C3: 'extents' has 2 entries for 1 operands}}
  tile.print "{}" %x : tensor<4xi32> {extents = [array<i64: 3>, array<i64: 3>]}
  return
}

// -----

func.func @print_of_more_than_the_tile(%x: tensor<4xi32>) {
  // expected-error @below {{'tile.print' op C3: extents (5,) are not within the tile's shape (4,)}}
  tile.print "{}" %x : tensor<4xi32> {extents = [array<i64: 5>]}
  return
}

// -----

func.func @assert_of_a_tile(%x: tensor<4xi1>) {
  // expected-error @below {{operand #0 must be 1-bit signless integer, but got 'tensor<4xi1>'}}
  "tile.assert"(%x) <{message = "no"}> : (tensor<4xi1>) -> ()
  return
}
