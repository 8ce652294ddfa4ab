// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-version-bounds | FileCheck %s
// RUN: tegula-opt %s -split-input-file --lower-version-bounds --remarks-filter=lower-version-bounds --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
//
// There is no error to pin: a kernel that is not copied stays as it is.

#row = #layout.linear<register = [[1], [2], [4], [8], [16]], lane = [], warp = [], block = [], shape = [32]>

// REMARK: Remark="all programs look for the edges of arrays: it does not only load, reduce and store"
// CHECK-LABEL: func @nothing_is_reduced
// CHECK-NOT:     scf.if
func.func @nothing_is_reduced(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>) attributes {tegula.registers = 64 : i32, tile.kernel} {
  %i = tile.program_id 0
  %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<32xf32, #row>
  tile.store %x, %b[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
  return
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [], warp = [], block = [], shape = [4]>

// REMARK: Remark="all programs look for the edges of arrays: tiles are small"
// CHECK-LABEL: func @small_tiles
// CHECK-NOT:     scf.if
func.func @small_tiles(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>) attributes {tegula.registers = 64 : i32, tile.kernel} {
  %i = tile.program_id 0
  %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32, #row>
  %s = tile.reduce <add> %x axis 0 : tensor<4xf32, #row> -> f32
  %t = tile.full %s : tensor<4xf32, #row>
  tile.store %t, %b[%i] : tensor<4xf32, #row>, !tile.view<?xf32>
  return
}

// -----

#row = #layout.linear<register = [[1], [2], [4], [8], [16]], lane = [], warp = [], block = [], shape = [32]>

// REMARK: Remark="all programs look for the edges of arrays: where it accesses arrays is known too late"
// CHECK-LABEL: func @an_index_that_is_loaded
// CHECK-NOT:     scf.if
func.func @an_index_that_is_loaded(%a: !tile.view<?xf32>, %b: !tile.view<?xi64>) attributes {tegula.registers = 64 : i32, tile.kernel} {
  %i = tile.program_id 0
  %at = tile.load %b[%i] : !tile.view<?xi64> -> tensor<32xi64, #row>
  %j = tile.reduce <add> %at axis 0 : tensor<32xi64, #row> -> i64
  %x = tile.load %a[%j] : !tile.view<?xf32> -> tensor<32xf32, #row>
  tile.store %x, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
  return
}

// -----

#row = #layout.linear<register = [[1], [2], [4], [8], [16]], lane = [], warp = [], block = [], shape = [32]>

// REMARK: Remark="all programs look for the edges of arrays: where it accesses arrays is known too late"
// CHECK-LABEL: func @a_loop_that_starts_anywhere
// CHECK-NOT:     scf.if
func.func @a_loop_that_starts_anywhere(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>, %from: i64, %n: i64) attributes {tegula.registers = 64 : i32, tile.kernel} {
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<32xf32, #row>
  %r = scf.for %j = %from to %n step %c1 iter_args(%sum = %zero) -> (tensor<32xf32, #row>) : i64 {
    %x = tile.load %a[%j] : !tile.view<?xf32> -> tensor<32xf32, #row>
    %next = arith.addf %sum, %x : tensor<32xf32, #row>
    scf.yield %next : tensor<32xf32, #row>
  }
  %s = tile.reduce <add> %r axis 0 : tensor<32xf32, #row> -> f32
  %t = tile.full %s : tensor<32xf32, #row>
  tile.store %t, %b[%n] : tensor<32xf32, #row>, !tile.view<?xf32>
  return
}

// -----

#row = #layout.linear<register = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024]], lane = [], warp = [], block = [], shape = [2048]>

// REMARK: Remark="all programs look for the edges of arrays: its code would be too long twice"
// CHECK-LABEL: func @long_code
// CHECK-NOT:     scf.if
func.func @long_code(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>) attributes {tegula.registers = 64 : i32, tile.kernel} {
  %i = tile.program_id 0
  %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<2048xf32, #row>
  %y = arith.mulf %x, %x : tensor<2048xf32, #row>
  %s = tile.reduce <add> %y axis 0 : tensor<2048xf32, #row> -> f32
  %t = tile.full %s : tensor<2048xf32, #row>
  tile.store %t, %b[%i] : tensor<2048xf32, #row>, !tile.view<?xf32>
  return
}

// -----

#row = #layout.linear<register = [[1], [2], [4], [8], [16]], lane = [], warp = [], block = [], shape = [32]>

// REMARK: Remark="all programs look for the edges of arrays: its registers are not limited"
// CHECK-LABEL: func @as_many_registers_as_there_are
// CHECK-NOT:     scf.if
func.func @as_many_registers_as_there_are(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>) {
  %i = tile.program_id 0
  %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<32xf32, #row>
  %s = tile.reduce <add> %x axis 0 : tensor<32xf32, #row> -> f32
  %t = tile.full %s : tensor<32xf32, #row>
  tile.store %t, %b[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
  return
}
