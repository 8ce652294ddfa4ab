// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cpu-lower-contractions
// RUN: not tegula-opt --cpu-lower-contractions=vector-bits=96 %s 2>&1 | FileCheck %s --check-prefix=VECTORBITS
// VECTORBITS: needs vector-bits to be a power of two from 128 on and at least 8 vector registers, not 96 and 16

func.func @a_dynamic_extent_cannot_be_blocked(%a: memref<?x4xf32>, %b: memref<4x8xf32>, %c: memref<?x8xf32>) {
  // expected-error @below {{'linalg.matmul' op is a contraction of dynamic shape 'memref<?x4xf32>'; its blocking needs static extents}}
  linalg.matmul ins(%a, %b : memref<?x4xf32>, memref<4x8xf32>) outs(%c : memref<?x8xf32>)
  return
}

// -----

func.func @tensors_must_be_bufferized_first(%a: tensor<4x4xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{'linalg.matmul' op is a contraction of 'tensor<4x4xf32>'; bufferize it before lowering it}}
  %d = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// -----

func.func @sums_in_f16_are_not_supported(%a: memref<4x4xf16>, %b: memref<4x8xf16>, %c: memref<4x8xf16>) {
  // expected-error @below {{'linalg.matmul' op contracts 'f16' into 'f16'; supported are f64 into f64; f32, f16, bf16, f8E4M3FN and f8E5M2 into f32; i8 into i32}}
  linalg.matmul ins(%a, %b : memref<4x4xf16>, memref<4x8xf16>) outs(%c : memref<4x8xf16>)
  return
}

// -----

func.func @a_layout_must_be_strided(%a: memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) {
  // expected-error @below {{'linalg.matmul' op is a contraction of 'memref<4x4xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>>', whose layout is not strided}}
  linalg.matmul ins(%a, %b : memref<4x4xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>, memref<4x8xf32>) outs(%c : memref<4x8xf32>)
  return
}

// -----

func.func @an_input_may_only_be_extended(%a: memref<4x4xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) {
  // expected-error @below {{'linalg.generic' op is a contraction whose body does more to input 0 than extend it to 'f32' and multiply}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x4xf32>, memref<4x8xf32>) outs(%c : memref<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %n = arith.negf %x : f32
    %p = arith.mulf %n, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @a_loop_must_belong_to_a_matrix_product(%a: memref<4x4xf32>, %b: memref<8xf32>, %c: memref<4x8xf32>) {
  // expected-error @below {{'linalg.generic' op is a contraction whose loop 2 is neither a batch, row, column nor inner dimension of a matrix product}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<4x4xf32>, memref<8xf32>) outs(%c : memref<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

func.func @extents_must_have_products(%a: memref<9223372036854775807x16xf32, strided<[?, 1], offset: ?>>, %x: memref<16xf32>, %y: memref<9223372036854775807xf32>) {
  // expected-error @below {{'linalg.matvec' op is a contraction of 'memref<9223372036854775807x16xf32, strided<[?, 1], offset: ?>>'; its extents must be below 2^31}}
  linalg.matvec ins(%a, %x : memref<9223372036854775807x16xf32, strided<[?, 1], offset: ?>>, memref<16xf32>) outs(%y : memref<9223372036854775807xf32>)
  return
}
