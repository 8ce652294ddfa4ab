// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cpu-lower-tile-access

func.func @a_load_before_the_abi_is_lowered(%a: !tile.view<?xf32>, %i: i64) -> tensor<4xf32> {
  // expected-error @+1 {{'tile.load' op the array is not an argument of a kernel; run cpu-lower-abi first}}
  %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32>
  return %t : tensor<4xf32>
}

// -----

func.func @a_store_before_the_abi_is_lowered(%a: !tile.view<?xf32>, %i: i64, %t: tensor<4xf32>) {
  // expected-error @+1 {{'tile.store' op the array is not an argument of a kernel; run cpu-lower-abi first}}
  tile.store %t, %a[%i] : tensor<4xf32>, !tile.view<?xf32>
  return
}

// -----

func.func @a_size_before_the_abi_is_lowered(%a: !tile.view<?xf32>) -> i64 {
  // expected-error @+1 {{'tile.dim' op the array is not an argument of a kernel; run cpu-lower-abi first}}
  %n = tile.dim %a, 0 : !tile.view<?xf32>
  return %n : i64
}

// -----

func.func @a_stride_of_a_chosen_array(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>, %c: i1) -> i64 {
  %chosen = arith.select %c, %a, %b : !tile.view<?xf32>
  // expected-error @+1 {{'tile.stride' op the array is not an argument of a kernel; run cpu-lower-abi first}}
  %n = tile.stride %chosen, 0 : !tile.view<?xf32>
  return %n : i64
}

// -----

func.func @a_view_cast_from_something_else(%p: !llvm.ptr, %i: i64) -> tensor<4xf32> {
  %a = builtin.unrealized_conversion_cast %p : !llvm.ptr to !tile.view<?xf32>
  // expected-error @+1 {{'tile.load' op the array is not an argument of a kernel; run cpu-lower-abi first}}
  %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32>
  return %t : tensor<4xf32>
}
