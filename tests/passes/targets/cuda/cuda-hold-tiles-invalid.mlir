// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(cuda-hold-tiles))' | FileCheck %s

// expected-error @+1 {{the module does not say which GPU it is for}}
func.func @for_no_gpu() {
  return
}

// -----

module attributes {tegula.arch = "sm_90a"} {
  // expected-error @+1 {{'func.func' op has 'tegula.registers' = 0 : i32 and 'tegula.num_warps' = 16 : i32, which must be positive}}
  func.func @no_registers() attributes {tegula.num_warps = 16 : i32, tegula.registers = 0 : i32} {
    return
  }
}

// -----

#t = #layout.linear<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [], block = [], shape = [256]>
module attributes {tegula.arch = "sm_90a"} {
  // Nothing says that programs share a processor.
  // CHECK-LABEL: func.func @not_asked
  // CHECK-NOT:     simt
  func.func @not_asked(%a: !tile.view<?xbf16>, %i: i64) -> tensor<256xf32, #t> attributes {tegula.num_warps = 16 : i32} {
    %x = tile.load %a[%i] : !tile.view<?xbf16> -> tensor<256xbf16, #t>
    %w = tile.cast %x : tensor<256xbf16, #t> -> tensor<256xf32, #t>
    %s = tile.reduce <add> %w axis 0 : tensor<256xf32, #t> -> f32
    %f = tile.full %s : tensor<256xf32, #t>
    %d = arith.subf %w, %f : tensor<256xf32, #t>
    return %d : tensor<256xf32, #t>
  }
}

// -----

#u = #layout.linear<register = [[1], [2], [128], [256], [512], [1024]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [2048]>
module attributes {tegula.arch = "sm_90a"} {
  // What is in shared memory already leaves no room.
  // CHECK-LABEL: func.func @no_room
  // CHECK-NOT:     simt
  func.func @no_room(%x: tensor<2048xf32, #u>) -> tensor<2048xf32, #u>
      attributes {tegula.num_warps = 16 : i32, tegula.registers = 64 : i32, tegula.shared_bytes = 131072 : i32} {
    %e = math.exp %x : tensor<2048xf32, #u>
    %s = tile.reduce <add> %e axis 0 : tensor<2048xf32, #u> -> f32
    %f = tile.full %s : tensor<2048xf32, #u>
    %d = arith.mulf %e, %f : tensor<2048xf32, #u>
    return %d : tensor<2048xf32, #u>
  }
}
