// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cpu-lower-abi

// expected-error @+1 {{'func.func' op a kernel must have a body of one block; use scf for control flow}}
func.func private @a_kernel_without_a_body() attributes {tile.kernel}

// -----

// expected-error @+1 {{'func.func' op a kernel must have a body of one block; use scf for control flow}}
func.func @branches_between_blocks(%c: i1) attributes {tile.kernel} {
  cf.cond_br %c, ^bb1, ^bb1
^bb1:
  return
}

// -----

// expected-error @+1 {{'func.func' op a kernel returns nothing; store results to an array}}
func.func @a_result(%n: i64) -> i64 attributes {tile.kernel} {
  return %n : i64
}

// -----

// expected-error @+1 {{'func.func' op argument type 'tensor<4xf32>' is neither an array view nor a scalar}}
func.func @a_tile_as_argument(%t: tensor<4xf32>) attributes {tile.kernel} {
  return
}

// -----

// expected-error @+1 {{'func.func' op argument type 'index' is neither an array view nor a scalar}}
func.func @an_index_as_argument(%n: index) attributes {tile.kernel} {
  return
}
