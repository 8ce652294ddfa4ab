// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @attention.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @attention(%arg0: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg1: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg2: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg3: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg4: f32) attributes {tile.kernel} {
    %c1_i64 = arith.constant 1 : i64
    %c32_i64 = arith.constant 32 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c16_i64 = arith.constant 16 : i64
    %c0_i64 = arith.constant 0 : i64
    %0 = tile.program_id 0
    %1 = tile.program_id 1
    %2 = tile.dim %arg1, 0 : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    %3 = tile.dim %arg1, 1 : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    %4 = tile.dim %arg1, 2 : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    %5 = tile.load %arg0[%1, %0, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x16x16xf16>
    %6 = tile.reshape %5 : tensor<1x16x16xf16> -> tensor<16x16xf16>
    %7 = arith.muli %0, %c16_i64 : i64
    %8 = tile.iota : tensor<16xi64>
    %9 = tile.full %7 : tensor<16xi64>
    %10 = arith.addi %9, %8 : tensor<16xi64>
    %11 = tile.full %cst_0 : tensor<16xf32>
    %12 = tile.full %cst : tensor<16xf32>
    %13 = tile.full %cst : tensor<16x16xf32>
    %14 = tile.floormod %3, %c32_i64 : i64
    %15 = arith.cmpi ne, %14, %c0_i64 : i64
    %16 = tile.floordiv %3, %c32_i64 : i64
    %17 = tile.cast %15 from_unsigned : i1 -> i64
    %18 = arith.addi %16, %17 : i64
    %19:3 = scf.for %arg5 = %c0_i64 to %18 step %c1_i64 iter_args(%arg6 = %13, %arg7 = %11, %arg8 = %12) -> (tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>)  : i64 {
      %31 = tile.load %arg1[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %32 = tile.reshape %31 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %33 = tile.load %arg2[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %34 = tile.reshape %33 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %35 = arith.muli %arg5, %c32_i64 : i64
      %36 = tile.iota : tensor<32xi64>
      %37 = tile.full %35 : tensor<32xi64>
      %38 = arith.addi %37, %36 : tensor<32xi64>
      %39 = tile.full %3 : tensor<32xi64>
      %40 = arith.cmpi slt, %38, %39 : tensor<32xi64>
      %41 = tile.permute %32 [1, 0] : tensor<32x16xf16> -> tensor<16x32xf16>
      %42 = tile.full %cst : tensor<16x32xf32>
      %43 = tile.dot %6, %41, %42 : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      %44 = tile.full %arg4 : tensor<16x32xf32>
      %45 = arith.mulf %43, %44 : tensor<16x32xf32>
      %46 = tile.full %cst_0 : tensor<16x32xf32>
      %47 = tile.reshape %40 : tensor<32xi1> -> tensor<1x32xi1>
      %48 = tile.broadcast %47 : tensor<1x32xi1> -> tensor<16x32xi1>
      %49 = arith.select %48, %45, %46 : tensor<16x32xi1>, tensor<16x32xf32>
      %50 = tile.reduce <max> %49 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %51 = arith.maximumf %arg7, %50 : tensor<16xf32>
      %52 = tile.reshape %51 : tensor<16xf32> -> tensor<16x1xf32>
      %53 = tile.broadcast %52 : tensor<16x1xf32> -> tensor<16x32xf32>
      %54 = arith.subf %49, %53 : tensor<16x32xf32>
      %55 = math.exp %54 : tensor<16x32xf32>
      %56 = arith.subf %arg7, %51 : tensor<16xf32>
      %57 = math.exp %56 : tensor<16xf32>
      %58 = arith.mulf %arg8, %57 : tensor<16xf32>
      %59 = tile.reduce <add> %55 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %60 = arith.addf %58, %59 : tensor<16xf32>
      %61 = tile.cast %55 : tensor<16x32xf32> -> tensor<16x32xf16>
      %62 = tile.reshape %57 : tensor<16xf32> -> tensor<16x1xf32>
      %63 = tile.broadcast %62 : tensor<16x1xf32> -> tensor<16x16xf32>
      %64 = arith.mulf %arg6, %63 : tensor<16x16xf32>
      %65 = tile.dot %61, %34, %64 : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
      scf.yield %65, %51, %60 : tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>
    }
    %20 = tile.reshape %19#2 : tensor<16xf32> -> tensor<16x1xf32>
    %21 = tile.full %cst : tensor<16x1xf32>
    %22 = arith.cmpf ogt, %20, %21 : tensor<16x1xf32>
    %23 = tile.reshape %19#2 : tensor<16xf32> -> tensor<16x1xf32>
    %24 = tile.broadcast %23 : tensor<16x1xf32> -> tensor<16x16xf32>
    %25 = arith.divf %19#0, %24 : tensor<16x16xf32>
    %26 = tile.full %cst : tensor<16x16xf32>
    %27 = tile.broadcast %22 : tensor<16x1xi1> -> tensor<16x16xi1>
    %28 = arith.select %27, %25, %26 : tensor<16x16xi1>, tensor<16x16xf32>
    %29 = tile.cast %28 : tensor<16x16xf32> -> tensor<16x16xf16>
    %30 = tile.reshape %29 : tensor<16x16xf16> -> tensor<1x16x16xf16>
    tile.store %30, %arg3[%1, %0, %c0_i64] : tensor<1x16x16xf16>, !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    return
  }
}
