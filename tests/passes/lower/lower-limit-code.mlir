// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-limit-code | FileCheck %s
// RUN: tegula-opt %s -split-input-file --lower-limit-code --remarks-filter=lower-limit-code --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Analysis] code | Category:lower-limit-code | Remark="each thread runs about 65 operations, loops once"

// Each operation counts as many as it has elements; constants and moves within registers count nothing, a loop's body once.
// CHECK-LABEL: func.func @a_vector(
// CHECK-SAME:    attributes {tegula.num_operations = 19 : i64}
func.func @a_vector(%x: vector<8xf32>, %n: index, %p: !llvm.ptr) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = arith.constant dense<1.0> : vector<8xf32>
  %y = arith.addf %x, %c : vector<8xf32>
  scf.for %i = %zero to %n step %one {
    %z = arith.mulf %y, %y : vector<8xf32>
    %first = vector.extract %z[0] : f32 from vector<8xf32>
    %w = arith.addf %first, %first : f32
    llvm.store %w, %p : f32, !llvm.ptr
    %i64 = arith.index_cast %i : index to i64
  }
  return
}

// -----

// Tiles count what each of the most threads gets of them; what makes no code does not.
module attributes {tegula.arch = "generic32"} {
  // CHECK-LABEL: func.func @a_tile(
  // CHECK-SAME:    attributes {tegula.num_operations = 65 : i64}
  func.func @a_tile(%x: tensor<65536xf32>, %s: f32) {
    %y = tile.full %s : tensor<65536xf32>
    %z = arith.addf %x, %y : tensor<65536xf32>
    %w = arith.addf %s, %s : f32
    return
  }
}
