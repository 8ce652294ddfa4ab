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
