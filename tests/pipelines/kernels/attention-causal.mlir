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
      %37 = tile.load %arg1[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %38 = tile.reshape %37 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %39 = tile.load %arg2[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %40 = tile.reshape %39 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %41 = tile.permute %38 [1, 0] : tensor<32x16xf16> -> tensor<16x32xf16>
      %42 = tile.full %cst_0 : tensor<16x32xf32>
      %43 = tile.dot %6, %41, %42 : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      %44 = arith.cmpi sge, %arg5, %17 : i64
      %45 = scf.if %44 -> (tensor<16x32xf32>) {
        %66 = tile.iota : tensor<32xi64>
        %67 = arith.muli %arg5, %c32_i64 : i64
        %68 = arith.subi %3, %67 : i64
        %69 = tile.full %68 : tensor<32xi64>
        %70 = arith.cmpi slt, %66, %69 : tensor<32xi64>
        %71 = arith.muli %0, %c16_i64 : i64
        %72 = arith.muli %arg5, %c32_i64 : i64
        %73 = arith.subi %71, %72 : i64
        %74 = tile.iota : tensor<16xi64>
        %75 = tile.full %73 : tensor<16xi64>
        %76 = arith.addi %75, %74 : tensor<16xi64>
        %77 = arith.muli %arg5, %c32_i64 : i64
        %78 = arith.subi %3, %77 : i64
        %79 = arith.subi %78, %c1_i64 : i64
        %80 = tile.full %79 : tensor<16xi64>
        %81 = arith.minsi %80, %76 : tensor<16xi64>
        %82 = tile.reshape %81 : tensor<16xi64> -> tensor<16x1xi64>
        %83 = tile.reshape %66 : tensor<32xi64> -> tensor<1x32xi64>
        %84 = tile.broadcast %83 : tensor<1x32xi64> -> tensor<16x32xi64>
        %85 = tile.broadcast %82 : tensor<16x1xi64> -> tensor<16x32xi64>
        %86 = arith.cmpi sle, %84, %85 : tensor<16x32xi64>
        %87 = tile.full %cst_1 : tensor<16x32xf32>
        %88 = arith.select %86, %43, %87 : tensor<16x32xi1>, tensor<16x32xf32>
        scf.yield %88 : tensor<16x32xf32>
      } else {
        scf.yield %43 : tensor<16x32xf32>
      }
      %46 = tile.reduce <max> %45 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %47 = tile.full %7 : tensor<16xf32>
      %48 = arith.mulf %46, %47 : tensor<16xf32>
      %49 = arith.maximumf %arg7, %48 : tensor<16xf32>
      %50 = tile.reshape %49 : tensor<16xf32> -> tensor<16x1xf32>
      %51 = arith.negf %50 : tensor<16x1xf32>
      %52 = tile.full %7 : tensor<16x32xf32>
      %53 = tile.broadcast %51 : tensor<16x1xf32> -> tensor<16x32xf32>
      %54 = math.fma %45, %52, %53 : tensor<16x32xf32>
      %55 = math.exp2 %54 fastmath<afn> : tensor<16x32xf32>
      %56 = arith.subf %arg7, %49 : tensor<16xf32>
      %57 = math.exp2 %56 fastmath<afn> : tensor<16xf32>
      %58 = arith.mulf %arg8, %57 : tensor<16xf32>
      %59 = tile.reduce <add> %55 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %60 = arith.addf %58, %59 : tensor<16xf32>
      %61 = tile.cast %55 : tensor<16x32xf32> -> tensor<16x32xf16>
      %62 = tile.reshape %57 : tensor<16xf32> -> tensor<16x1xf32>
      %63 = tile.broadcast %62 : tensor<16x1xf32> -> tensor<16x16xf32>
      %64 = arith.mulf %arg6, %63 : tensor<16x16xf32>
      %65 = tile.dot %61, %40, %64 : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
      scf.yield %65, %49, %60 : tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>
    }
    %24 = tile.reshape %23#2 : tensor<16xf32> -> tensor<16x1xf32>
    %25 = tile.full %cst_0 : tensor<16x1xf32>
    %26 = arith.cmpf ogt, %24, %25 : tensor<16x1xf32>
    %27 = tile.full %cst : tensor<16xf32>
    %28 = arith.divf %27, %23#2 : tensor<16xf32>
    %29 = tile.reshape %28 : tensor<16xf32> -> tensor<16x1xf32>
    %30 = tile.broadcast %29 : tensor<16x1xf32> -> tensor<16x16xf32>
    %31 = arith.mulf %23#0, %30 : tensor<16x16xf32>
    %32 = tile.full %cst_0 : tensor<16x16xf32>
    %33 = tile.broadcast %26 : tensor<16x1xi1> -> tensor<16x16xi1>
    %34 = arith.select %33, %31, %32 : tensor<16x16xi1>, tensor<16x16xf32>
    %35 = tile.cast %34 : tensor<16x16xf32> -> tensor<16x16xf16>
    %36 = tile.reshape %35 : tensor<16x16xf16> -> tensor<1x16x16xf16>
    tile.store %36, %arg3[%1, %0, %c0_i64] : tensor<1x16x16xf16>, !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    return
  }
}
