// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts))' | FileCheck %s
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts))' --remarks-filter=lower-assign-layouts --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Analysis] warps | Category:lower-assign-layouts | Remark="a program is run by 2 warps of 32 threads"

// 16 bytes a lane along the contiguous dimension, then lanes, then registers; one warp is enough.
// CHECK: #[[$ROW:.*]] = #layout.linear<register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
// CHECK-LABEL: func.func @coalesced
// CHECK-SAME: tegula.num_warps = 1 : i32
module attributes {tegula.arch = "generic32"} {
  func.func @coalesced(%a: !tile.view<?xf32, strides = [1], align = 16>, %i: i64) attributes {tile.kernel} {
    // CHECK: tile.load {{.*}} -> tensor<128xf32, #[[$ROW]]>
    %x = tile.load %a[%i] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<128xf32>
    // CHECK: arith.negf %{{.*}} : tensor<128xf32, #[[$ROW]]>
    %y = arith.negf %x : tensor<128xf32>
    // CHECK: tile.store {{.*}} : tensor<128xf32, #[[$ROW]]>
    tile.store %y, %a[%i] : tensor<128xf32>, !tile.view<?xf32, strides = [1], align = 16>
    return
  }
}

// -----

// The dimension of unit stride is the fast one, whichever it is; a given number of warps stays.
// CHECK: #[[$COLUMN:.*]] = #layout.linear<register = {{\[\[}}1, 0], [2, 0], {{.*}}], lane = {{\[\[}}4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = {{\[\[}}0, 4], [0, 8]], block = [], shape = [32, 32]>
// CHECK-LABEL: func.func @column_major
// CHECK-SAME: tegula.num_warps = 4 : i32
module attributes {tegula.arch = "generic32"} {
  func.func @column_major(%a: !tile.view<?x?xf32, strides = [1, ?], align = 16> {tile.stride_div = array<i64: 1, 16>}, %i: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    // CHECK: tile.load {{.*}} -> tensor<32x32xf32, #[[$COLUMN]]>
    %x = tile.load %a[%i, %i] : !tile.view<?x?xf32, strides = [1, ?], align = 16> -> tensor<32x32xf32>
    tile.store %x, %a[%i, %i] : tensor<32x32xf32>, !tile.view<?x?xf32, strides = [1, ?], align = 16>
    return
  }
}

// -----

// What a reduction leaves, and what is broadcast from it, follows the tile that is reduced: nothing is converted.
// CHECK-LABEL: func.func @row_sums
// CHECK-NOT: layout.convert
// CHECK: tile.reduce
// CHECK-NOT: layout.convert
// CHECK: tile.store
module attributes {tegula.arch = "generic32"} {
  func.func @row_sums(%a: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %i: i64) attributes {tile.kernel} {
    %x = tile.load %a[%i, %i] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<4x128xf32>
    %s = tile.reduce <add> %x axis 1 : tensor<4x128xf32> -> tensor<4xf32>
    %t = tile.reshape %s : tensor<4xf32> -> tensor<4x1xf32>
    %b = tile.broadcast %t : tensor<4x1xf32> -> tensor<4x128xf32>
    %y = arith.divf %x, %b : tensor<4x128xf32>
    tile.store %y, %a[%i, %i] : tensor<4x128xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}

// -----

// A loop carries the accumulator in the dot's layout; operands are converted to what the dot needs.
// CHECK-LABEL: func.func @product
// CHECK: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : tensor<8x8xf32, #[[ACC:.*]]>
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[NONE]]) -> (tensor<8x8xf32, #[[ACC]]>)
// CHECK: %[[A:.*]] = layout.convert
// CHECK: %[[B:.*]] = layout.convert
// CHECK: tile.dot %[[A]], %[[B]], %[[SUM]] : {{.*}}, tensor<8x8xf32, #[[ACC]]>
module attributes {tegula.arch = "generic32"} {
  func.func @product(%x: !tile.view<?x?xf16>, %y: !tile.view<?x?xf16>, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<8x8xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<8x8xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16> -> tensor<8x4xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16> -> tensor<4x8xf16>
      %c = tile.dot %a, %b, %acc : tensor<8x4xf16>, tensor<4x8xf16>, tensor<8x8xf32>
      scf.yield %c : tensor<8x8xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<8x8xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// Conditions, index tiles and both arms of a branch get layouts too.
// CHECK-LABEL: func.func @branch
// CHECK-NOT: tensor<64xf32>
// CHECK: return
module attributes {tegula.arch = "generic64"} {
  func.func @branch(%a: !tile.view<?xf32>, %i: i64, %c: i1) attributes {tile.kernel} {
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<64xf32>
    %zero = arith.constant 0.0 : f32
    %y = scf.if %c -> tensor<64xf32> {
      scf.yield %x : tensor<64xf32>
    } else {
      %z = tile.full %zero : tensor<64xf32>
      scf.yield %z : tensor<64xf32>
    }
    %n = tile.iota : tensor<64xi64>
    tile.scatter %y, %a[%n] : tensor<64xf32>, !tile.view<?xf32>, tensor<64xi64>
    return
  }
}

// -----

// A wish for warps, as far as the device has them; elements that no warp is left for are in several.
// CHECK-LABEL: func.func @wishes
// CHECK-SAME: tegula.num_warps = 32 : i32
module attributes {tegula.arch = "generic32"} {
  func.func @wishes(%a: !tile.view<?xf32, strides = [1], align = 16>, %i: i64) attributes {tile.kernel, tile.num_warps = 64 : i32} {
    // CHECK: tile.load {{.*}} -> tensor<128xf32, #{{.*}}>
    %x = tile.load %a[%i] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<128xf32>
    tile.store %x, %a[%i] : tensor<128xf32>, !tile.view<?xf32, strides = [1], align = 16>
    return
  }
}

// -----

// The least of all numbers has a magnitude that no int64_t holds; it is a multiple of every power of two all the same.
// CHECK: #[[$FAR:.*]] = #layout.linear<register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
// CHECK-LABEL: func.func @index_of_the_least_number
module attributes {tegula.arch = "generic32"} {
  func.func @index_of_the_least_number(%a: !tile.view<?xf32, strides = [1], align = 16>) attributes {tile.kernel} {
    %i = arith.constant -9223372036854775808 : i64
    // CHECK: tile.load {{.*}} -> tensor<128xf32, #[[$FAR]]>
    %x = tile.load %a[%i] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<128xf32>
    tile.store %x, %a[%i] : tensor<128xf32>, !tile.view<?xf32, strides = [1], align = 16>
    return
  }
}
