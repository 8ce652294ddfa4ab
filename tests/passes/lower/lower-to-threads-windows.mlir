// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-remove-conversions),lower-to-threads,canonicalize,cse)' | FileCheck %s

// Of a compact array the device checks rows itself: the window ends with them. Columns are compared, and what is outside gets an
// offset that no window has.
// CHECK-LABEL: func.func @compact
// CHECK: %[[WINDOW:.*]] = rocdl.make.buffer.rsrc %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : <1> to <8>
// CHECK: %[[OFFSET:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: rocdl.raw.ptr.buffer.load %[[WINDOW]], %[[OFFSET]], %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK: return
module attributes {tegula.arch = "gfx942"} {
  func.func @compact(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.size_div = array<i64: 16, 16>, tile.stride_div = array<i64: 16, 1>, tegula.compact}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.size_div = array<i64: 16, 16>, tile.stride_div = array<i64: 16, 1>}, %i: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %a = tile.load %x[%i, %i] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
    tile.store %a, %y[%i, %i] : tensor<64x64xf16>, !tile.view<?x?xf16, strides = [?, 1], align = 16>
    return
  }
}

// -----

// Not so where nothing is known of the array, where what is missing is not 0, or where the tile's place comes from memory, which may
// differ from thread to thread as far as LLVM knows.
// CHECK-LABEL: func.func @any_array
// CHECK-NOT: rocdl.make.buffer.rsrc
// CHECK: return
module attributes {tegula.arch = "gfx942"} {
  func.func @any_array(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %i: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %a = tile.load %x[%i, %i] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
    tile.store %a, %y[%i, %i] : tensor<64x64xf16>, !tile.view<?x?xf16, strides = [?, 1], align = 16>
    return
  }
}

// -----

// CHECK-LABEL: func.func @other_pad
// CHECK-NOT: rocdl.make.buffer.rsrc
// CHECK: return
module attributes {tegula.arch = "gfx942"} {
  func.func @other_pad(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tegula.compact}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %i: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %one = arith.constant 1.0 : f16
    %a = tile.load %x[%i, %i] pad %one : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
    tile.store %a, %y[%i, %i] : tensor<64x64xf16>, !tile.view<?x?xf16, strides = [?, 1], align = 16>
    return
  }
}

// -----

// CHECK-LABEL: func.func @place_from_memory
// CHECK-NOT: rocdl.make.buffer.rsrc
// CHECK: return
module attributes {tegula.arch = "gfx942"} {
  func.func @place_from_memory(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tegula.compact}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %p: !tile.view<?xi64>, %i: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %j = tile.gather %p[%i] : !tile.view<?xi64>, i64 -> i64
    %a = tile.load %x[%j, %i] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
    tile.store %a, %y[%i, %i] : tensor<64x64xf16>, !tile.view<?x?xf16, strides = [?, 1], align = 16>
    return
  }
}
