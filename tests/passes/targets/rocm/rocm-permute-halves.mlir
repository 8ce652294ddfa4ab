// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --rocm-permute-halves | FileCheck %s

module attributes {tegula.arch = "gfx1100"} {
  // Both halves of a word are that word; two upper ones (bytes 2 and 3 of the second operand, 6 and 7 of the first), an upper and
  // a lower one, and a word's halves the other way round are permutations.
  // CHECK-LABEL: func @each_pair(
  // CHECK-SAME:      %[[X:.*]]: vector<4xbf16>, %[[Y:.*]]: vector<4xbf16>
  // CHECK:         %[[V:.*]] = llvm.bitcast %[[X]] : vector<4xbf16> to vector<2xi32>
  // CHECK:         %[[A:.*]]:2 = vector.to_elements %[[V]]
  // CHECK:         %[[W:.*]] = llvm.bitcast %[[Y]] : vector<4xbf16> to vector<2xi32>
  // CHECK:         %[[B:.*]]:2 = vector.to_elements %[[W]]
  // CHECK:         %[[UPPER:.*]] = llvm.mlir.constant(117834498 : i32) : i32
  // CHECK:         %[[P:.*]] = llvm.call_intrinsic "llvm.amdgcn.perm"(%[[B]]#1, %[[A]]#0, %[[UPPER]])
  // CHECK:         %[[MIXED:.*]] = llvm.mlir.constant(84148994 : i32) : i32
  // CHECK:         %[[Q:.*]] = llvm.call_intrinsic "llvm.amdgcn.perm"(%[[A]]#1, %[[B]]#0, %[[MIXED]])
  // CHECK:         %[[SWAP:.*]] = llvm.mlir.constant(84148994 : i32) : i32
  // CHECK:         %[[R:.*]] = llvm.call_intrinsic "llvm.amdgcn.perm"(%[[A]]#0, %[[A]]#0, %[[SWAP]])
  // CHECK:         %[[WORDS:.*]] = vector.from_elements %[[B]]#1, %[[P]], %[[Q]], %[[R]] : vector<4xi32>
  // CHECK:         %[[Z:.*]] = llvm.bitcast %[[WORDS]] : vector<4xi32> to vector<8xbf16>
  // CHECK:         return %[[Z]]
  func.func @each_pair(%x: vector<4xbf16>, %y: vector<4xbf16>) -> vector<8xbf16> {
    %a:4 = vector.to_elements %x : vector<4xbf16>
    %b:4 = vector.to_elements %y : vector<4xbf16>
    %z = vector.from_elements %b#2, %b#3, %a#1, %b#3, %b#1, %a#2, %a#1, %a#0 : vector<8xbf16>
    return %z : vector<8xbf16>
  }
}

// -----

// Where no instruction names halves LLVM permutes by itself.
module attributes {tegula.arch = "gfx942"} {
  // CHECK-LABEL: func @other_chips
  // CHECK-NOT:     perm
  // CHECK:         return
  func.func @other_chips(%x: vector<2xf16>) -> vector<2xf16> {
    %a:2 = vector.to_elements %x : vector<2xf16>
    %z = vector.from_elements %a#1, %a#0 : vector<2xf16>
    return %z : vector<2xf16>
  }
}
