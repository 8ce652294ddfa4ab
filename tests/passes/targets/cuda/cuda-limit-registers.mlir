// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(cuda-limit-registers))' | FileCheck %s

#row = #layout.linear<register = [[0, 1], [0, 2], [0, 4], [0, 4096], [0, 8192]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = [[0, 256], [0, 512], [0, 1024], [0, 2048]], block = [], shape = [1, 16384]>
module attributes {tegula.arch = "sm_90a"} {
  // A thread carries 32 registers of squares and loads 16 of the next tile.
  // CHECK-LABEL: func.func @a_loop_that_carries_a_row
  // CHECK-SAME:    tegula.registers = 64 : i32
  func.func @a_loop_that_carries_a_row(%a: !tile.view<?x?xbf16>, %n: i64) -> tensor<1xf32>
      attributes {tegula.num_warps = 16 : i32} {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<1x16384xf32, #row>
    %squares = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %none) -> (tensor<1x16384xf32, #row>) : i64 {
      %x = tile.load %a[%c0, %j] : !tile.view<?x?xbf16> -> tensor<1x16384xbf16, #row>
      %w = tile.cast %x : tensor<1x16384xbf16, #row> -> tensor<1x16384xf32, #row>
      %q = arith.mulf %w, %w : tensor<1x16384xf32, #row>
      %next = arith.addf %sum, %q : tensor<1x16384xf32, #row>
      scf.yield %next : tensor<1x16384xf32, #row>
    }
    %s = tile.reduce <add> %squares axis 1 : tensor<1x16384xf32, #row> -> tensor<1xf32>
    return %s : tensor<1xf32>
  }
}
