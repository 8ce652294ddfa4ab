// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints of the kernel's author: so many copies of the loop's tiles in memory, so many warps.
//
// RUN: tegula-opt %s --tegula-nvvm-layout-phase=arch=sm_90a | FileCheck %s --check-prefix=BULK
// RUN: tegula-opt %s --tegula-nvvm-layout-phase=arch=sm_80 | FileCheck %s --check-prefix=ASYNC

// BULK: func.func @product({{.*}}) attributes {{.*}}tegula.num_warps = 4 : i32
// BULK: simt.ring "bulk" at 0 : !simt.ring<3, tensor<128x32xbf16,
// ASYNC: func.func @product({{.*}}) attributes {{.*}}tegula.num_warps = 4 : i32
// ASYNC: simt.ring "async" at 0 : !simt.ring<3, tensor<128x32xbf16,

!a = !tile.view<?x?xbf16, strides = [?, 1], align = 16>
module {
  func.func @product(%x: !a {tile.stride_div = array<i64: 16, 1>}, %y: !a {tile.stride_div = array<i64: 16, 1>}, %z: !a {tile.stride_div = array<i64: 16, 1>}, %n: i64) attributes {tile.kernel, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant 0.0 : f32
    %i = tile.program_id 0
    %j = tile.program_id 1
    %start = tile.full %none : tensor<128x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %start) -> (tensor<128x64xf32>) : i64 {
      %a = tile.load %x[%i, %k] : !a -> tensor<128x32xbf16>
      %b = tile.load %y[%k, %j] : !a -> tensor<32x64xbf16>
      %c = tile.dot %a, %b, %acc : tensor<128x32xbf16>, tensor<32x64xbf16>, tensor<128x64xf32>
      scf.yield %c : tensor<128x64xf32>
    }
    %d = tile.cast %sum : tensor<128x64xf32> -> tensor<128x64xbf16>
    tile.store %d, %z[%i, %j] : tensor<128x64xbf16>, !a
    return
  }
}
