// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written by tests/pipelines/regenerate.py.
// RUN: tegula-opt %s --tegula-cpu-pipeline \
// RUN:   | FileCheck %s --implicit-check-not='{{(^|[ "])(affine|arith|bufferization|builtin|cf|func|linalg|math|memref|scf|tensor|tile|vector)[.]}}'

// CHECK: llvm.func @layer_norm.entry(%{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)

module {
  func.func @layer_norm(%arg0: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %arg1: !tile.view<?xf32, strides = [1], align = 16>, %arg2: !tile.view<?xf32, strides = [1], align = 16>, %arg3: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %arg4: f32) attributes {tile.kernel, tile.may_alias = [[1, 2]]} {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %0 = tile.program_id 0
    %1 = tile.dim %arg0, 0 : !tile.view<?x?xf32, strides = [?, 1], align = 16>
    %2 = tile.dim %arg0, 1 : !tile.view<?x?xf32, strides = [?, 1], align = 16>
    %3 = tile.load %arg0[%0, %c0_i64] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<2x128xf32>
    %4 = tile.cast %2 : i64 -> f32
    %5 = tile.reduce <add> %3 axis 1 : tensor<2x128xf32> -> tensor<2xf32>
    %6 = tile.reshape %5 : tensor<2xf32> -> tensor<2x1xf32>
    %7 = tile.full %4 : tensor<2x1xf32>
    %8 = arith.divf %6, %7 : tensor<2x1xf32>
    %9 = tile.iota : tensor<128xi64>
    %10 = tile.full %2 : tensor<128xi64>
    %11 = arith.cmpi slt, %9, %10 : tensor<128xi64>
    %12 = tile.broadcast %8 : tensor<2x1xf32> -> tensor<2x128xf32>
    %13 = arith.subf %3, %12 : tensor<2x128xf32>
    %14 = tile.full %cst_0 : tensor<2x128xf32>
    %15 = tile.reshape %11 : tensor<128xi1> -> tensor<1x128xi1>
    %16 = tile.broadcast %15 : tensor<1x128xi1> -> tensor<2x128xi1>
    %17 = arith.select %16, %13, %14 : tensor<2x128xi1>, tensor<2x128xf32>
    %18 = arith.mulf %17, %17 : tensor<2x128xf32>
    %19 = tile.reduce <add> %18 axis 1 : tensor<2x128xf32> -> tensor<2xf32>
    %20 = tile.reshape %19 : tensor<2xf32> -> tensor<2x1xf32>
    %21 = tile.full %4 : tensor<2x1xf32>
    %22 = arith.divf %20, %21 : tensor<2x1xf32>
    %23 = tile.full %arg4 : tensor<2x1xf32>
    %24 = arith.addf %22, %23 : tensor<2x1xf32>
    %25 = math.sqrt %24 : tensor<2x1xf32>
    %26 = tile.full %cst : tensor<2x1xf32>
    %27 = arith.divf %26, %25 : tensor<2x1xf32>
    %28 = tile.broadcast %27 : tensor<2x1xf32> -> tensor<2x128xf32>
    %29 = arith.mulf %17, %28 : tensor<2x128xf32>
    %30 = tile.load %arg1[%c0_i64] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<128xf32>
    %31 = tile.reshape %30 : tensor<128xf32> -> tensor<1x128xf32>
    %32 = tile.broadcast %31 : tensor<1x128xf32> -> tensor<2x128xf32>
    %33 = arith.mulf %29, %32 : tensor<2x128xf32>
    %34 = tile.load %arg2[%c0_i64] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<128xf32>
    %35 = tile.reshape %34 : tensor<128xf32> -> tensor<1x128xf32>
    %36 = tile.broadcast %35 : tensor<1x128xf32> -> tensor<2x128xf32>
    %37 = arith.addf %33, %36 : tensor<2x128xf32>
    tile.store %37, %arg3[%0, %c0_i64] : tensor<2x128xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}
