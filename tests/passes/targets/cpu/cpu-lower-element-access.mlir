// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-lower-abi --cpu-lower-element-access | FileCheck %s

// CHECK-LABEL: func private @a_single_element_is_read_if_it_is_inside.program(
// CHECK-SAME:    %[[I:[^:]*]]: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)
// CHECK:         %[[ARRAY:.*]] = memref.reinterpret_cast
// CHECK:         %[[PAD:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[INDEX:.*]] = arith.index_cast %[[I]] : i64 to index
// CHECK:         %[[SIZE:.*]] = memref.dim %[[ARRAY]]
// Unsigned, so that negative indices are outside too.
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[INDEX]], %[[SIZE]]
// CHECK:         scf.if %[[INSIDE]] -> (f32) {
// CHECK-NEXT:      %[[VALUE:.*]] = memref.load %[[ARRAY]][%[[INDEX]]]
// CHECK-NEXT:      scf.yield %[[VALUE]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[PAD]]
// CHECK-NOT:     tile.view
func.func @a_single_element_is_read_if_it_is_inside(%a: !tile.view<?xf32>) attributes {tile.kernel} {
  %i = tile.program_id 0
  %v = tile.gather %a[%i] : !tile.view<?xf32>, i64 -> f32
  tile.print "{}" %v : f32
  return
}

// -----

// A generic, which fuses with what reads the tile.
// CHECK-LABEL: func private @a_gather_from_constant_data_is_elementwise.program(
// CHECK-SAME:    %[[PAD:[^:]*]]: f32,
// CHECK:         %[[ARRAY:.*]] = memref.reinterpret_cast
// CHECK:         %[[K:.*]] = tile.iota
// CHECK:         %[[MASK:.*]] = arith.cmpi
// CHECK:         linalg.generic {{.*}} ins(%[[K]], %[[K]], %[[MASK]] :
// CHECK:         ^bb0(%[[ROW:.*]]: i64, %[[COLUMN:.*]]: i64, %[[ON:.*]]: i1, %{{.*}}: f32):
// CHECK:           %[[R:.*]] = arith.index_cast %[[ROW]]
// CHECK:           %[[ROW_INSIDE:.*]] = arith.cmpi ult, %[[R]]
// CHECK:           %[[FIRST:.*]] = arith.andi %[[ON]], %[[ROW_INSIDE]]
// CHECK:           %[[C:.*]] = arith.index_cast %[[COLUMN]]
// CHECK:           %[[COLUMN_INSIDE:.*]] = arith.cmpi ult, %[[C]]
// CHECK:           %[[ACTIVE:.*]] = arith.andi %[[FIRST]], %[[COLUMN_INSIDE]]
// CHECK:           scf.if %[[ACTIVE]] -> (f32) {
// CHECK:             memref.load %[[ARRAY]][%[[R]], %[[C]]]
// CHECK:           } else {
// CHECK:             scf.yield %[[PAD]]
func.func @a_gather_from_constant_data_is_elementwise(%a: !tile.view<?x?xf32>, %pad: f32) attributes {tile.kernel} {
  %k = tile.iota : tensor<8xi64>
  %two = arith.constant dense<2> : tensor<8xi64>
  %m = arith.cmpi sgt, %k, %two : tensor<8xi64>
  %v = tile.gather %a[%k, %k] mask %m pad %pad : !tile.view<?x?xf32>, tensor<8xi64>, tensor<8xi1> -> tensor<8xf32>
  tile.print "{}" %v : tensor<8xf32>
  return
}

// -----

// Elements are read at once, not where the tile is used.
// CHECK-LABEL: func private @a_gather_from_an_array_that_is_written_happens_in_order.program(
// CHECK:         %[[ARRAY:.*]] = memref.reinterpret_cast
// CHECK:         %[[VALUES:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK:         scf.for %[[AT:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           %[[I:.*]] = tensor.extract %{{.*}}[%[[AT]]]
// CHECK:           %[[ELEMENT:.*]] = scf.if
// CHECK:             memref.load %[[ARRAY]]
// CHECK:           memref.store %[[ELEMENT]], %[[VALUES]][%[[AT]]]
// CHECK:         bufferization.to_tensor %[[VALUES]] restrict writable
// CHECK:         memref.store %{{.*}}, %[[ARRAY]]
func.func @a_gather_from_an_array_that_is_written_happens_in_order(%a: !tile.view<?xf32>, %x: f32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %k = tile.iota : tensor<8xi64>
  %v = tile.gather %a[%k] : !tile.view<?xf32>, tensor<8xi64> -> tensor<8xf32>
  tile.scatter %x, %a[%i] : f32, !tile.view<?xf32>, i64
  tile.print "{}" %v : tensor<8xf32>
  return
}

// -----

// Row-major order: the last of several lanes that name one element wins.
// CHECK-LABEL: func private @a_scatter_walks_its_lanes_in_order.program(
// CHECK:         %[[ARRAY:.*]] = memref.reinterpret_cast
// CHECK:         %[[K:.*]] = tile.iota
// CHECK:         %[[KK:.*]] = tile.reshape %[[K]]
// CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           scf.for %[[COLUMN:.*]] = %{{.*}} to %{{.*}} step
// CHECK:             tensor.extract %[[KK]][%[[ROW]], %[[COLUMN]]]
// CHECK:             %[[VALUE:.*]] = tensor.extract %{{.*}}[%[[ROW]], %[[COLUMN]]]
// CHECK:             %[[INSIDE:.*]] = arith.cmpi ult
// CHECK:             scf.if %[[INSIDE]] {
// CHECK:               memref.store %[[VALUE]], %[[ARRAY]]
// CHECK-NOT:         else
func.func @a_scatter_walks_its_lanes_in_order(%a: !tile.view<?xf32>, %x: f32) attributes {tile.kernel} {
  %k = tile.iota : tensor<8xi64>
  %kk = tile.reshape %k : tensor<8xi64> -> tensor<2x4xi64>
  %v = tile.full %x : tensor<2x4xf32>
  tile.scatter %v, %a[%kk] : tensor<2x4xf32>, !tile.view<?xf32>, tensor<2x4xi64>
  return
}

// -----

// CHECK-LABEL: func private @a_masked_scatter_touches_only_what_the_mask_allows.program(
// CHECK-SAME:    %[[ON:[^:]*]]: i1,
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult
// CHECK:         %[[ACTIVE:.*]] = arith.andi %[[ON]], %[[INSIDE]]
// CHECK:         scf.if %[[ACTIVE]]
// CHECK:           memref.store
func.func @a_masked_scatter_touches_only_what_the_mask_allows(%a: !tile.view<?xf32>, %on: i1, %x: f32) attributes {tile.kernel} {
  %i = tile.program_id 0
  tile.scatter %x, %a[%i] mask %on : f32, !tile.view<?xf32>, i64, i1
  return
}

// -----

// CHECK-LABEL: func private @bools_move_as_bytes.program(
// CHECK:         %[[BYTE:.*]] = memref.load %{{.*}} : memref<?xi8, strided<[?]>>
// CHECK:         %[[BOOL:.*]] = arith.cmpi ne, %[[BYTE]], %{{.*}} : i8
// CHECK:         scf.yield %[[BOOL]] : i1
// CHECK:         %[[STORED:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK:         memref.store %[[STORED]], %{{.*}} : memref<?xi8, strided<[?]>>
func.func @bools_move_as_bytes(%a: !tile.view<?xi1>, %b: !tile.view<?xi1>) attributes {tile.kernel} {
  %i = tile.program_id 0
  %v = tile.gather %a[%i] : !tile.view<?xi1>, i64 -> i1
  tile.scatter %v, %b[%i] : i1, !tile.view<?xi1>, i64
  return
}

// -----

// CHECK-LABEL: func private @an_atomic_on_integers_is_one_instruction.program(
// CHECK-SAME:    %[[N:[^:]*]]: i32,
// CHECK:         %[[OLD:.*]] = scf.if
// CHECK:           %[[POINTER:.*]] = llvm.inttoptr
// CHECK-NEXT:      %[[BEFORE:.*]] = llvm.atomicrmw add %[[POINTER]], %[[N]] acq_rel
// CHECK-NEXT:      scf.yield %[[BEFORE]]
// CHECK:         llvm.atomicrmw max
// CHECK:         llvm.atomicrmw umin
// CHECK:         llvm.atomicrmw _xor
// CHECK:         llvm.atomicrmw xchg
func.func @an_atomic_on_integers_is_one_instruction(%a: !tile.view<?xi32>, %n: i32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %0 = tile.atomic_rmw <add> %n, %a[%i] : i32, !tile.view<?xi32>, i64 -> i32
  %1 = tile.atomic_rmw <max> %0, %a[%i] : i32, !tile.view<?xi32>, i64 -> i32
  %2 = tile.atomic_rmw <umin> %1, %a[%i] : i32, !tile.view<?xi32>, i64 -> i32
  %3 = tile.atomic_rmw <xor> %2, %a[%i] : i32, !tile.view<?xi32>, i64 -> i32
  %4 = tile.atomic_rmw <xchg> %3, %a[%i] : i32, !tile.view<?xi32>, i64 -> i32
  return
}

// -----

// CHECK-LABEL: func private @the_address_of_an_atomic_counts_strides_in_bytes.program(
// CHECK:         %[[ARRAY:.*]] = memref.reinterpret_cast
// CHECK:         %{{.*}}, %[[OFFSET:.*]], %{{.*}}, %[[STRIDES:.*]] = memref.extract_strided_metadata %[[ARRAY]]
// CHECK:         %[[STEP:.*]] = arith.muli %{{.*}}, %[[STRIDES]]
// CHECK:         %[[ELEMENTS:.*]] = arith.addi %[[OFFSET]], %[[STEP]]
// CHECK:         %[[BASE:.*]] = memref.extract_aligned_pointer_as_index %[[ARRAY]]
// CHECK:         %[[BYTES:.*]] = arith.muli %[[ELEMENTS]], %[[WIDTH:.*]]
// CHECK:         %[[ADDRESS:.*]] = arith.addi %[[BASE]], %[[BYTES]]
func.func @the_address_of_an_atomic_counts_strides_in_bytes(%a: !tile.view<?xi64>, %n: i64) attributes {tile.kernel} {
  %i = tile.program_id 0
  %0 = tile.atomic_rmw <add> %n, %a[%i] : i64, !tile.view<?xi64>, i64 -> i64
  return
}

// -----

// NaN in max and 16-bit floats have no instruction everywhere: the bits are compared and swapped until nobody interferes.
// CHECK-LABEL: func private @an_atomic_on_floats_swaps_bits.program(
// CHECK-SAME:    %[[X:[^:]*]]: f16,
// CHECK:         %[[POINTER:.*]] = llvm.inttoptr
// CHECK:         %[[START:.*]] = llvm.load %[[POINTER]] atomic monotonic {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK:         %[[LAST:.*]] = scf.while (%[[BITS:.*]] = %[[START]])
// CHECK:           %[[OLD:.*]] = arith.bitcast %[[BITS]] : i16 to f16
// CHECK:           %[[NEW:.*]] = arith.maximumf %[[OLD]], %[[X]] : f16
// CHECK:           %[[NEW_BITS:.*]] = arith.bitcast %[[NEW]] : f16 to i16
// CHECK:           %[[SWAP:.*]] = llvm.cmpxchg %[[POINTER]], %[[BITS]], %[[NEW_BITS]] acq_rel acquire
// CHECK:           %[[SEEN:.*]] = llvm.extractvalue %[[SWAP]][0]
// CHECK:           %[[DONE:.*]] = llvm.extractvalue %[[SWAP]][1]
// CHECK:           %[[AGAIN:.*]] = arith.xori %[[DONE]]
// CHECK:           scf.condition(%[[AGAIN]]) %[[SEEN]]
// CHECK:         arith.bitcast %[[LAST]] : i16 to f16
func.func @an_atomic_on_floats_swaps_bits(%a: !tile.view<?xf16>, %x: f16) attributes {tile.kernel} {
  %i = tile.program_id 0
  %0 = tile.atomic_rmw <max> %x, %a[%i] : f16, !tile.view<?xf16>, i64 -> f16
  return
}

// -----

// CHECK-LABEL: func private @floats_are_added_and_exchanged_alike.program(
// CHECK-SAME:    %[[X:[^:]*]]: f32,
// CHECK:         scf.while
// CHECK:           arith.addf %{{.*}}, %[[X]] : f32
// CHECK:         scf.while
// CHECK:           arith.minimumf %{{.*}}, %[[X]] : f32
// CHECK:         scf.while
// CHECK:           arith.bitcast %[[X]] : f32 to i32
func.func @floats_are_added_and_exchanged_alike(%a: !tile.view<?xf32>, %x: f32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %0 = tile.atomic_rmw <add> %x, %a[%i] : f32, !tile.view<?xf32>, i64 -> f32
  %1 = tile.atomic_rmw <min> %x, %a[%i] : f32, !tile.view<?xf32>, i64 -> f32
  %2 = tile.atomic_rmw <xchg> %x, %a[%i] : f32, !tile.view<?xf32>, i64 -> f32
  return
}

// -----

// CHECK-LABEL: func private @an_atomic_on_bools_is_one_on_bytes.program(
// CHECK:         %[[BYTE:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK:         %[[OLD:.*]] = llvm.atomicrmw _or %{{.*}}, %[[BYTE]] acq_rel
// CHECK:         arith.cmpi ne, %[[OLD]]
// CHECK:         llvm.atomicrmw umax
// CHECK:         llvm.atomicrmw umin
// CHECK:         llvm.atomicrmw xchg
func.func @an_atomic_on_bools_is_one_on_bytes(%a: !tile.view<?xi1>, %x: i1) attributes {tile.kernel} {
  %i = tile.program_id 0
  %0 = tile.atomic_rmw <or> %x, %a[%i] : i1, !tile.view<?xi1>, i64 -> i1
  %1 = tile.atomic_rmw <umax> %x, %a[%i] : i1, !tile.view<?xi1>, i64 -> i1
  %2 = tile.atomic_rmw <umin> %x, %a[%i] : i1, !tile.view<?xi1>, i64 -> i1
  %3 = tile.atomic_rmw <xchg> %x, %a[%i] : i1, !tile.view<?xi1>, i64 -> i1
  return
}

// -----

// CHECK-LABEL: func private @compare_and_swap_compares_bits.program(
// CHECK-SAME:    %[[OLD:[^:]*]]: f64, %[[NEW:[^:]*]]: f64,
// CHECK-DAG:     %[[OLD_BITS:.*]] = arith.bitcast %[[OLD]] : f64 to i64
// CHECK-DAG:     %[[NEW_BITS:.*]] = arith.bitcast %[[NEW]] : f64 to i64
// CHECK:         %[[SWAP:.*]] = llvm.cmpxchg %{{.*}}, %[[OLD_BITS]], %[[NEW_BITS]] acq_rel acquire
// CHECK:         %[[SEEN:.*]] = llvm.extractvalue %[[SWAP]][0]
// CHECK:         arith.bitcast %[[SEEN]] : i64 to f64
func.func @compare_and_swap_compares_bits(%a: !tile.view<?xf64>, %old: f64, %new: f64) attributes {tile.kernel} {
  %i = tile.program_id 0
  %0 = tile.atomic_cas %old, %new, %a[%i] : f64, !tile.view<?xf64>, i64 -> f64
  return
}

// -----

// CHECK-LABEL: func private @previous_values_are_collected_if_they_are_used.program(
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<8xi32>
// CHECK:         %[[VALUES:.*]] = scf.for %[[AT:.*]] = {{.*}} iter_args(%[[SO_FAR:.*]] = %[[EMPTY]])
// CHECK:           %[[OLD:.*]] = scf.if
// Atomics of a tile order nothing but their elements.
// CHECK:             llvm.atomicrmw add {{.*}} monotonic
// CHECK:           %[[NEXT:.*]] = tensor.insert %[[OLD]] into %[[SO_FAR]][%[[AT]]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         } {tegula.in_place}
// CHECK:         tile.print "{}" %[[VALUES]]
func.func @previous_values_are_collected_if_they_are_used(%a: !tile.view<?xi32>) attributes {tile.kernel} {
  %k = tile.iota : tensor<8xi64>
  %one = arith.constant dense<1> : tensor<8xi32>
  %old = tile.atomic_rmw <add> %one, %a[%k] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  tile.print "{}" %old : tensor<8xi32>
  return
}

// -----

// CHECK-LABEL: func private @previous_values_that_nobody_reads_are_not_kept.program(
// CHECK-NOT:     tensor.empty
// CHECK:         scf.for
// CHECK-NOT:       iter_args
// CHECK:           llvm.atomicrmw add
// CHECK-NOT:       tensor.insert
func.func @previous_values_that_nobody_reads_are_not_kept(%a: !tile.view<?xi32>) attributes {tile.kernel} {
  %k = tile.iota : tensor<8xi64>
  %one = arith.constant dense<1> : tensor<8xi32>
  %old = tile.atomic_rmw <add> %one, %a[%k] : tensor<8xi32>, !tile.view<?xi32>, tensor<8xi64> -> tensor<8xi32>
  return
}

// -----

// CHECK-LABEL: func private @views_that_tile_accesses_still_need_stay.program(
// CHECK-COUNT-1: builtin.unrealized_conversion_cast %{{.*}} to !tile.view
// CHECK-NOT:     to !tile.view
// CHECK:         tile.load
func.func @views_that_tile_accesses_still_need_stay(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32>
  tile.print "{}" %t : tensor<4xf32>
  return
}
