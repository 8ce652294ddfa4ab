// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-lower-abi --cpu-lower-tile-access | FileCheck %s

// What a part has of the tile is what its array has: from the element on that is the first inside.
// CHECK-LABEL: func private @a_window_that_begins_before_the_array.program(
// CHECK:         arith.cmpi slt, %[[FIRST:.*]], %[[LAST:.*]] : i64
// CHECK:         scf.if %{{.*}} -> (memref<8xf32, strided<[1], offset: ?>>) {
// CHECK:           memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [8], strides: [1]
// CHECK:         } else {
// CHECK:           memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [%{{.*}}], strides: [1]
// CHECK:           memref.subview %{{.*}}[%{{.*}}] [%{{.*}}] [1]
// CHECK-NOT:     tile.subview
func.func @a_window_that_begins_before_the_array(%a: !tile.view<?xf32, strides = [1]>, %b: !tile.view<?xf32, strides = [1]>, %i: i64) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %eight = arith.constant 8 : i64
  %w = tile.subview %a[%i] dims [0] sizes [%eight] steps [1] : !tile.view<?xf32, strides = [1]> -> !tile.view<?xf32, strides = [1]>
  %t = tile.load %w[%zero] : !tile.view<?xf32, strides = [1]> -> tensor<8xf32>
  tile.store %t, %b[%i] : tensor<8xf32>, !tile.view<?xf32, strides = [1]>
  return
}

// -----

// A chain of parts is walked to the array; a column of the transposed array is a row of it, read in place.
// CHECK-LABEL: func private @a_row_of_a_transposed_array.program(
// CHECK:         scf.if %{{.*}} -> (memref<8xf32, strided<[1], offset: ?>>) {
// CHECK:           memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [8], strides: [1]
// CHECK-NOT:     tile.subview
func.func @a_row_of_a_transposed_array(%a: !tile.view<?x?xf32, strides = [?, 1]>, %b: !tile.view<?xf32, strides = [1]>, %i: i64, %n: i64) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %t = tile.subview %a[%zero, %zero] dims [1, 0] sizes [%n, %n] steps [1, 1] : !tile.view<?x?xf32, strides = [?, 1]> -> !tile.view<?x?xf32, strides = [1, ?]>
  %column = tile.subview %t[%zero, %i] dims [0] sizes [%n] steps [1] : !tile.view<?x?xf32, strides = [1, ?]> -> !tile.view<?xf32, strides = [1]>
  %x = tile.load %column[%i] : !tile.view<?xf32, strides = [1]> -> tensor<8xf32>
  tile.store %x, %b[%i] : tensor<8xf32>, !tile.view<?xf32, strides = [1]>
  return
}
