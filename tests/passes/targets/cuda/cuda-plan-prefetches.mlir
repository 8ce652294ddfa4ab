// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(cuda-plan-prefetches))' | FileCheck %s

module attributes {tegula.arch = "sm_90a"} {
  // The pointer of %x comes after %w's pointer, size and stride.
  // CHECK-LABEL: func.func @rows_of_the_programs_number
  // CHECK-SAME:    tegula.prefetch = [array<i64: 3, 1, 8192, 2>]
  func.func @rows_of_the_programs_number(
      %w: !tile.view<?xbf16>, %x: !tile.view<?x?xbf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>},
      %y: !tile.view<?xbf16>) attributes {tile.kernel, tegula.num_warps = 32 : i32} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xbf16, strides = [?, 1], align = 16> -> tensor<1x8192xbf16>
    %sum = tile.reduce <add> %row axis 1 : tensor<1x8192xbf16> -> tensor<1xbf16>
    tile.store %sum, %y[%i] : tensor<1xbf16>, !tile.view<?xbf16>
    return
  }

  // CHECK-LABEL: func.func @the_first_iterations_tile
  // CHECK-SAME:    tegula.prefetch = [array<i64: 0, 1, 2048, 4>]
  func.func @the_first_iterations_tile(
      %x: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?xf32>, %n: i64)
      attributes {tile.kernel, tegula.num_warps = 32 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant 0.0 : f32
    %i = tile.program_id 0
    %total = scf.for %j = %zero to %n step %one iter_args(%acc = %none) -> (f32) : i64 {
      %row = tile.load %x[%i, %j] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x2048xf32>
      %flat = tile.reshape %row : tensor<1x2048xf32> -> tensor<2048xf32>
      %sum = tile.reduce <add> %flat axis 0 : tensor<2048xf32> -> f32
      %next = arith.addf %acc, %sum : f32
      scf.yield %next : f32
    }
    %tile = tile.full %total : tensor<1xf32>
    tile.store %tile, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    return
  }

  // They take turns.
  // CHECK-LABEL: func.func @programs_that_share_a_processor
  // CHECK-NOT:     tegula.prefetch
  // CHECK:         return
  func.func @programs_that_share_a_processor(
      %x: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?xf32>)
      attributes {tile.kernel, tegula.num_warps = 32 : i32, tegula.registers = 64 : i32} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x2048xf32>
    %sum = tile.reduce <add> %row axis 1 : tensor<1x2048xf32> -> tensor<1xf32>
    tile.store %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    return
  }

  // CHECK-LABEL: func.func @four_programs_that_load_more_later
  // CHECK-SAME:    tegula.prefetch = [array<i64: 0, 1, 2048, 4>]
  func.func @four_programs_that_load_more_later(
      %x: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %w: !tile.view<?xf32>,
      %y: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 8 : i32} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x2048xf32>
    %sum = tile.reduce <add> %row axis 1 : tensor<1x2048xf32> -> tensor<1xf32>
    %weight = tile.load %w[%zero] : !tile.view<?xf32> -> tensor<1xf32>
    %scaled = arith.mulf %sum, %weight : tensor<1xf32>
    tile.store %scaled, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    return
  }

  // CHECK-LABEL: func.func @of_four_programs_one_loads_while_others_reduce
  // CHECK-NOT:     tegula.prefetch
  func.func @of_four_programs_one_loads_while_others_reduce(
      %x: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?xf32>)
      attributes {tile.kernel, tegula.num_warps = 8 : i32} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x2048xf32>
    %sum = tile.reduce <add> %row axis 1 : tensor<1x2048xf32> -> tensor<1xf32>
    tile.store %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    return
  }

  // CHECK-LABEL: func.func @short_rows_stay
  // CHECK-NOT:     tegula.prefetch
  func.func @short_rows_stay(
      %x: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?xf32>)
      attributes {tile.kernel, tegula.num_warps = 32 : i32} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x512xf32>
    %sum = tile.reduce <add> %row axis 1 : tensor<1x512xf32> -> tensor<1xf32>
    tile.store %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    return
  }

  // CHECK-LABEL: func.func @rows_that_begin_anywhere_stay
  // CHECK-NOT:     tegula.prefetch
  func.func @rows_that_begin_anywhere_stay(%x: !tile.view<?x?xf32, strides = [?, 1]>, %y: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 32 : i32} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xf32, strides = [?, 1]> -> tensor<1x2048xf32>
    %sum = tile.reduce <add> %row axis 1 : tensor<1x2048xf32> -> tensor<1xf32>
    tile.store %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    return
  }

  // CHECK-LABEL: func.func @other_programs_rows_stay
  // CHECK-NOT:     tegula.prefetch
  func.func @other_programs_rows_stay(
      %x: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?xf32>, %r: i64)
      attributes {tile.kernel, tegula.num_warps = 32 : i32} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%r, %i] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x2048xf32>
    %sum = tile.reduce <add> %row axis 1 : tensor<1x2048xf32> -> tensor<1xf32>
    tile.store %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    return
  }

  // CHECK-LABEL: func.func @what_is_not_reduced_stays
  // CHECK-NOT:     tegula.prefetch
  func.func @what_is_not_reduced_stays(%x: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>})
      attributes {tile.kernel, tegula.num_warps = 32 : i32} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x2048xf32>
    tile.store %row, %x[%i, %zero] : tensor<1x2048xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}

// -----

module attributes {tegula.arch = "sm_80"} {
  // CHECK-LABEL: func.func @older_gpus_have_no_bulk_copies
  // CHECK-NOT:     tegula.prefetch
  func.func @older_gpus_have_no_bulk_copies(
      %x: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?xf32>)
      attributes {tile.kernel, tegula.num_warps = 32 : i32} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x2048xf32>
    %sum = tile.reduce <add> %row axis 1 : tensor<1x2048xf32> -> tensor<1xf32>
    tile.store %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    return
  }
}
