// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-pipeline-loads,canonicalize))' | FileCheck %s

// One program with products of two iterations would have the processor for itself. With those of one, two share it.
// CHECK-LABEL: func.func @two_programs
// CHECK-SAME:  tegula.registers = 128 : i32, tegula.shared_bytes = 100480 : i32, tegula.takes_turns
// CHECK:       simt.ring "bulk" at 0 : !simt.ring<1, tensor<128x128xf16, #{{.*}}>>
// CHECK:       simt.ring "bulk" at {{.*}} : !simt.ring<2, tensor<64x128xf16, #{{.*}}>>
// CHECK:       simt.ring "bulk" at {{.*}} : !simt.ring<2, tensor<64x128xf16, #{{.*}}>>
module attributes {tegula.arch = "sm_90a"} {
  func.func @two_programs(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel, tegula.num_warps = 8 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<128x64xf32>
    %start = arith.constant dense<0.0> : tensor<128x128xf32>
    %q = tile.load %x[%zero, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<128x128xf16>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %start) -> (tensor<128x128xf32>) : i64 {
      %a = tile.load %x[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x128xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x128xf16>
      %t = tile.permute %a [1, 0] : tensor<64x128xf16> -> tensor<128x64xf16>
      %s = tile.dot %q, %t, %none : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
      %e = math.exp2 %s : tensor<128x64xf32>
      %p = tile.cast %e : tensor<128x64xf32> -> tensor<128x64xf16>
      %c = tile.dot %p, %b, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %c : tensor<128x128xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<128x128xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// Neither way leaves room for a second one.
// CHECK-LABEL: func.func @alone
// CHECK-SAME:  tegula.registers = 200 : i32
// CHECK-NOT:   tegula.takes_turns
// CHECK:       simt.ring
module attributes {tegula.arch = "sm_90a"} {
  func.func @alone(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel, tegula.num_warps = 8 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %start = arith.constant dense<0.0> : tensor<128x128xf32>
    %q = tile.load %x[%zero, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<128x128xf16>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %start) -> (tensor<128x128xf32>) : i64 {
      %a = tile.load %x[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<128x128xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<128x128xf16>
      %t = tile.permute %a [1, 0] : tensor<128x128xf16> -> tensor<128x128xf16>
      %s = tile.dot %q, %t, %start : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
      %e = math.exp2 %s : tensor<128x128xf32>
      %p = tile.cast %e : tensor<128x128xf32> -> tensor<128x128xf16>
      %c = tile.dot %p, %b, %acc : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
      scf.yield %c : tensor<128x128xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<128x128xf32>, !tile.view<?x?xf32>
    return
  }
}
