// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @attention.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @attention(%arg0: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tegula.compact, tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg1: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tegula.compact, tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg2: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tegula.compact, tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg3: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tegula.compact, tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg4: f32) attributes {tile.kernel} {
    %cst = arith.constant 1.000000e+00 : f32
    %c32_i64 = arith.constant 32 : i64
    %c16_i64 = arith.constant 16 : i64
    %c1_i64 = arith.constant 1 : i64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 1.44269502 : f32
    %c0_i64 = arith.constant 0 : i64
    %0 = tile.program_id 0
    %1 = tile.program_id 1
    %2 = tile.dim %arg1, 0 : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    %3 = tile.dim %arg1, 1 : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    %4 = tile.dim %arg1, 2 : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    %5 = tile.load %arg0[%1, %0, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x16x16xf16>
    %6 = tile.reshape %5 : tensor<1x16x16xf16> -> tensor<16x16xf16>
    %7 = arith.mulf %arg4, %cst_2 : f32
    %8 = tile.full %cst_1 : tensor<16xf32>
    %9 = tile.full %cst_0 : tensor<16xf32>
    %10 = tile.full %cst_0 : tensor<16x16xf32>
    %11 = arith.addi %0, %c1_i64 : i64
    %12 = arith.muli %11, %c16_i64 : i64
    %13 = arith.minsi %3, %12 : i64
    %14 = arith.muli %0, %c16_i64 : i64
    %15 = arith.addi %14, %c1_i64 : i64
    %16 = arith.minsi %3, %15 : i64
    %17 = tile.floordiv %16, %c32_i64 : i64
    %18 = tile.floormod %13, %c32_i64 : i64
    %19 = arith.cmpi ne, %18, %c0_i64 : i64
    %20 = tile.floordiv %13, %c32_i64 : i64
    %21 = tile.cast %19 from_unsigned : i1 -> i64
    %22 = arith.addi %20, %21 : i64
    %23:3 = scf.for %arg5 = %c0_i64 to %22 step %c1_i64 iter_args(%arg6 = %10, %arg7 = %8, %arg8 = %9) -> (tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>)  : i64 {
      %35 = tile.load %arg1[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %36 = tile.reshape %35 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %37 = tile.load %arg2[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %38 = tile.reshape %37 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %39 = tile.permute %36 [1, 0] : tensor<32x16xf16> -> tensor<16x32xf16>
      %40 = tile.full %cst_0 : tensor<16x32xf32>
      %41 = tile.dot %6, %39, %40 : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      %42 = arith.cmpi sge, %arg5, %17 : i64
      %43 = scf.if %42 -> (tensor<16x32xf32>) {
        %64 = tile.iota : tensor<32xi64>
        %65 = arith.muli %arg5, %c32_i64 : i64
        %66 = arith.subi %3, %65 : i64
        %67 = tile.full %66 : tensor<32xi64>
        %68 = arith.cmpi slt, %64, %67 : tensor<32xi64>
        %69 = arith.muli %0, %c16_i64 : i64
        %70 = arith.muli %arg5, %c32_i64 : i64
        %71 = arith.subi %69, %70 : i64
        %72 = tile.iota : tensor<16xi64>
        %73 = tile.full %71 : tensor<16xi64>
        %74 = arith.addi %73, %72 : tensor<16xi64>
        %75 = arith.muli %arg5, %c32_i64 : i64
        %76 = arith.subi %3, %75 : i64
        %77 = arith.subi %76, %c1_i64 : i64
        %78 = tile.full %77 : tensor<16xi64>
        %79 = arith.minsi %78, %74 : tensor<16xi64>
        %80 = tile.reshape %79 : tensor<16xi64> -> tensor<16x1xi64>
        %81 = tile.reshape %64 : tensor<32xi64> -> tensor<1x32xi64>
        %82 = tile.broadcast %81 : tensor<1x32xi64> -> tensor<16x32xi64>
        %83 = tile.broadcast %80 : tensor<16x1xi64> -> tensor<16x32xi64>
        %84 = arith.cmpi sle, %82, %83 : tensor<16x32xi64>
        %85 = tile.full %cst_1 : tensor<16x32xf32>
        %86 = arith.select %84, %41, %85 : tensor<16x32xi1>, tensor<16x32xf32>
        scf.yield %86 : tensor<16x32xf32>
      } else {
        scf.yield %41 : tensor<16x32xf32>
      }
      %44 = tile.reduce <max> %43 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %45 = tile.full %7 : tensor<16xf32>
      %46 = arith.mulf %44, %45 : tensor<16xf32>
      %47 = arith.maximumf %arg7, %46 : tensor<16xf32>
      %48 = tile.reshape %47 : tensor<16xf32> -> tensor<16x1xf32>
      %49 = arith.negf %48 : tensor<16x1xf32>
      %50 = tile.full %7 : tensor<16x32xf32>
      %51 = tile.broadcast %49 : tensor<16x1xf32> -> tensor<16x32xf32>
      %52 = math.fma %43, %50, %51 : tensor<16x32xf32>
      %53 = math.exp2 %52 fastmath<afn> : tensor<16x32xf32>
      %54 = arith.subf %arg7, %47 : tensor<16xf32>
      %55 = math.exp2 %54 fastmath<afn> : tensor<16xf32>
      %56 = arith.mulf %arg8, %55 : tensor<16xf32>
      %57 = tile.reduce <add> %53 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %58 = arith.addf %56, %57 : tensor<16xf32>
      %59 = tile.cast %53 : tensor<16x32xf32> -> tensor<16x32xf16>
      %60 = tile.reshape %55 : tensor<16xf32> -> tensor<16x1xf32>
      %61 = tile.broadcast %60 : tensor<16x1xf32> -> tensor<16x16xf32>
      %62 = arith.mulf %arg6, %61 : tensor<16x16xf32>
      %63 = tile.dot %59, %38, %62 : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
      scf.yield %63, %47, %58 : tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>
    }
    %24 = tile.full %cst_0 : tensor<16xf32>
    %25 = arith.cmpf ogt, %23#2, %24 : tensor<16xf32>
    %26 = tile.full %cst : tensor<16xf32>
    %27 = arith.divf %26, %23#2 : tensor<16xf32>
    %28 = tile.full %cst_0 : tensor<16xf32>
    %29 = arith.select %25, %27, %28 : tensor<16xi1>, tensor<16xf32>
    %30 = tile.reshape %29 : tensor<16xf32> -> tensor<16x1xf32>
    %31 = tile.broadcast %30 : tensor<16x1xf32> -> tensor<16x16xf32>
    %32 = arith.mulf %23#0, %31 : tensor<16x16xf32>
    %33 = tile.cast %32 : tensor<16x16xf32> -> tensor<16x16xf16>
    %34 = tile.reshape %33 : tensor<16x16xf16> -> tensor<1x16x16xf16>
    tile.store %34, %arg3[%1, %0, %c0_i64] : tensor<1x16x16xf16>, !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    return
  }
}
