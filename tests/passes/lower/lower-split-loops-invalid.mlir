// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-split-loops | FileCheck %s
// RUN: tegula-opt %s -split-input-file --lower-split-loops --remarks-filter=lower-split-loops --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
//
// There is no error to pin: a loop that is not split stays as it is.

#row = #layout.linear<register = [[1], [2]], lane = [], warp = [], block = [], shape = [4]>

// REMARK: Remark="each iteration looks for the edges of arrays: its counter does not go up by one"
// CHECK-LABEL: func @every_second_tile
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK-NOT:     tegula.inside
func.func @every_second_tile(%a: !tile.view<?xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  scf.for %i = %c0 to %n step %c2 : i64 {
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32, #row>
    tile.store %x, %a[%i] : tensor<4xf32, #row>, !tile.view<?xf32>
  }
  return
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [], warp = [], block = [], shape = [4]>

// A comparison without sign would take a loop from 0 to -1 for a long one.
// REMARK: Remark="each iteration looks for the edges of arrays: its counter does not go up by one"
// CHECK-LABEL: func @compared_without_sign
// CHECK:         scf.for unsigned
// CHECK-NOT:     scf.for
func.func @compared_without_sign(%a: !tile.view<?xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for unsigned %i = %c0 to %n step %c1 : i64 {
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32, #row>
    tile.store %x, %a[%i] : tensor<4xf32, #row>, !tile.view<?xf32>
  }
  return
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [], warp = [], block = [], shape = [4]>

// REMARK: Remark="each iteration looks for the edges of arrays: its first index may be negative"
// CHECK-LABEL: func @from_anywhere
// CHECK:         scf.for
// CHECK-NOT:     scf.for
func.func @from_anywhere(%a: !tile.view<?xf32>, %m: i64, %n: i64) {
  %c1 = arith.constant 1 : i64
  scf.for %i = %m to %n step %c1 : i64 {
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32, #row>
    tile.store %x, %a[%i] : tensor<4xf32, #row>, !tile.view<?xf32>
  }
  return
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [], warp = [], block = [], shape = [4]>

// REMARK: Remark="each iteration looks for the edges of arrays: there are loops in it"
// CHECK-LABEL: func @around_a_loop
// CHECK-COUNT-2: scf.for
// CHECK-NOT:     scf.for
func.func @around_a_loop(%a: !tile.view<?xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32, #row>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<4xf32, #row>) : i64 {
      %t = arith.addf %s, %x : tensor<4xf32, #row>
      scf.yield %t : tensor<4xf32, #row>
    }
    tile.store %r, %a[%i] : tensor<4xf32, #row>, !tile.view<?xf32>
  }
  return
}

// -----

#many = #layout.linear<register = [[1], [2], [4], [8], [16], [32], [64]], lane = [], warp = [], block = [], shape = [128]>

// REMARK: Remark="each iteration looks for the edges of arrays: its code would be too long twice"
// CHECK-LABEL: func @much_code
// CHECK:         scf.for
// CHECK-NOT:     scf.for
func.func @much_code(%a: !tile.view<?xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<128xf32, #many>
    %y = math.sin %x : tensor<128xf32, #many>
    tile.store %y, %a[%i] : tensor<128xf32, #many>, !tile.view<?xf32>
  }
  return
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [], warp = [], block = [], shape = [4]>

// Indices that no counter gives, that are behind it, or of views that the loop makes: there is nothing to say.
// REMARK-NOT: Remark
// CHECK-LABEL: func @other_indices
// CHECK:         scf.for
// CHECK-NOT:     scf.for
func.func @other_indices(%a: !tile.view<?xf32>, %m: i64, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %behind = arith.constant -1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %x = tile.load %a[%m] : !tile.view<?xf32> -> tensor<4xf32, #row>
    %twice = arith.muli %i, %c2 : i64
    tile.store %x, %a[%twice] : tensor<4xf32, #row>, !tile.view<?xf32>
    %last = arith.addi %i, %behind : i64
    tile.store %x, %a[%last] : tensor<4xf32, #row>, !tile.view<?xf32>
  }
  return
}
