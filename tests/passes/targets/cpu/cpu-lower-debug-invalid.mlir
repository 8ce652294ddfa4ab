// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cpu-lower-debug

func.func @a_print_before_the_abi_is_lowered() {
  // expected-error @+1 {{'tile.print' op is not in a program; run cpu-lower-abi first}}
  tile.print "hello"
  return
}

// -----

func.func @an_assertion_before_the_abi_is_lowered(%c: i1) attributes {tile.kernel} {
  // expected-error @+1 {{'tile.assert' op is not in a program; run cpu-lower-abi first}}
  tile.assert %c, "no rows"
  return
}
