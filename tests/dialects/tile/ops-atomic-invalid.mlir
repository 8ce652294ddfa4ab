// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics

// expected-note @below {{the array has type '!tile.view<?x?xf32>'}}
func.func @rmw_with_too_few_indices(%a: !tile.view<?x?xf32>, %i: i64, %v: f32) {
  // expected-error @below {{'tile.atomic_rmw' op C1: needs one index for each of the array's 2 dimensions, got 1}}
  %0 = tile.atomic_rmw <add> %v, %a[%i] : f32, !tile.view<?x?xf32>, i64 -> f32
  return
}

// -----

// expected-note @below {{the mask has type 'tensor<3xi1>'}}
func.func @rmw_with_mask_of_another_shape(%a: !tile.view<?xf32>, %i: tensor<4xi64>, %v: tensor<4xf32>, %m: tensor<3xi1>) {
  // expected-error @below {{'tile.atomic_rmw' op C2: mask shape (3,) differs from the indices' (4,)}}
  %0 = tile.atomic_rmw <add> %v, %a[%i] mask %m : tensor<4xf32>, !tile.view<?xf32>, tensor<4xi64>, tensor<3xi1> -> tensor<4xf32>
  return
}

// -----

func.func @rmw_with_result_of_another_shape(%a: !tile.view<?xf32>, %i: tensor<4xi64>, %v: tensor<4xf32>) {
  // expected-error @below {{'tile.atomic_rmw' op C2: result shape (2, 2) differs from the indices' (4,)}}
  %0 = tile.atomic_rmw <add> %v, %a[%i] : tensor<4xf32>, !tile.view<?xf32>, tensor<4xi64> -> tensor<2x2xf32>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf32>'}}
func.func @rmw_with_pad_of_another_type(%a: !tile.view<?xf32>, %i: i64, %v: f32, %p: i1) {
  // expected-error @below {{'tile.atomic_rmw' op C3: pad element type 'i1' differs from the array's 'f32'}}
  %0 = "tile.atomic_rmw"(%v, %a, %i, %p) <{kind = #tile.atomic<add>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}> : (f32, !tile.view<?xf32>, i64, i1) -> f32
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf32>'}}
func.func @rmw_bits_of_floats(%a: !tile.view<?xf32>, %i: i64, %v: f32) {
  // expected-error @below {{'tile.atomic_rmw' op C4: 'xor' is not defined for 'f32'}}
  %0 = tile.atomic_rmw <xor> %v, %a[%i] : f32, !tile.view<?xf32>, i64 -> f32
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xbf16>'}}
func.func @rmw_unsigned_maximum_of_floats(%a: !tile.view<?xbf16>, %i: i64, %v: bf16) {
  // expected-error @below {{'tile.atomic_rmw' op C4: 'umax' is not defined for 'bf16'}}
  %0 = tile.atomic_rmw <umax> %v, %a[%i] : bf16, !tile.view<?xbf16>, i64 -> bf16
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xi1>'}}
func.func @rmw_sum_of_booleans(%a: !tile.view<?xi1>, %i: i64, %v: i1) {
  // expected-error @below {{'tile.atomic_rmw' op C4: 'add' is not defined for 'i1'}}
  %0 = tile.atomic_rmw <add> %v, %a[%i] : i1, !tile.view<?xi1>, i64 -> i1
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf8E5M2>'}}
func.func @rmw_maximum_of_fp8(%a: !tile.view<?xf8E5M2>, %i: i64, %v: f8E5M2) {
  // expected-error @below {{'tile.atomic_rmw' op C4: 'max' is not defined for 'f8E5M2'}}
  %0 = tile.atomic_rmw <max> %v, %a[%i] : f8E5M2, !tile.view<?xf8E5M2>, i64 -> f8E5M2
  return
}

// -----

func.func @rmw_of_unknown_kind(%a: !tile.view<?xi32>, %i: i64, %v: i32) {
  // expected-error @below {{expected ::tegula::tile::AtomicKind to be one of: add, max, min, umax, umin, and, or, xor, xchg}}
  // expected-error @below {{failed to parse Tile_AtomicKindAttr parameter 'value'}}
  %0 = tile.atomic_rmw <nand> %v, %a[%i] : i32, !tile.view<?xi32>, i64 -> i32
  return
}

// -----

func.func @rmw_with_the_kind_of_a_reduction(%a: !tile.view<?xi32>, %i: i64, %v: i32) {
  // expected-error @below {{Invalid attribute `kind` in property conversion: #tile.combine<add>}}
  %0 = "tile.atomic_rmw"(%v, %a, %i) <{kind = #tile.combine<add>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (i32, !tile.view<?xi32>, i64) -> i32
  return
}

// -----

// expected-note @below {{this index has type 'i64'}}
func.func @cas_with_indices_of_two_shapes(%a: !tile.view<?x?xi32>, %i: tensor<4xi64>, %j: i64, %v: tensor<4xi32>) {
  // expected-error @below {{'tile.atomic_cas' op C1: indices differ in shape: (4,) and ()}}
  %0 = "tile.atomic_cas"(%v, %v, %a, %i, %j) <{operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>}> : (tensor<4xi32>, tensor<4xi32>, !tile.view<?x?xi32>, tensor<4xi64>, i64) -> tensor<4xi32>
  return
}

// -----

// expected-note @below {{the value has type 'i32'}}
func.func @cas_with_value_of_another_shape(%a: !tile.view<?xi32>, %i: tensor<4xi64>, %c: tensor<4xi32>, %v: i32) {
  // expected-error @below {{'tile.atomic_cas' op C2: value shape () differs from the indices' (4,)}}
  %0 = "tile.atomic_cas"(%c, %v, %a, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (tensor<4xi32>, i32, !tile.view<?xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xi32>'}}
func.func @cas_of_another_element_type(%a: !tile.view<?xi32>, %i: i64, %v: f32) {
  // expected-error @below {{'tile.atomic_cas' op C3: value element type 'f32' differs from the array's 'i32'}}
  %0 = tile.atomic_cas %v, %v, %a[%i] : f32, !tile.view<?xi32>, i64 -> f32
  return
}
