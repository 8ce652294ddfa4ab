// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{a tile in shared memory needs a layout of offsets alone, got 'tensor<2x2xf32>'}}
func.func private @buffer_without_layout(!simt.buffer<tensor<2x2xf32>>)

// -----

// expected-error @below {{an element of the tile is at two offsets: 'tensor<2xf32, #layout.linear<}}
func.func private @buffer_with_copies(!simt.buffer<tensor<2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1], [0]], shape = [2]>>>)

// -----

// expected-error @below {{C1: a ring has at least one slot and one tile, got 0 and 1}}
func.func private @ring_without_slots(!simt.ring<0, tensor<2xf32, #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>>>)

// -----

#pair = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>
func.func @ring_at_odd_offset() {
  // expected-error @below {{'simt.ring' op C1: offset must be a multiple of 1024, got 16}}
  %ring = simt.ring "async" at 16 : !simt.ring<2, tensor<2xf32, #pair>>
  return
}

// -----

#pair = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>
func.func @buffer_at_odd_offset() {
  // expected-error @below {{'simt.reserve' op C1: offset must be a multiple of 1024, got 16}}
  %b = simt.reserve at 16 : !simt.buffer<tensor<2xf32, #pair>>
  return
}

// -----

#pair = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>
func.func @issue_without_view(%ring: !simt.ring<2, tensor<2xf32, #pair>>, %a: !tile.view<?xf32>, %i: i64, %k: i32, %p: i1) {
  // expected-error @below {{'simt.issue' op C1: ring has 1 tiles, got 2 views}}
  simt.issue %ring[%k] if %p, %a, %a[%i, %i] : !simt.ring<2, tensor<2xf32, #pair>>, !tile.view<?xf32>, !tile.view<?xf32>
  return
}

// -----

#pair = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>
func.func @issue_of_another_type(%ring: !simt.ring<2, tensor<2xf32, #pair>>, %a: !tile.view<?xf16>, %i: i64, %k: i32, %p: i1) {
  // expected-error @below {{'simt.issue' op C1: view '!tile.view<?xf16>' does not hold tiles 'tensor<2xf32, #layout.linear<}}
  simt.issue %ring[%k] if %p, %a[%i] : !simt.ring<2, tensor<2xf32, #pair>>, !tile.view<?xf16>
  return
}

// -----

#pair = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>
func.func @issue_with_too_many_indices(%ring: !simt.ring<2, tensor<2xf32, #pair>>, %a: !tile.view<?xf32>, %i: i64, %k: i32, %p: i1) {
  // expected-error @below {{'simt.issue' op C2: views have 1 dimensions in all, got 2 indices}}
  simt.issue %ring[%k] if %p, %a[%i, %i] : !simt.ring<2, tensor<2xf32, #pair>>, !tile.view<?xf32>
  return
}

// -----

#pair = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>
func.func @issue_with_too_many_maps(%ring: !simt.ring<2, tensor<2xf32, #pair>>, %a: !tile.view<?xf32>, %i: i64, %k: i32, %p: i1) {
  // expected-error @below {{'simt.issue' op C3: ring has 1 tiles, got 2 maps}}
  simt.issue %ring[%k] if %p, %a[%i] maps [0, 1] : !simt.ring<2, tensor<2xf32, #pair>>, !tile.view<?xf32>
  return
}

// -----

#pair = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>
func.func @slot_of_missing_member(%ring: !simt.ring<2, tensor<2xf32, #pair>>, %k: i32) {
  // expected-error @below {{'simt.slot' op C1: ring has 1 tiles, got member 1}}
  %0 = simt.slot %ring[%k] 1 : !simt.ring<2, tensor<2xf32, #pair>> -> !simt.buffer<tensor<2xf32, #pair>>
  return
}

// -----

#pair = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>
func.func @slot_of_another_type(%ring: !simt.ring<2, tensor<2xf32, #pair>>, %k: i32) {
  // expected-error @below {{'simt.slot' op C2: tile is 'tensor<2xf32, }}
  %0 = simt.slot %ring[%k] 0 : !simt.ring<2, tensor<2xf32, #pair>> -> !simt.buffer<tensor<2xf16, #pair>>
  return
}

// -----

#pair = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>
func.func @write_of_another_shape(%t: tensor<4xf32>, %b: !simt.buffer<tensor<2xf32, #pair>>) {
  // expected-error @below {{'simt.write' op C1: cannot write 'tensor<4xf32>' to 'tensor<2xf32, }}
  simt.write %t to %b : tensor<4xf32>, !simt.buffer<tensor<2xf32, #pair>>
  return
}

// -----

#pair = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>
func.func @read_without_threads(%b: !simt.buffer<tensor<2xf32, #pair>>) {
  // expected-error @below {{'simt.read' op C1: cannot read 'tensor<2xf32>' from 'tensor<2xf32, }}
  %0 = simt.read %b : !simt.buffer<tensor<2xf32, #pair>> -> tensor<2xf32>
  return
}

// -----

#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
func.func @permute_that_moves_nothing(%b: !simt.buffer<tensor<2x2xf32, #rows>>) {
  // expected-error @below {{'simt.permute' op C1: 'tensor<2x2xf32, }}
  %0 = simt.permute %b [1, 0] : !simt.buffer<tensor<2x2xf32, #rows>> -> !simt.buffer<tensor<2x2xf32, #rows>>
  return
}

// -----

#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
#columns = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1, 0], [0, 1]], shape = [2, 2]>
func.func @reshape_that_moves_elements(%b: !simt.buffer<tensor<2x2xf32, #rows>>) {
  // expected-error @below {{'simt.reshape' op C1: 'tensor<2x2xf32, }}
  %0 = simt.reshape %b : !simt.buffer<tensor<2x2xf32, #rows>> -> !simt.buffer<tensor<2x2xf32, #columns>>
  return
}

// -----

#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
#pair = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[1]], shape = [2]>
func.func @reshape_that_loses_elements(%b: !simt.buffer<tensor<2x2xf32, #rows>>) {
  // expected-error @below {{'simt.reshape' op C1: 'tensor<2xf32, }}
  %0 = simt.reshape %b : !simt.buffer<tensor<2x2xf32, #rows>> -> !simt.buffer<tensor<2xf32, #pair>>
  return
}

// -----

#rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
#wide = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [0, 2], [1, 0]], shape = [2, 4]>
func.func @mma_of_other_shapes(%a: !simt.buffer<tensor<2x4xf32, #wide>>, %b: !simt.buffer<tensor<2x2xf32, #rows>>, %c: tensor<2x2xf32>) {
  // expected-error @below {{'simt.mma' op C1: shapes must be MxK, KxN and MxN, got}}
  %0 = simt.mma %a, %b, %c : !simt.buffer<tensor<2x4xf32, #wide>>, !simt.buffer<tensor<2x2xf32, #rows>>, tensor<2x2xf32>
  return
}
