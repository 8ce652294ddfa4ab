// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --rocm-permute-halves | FileCheck %s

// expected-error @below {{the module does not say which GPU it is for}}
module {
}

// -----

module attributes {tegula.arch = "gfx1201"} {
  // What is computed in halves, is of other sizes, or has half a word, stays.
  // CHECK-LABEL: func @a_value_of_its_own
  // CHECK-NOT:     perm
  // CHECK:         vector.from_elements {{.*}} : vector<2xf16>
  func.func @a_value_of_its_own(%x: vector<2xf16>, %y: f16) -> vector<2xf16> {
    %a:2 = vector.to_elements %x : vector<2xf16>
    %z = vector.from_elements %a#1, %y : vector<2xf16>
    return %z : vector<2xf16>
  }
  // CHECK-LABEL: func @bytes
  // CHECK-NOT:     perm
  // CHECK:         vector.from_elements {{.*}} : vector<4xi8>
  func.func @bytes(%x: vector<4xi8>) -> vector<4xi8> {
    %a:4 = vector.to_elements %x : vector<4xi8>
    %z = vector.from_elements %a#1, %a#0, %a#3, %a#2 : vector<4xi8>
    return %z : vector<4xi8>
  }
  // CHECK-LABEL: func @three_halves
  // CHECK-NOT:     perm
  // CHECK:         vector.from_elements {{.*}} : vector<3xf16>
  // CHECK:         vector.from_elements {{.*}} : vector<2xf16>
  func.func @three_halves(%x: vector<4xf16>, %y: vector<3xf16>) -> (vector<3xf16>, vector<2xf16>) {
    %a:4 = vector.to_elements %x : vector<4xf16>
    %b:3 = vector.to_elements %y : vector<3xf16>
    %z = vector.from_elements %a#1, %a#0, %a#3 : vector<3xf16>
    %w = vector.from_elements %b#1, %b#0 : vector<2xf16>
    return %z, %w : vector<3xf16>, vector<2xf16>
  }
  // CHECK-LABEL: func @rows
  // CHECK-NOT:     perm
  // CHECK:         vector.from_elements {{.*}} : vector<2x2xf16>
  func.func @rows(%x: vector<2x2xf16>) -> vector<2x2xf16> {
    %a:4 = vector.to_elements %x : vector<2x2xf16>
    %z = vector.from_elements %a#1, %a#0, %a#3, %a#2 : vector<2x2xf16>
    return %z : vector<2x2xf16>
  }
}
