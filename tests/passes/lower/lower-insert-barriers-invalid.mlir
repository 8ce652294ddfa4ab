// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --lower-insert-barriers

// expected-error @+1 {{a kernel must have a body of one block; use scf for control flow}}
func.func @blocks() attributes {tile.kernel} {
  cf.br ^next
^next:
  return
}

// -----

// expected-error @+1 {{a kernel must have a body of one block; use scf for control flow}}
func.func private @declaration() attributes {tile.kernel}

// -----

// Fences have a scope, which targets name differently.
// expected-error @+1 {{the module does not say what it is compiled for; run lower-set-target first}}
func.func @order_without_target(%n: !tile.view<?xi32>, %i: i64, %one: i32) attributes {tile.kernel} {
  %0 = tile.atomic_rmw <add> %one, %n[%i] : i32, !tile.view<?xi32>, i64 -> i32
  %1 = tile.atomic_rmw <add> %0, %n[%i] : i32, !tile.view<?xi32>, i64 -> i32
  tile.print "{}" %1 : i32
  return
}
