// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-lower-abi --cpu-lower-tile-access | FileCheck %s
// RUN: tegula-opt %s -split-input-file --cpu-lower-abi --cpu-lower-tile-access --remarks-filter=cpu-lower-tile-access --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Missed] loads | Category:cpu-lower-tile-access | Remark="this tile is copied before it is used: the kernel writes the array, its rows are strided, or the tile has padding"

// CHECK-LABEL: func private @a_tile_is_read_where_it_lies.program(
// CHECK:         %[[ARRAY:.*]] = memref.reinterpret_cast %{{.*}} to memref<?xf32, strided<[1]>>
// CHECK:         %[[SIZE:.*]] = memref.dim %[[ARRAY]]
// CHECK:         %[[POSITION:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK:         %[[STEP:.*]] = arith.constant 16 : index
// The index is compared before it is multiplied, so that no product wraps.
// CHECK:         %[[TILES:.*]] = arith.ceildivui %[[SIZE]], %[[STEP]]
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[POSITION]], %[[TILES]]
// CHECK:         %[[SAFE:.*]] = arith.select %[[INSIDE]], %[[POSITION]], %[[ZERO:.*]]
// CHECK:         %[[OFFSET:.*]] = arith.muli %[[SAFE]], %[[STEP]]
// CHECK:         %[[LEFT:.*]] = arith.subi %[[SIZE]], %[[OFFSET]]
// CHECK:         %[[WITHIN:.*]] = arith.minui %[[LEFT]], %[[STEP]]
// CHECK:         %[[VALID:.*]] = arith.select %[[INSIDE]], %[[WITHIN]], %[[ZERO]]
// CHECK:         %[[FULL:.*]] = arith.cmpi eq, %[[VALID]], %[[STEP]]
// CHECK:         %[[BUFFER:.*]] = scf.if %[[FULL]]
// CHECK:           %[[IN:.*]] = memref.subview %[[ARRAY]][%[[OFFSET]]] [16] [1]
// CHECK:           memref.cast %[[IN]]
// CHECK:         } else {
// CHECK:           %[[SCRATCH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
// CHECK:           linalg.fill ins(%{{.*}} : f32) outs(%[[SCRATCH]]
// CHECK:           %[[PART:.*]] = memref.subview %[[ARRAY]][%[[OFFSET]]] [%[[VALID]]] [1]
// CHECK:           %[[START:.*]] = memref.subview %[[SCRATCH]][0] [%[[VALID]]] [1]
// CHECK:           linalg.generic {{.*}} ins(%[[PART]] {{.*}} outs(%[[START]]
// CHECK:         }
// CHECK:         bufferization.to_tensor %[[BUFFER]] restrict
// CHECK-NOT:     tile.load
func.func @a_tile_is_read_where_it_lies(%a: !tile.view<?xf32, strides = [1]>) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] : !tile.view<?xf32, strides = [1]> -> tensor<16xf32>
  tile.print "{}" %t : tensor<16xf32>
  return
}

// -----

// The pad value is written only where the tile crosses the edge; without one it is zero.
// CHECK-LABEL: func private @outside_the_array_is_the_pad_value.program(
// CHECK-SAME:    %[[PAD:[^:]*]]: i32, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)
// CHECK:         linalg.fill ins(%[[PAD]] : i32)
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:         linalg.fill ins(%[[ZERO]] : i32)
func.func @outside_the_array_is_the_pad_value(%a: !tile.view<?xi32, strides = [1]>, %pad: i32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] pad %pad : !tile.view<?xi32, strides = [1]> -> tensor<16xi32>
  %u = tile.load %a[%i] : !tile.view<?xi32, strides = [1]> -> tensor<16xi32>
  tile.print "{} {}" %t, %u : tensor<16xi32>, tensor<16xi32>
  return
}

// -----

// CHECK-LABEL: func private @a_tile_is_whole_if_every_dimension_is.program(
// CHECK:         %[[ROWS:.*]] = arith.cmpi eq, %[[VALID_ROWS:.*]], %{{.*}} : index
// CHECK:         %[[COLUMNS:.*]] = arith.cmpi eq, %[[VALID_COLUMNS:.*]], %{{.*}} : index
// CHECK:         %[[FULL:.*]] = arith.andi %[[ROWS]], %[[COLUMNS]]
// CHECK:         scf.if %[[FULL]] -> (memref<4x8xf32, strided<[?, 1], offset: ?>>)
// CHECK:         memref.subview %{{.*}}[0, 0] [%[[VALID_ROWS]], %[[VALID_COLUMNS]]] [1, 1]
func.func @a_tile_is_whole_if_every_dimension_is(%a: !tile.view<?x?xf32, strides = [?, 1]>) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %a[%i, %i] : !tile.view<?x?xf32, strides = [?, 1]> -> tensor<4x8xf32>
  tile.print "{}" %t : tensor<4x8xf32>
  return
}

// -----

// CHECK-LABEL: func private @strided_rows_are_copied.program(
// CHECK:         %[[SCRATCH:.*]] = memref.alloc() {{.*}} : memref<16xf32>
// CHECK:         scf.if %[[FULL:.*]] {
// CHECK-NEXT:    } else {
// CHECK-NEXT:      linalg.fill {{.*}} outs(%[[SCRATCH]]
// CHECK-NEXT:    }
// CHECK:         linalg.generic
// CHECK:         bufferization.to_tensor %[[SCRATCH]]
func.func @strided_rows_are_copied(%a: !tile.view<?xf32>) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<16xf32>
  tile.print "{}" %t : tensor<16xf32>
  return
}

// -----

// A later write must not change what was loaded.
// CHECK-LABEL: func private @tiles_of_an_array_that_is_written_are_copied.program(
// CHECK:         %[[SCRATCH:.*]] = memref.alloc() {{.*}} : memref<16xf32>
// CHECK:         bufferization.to_tensor %[[SCRATCH]]
// CHECK-NOT:     scf.if {{.*}} -> (memref
// CHECK:         tile.scatter
func.func @tiles_of_an_array_that_is_written_are_copied(%a: !tile.view<?xf32, strides = [1]>, %x: f32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] : !tile.view<?xf32, strides = [1]> -> tensor<16xf32>
  tile.scatter %x, %a[%i] : f32, !tile.view<?xf32, strides = [1]>, i64
  tile.print "{}" %t : tensor<16xf32>
  return
}

// -----

// CHECK-LABEL: func private @tiles_of_an_array_that_overlaps_a_written_one_are_copied.program(
// CHECK:         %[[SCRATCH:.*]] = memref.alloc() {{.*}} : memref<16xf32>
// CHECK:         bufferization.to_tensor %[[SCRATCH]]
// CHECK-NOT:     scf.if {{.*}} -> (memref
// CHECK:         tile.scatter
func.func @tiles_of_an_array_that_overlaps_a_written_one_are_copied(
    %a: !tile.view<?xf32, strides = [1]>, %b: !tile.view<?xf32, strides = [1]>, %x: f32)
    attributes {tile.kernel, tile.may_alias = [[0, 1]]} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] : !tile.view<?xf32, strides = [1]> -> tensor<16xf32>
  tile.scatter %x, %b[%i] : f32, !tile.view<?xf32, strides = [1]>, i64
  tile.print "{}" %t : tensor<16xf32>
  return
}

// -----

// CHECK-LABEL: func private @a_bool_is_any_byte_but_zero.program(
// CHECK-SAME:    %[[PAD:[^:]*]]: i1,
// CHECK:         %[[BYTE:.*]] = arith.extui %[[PAD]] : i1 to i8
// CHECK:         linalg.fill ins(%[[BYTE]] : i8)
// CHECK:         %[[BYTES:.*]] = bufferization.to_tensor {{.*}} to tensor<16xi8>
// CHECK:         linalg.generic {{.*}} ins(%[[BYTES]] : tensor<16xi8>) outs(%{{.*}} : tensor<16xi1>)
// CHECK:           arith.cmpi ne, %{{.*}}, %{{.*}} : i8
func.func @a_bool_is_any_byte_but_zero(%a: !tile.view<?xi1, strides = [1]>, %pad: i1) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] pad %pad : !tile.view<?xi1, strides = [1]> -> tensor<16xi1>
  tile.print "{}" %t : tensor<16xi1>
  return
}

// -----

// The destination is chosen first: the array itself, or scratch of which the part inside is copied.
// CHECK-LABEL: func private @a_computed_tile_is_stored_where_it_is_made.program(
// CHECK:         bufferization.to_tensor
// CHECK:         %[[SCRATCH:.*]] = memref.alloc()
// CHECK:         %[[DESTINATION:.*]] = scf.if %[[FULL:.*]] -> (memref<16xf32, strided<[1], offset: ?>>) {
// CHECK:           memref.subview %{{.*}} [16] [1]
// CHECK:         } else {
// CHECK:           memref.cast %[[SCRATCH]]
// CHECK:         }
// CHECK:         %[[SUM:.*]] = arith.addf
// CHECK-NEXT:    bufferization.materialize_in_destination %[[SUM]] in restrict writable %[[DESTINATION]]
// CHECK-NEXT:    scf.if %[[FULL]] {
// CHECK-NEXT:    } else {
// CHECK:           %[[PART:.*]] = memref.subview %[[SCRATCH]][0] [%[[VALID:.*]]] [1]
// CHECK:           memref.subview %{{.*}} [%[[VALID]]] [1]
// CHECK:           linalg.generic {{.*}} ins(%[[PART]]
// CHECK:         }
func.func @a_computed_tile_is_stored_where_it_is_made(%a: !tile.view<?xf32, strides = [1]>, %c: !tile.view<?xf32, strides = [1]>)
    attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] : !tile.view<?xf32, strides = [1]> -> tensor<16xf32>
  %s = arith.addf %t, %t : tensor<16xf32>
  tile.store %s, %c[%i] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  return
}

// -----

// CHECK-LABEL: func private @a_tile_for_an_array_that_is_read_is_stored_from_scratch.program(
// CHECK:         %[[SUM:.*]] = arith.addf
// CHECK-NOT:     materialize_in_destination
// CHECK:         %[[VALUE:.*]] = bufferization.to_buffer %[[SUM]] read_only
// CHECK:         memref.subview %[[VALUE]][0] [%[[VALID:.*]]] [1]
// CHECK:         memref.subview %{{.*}} [%[[VALID]]] [1]
// CHECK:         linalg.generic
func.func @a_tile_for_an_array_that_is_read_is_stored_from_scratch(%a: !tile.view<?xf32, strides = [1]>) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] : !tile.view<?xf32, strides = [1]> -> tensor<16xf32>
  %s = arith.addf %t, %t : tensor<16xf32>
  tile.store %s, %a[%i] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  return
}

// -----

// Computed in place, the two could be written in either order.
// CHECK-LABEL: func private @two_stores_to_one_array_keep_their_order.program(
// CHECK-NOT:     materialize_in_destination
// CHECK:         bufferization.to_buffer
// CHECK:         bufferization.to_buffer
// CHECK-NOT:     materialize_in_destination
// CHECK:       func @two_stores_to_one_array_keep_their_order.entry(
func.func @two_stores_to_one_array_keep_their_order(%c: !tile.view<?xf32, strides = [1]>, %x: f32, %y: f32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.full %x : tensor<16xf32>
  %u = tile.full %y : tensor<16xf32>
  tile.store %t, %c[%i] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  tile.store %u, %c[%i] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  return
}

// -----

// CHECK-LABEL: func private @strided_rows_are_stored_from_scratch.program(
// CHECK-NOT:     materialize_in_destination
// CHECK:         bufferization.to_buffer
func.func @strided_rows_are_stored_from_scratch(%c: !tile.view<?xf32>, %x: f32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.full %x : tensor<16xf32>
  tile.store %t, %c[%i] : tensor<16xf32>, !tile.view<?xf32>
  return
}

// -----

// CHECK-LABEL: func private @a_tile_with_other_readers_is_stored_from_scratch.program(
// CHECK-NOT:     materialize_in_destination
// CHECK:         bufferization.to_buffer
func.func @a_tile_with_other_readers_is_stored_from_scratch(%c: !tile.view<?xf32, strides = [1]>, %x: f32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.full %x : tensor<16xf32>
  tile.store %t, %c[%i] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  tile.print "{}" %t : tensor<16xf32>
  return
}

// -----

// An accumulator stays contiguous while the loop runs.
// CHECK-LABEL: func private @what_a_loop_makes_is_stored_from_scratch.program(
// CHECK:         %[[SUM:.*]] = scf.for
// CHECK-NOT:     materialize_in_destination
// CHECK:         bufferization.to_buffer %[[SUM]]
func.func @what_a_loop_makes_is_stored_from_scratch(%c: !tile.view<?xf32, strides = [1]>, %x: f32, %n: i64, %one: i64)
    attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.full %x : tensor<16xf32>
  %s = scf.for %k = %i to %n step %one iter_args(%u = %t) -> (tensor<16xf32>) : i64 {
    %v = arith.addf %u, %t : tensor<16xf32>
    scf.yield %v : tensor<16xf32>
  }
  tile.store %s, %c[%i] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  return
}

// -----

// CHECK-LABEL: func private @products_are_stored_from_scratch.program(
// CHECK:         %[[PRODUCT:.*]] = tile.dot
// CHECK-NOT:     materialize_in_destination
// CHECK:         bufferization.to_buffer %[[PRODUCT]]
func.func @products_are_stored_from_scratch(%c: !tile.view<?x?xf32, strides = [?, 1]>, %x: f32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.full %x : tensor<8x8xf32>
  %s = tile.dot %t, %t, %t : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  tile.store %s, %c[%i, %i] : tensor<8x8xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  return
}

// -----

// One copy, from array to array.
// CHECK-LABEL: func private @a_loaded_tile_is_copied_once.program(
// CHECK:         %[[TILE:.*]] = bufferization.to_tensor
// CHECK-NOT:     materialize_in_destination
// CHECK:         bufferization.to_buffer %[[TILE]]
func.func @a_loaded_tile_is_copied_once(%a: !tile.view<?xf32, strides = [1]>, %c: !tile.view<?xf32, strides = [1]>)
    attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] : !tile.view<?xf32, strides = [1]> -> tensor<16xf32>
  tile.store %t, %c[%i] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  return
}

// -----

// To compute the value at the store would move the gather past the scatter.
// CHECK-LABEL: func private @a_gather_stays_before_a_later_write.program(
// CHECK:         %[[OLD:.*]] = tile.gather
// CHECK:         tile.scatter
// CHECK-NOT:     materialize_in_destination
// CHECK:         bufferization.to_buffer %[[OLD]]
func.func @a_gather_stays_before_a_later_write(%a: !tile.view<?xi32, strides = [1]>, %c: !tile.view<?xi32, strides = [1]>)
    attributes {tile.kernel} {
  %i = tile.program_id 0
  %k = tile.iota : tensor<4xi64>
  %one = arith.constant dense<1> : tensor<4xi32>
  %old = tile.gather %a[%k] : !tile.view<?xi32, strides = [1]>, tensor<4xi64> -> tensor<4xi32>
  tile.scatter %one, %a[%k] : tensor<4xi32>, !tile.view<?xi32, strides = [1]>, tensor<4xi64>
  tile.store %old, %c[%i] : tensor<4xi32>, !tile.view<?xi32, strides = [1]>
  return
}

// -----

// CHECK-LABEL: func private @a_gather_from_constant_data_is_stored_in_place.program(
// CHECK:         %[[VALUE:.*]] = tile.gather
// CHECK-NEXT:    bufferization.materialize_in_destination %[[VALUE]]
func.func @a_gather_from_constant_data_is_stored_in_place(%a: !tile.view<?xi32, strides = [1]>, %c: !tile.view<?xi32, strides = [1]>)
    attributes {tile.kernel} {
  %i = tile.program_id 0
  %k = tile.iota : tensor<4xi64>
  %v = tile.gather %a[%k] : !tile.view<?xi32, strides = [1]>, tensor<4xi64> -> tensor<4xi32>
  tile.store %v, %c[%i] : tensor<4xi32>, !tile.view<?xi32, strides = [1]>
  return
}

// -----

// CHECK-LABEL: func private @an_atomic_stays_where_it_is.program(
// CHECK:         %[[OLD:.*]] = tile.atomic_rmw <add>
// CHECK:         tile.atomic_rmw <max>
// CHECK-NOT:     materialize_in_destination
// CHECK:         bufferization.to_buffer %[[OLD]]
func.func @an_atomic_stays_where_it_is(%a: !tile.view<?xi32>, %c: !tile.view<?xi32, strides = [1]>) attributes {tile.kernel} {
  %i = tile.program_id 0
  %k = tile.iota : tensor<4xi64>
  %one = arith.constant dense<1> : tensor<4xi32>
  %old = tile.atomic_rmw <add> %one, %a[%k] : tensor<4xi32>, !tile.view<?xi32>, tensor<4xi64> -> tensor<4xi32>
  %more = tile.atomic_rmw <max> %one, %a[%k] : tensor<4xi32>, !tile.view<?xi32>, tensor<4xi64> -> tensor<4xi32>
  tile.store %old, %c[%i] : tensor<4xi32>, !tile.view<?xi32, strides = [1]>
  return
}

// -----

// CHECK-LABEL: func private @bools_are_stored_as_bytes.program(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<16xi8>)
// CHECK:           arith.extui %{{.*}} : i1 to i8
// CHECK:         bufferization.materialize_in_destination %{{.*}} : (tensor<16xi8>, memref<16xi8, strided<[1], offset: ?>>)
func.func @bools_are_stored_as_bytes(%c: !tile.view<?xi1, strides = [1]>, %x: i1) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.full %x : tensor<16xi1>
  tile.store %t, %c[%i] : tensor<16xi1>, !tile.view<?xi1, strides = [1]>
  return
}

// -----

// CHECK-LABEL: func private @sizes_and_strides_come_from_the_array.program(
// CHECK:         %[[ARRAY:.*]] = memref.reinterpret_cast %{{.*}} to memref<?x?xf32, strided<[?, ?]>>
// CHECK:         %[[SIZE:.*]] = memref.dim %[[ARRAY]]
// CHECK:         %[[N:.*]] = arith.index_cast %[[SIZE]] : index to i64
// CHECK:         %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[ARRAY]]
// CHECK:         %[[S:.*]] = arith.index_cast %[[STRIDES]]#1 : index to i64
// CHECK:         tile.print "{} {}" %[[N]], %[[S]]
func.func @sizes_and_strides_come_from_the_array(%a: !tile.view<?x?xf32>) attributes {tile.kernel} {
  %n = tile.dim %a, 0 : !tile.view<?x?xf32>
  %s = tile.stride %a, 1 : !tile.view<?x?xf32>
  tile.print "{} {}" %n, %s : i64, i64
  return
}

// -----

// One value stored twice: each store keeps a buffer of its own through CSE. Bufferization takes the value to be read where
// the buffer is, so a merged one could be overwritten before the second store.
// CHECK-LABEL: func private @each_store_has_a_buffer_of_its_own.program(
// CHECK:         bufferization.to_buffer %[[TILE:.*]] read_only {store = 0 : index}
// CHECK:         bufferization.to_buffer %[[TILE]] read_only {store = 1 : index}
func.func @each_store_has_a_buffer_of_its_own(%a: !tile.view<?xf32, strides = [1]>, %c: !tile.view<?xf32, strides = [1]>) attributes {tile.kernel} {
  %i = arith.constant 0 : i64
  %j = arith.constant 1 : i64
  %t = tile.load %a[%i] : !tile.view<?xf32, strides = [1]> -> tensor<16xf32>
  tile.store %t, %c[%i] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  tile.store %t, %c[%j] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  return
}

// -----

// Each store names its buffer, so that two of one value are never one buffer that the first store's place overwrites.
// CHECK-LABEL: func private @halves_of_one_tile_are_stored_apart.program(
// CHECK:         %[[LEFT:.*]], %[[RIGHT:.*]] = tile.split
// CHECK:         bufferization.to_buffer %[[LEFT]] read_only {store = 0 : index}
// CHECK:         bufferization.to_buffer %[[RIGHT]] read_only {store = 1 : index}
func.func @halves_of_one_tile_are_stored_apart(%c: !tile.view<?xf32, strides = [1]>, %d: !tile.view<?xf32, strides = [1]>, %x: f32)
    attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.full %x : tensor<16x2xf32>
  %l, %r = tile.split %t : tensor<16x2xf32> -> tensor<16xf32>
  tile.store %l, %c[%i] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  tile.store %r, %d[%i] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  return
}

// -----

// Work that is not elementwise starts from values that other operations may share.
// CHECK-LABEL: func private @results_of_scans_are_stored_from_scratch.program(
// CHECK:         %[[SCAN:.*]] = tile.scan
// CHECK-NOT:     materialize_in_destination
// CHECK:         bufferization.to_buffer %[[SCAN]]
func.func @results_of_scans_are_stored_from_scratch(%c: !tile.view<?xf32, strides = [1]>, %x: f32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.full %x : tensor<16xf32>
  %s = tile.scan <add> %t axis 0 : tensor<16xf32> -> tensor<16xf32>
  tile.store %s, %c[%i] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  return
}
