// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --lower-limit-code=max-operations=100

// The line that has most of the code is the one to change.
// expected-note @+1 {{help: use smaller tiles, with more programs or in a loop}}
func.func @too_much(%x: vector<64xf32>, %p: !llvm.ptr) {
  // expected-error @+1 {{too much code: each thread would run 192 operations, 64 of them for this line; at most 100 are compiled}}
  %z = math.fma %x, %x, %x : vector<64xf32>
  %y = arith.addf %z, %z : vector<64xf32>
  llvm.store %y, %p : vector<64xf32>, !llvm.ptr
  return
}
