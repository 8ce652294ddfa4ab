// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @attention.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @attention(%arg0: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg1: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg2: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg3: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg4: f32) attributes {tile.kernel} {
    %c32_i64 = arith.constant 32 : i64
    %c1_i64 = arith.constant 1 : i64
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
    %14 = arith.addi %0, %c1_i64 : i64
    %15 = arith.muli %14, %c16_i64 : i64
    %16 = arith.minsi %3, %15 : i64
    %17 = tile.floormod %16, %c32_i64 : i64
    %18 = arith.cmpi ne, %17, %c0_i64 : i64
    %19 = tile.floordiv %16, %c32_i64 : i64
    %20 = tile.cast %18 from_unsigned : i1 -> i64
    %21 = arith.addi %19, %20 : i64
    %22:3 = scf.for %arg5 = %c0_i64 to %21 step %c1_i64 iter_args(%arg6 = %13, %arg7 = %11, %arg8 = %12) -> (tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>)  : i64 {
      %34 = tile.load %arg1[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %35 = tile.reshape %34 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %36 = tile.load %arg2[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %37 = tile.reshape %36 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %38 = arith.muli %arg5, %c32_i64 : i64
      %39 = tile.iota : tensor<32xi64>
      %40 = tile.full %38 : tensor<32xi64>
      %41 = arith.addi %40, %39 : tensor<32xi64>
      %42 = tile.full %3 : tensor<32xi64>
      %43 = arith.cmpi slt, %41, %42 : tensor<32xi64>
      %44 = tile.reshape %10 : tensor<16xi64> -> tensor<16x1xi64>
      %45 = tile.reshape %41 : tensor<32xi64> -> tensor<1x32xi64>
      %46 = tile.broadcast %45 : tensor<1x32xi64> -> tensor<16x32xi64>
      %47 = tile.broadcast %44 : tensor<16x1xi64> -> tensor<16x32xi64>
      %48 = arith.cmpi sle, %46, %47 : tensor<16x32xi64>
      %49 = tile.reshape %43 : tensor<32xi1> -> tensor<1x32xi1>
      %50 = tile.broadcast %49 : tensor<1x32xi1> -> tensor<16x32xi1>
      %51 = arith.andi %50, %48 : tensor<16x32xi1>
      %52 = tile.permute %35 [1, 0] : tensor<32x16xf16> -> tensor<16x32xf16>
      %53 = tile.full %cst : tensor<16x32xf32>
      %54 = tile.dot %6, %52, %53 : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      %55 = tile.full %arg4 : tensor<16x32xf32>
      %56 = arith.mulf %54, %55 : tensor<16x32xf32>
      %57 = tile.full %cst_0 : tensor<16x32xf32>
      %58 = arith.select %51, %56, %57 : tensor<16x32xi1>, tensor<16x32xf32>
      %59 = tile.reduce <max> %58 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %60 = arith.maximumf %arg7, %59 : tensor<16xf32>
      %61 = tile.reshape %60 : tensor<16xf32> -> tensor<16x1xf32>
      %62 = tile.broadcast %61 : tensor<16x1xf32> -> tensor<16x32xf32>
      %63 = arith.subf %58, %62 : tensor<16x32xf32>
      %64 = math.exp %63 : tensor<16x32xf32>
      %65 = arith.subf %arg7, %60 : tensor<16xf32>
      %66 = math.exp %65 : tensor<16xf32>
      %67 = arith.mulf %arg8, %66 : tensor<16xf32>
      %68 = tile.reduce <add> %64 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %69 = arith.addf %67, %68 : tensor<16xf32>
      %70 = tile.cast %64 : tensor<16x32xf32> -> tensor<16x32xf16>
      %71 = tile.reshape %66 : tensor<16xf32> -> tensor<16x1xf32>
      %72 = tile.broadcast %71 : tensor<16x1xf32> -> tensor<16x16xf32>
      %73 = arith.mulf %arg6, %72 : tensor<16x16xf32>
      %74 = tile.dot %70, %37, %73 : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
      scf.yield %74, %60, %69 : tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>
    }
    %23 = tile.reshape %22#2 : tensor<16xf32> -> tensor<16x1xf32>
    %24 = tile.full %cst : tensor<16x1xf32>
    %25 = arith.cmpf ogt, %23, %24 : tensor<16x1xf32>
    %26 = tile.reshape %22#2 : tensor<16xf32> -> tensor<16x1xf32>
    %27 = tile.broadcast %26 : tensor<16x1xf32> -> tensor<16x16xf32>
    %28 = arith.divf %22#0, %27 : tensor<16x16xf32>
    %29 = tile.full %cst : tensor<16x16xf32>
    %30 = tile.broadcast %25 : tensor<16x1xi1> -> tensor<16x16xi1>
    %31 = arith.select %30, %28, %29 : tensor<16x16xi1>, tensor<16x16xf32>
    %32 = tile.cast %31 : tensor<16x16xf32> -> tensor<16x16xf16>
    %33 = tile.reshape %32 : tensor<16x16xf16> -> tensor<1x16x16xf16>
    tile.store %33, %arg3[%1, %0, %c0_i64] : tensor<1x16x16xf16>, !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    return
  }
}
