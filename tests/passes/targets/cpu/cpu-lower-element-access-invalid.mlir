// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cpu-lower-element-access

func.func @a_gather_before_the_abi_is_lowered(%a: !tile.view<?xf32>, %i: i64) -> f32 {
  // expected-error @+1 {{'tile.gather' op the array is not an argument of a kernel; run cpu-lower-abi first}}
  %v = tile.gather %a[%i] : !tile.view<?xf32>, i64 -> f32
  return %v : f32
}

// -----

func.func @a_scatter_before_the_abi_is_lowered(%a: !tile.view<?xf32>, %i: i64, %x: f32) {
  // expected-error @+1 {{'tile.scatter' op the array is not an argument of a kernel; run cpu-lower-abi first}}
  tile.scatter %x, %a[%i] : f32, !tile.view<?xf32>, i64
  return
}

// -----

func.func @an_atomic_on_a_chosen_array(%a: !tile.view<?xi32>, %b: !tile.view<?xi32>, %c: i1, %i: i64, %x: i32) -> i32 {
  %chosen = arith.select %c, %a, %b : !tile.view<?xi32>
  // expected-error @+1 {{'tile.atomic_rmw' op the array is not an argument of a kernel; run cpu-lower-abi first}}
  %old = tile.atomic_rmw <add> %x, %chosen[%i] : i32, !tile.view<?xi32>, i64 -> i32
  return %old : i32
}

// -----

func.func @a_swap_before_the_abi_is_lowered(%a: !tile.view<?xi32>, %i: i64, %x: i32) -> i32 {
  // expected-error @+1 {{'tile.atomic_cas' op the array is not an argument of a kernel; run cpu-lower-abi first}}
  %old = tile.atomic_cas %x, %x, %a[%i] : i32, !tile.view<?xi32>, i64 -> i32
  return %old : i32
}
