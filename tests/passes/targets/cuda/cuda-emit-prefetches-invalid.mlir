// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cuda-emit-prefetches

// expected-error @+1 {{has 'tegula.prefetch' = array<i64: 0, 1, 2048, 4>, which describes no array of the kernel}}
func.func @too_few_parameters(%x: !llvm.ptr<1>)
    attributes {tegula.num_warps = 8 : i32, tegula.prefetch = [array<i64: 0, 1, 2048, 4>]} {
  return
}

// -----

// expected-error @+1 {{has 'tegula.prefetch' = "x", which describes no array of the kernel}}
func.func @no_numbers(%x: !llvm.ptr<1>, %m: i64, %n: i64, %s: i64, %one: i64, %gx: i32, %gy: i32, %gz: i32, %messages: !llvm.ptr<1>)
    attributes {tegula.num_warps = 8 : i32, tegula.prefetch = ["x"]} {
  return
}
