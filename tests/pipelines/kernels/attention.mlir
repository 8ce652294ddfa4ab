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
      %29 = tile.load %arg1[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %30 = tile.reshape %29 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %31 = tile.load %arg2[%1, %arg5, %c0_i64] : !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16> -> tensor<1x32x16xf16>
      %32 = tile.reshape %31 : tensor<1x32x16xf16> -> tensor<32x16xf16>
      %33 = tile.permute %30 [1, 0] : tensor<32x16xf16> -> tensor<16x32xf16>
      %34 = tile.full %cst_0 : tensor<16x32xf32>
      %35 = tile.dot %6, %33, %34 : tensor<16x16xf16>, tensor<16x32xf16>, tensor<16x32xf32>
      %36 = arith.cmpi sge, %arg5, %11 : i64
      %37 = scf.if %36 -> (tensor<16x32xf32>) {
        %58 = tile.iota : tensor<32xi64>
        %59 = arith.muli %arg5, %c32_i64 : i64
        %60 = arith.subi %3, %59 : i64
        %61 = tile.full %60 : tensor<32xi64>
        %62 = arith.cmpi slt, %58, %61 : tensor<32xi64>
        %63 = tile.full %cst_1 : tensor<16x32xf32>
        %64 = tile.reshape %62 : tensor<32xi1> -> tensor<1x32xi1>
        %65 = tile.broadcast %64 : tensor<1x32xi1> -> tensor<16x32xi1>
        %66 = arith.select %65, %35, %63 : tensor<16x32xi1>, tensor<16x32xf32>
        scf.yield %66 : tensor<16x32xf32>
      } else {
        scf.yield %35 : tensor<16x32xf32>
      }
      %38 = tile.reduce <max> %37 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %39 = tile.full %7 : tensor<16xf32>
      %40 = arith.mulf %38, %39 : tensor<16xf32>
      %41 = arith.maximumf %arg7, %40 : tensor<16xf32>
      %42 = tile.reshape %41 : tensor<16xf32> -> tensor<16x1xf32>
      %43 = arith.negf %42 : tensor<16x1xf32>
      %44 = tile.full %7 : tensor<16x32xf32>
      %45 = tile.broadcast %43 : tensor<16x1xf32> -> tensor<16x32xf32>
      %46 = math.fma %37, %44, %45 : tensor<16x32xf32>
      %47 = math.exp2 %46 fastmath<afn> : tensor<16x32xf32>
      %48 = arith.subf %arg7, %41 : tensor<16xf32>
      %49 = math.exp2 %48 fastmath<afn> : tensor<16xf32>
      %50 = arith.mulf %arg8, %49 : tensor<16xf32>
      %51 = tile.reduce <add> %47 axis 1 : tensor<16x32xf32> -> tensor<16xf32>
      %52 = arith.addf %50, %51 : tensor<16xf32>
      %53 = tile.cast %47 : tensor<16x32xf32> -> tensor<16x32xf16>
      %54 = tile.reshape %49 : tensor<16xf32> -> tensor<16x1xf32>
      %55 = tile.broadcast %54 : tensor<16x1xf32> -> tensor<16x16xf32>
      %56 = arith.mulf %arg6, %55 : tensor<16x16xf32>
      %57 = tile.dot %53, %32, %56 : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
      scf.yield %57, %41, %52 : tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>
    }
    %18 = tile.full %cst_0 : tensor<16xf32>
    %19 = arith.cmpf ogt, %17#2, %18 : tensor<16xf32>
    %20 = tile.full %cst : tensor<16xf32>
    %21 = arith.divf %20, %17#2 : tensor<16xf32>
    %22 = tile.full %cst_0 : tensor<16xf32>
    %23 = arith.select %19, %21, %22 : tensor<16xi1>, tensor<16xf32>
    %24 = tile.reshape %23 : tensor<16xf32> -> tensor<16x1xf32>
    %25 = tile.broadcast %24 : tensor<16x1xf32> -> tensor<16x16xf32>
    %26 = arith.mulf %17#0, %25 : tensor<16x16xf32>
    %27 = tile.cast %26 : tensor<16x16xf32> -> tensor<16x16xf16>
    %28 = tile.reshape %27 : tensor<16x16xf16> -> tensor<1x16x16xf16>
    tile.store %28, %arg3[%1, %0, %c0_i64] : tensor<1x16x16xf16>, !tile.view<?x?x?xf16, strides = [?, ?, 1], align = 16>
    return
  }
}
