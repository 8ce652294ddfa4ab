// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @attention.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @attention(%arg0: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tegula.compact, tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg1: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tegula.compact, tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg2: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tegula.compact, tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg3: !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> {tegula.compact, tile.size_div = array<i64: 1, 1, 16>, tile.stride_div = array<i64: 16, 16, 1>}, %arg4: f32) attributes {tile.kernel} {
    %cst = arith.constant 1.000000e+00 : f32
    %c1_i64 = arith.constant 1 : i64
    %c32_i64 = arith.constant 32 : i64
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
    %11 = tile.floordiv %3, %c32_i64 : i64
    %12 = tile.floormod %3, %c32_i64 : i64
    %13 = arith.cmpi ne, %12, %c0_i64 : i64
    %14 = tile.floordiv %3, %c32_i64 : i64
    %15 = tile.cast %13 from_unsigned : i1 -> i64
    %16 = arith.addi %14, %15 : i64
    %17:3 = scf.for %arg5 = %c0_i64 to %16 step %c1_i64 iter_args(%arg6 = %10, %arg7 = %8, %arg8 = %9) -> (tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>)  : i64 {
      %31 = tile.load %arg1[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %32 = tile.reshape %31 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %33 = tile.load %arg2[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %34 = tile.reshape %33 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %35 = tile.permute %32 [1, 0] : tensor<32x16xf16> -> tensor<16x32xf16>
      %36 = tile.full %cst_0 : tensor<16x32xf32>
      %37 = tile.dot %6, %35, %36 : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      %38 = arith.cmpi sge, %arg5, %11 : i64
      %39 = scf.if %38 -> (tensor<16x32xf32>) {
        %60 = tile.iota : tensor<32xi64>
        %61 = arith.muli %arg5, %c32_i64 : i64
        %62 = arith.subi %3, %61 : i64
        %63 = tile.full %62 : tensor<32xi64>
        %64 = arith.cmpi slt, %60, %63 : tensor<32xi64>
        %65 = tile.full %cst_1 : tensor<16x32xf32>
        %66 = tile.reshape %64 : tensor<32xi1> -> tensor<1x32xi1>
        %67 = tile.broadcast %66 : tensor<1x32xi1> -> tensor<16x32xi1>
        %68 = arith.select %67, %37, %65 : tensor<16x32xi1>, tensor<16x32xf32>
        scf.yield %68 : tensor<16x32xf32>
      } else {
        scf.yield %37 : tensor<16x32xf32>
      }
      %40 = tile.reduce <max> %39 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %41 = tile.full %7 : tensor<16xf32>
      %42 = arith.mulf %40, %41 : tensor<16xf32>
      %43 = arith.maximumf %arg7, %42 : tensor<16xf32>
      %44 = tile.reshape %43 : tensor<16xf32> -> tensor<16x1xf32>
      %45 = arith.negf %44 : tensor<16x1xf32>
      %46 = tile.full %7 : tensor<16x32xf32>
      %47 = tile.broadcast %45 : tensor<16x1xf32> -> tensor<16x32xf32>
      %48 = math.fma %39, %46, %47 : tensor<16x32xf32>
      %49 = math.exp2 %48 fastmath<afn> : tensor<16x32xf32>
      %50 = arith.subf %arg7, %43 : tensor<16xf32>
      %51 = math.exp2 %50 fastmath<afn> : tensor<16xf32>
      %52 = arith.mulf %arg8, %51 : tensor<16xf32>
      %53 = tile.reduce <add> %49 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %54 = arith.addf %52, %53 : tensor<16xf32>
      %55 = tile.cast %49 : tensor<16x32xf32> -> tensor<16x32xf16>
      %56 = tile.reshape %51 : tensor<16xf32> -> tensor<16x1xf32>
      %57 = tile.broadcast %56 : tensor<16x1xf32> -> tensor<16x16xf32>
      %58 = arith.mulf %arg6, %57 : tensor<16x16xf32>
      %59 = tile.dot %55, %34, %58 : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
      scf.yield %59, %43, %54 : tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>
    }
    %18 = tile.reshape %17#2 : tensor<16xf32> -> tensor<16x1xf32>
    %19 = tile.full %cst_0 : tensor<16x1xf32>
    %20 = arith.cmpf ogt, %18, %19 : tensor<16x1xf32>
    %21 = tile.full %cst : tensor<16xf32>
    %22 = arith.divf %21, %17#2 : tensor<16xf32>
    %23 = tile.reshape %22 : tensor<16xf32> -> tensor<16x1xf32>
    %24 = tile.broadcast %23 : tensor<16x1xf32> -> tensor<16x16xf32>
    %25 = arith.mulf %17#0, %24 : tensor<16x16xf32>
    %26 = tile.full %cst_0 : tensor<16x16xf32>
    %27 = tile.broadcast %20 : tensor<16x1xi1> -> tensor<16x16xi1>
    %28 = arith.select %27, %25, %26 : tensor<16x16xi1>, tensor<16x16xf32>
    %29 = tile.cast %28 : tensor<16x16xf32> -> tensor<16x16xf16>
    %30 = tile.reshape %29 : tensor<16x16xf16> -> tensor<1x16x16xf16>
    tile.store %30, %arg3[%1, %0, %c0_i64] : tensor<1x16x16xf16>, !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    return
  }
}
