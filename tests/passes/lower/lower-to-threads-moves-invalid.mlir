// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --lower-to-threads

#row = #layout.linear<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = [], shape = [1, 128]>
#column = #layout.linear<register = [[1], [32]], lane = [[2], [4], [8], [16], [64]], warp = [], block = [], shape = [128]>

module attributes {tegula.arch = "generic32"} {
  func.func @reshape_to_another_thread(%a: !tile.view<?xf32>, %x: f32) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %t = tile.full %x : tensor<1x128xf32, #row>
    // expected-error @below {{'tile.reshape' op has layouts that would move elements between threads; only layout.convert does that}}
    // expected-error @below {{failed to legalize operation 'tile.reshape'}}
    %y = tile.reshape %t : tensor<1x128xf32, #row> -> tensor<128xf32, #column>
    tile.store %y, %a[%zero] : tensor<128xf32, #column>, !tile.view<?xf32>
    return
  }
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
#pairs = #layout.linear<register = [[1, 0], [2, 0], [64, 0]], lane = [[0, 1], [4, 0], [8, 0], [16, 0], [32, 0]], warp = [], block = [], shape = [128, 2]>

module attributes {tegula.arch = "generic32"} {
  func.func @join_into_lanes(%a: !tile.view<?x?xf32>, %x: f32) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %t = tile.full %x : tensor<128xf32, #row>
    // expected-error @below {{'tile.join' op has layouts that would move elements between threads; only layout.convert does that}}
    // expected-error @below {{failed to legalize operation 'tile.join'}}
    %y = tile.join %t, %t : tensor<128xf32, #row> -> tensor<128x2xf32, #pairs>
    tile.store %y, %a[%zero, %zero] : tensor<128x2xf32, #pairs>, !tile.view<?x?xf32>
    return
  }
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
#long = #layout.linear<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [], block = [], shape = [256]>

module attributes {tegula.arch = "generic32"} {
  func.func @concat_into_lanes(%a: !tile.view<?xf32>, %x: f32) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %t = tile.full %x : tensor<128xf32, #row>
    // expected-error @below {{'tile.concat' op has layouts that would move elements between threads; only layout.convert does that}}
    // expected-error @below {{failed to legalize operation 'tile.concat'}}
    %y = tile.concat %t, %t axis 0 : tensor<128xf32, #row>, tensor<128xf32, #row> -> tensor<256xf32, #long>
    tile.store %y, %a[%zero] : tensor<256xf32, #long>, !tile.view<?xf32>
    return
  }
}

// -----

#square = #layout.linear<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [], block = [], shape = [4, 32]>
#other = #layout.linear<register = [], lane = [[1], [2], [0], [0], [0]], warp = [], block = [], shape = [4]>

module attributes {tegula.arch = "generic32"} {
  func.func @reduce_to_another_layout(%a: !tile.view<?xf32>, %x: f32) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %t = tile.full %x : tensor<4x32xf32, #square>
    // expected-error @below {{'tile.reduce' op has a result layout that is not the source's without axis 1}}
    // expected-error @below {{failed to legalize operation 'tile.reduce'}}
    %y = tile.reduce <add> %t axis 1 : tensor<4x32xf32, #square> -> tensor<4xf32, #other>
    tile.store %y, %a[%zero] : tensor<4xf32, #other>, !tile.view<?xf32>
    return
  }
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
#other = #layout.linear<register = [[64], [2]], lane = [[4], [8], [16], [32], [1]], warp = [], block = [], shape = [128]>

module attributes {tegula.arch = "generic32"} {
  func.func @scan_and_take_to_another_layout(%a: !tile.view<?xf32>, %x: f32) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %t = tile.full %x : tensor<128xf32, #row>
    %i = tile.iota : tensor<128xi32, #row>
    // expected-error @below {{'tile.take' op has a result layout that is not the index's}}
    // expected-error @below {{failed to legalize operation 'tile.take'}}
    %y = tile.take %t[%i] axis 0 : tensor<128xf32, #row>, tensor<128xi32, #row> -> tensor<128xf32, #other>
    tile.store %y, %a[%zero] : tensor<128xf32, #other>, !tile.view<?xf32>
    return
  }
}
