// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-remove-conversions))' | FileCheck %s
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-remove-conversions))' --remarks-filter=lower-remove-conversions --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Missed] layout | Category:lower-remove-conversions | Remark="the tile 32xf32 changes its layout: it is not cheaper to compute anew"

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>
#all = #layout.linear<register = [[1], [2], [4], [8], [16]], lane = [[0], [0], [0], [0], [0]], warp = [], block = [], shape = [32]>
// CHECK-DAG: #[[$ALL:.*]] = #layout.linear<register = {{\[\[}}1], [2], [4], [8], [16]], lane

// A mask is computed again where it is needed.
// CHECK-LABEL: func.func @mask
// CHECK: %[[I:.*]] = tile.iota : tensor<32xi64, #[[$ALL]]>
// CHECK: %[[F:.*]] = tile.full %arg0 : tensor<32xi64, #[[$ALL]]>
// CHECK: %[[M:.*]] = arith.cmpi slt, %[[I]], %[[F]] : tensor<32xi64, #[[$ALL]]>
// CHECK: return %[[M]]
module attributes {tegula.arch = "generic32"} {
  func.func @mask(%n: i64) -> tensor<32xi1, #all> {
    %i = tile.iota : tensor<32xi64, #row>
    %f = tile.full %n : tensor<32xi64, #row>
    %m = arith.cmpi slt, %i, %f : tensor<32xi64, #row>
    %c = layout.convert %m : tensor<32xi1, #row> -> tensor<32xi1, #all>
    return %c : tensor<32xi1, #all>
  }
}

// -----

// A small load is made in the layout of its only use.
#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>
#all = #layout.linear<register = [[1], [2], [4], [8], [16]], lane = [[0], [0], [0], [0], [0]], warp = [], block = [], shape = [32]>
// CHECK-LABEL: func.func @small_load
// CHECK: %[[X:.*]] = tile.load %arg0[%arg1] : !tile.view<?xf32> -> tensor<32xf32, #{{.*}}>
// CHECK-NOT: layout.convert
// CHECK: return %[[X]]
module attributes {tegula.arch = "generic32"} {
  func.func @small_load(%a: !tile.view<?xf32>, %i: i64) -> tensor<32xf32, #all> {
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<32xf32, #row>
    %c = layout.convert %x : tensor<32xf32, #row> -> tensor<32xf32, #all>
    return %c : tensor<32xf32, #all>
  }
}

// -----

// Division is not cheap enough to be done twice.
#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>
#all = #layout.linear<register = [[1], [2], [4], [8], [16]], lane = [[0], [0], [0], [0], [0]], warp = [], block = [], shape = [32]>
// CHECK-LABEL: func.func @division
// CHECK: arith.divf
// CHECK: layout.convert
module attributes {tegula.arch = "generic32"} {
  func.func @division(%f: f32) -> tensor<32xf32, #all> {
    %x = tile.full %f : tensor<32xf32, #row>
    %y = arith.divf %x, %x : tensor<32xf32, #row>
    %c = layout.convert %y : tensor<32xf32, #row> -> tensor<32xf32, #all>
    return %c : tensor<32xf32, #all>
  }
}
