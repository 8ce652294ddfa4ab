// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes of 8 and 16 registers unless a prefix says otherwise: a register block of 6 x 2 vectors.
// RUN: tegula-opt %s -split-input-file --cpu-lower-contractions --canonicalize --cse | FileCheck %s
// RUN: tegula-opt %s -split-input-file --cpu-lower-contractions --canonicalize --cse --remarks-filter=cpu-lower-contractions --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: tegula-opt %s -split-input-file --cpu-lower-contractions="vector-bits=512 num-vector-registers=32" --canonicalize --cse | FileCheck %s --check-prefix=AVX512
// RUN: tegula-opt %s -split-input-file --cpu-lower-contractions="vector-bits=128 num-vector-registers=32" --canonicalize --cse | FileCheck %s --check-prefix=BITS128
// RUN: tegula-opt %s -split-input-file --cpu-lower-contractions="l1-bytes=4096 l2-bytes=16384" --canonicalize --cse | FileCheck %s --check-prefix=SMALLCACHE
// REMARK: remark: [Analysis] product | Category:cpu-lower-contractions | Remark="a product 2x16x8 in register blocks of 2x2 vectors and cache blocks of 2x16x8,

// CHECK-LABEL: func @compact_tiles_are_read_in_place(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<2x8xf32>, %[[B:[a-z0-9]+]]: memref<8x16xf32>, %[[C:[a-z0-9]+]]: memref<2x16xf32>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK-NOT:     memref.alloc
// CHECK:         %[[C00:.*]] = vector.load %[[C]][%[[C0]], %[[C0]]] : memref<2x16xf32>, vector<8xf32>
// CHECK-NEXT:    %[[C01:.*]] = vector.load %[[C]][%[[C0]], %[[C8]]]
// CHECK-NEXT:    %[[C10:.*]] = vector.load %[[C]][%[[C1]], %[[C0]]]
// CHECK-NEXT:    %[[C11:.*]] = vector.load %[[C]][%[[C1]], %[[C8]]]
// CHECK-NEXT:    %[[SUMS:.*]]:4 = scf.for %[[K:.*]] = %[[C0]] to %[[C8]] step %[[C1]] iter_args(%[[S00:.*]] = %[[C00]], %[[S01:.*]] = %[[C01]], %[[S10:.*]] = %[[C10]], %[[S11:.*]] = %[[C11]])
// CHECK-NEXT:      %[[B0:.*]] = vector.load %[[B]][%[[K]], %[[C0]]] : memref<8x16xf32>, vector<8xf32>
// CHECK-NEXT:      %[[B1:.*]] = vector.load %[[B]][%[[K]], %[[C8]]]
// CHECK-NEXT:      %[[A0:.*]] = memref.load %[[A]][%[[C0]], %[[K]]] : memref<2x8xf32>
// CHECK-NEXT:      %[[V0:.*]] = vector.broadcast %[[A0]] : f32 to vector<8xf32>
// CHECK-NEXT:      %[[T00:.*]] = vector.fma %[[V0]], %[[B0]], %[[S00]] : vector<8xf32>
// CHECK-NEXT:      %[[T01:.*]] = vector.fma %[[V0]], %[[B1]], %[[S01]]
// CHECK-NEXT:      %[[A1:.*]] = memref.load %[[A]][%[[C1]], %[[K]]]
// CHECK-NEXT:      %[[V1:.*]] = vector.broadcast %[[A1]]
// CHECK-NEXT:      %[[T10:.*]] = vector.fma %[[V1]], %[[B0]], %[[S10]]
// CHECK-NEXT:      %[[T11:.*]] = vector.fma %[[V1]], %[[B1]], %[[S11]]
// CHECK-NEXT:      scf.yield %[[T00]], %[[T01]], %[[T10]], %[[T11]]
// CHECK:         vector.store %[[SUMS]]#0, %[[C]][%[[C0]], %[[C0]]] : memref<2x16xf32>, vector<8xf32>
// CHECK-NEXT:    vector.store %[[SUMS]]#1, %[[C]][%[[C0]], %[[C8]]]
// CHECK-NEXT:    vector.store %[[SUMS]]#2, %[[C]][%[[C1]], %[[C0]]]
// CHECK-NEXT:    vector.store %[[SUMS]]#3, %[[C]][%[[C1]], %[[C8]]]
// CHECK-NEXT:    return
func.func @compact_tiles_are_read_in_place(%a: memref<2x8xf32>, %b: memref<8x16xf32>, %c: memref<2x16xf32>) {
  linalg.matmul ins(%a, %b : memref<2x8xf32>, memref<8x16xf32>) outs(%c : memref<2x16xf32>)
  return
}

// -----

// Rhs fits a cache of 32 kB whole: rows of lhs are packed just before they meet all its panels, and the next ones prefetched.
// A small cache holds one panel: lhs is packed whole, and each panel just before it meets all rows.
// CHECK-LABEL: func @the_operand_that_fits_l1_stays_there(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<24x64xf32, strided<[?, 1], offset: ?>>, %[[B:[a-z0-9]+]]: memref<64x32xf32, strided<[?, 1], offset: ?>>
// CHECK-DAG:     %[[ROWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6x64xf32>
// CHECK-DAG:     %[[PANELS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x64x16xf32>
// CHECK:         scf.for %[[K:.*]] = %c0 to %c64 step %c1
// CHECK-NEXT:      scf.for %[[N:.*]] = %c0 to %c32 step %c16
// CHECK:             vector.load %[[B]][%[[K]], %[[N]]]
// CHECK-NEXT:        vector.store %{{.*}}, %[[PANELS]][%{{.*}}, %[[K]], %c0]
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %c24 step %c6
// CHECK:             vector.load %[[A]]
// CHECK-NEXT:        vector.store %{{.*}}, %[[ROWS]]
// CHECK:           scf.for %{{.*}} = %c0 to %c32 step %c16
// CHECK:             memref.prefetch %[[A]][%{{.*}}, %{{.*}}], read, locality<2>, data
// CHECK:             scf.for %{{.*}} = %c0 to %c64 step %c1 iter_args
// CHECK-COUNT-12:      vector.fma

// SMALLCACHE-LABEL: func @the_operand_that_fits_l1_stays_there(
// SMALLCACHE-SAME:    %[[A:[a-z0-9]+]]: memref<24x64xf32, strided<[?, 1], offset: ?>>, %[[B:[a-z0-9]+]]: memref<64x32xf32, strided<[?, 1], offset: ?>>
// SMALLCACHE-DAG:     %[[ROWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<24x32xf32>
// SMALLCACHE-DAG:     %[[PANEL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x32x16xf32>
// SMALLCACHE:         scf.for %{{.*}} = %c0 to %c64 step %c32
// SMALLCACHE:           vector.store %{{.*}}, %[[ROWS]]
// SMALLCACHE:           scf.for %{{.*}} = %c0 to %c32 step %c16
// SMALLCACHE:             vector.store %{{.*}}, %[[PANEL]]
// SMALLCACHE:             scf.for %{{.*}} = %c0 to %c24 step %c6
// SMALLCACHE:               memref.prefetch %[[B]]
// SMALLCACHE:               scf.for %{{.*}} = %c0 to %c32 step %c1 iter_args
func.func @the_operand_that_fits_l1_stays_there(
    %a: memref<24x64xf32, strided<[?, 1], offset: ?>>, %b: memref<64x32xf32, strided<[?, 1], offset: ?>>,
    %c: memref<24x32xf32>) {
  linalg.matmul ins(%a, %b : memref<24x64xf32, strided<[?, 1], offset: ?>>, memref<64x32xf32, strided<[?, 1], offset: ?>>)
    outs(%c : memref<24x32xf32>)
  return
}

// -----

// AVX512-LABEL: func @blocks_are_as_even_as_the_rows_allow(
// AVX512:         scf.for %[[ROW:.*]] = %c0 to %c117 step %c13
// AVX512:           %{{.*}}:26 = scf.for
// AVX512-COUNT-26:    vector.fma %{{.*}} : vector<16xf32>
// AVX512:         %{{.*}}:22 = scf.for
// AVX512-COUNT-22:  vector.fma %{{.*}} : vector<16xf32>
func.func @blocks_are_as_even_as_the_rows_allow(%a: memref<128x32xf32>, %b: memref<32x32xf32>, %c: memref<128x32xf32>) {
  linalg.matmul ins(%a, %b : memref<128x32xf32>, memref<32x32xf32>) outs(%c : memref<128x32xf32>)
  return
}

// -----

// CHECK-LABEL: func @columns_past_the_edge_are_masked(
// CHECK-SAME:    %{{.*}}: memref<1x4xf32>, %[[B:[a-z0-9]+]]: memref<4x20xf32>, %[[C:[a-z0-9]+]]: memref<1x20xf32>)
// CHECK:         %[[LAST:.*]] = vector.constant_mask [4] : vector<8xi1>
// CHECK-NOT:     maskedload
// CHECK:         vector.load %[[C]][%c0, %c8]
// CHECK-NEXT:    vector.maskedload %[[C]][%c0, %c16], %[[LAST]], %{{.*}} : memref<1x20xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
// CHECK:         vector.maskedload %[[B]][%{{.*}}, %c16], %[[LAST]]
// CHECK:         vector.maskedstore %[[C]][%c0, %c16], %[[LAST]]
func.func @columns_past_the_edge_are_masked(%a: memref<1x4xf32>, %b: memref<4x20xf32>, %c: memref<1x20xf32>) {
  linalg.matmul ins(%a, %b : memref<1x4xf32>, memref<4x20xf32>) outs(%c : memref<1x20xf32>)
  return
}

// -----

// BITS128-LABEL: func @a_transposed_rhs_is_transposed_in_registers(
// BITS128-SAME:    %{{.*}}: memref<8x8xf32>, %[[B:[a-z0-9]+]]: memref<4x8xf32>
// BITS128:         %[[PANEL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x8x4xf32>
// BITS128-COUNT-4: vector.load %[[B]]{{.*}} : memref<4x8xf32>, vector<4xf32>
// BITS128-NEXT:    vector.shuffle %{{.*}}, %{{.*}} [0, 4, 2, 6] : vector<4xf32>, vector<4xf32>
// BITS128-NEXT:    vector.shuffle %{{.*}}, %{{.*}} [1, 5, 3, 7]
// BITS128-NEXT:    vector.shuffle %{{.*}}, %{{.*}} [0, 4, 2, 6]
// BITS128-NEXT:    vector.shuffle %{{.*}}, %{{.*}} [1, 5, 3, 7]
// BITS128-NEXT:    vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5]
// BITS128-NEXT:    vector.shuffle %{{.*}}, %{{.*}} [2, 3, 6, 7]
// BITS128-NEXT:    vector.shuffle %{{.*}}, %{{.*}} [0, 1, 4, 5]
// BITS128-NEXT:    vector.shuffle %{{.*}}, %{{.*}} [2, 3, 6, 7]
// BITS128-COUNT-4: vector.store %{{.*}}, %[[PANEL]]
func.func @a_transposed_rhs_is_transposed_in_registers(%a: memref<8x8xf32>, %b: memref<4x8xf32>, %c: memref<8x4xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<8x8xf32>, memref<4x8xf32>) outs(%c : memref<8x4xf32>)
  return
}

// -----

// CHECK-LABEL: func @a_transposed_lhs_is_packed_as_it_lies(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<8x16xf32, strided<[?, 1], offset: ?>>
// CHECK:         %[[PACKED:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
// CHECK:         scf.for %[[K:.*]] = %c0 to %c8
// CHECK-NEXT:      scf.for %[[M:.*]] = %c0 to %c16 step %c8
// CHECK-NEXT:        %[[V:.*]] = vector.load %[[A]][%[[K]], %[[M]]]
// CHECK-NEXT:        vector.store %[[V]], %[[PACKED]][%[[K]], %[[M]]]
func.func @a_transposed_lhs_is_packed_as_it_lies(%a: memref<8x16xf32, strided<[?, 1], offset: ?>>, %b: memref<8x8xf32>, %c: memref<16x8xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<8x16xf32, strided<[?, 1], offset: ?>>, memref<8x8xf32>) outs(%c : memref<16x8xf32>)
  return
}

// -----

// CHECK-LABEL: func @small_floats_become_f32_while_they_are_packed(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<6x8xf8E4M3FN>, %[[B:[a-z0-9]+]]: memref<8x16xbf16>
// CHECK:         %[[ROWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<6x16xf32>
// CHECK:         %[[V:.*]] = vector.load %[[A]]{{.*}} : memref<6x8xf8E4M3FN>, vector<8xf8E4M3FN>
// CHECK-NEXT:    %[[F:.*]] = arith.extf %[[V]] : vector<8xf8E4M3FN> to vector<8xf32>
// CHECK-NEXT:    vector.store %[[F]], %[[ROWS]]
// CHECK:         %[[W:.*]] = vector.load %[[B]]{{.*}} : memref<8x16xbf16>, vector<8xbf16>
// CHECK-NEXT:    arith.extf %[[W]] : vector<8xbf16> to vector<8xf32>
func.func @small_floats_become_f32_while_they_are_packed(%a: memref<6x8xf8E4M3FN>, %b: memref<8x16xbf16>, %c: memref<6x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<6x8xf8E4M3FN>, memref<8x16xbf16>) outs(%c : memref<6x16xf32>) {
  ^bb0(%x: f8E4M3FN, %y: bf16, %z: f32):
    %xf = arith.extf %x : f8E4M3FN to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %xf, %yf : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Narrow elements cannot be masked on every host.
// CHECK-LABEL: func @narrow_elements_past_a_whole_vector_are_packed_one_by_one(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<2x11xf16>
// CHECK:         scf.for %[[M:.*]] = %c0 to %c2 step %c1
// CHECK:           vector.load %[[A]][%[[M]], %c0] : memref<2x11xf16>, vector<8xf16>
// CHECK:         scf.for %[[M:.*]] = %c0 to %c2 step %c1
// CHECK-NEXT:      scf.for %[[K:.*]] = %c8 to %c11 step %c1
// CHECK-NEXT:        memref.load %[[A]][%[[M]], %[[K]]]
// CHECK-NOT:     maskedload
func.func @narrow_elements_past_a_whole_vector_are_packed_one_by_one(%a: memref<2x11xf16>, %b: memref<11x8xf16>, %c: memref<2x8xf32>) {
  linalg.matmul ins(%a, %b : memref<2x11xf16>, memref<11x8xf16>) outs(%c : memref<2x8xf32>)
  return
}

// -----

// CHECK-LABEL: func @bytes_are_summed_exactly_in_f32(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK:         scf.for %{{.*}} = %c0 to %c600 step %c200
// CHECK:         arith.uitofp %{{.*}} : vector<8xi8> to vector<8xf32>
// CHECK:         %[[SUM:[a-z0-9]+]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK:           arith.sitofp %{{.*}} : vector<8xi8> to vector<8xf32>
// CHECK:           vector.fma
// CHECK:         %[[OLD:.*]] = vector.load %{{.*}} : memref<1x8xi32>, vector<8xi32>
// CHECK-NEXT:    %[[INT:.*]] = arith.fptosi %[[SUM]] : vector<8xf32> to vector<8xi32>
// CHECK-NEXT:    %[[NEW:.*]] = arith.addi %[[OLD]], %[[INT]] : vector<8xi32>
// CHECK-NEXT:    vector.store %[[NEW]]
func.func @bytes_are_summed_exactly_in_f32(%a: memref<1x600xi8>, %b: memref<600x8xi8>, %c: memref<1x8xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<1x600xi8>, memref<600x8xi8>) outs(%c : memref<1x8xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %xi = arith.extui %x : i8 to i32
    %yi = arith.extsi %y : i8 to i32
    %p = arith.muli %xi, %yi : i32
    %s = arith.addi %z, %p : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// BITS128-LABEL: func @a_vector_meets_contiguous_rows_in_dot_products(
// BITS128-SAME:    %[[A:[a-z0-9]+]]: memref<12x16xf32, strided<[?, 1], offset: ?>>, %[[X:[a-z0-9]+]]: memref<16xf32>, %[[Y:[a-z0-9]+]]: memref<12xf32>)
// BITS128:         scf.for %[[N:.*]] = %c0 to %c12 step %c4
// BITS128:           scf.for %[[K:.*]] = %c0 to %c16 step %c4
// BITS128:             vector.load %{{.*}} : memref<1x16xf32{{.*}}>, vector<4xf32>
// BITS128-COUNT-4:     vector.fma
// BITS128-COUNT-8:   vector.shuffle
// BITS128-COUNT-4:   arith.addf %{{.*}} : vector<4xf32>
// BITS128:           vector.store
func.func @a_vector_meets_contiguous_rows_in_dot_products(%a: memref<12x16xf32, strided<[?, 1], offset: ?>>, %x: memref<16xf32>, %y: memref<12xf32>) {
  linalg.matvec ins(%a, %x : memref<12x16xf32, strided<[?, 1], offset: ?>>, memref<16xf32>) outs(%y : memref<12xf32>)
  return
}

// -----

// CHECK-LABEL: func @batches_are_loops_outside(
// CHECK:         scf.for %{{.*}} = %c0 to %c3 step %c1
// CHECK:           scf.for %{{.*}} iter_args
func.func @batches_are_loops_outside(%a: memref<3x2x4xf32>, %b: memref<3x4x8xf32>, %c: memref<3x2x8xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<3x2x4xf32>, memref<3x4x8xf32>) outs(%c : memref<3x2x8xf32>)
  return
}

// -----

// The transposed result has contiguous rows, so the operands change places.
// CHECK-LABEL: func @a_result_with_contiguous_columns_is_computed_transposed(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<8x2xf32>, %[[B:[a-z0-9]+]]: memref<2x2xf32>, %[[C:[a-z0-9]+]]: memref<2x8xf32>)
// CHECK:         vector.load %[[C]][%c0, %c0] : memref<2x8xf32>, vector<8xf32>
// CHECK:         memref.load %[[B]]
func.func @a_result_with_contiguous_columns_is_computed_transposed(%a: memref<8x2xf32>, %b: memref<2x2xf32>, %c: memref<2x8xf32>) {
  linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>]
    ins(%a, %b : memref<8x2xf32>, memref<2x2xf32>) outs(%c : memref<2x8xf32>)
  return
}

// -----

// CHECK-LABEL: func @a_result_without_a_contiguous_dimension_goes_through_scratch(
// CHECK-SAME:    %[[C:[a-z0-9]+]]: memref<4x8xf32, strided<[16, 2]>>)
// CHECK:         %[[SCRATCH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>
// CHECK:         %[[OLD:.*]] = memref.load %[[C]]
// CHECK-NEXT:    memref.store %[[OLD]], %[[SCRATCH]]
// CHECK:         scf.for %{{.*}} iter_args
// CHECK:         %[[NEW:.*]] = memref.load %[[SCRATCH]]
// CHECK-NEXT:    memref.store %[[NEW]], %[[C]]
func.func @a_result_without_a_contiguous_dimension_goes_through_scratch(%a: memref<4x4xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32, strided<[16, 2]>>) {
  linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x8xf32>) outs(%c : memref<4x8xf32, strided<[16, 2]>>)
  return
}

// -----

// CHECK-LABEL: func @an_empty_sum_leaves_the_result_as_it_is(
// CHECK-NEXT:    return
func.func @an_empty_sum_leaves_the_result_as_it_is(%a: memref<4x0xf32>, %b: memref<0x8xf32>, %c: memref<4x8xf32>) {
  linalg.matmul ins(%a, %b : memref<4x0xf32>, memref<0x8xf32>) outs(%c : memref<4x8xf32>)
  return
}

// -----

// CHECK-LABEL: func @other_operations_are_left_alone(
// CHECK:         linalg.generic
func.func @other_operations_are_left_alone(%a: memref<?x4xf32>, %c: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%a : memref<?x4xf32>) outs(%c : memref<?xf32>) {
  ^bb0(%x: f32, %z: f32):
    %s = arith.addf %z, %x : f32
    linalg.yield %s : f32
  }
  return
}
