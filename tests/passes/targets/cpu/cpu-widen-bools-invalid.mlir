// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cpu-widen-bools

func.func @a_copy_that_was_not_lowered() {
  %a = memref.alloc() : memref<4xi1>
  %b = memref.alloc() : memref<4xi1>
  // expected-error @+1 {{'memref.copy' op reads or writes a buffer of bools other than by memref.load and memref.store}}
  memref.copy %a, %b : memref<4xi1> to memref<4xi1>
  return
}

// -----

func.func @a_generic_that_was_not_lowered(%c: i1) {
  %a = memref.alloc() : memref<4xi1>
  // expected-error @+1 {{'linalg.fill' op reads or writes a buffer of bools other than by memref.load and memref.store}}
  linalg.fill ins(%c : i1) outs(%a : memref<4xi1>)
  return
}

// -----

func.func @a_vector_of_bools(%i: index) -> vector<4xi1> {
  %a = memref.alloc() : memref<4xi1>
  // expected-error @+1 {{'vector.load' op reads or writes a buffer of bools other than by memref.load and memref.store}}
  %v = vector.load %a[%i] : memref<4xi1>, vector<4xi1>
  return %v : vector<4xi1>
}

// -----

// expected-error @+1 {{'func.func' op takes or returns a buffer of bools; pass bytes}}
func.func @an_argument(%a: memref<4xi1>) {
  return
}
