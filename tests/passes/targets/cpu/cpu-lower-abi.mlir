// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-lower-abi | FileCheck %s

// The program's arguments, then its position, the sizes of the grid and the launch context.
// CHECK-LABEL: func.func private @a_kernel_becomes_a_program_and_an_entry.program(
// CHECK-SAME:    %{{[^:]*}}: i32, %[[X:[^:]*]]: i64, %[[Y:[^:]*]]: i64, %[[Z:[^:]*]]: i64, %[[GX:[^:]*]]: i64, %[[GY:[^:]*]]: i64, %[[GZ:[^:]*]]: i64, %[[CTX:[^:]*]]: !llvm.ptr)
// CHECK-SAME:    attributes {tegula.program}
// CHECK-LABEL: func.func @a_kernel_becomes_a_program_and_an_entry.entry(
// CHECK-SAME:    %[[SLOTS:[^:]*]]: !llvm.ptr, %[[BEGIN:[^:]*]]: i64, %[[END:[^:]*]]: i64, %[[GX:[^:]*]]: i64, %[[GY:[^:]*]]: i64, %[[GZ:[^:]*]]: i64, %[[CTX:[^:]*]]: !llvm.ptr)
// CHECK-SAME:    attributes {tegula.entry}
// CHECK:       %[[SLOT:.*]] = llvm.getelementptr %[[SLOTS]][0] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK:       %[[N:.*]] = llvm.load %[[SLOT]] : !llvm.ptr -> i32
// CHECK:       scf.for %[[P:.*]] = %[[BEGIN]] to %[[END]]
// CHECK:         %[[REST:.*]] = arith.divui %[[P]], %[[GX]]
// CHECK:         %[[X:.*]] = arith.remui %[[P]], %[[GX]]
// CHECK:         %[[Y:.*]] = arith.remui %[[REST]], %[[GY]]
// CHECK:         %[[Z:.*]] = arith.divui %[[REST]], %[[GY]]
// CHECK:         call @a_kernel_becomes_a_program_and_an_entry.program(%[[N]], %[[X]], %[[Y]], %[[Z]], %[[GX]], %[[GY]], %[[GZ]], %[[CTX]])
func.func @a_kernel_becomes_a_program_and_an_entry(%n: i32) attributes {tile.kernel} {
  return
}

// -----

// CHECK-LABEL: func.func private @the_position_comes_from_the_arguments.program(
// CHECK-SAME:    %[[X:[^:]*]]: i64, %{{[^:]*}}: i64, %[[Z:[^:]*]]: i64, %{{[^:]*}}: i64, %[[GY:[^:]*]]: i64, %{{[^:]*}}: i64, %{{[^:]*}}: !llvm.ptr)
// CHECK:         %[[SUM:.*]] = arith.addi %[[X]], %[[Z]]
// CHECK:         %[[TOTAL:.*]] = arith.addi %[[SUM]], %[[GY]]
// CHECK:         arith.cmpi slt, %[[TOTAL]], %[[TOTAL]]
// CHECK-NOT:     tile.program_id
// CHECK-NOT:     tile.num_programs
func.func @the_position_comes_from_the_arguments() attributes {tile.kernel} {
  %x = tile.program_id 0
  %z = tile.program_id 2
  %gy = tile.num_programs 1
  %s = arith.addi %x, %z : i64
  %t = arith.addi %s, %gy : i64
  %c = arith.cmpi slt, %t, %t : i64
  tile.assert %c, "never"
  return
}

// -----

// Strides that are known stay out of the run-time layout, though their slots are still there.
// CHECK-LABEL: func.func private @an_array_is_a_pointer_with_sizes_and_strides.program(
// CHECK-SAME:    %{{[^:]*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %[[ROWS:[^:]*]]: i64, %[[COLUMNS:[^:]*]]: i64, %[[STRIDE:[^:]*]]: i64, %{{[^:]*}}: i64,
// CHECK-DAG:     %[[R:.*]] = arith.index_cast %[[ROWS]] : i64 to index
// CHECK-DAG:     %[[C:.*]] = arith.index_cast %[[COLUMNS]] : i64 to index
// CHECK-DAG:     %[[S:.*]] = arith.index_cast %[[STRIDE]] : i64 to index
// CHECK:         %[[ARRAY:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[R]], %[[C]]], strides: [%[[S]], 1]
// CHECK-SAME:      to memref<?x?xf32, strided<[?, 1]>>
// CHECK:         builtin.unrealized_conversion_cast %[[ARRAY]] : memref<?x?xf32, strided<[?, 1]>> to !tile.view<?x?xf32, strides = [?, 1], align = 16>
// CHECK-LABEL: func.func @an_array_is_a_pointer_with_sizes_and_strides.entry(
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK-NOT:     llvm.load
func.func @an_array_is_a_pointer_with_sizes_and_strides(%a: !tile.view<?x?xf32, strides = [?, 1], align = 16>) attributes {tile.kernel} {
  return
}

// -----

// CHECK-LABEL: func.func private @bools_are_bytes_in_memory.program(
// CHECK-SAME:    !llvm.ptr {llvm.noalias}, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i1,
// CHECK:         memref.reinterpret_cast %{{.*}} to memref<?xi8, strided<[?]>>
// CHECK-LABEL: func.func @bools_are_bytes_in_memory.entry(
// CHECK:         %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK:         arith.cmpi ne, %[[BYTE]], %{{.*}} : i8
func.func @bools_are_bytes_in_memory(%a: !tile.view<?xi1>, %flag: i1) attributes {tile.kernel} {
  return
}

// -----

// CHECK-LABEL: func.func @small_scalars_lie_in_the_low_bytes_of_their_slots.entry(
// CHECK:         %[[FIRST:.*]] = llvm.getelementptr %[[SLOTS:.*]][0]
// CHECK:         %[[BITS:.*]] = llvm.load %[[FIRST]] : !llvm.ptr -> i8
// CHECK:         %[[QUARTER:.*]] = arith.bitcast %[[BITS]] : i8 to f8E5M2
// CHECK:         %[[SECOND:.*]] = llvm.getelementptr %[[SLOTS]][1]
// CHECK:         %[[HALF:.*]] = llvm.load %[[SECOND]] : !llvm.ptr -> bf16
// CHECK:         call @small_scalars_lie_in_the_low_bytes_of_their_slots.program(%[[QUARTER]], %[[HALF]],
func.func @small_scalars_lie_in_the_low_bytes_of_their_slots(%x: f8E5M2, %y: bf16) attributes {tile.kernel} {
  return
}

// -----

// CHECK-LABEL: func.func private @uses_of_an_array_are_recorded.program(
// CHECK:         unrealized_conversion_cast %{{.*}} to !tile.view<?xf32> {tegula.one_writer, tegula.read}
// CHECK:         unrealized_conversion_cast %{{.*}} to !tile.view<?xi32> {tegula.one_writer, tegula.read, tegula.written}
// CHECK:         unrealized_conversion_cast %{{.*}} to !tile.view<?xf64> {tegula.written}
// CHECK:         unrealized_conversion_cast %{{.*}} to !tile.view<?xi8> {tegula.one_writer}
func.func @uses_of_an_array_are_recorded(%loaded: !tile.view<?xf32>, %counted: !tile.view<?xi32>, %stored_twice: !tile.view<?xf64>,
                                         %unused: !tile.view<?xi8>, %one: i32, %x: f64) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %loaded[%i] : !tile.view<?xf32> -> tensor<4xf32>
  %old = tile.atomic_rmw <add> %one, %counted[%i] : i32, !tile.view<?xi32>, i64 -> i32
  %full = tile.full %x : tensor<4xf64>
  tile.store %full, %stored_twice[%i] : tensor<4xf64>, !tile.view<?xf64>
  %c = arith.cmpi eq, %old, %one : i32
  scf.if %c {
    tile.scatter %x, %stored_twice[%i] : f64, !tile.view<?xf64>, i64
  }
  return
}

// -----

// What happens to one happens to both, and neither pointer is noalias. The third overlaps nothing.
// CHECK-LABEL: func.func private @arrays_that_overlap_share_their_uses.program(
// CHECK-SAME:    !llvm.ptr {llvm.align = 4 : i64}, {{[^{]*}}!llvm.ptr {llvm.align = 4 : i64}, {{[^{]*}}!llvm.ptr {llvm.align = 4 : i64, llvm.noalias}
// CHECK:         unrealized_conversion_cast %{{.*}} to !tile.view<?xf32> {tegula.one_writer, tegula.read, tegula.written}
// CHECK:         unrealized_conversion_cast %{{.*}} to !tile.view<?xf32> {tegula.one_writer, tegula.read, tegula.written}
// CHECK:         unrealized_conversion_cast %{{.*}} to !tile.view<?xf32> {tegula.one_writer}
func.func @arrays_that_overlap_share_their_uses(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>, %c: !tile.view<?xf32>)
    attributes {tile.kernel, tile.may_alias = [[0, 1]]} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<4xf32>
  tile.store %t, %b[%i] : tensor<4xf32>, !tile.view<?xf32>
  return
}

// -----

// Two arrays overlap a third, not each other: both writes count against it, one against each of them.
// CHECK-LABEL: func.func private @overlap_is_not_transitive.program(
// CHECK:         unrealized_conversion_cast %{{.*}} to !tile.view<?xf32> {tegula.one_writer, tegula.written}
// CHECK:         unrealized_conversion_cast %{{.*}} to !tile.view<?xf32> {tegula.written}
// CHECK:         unrealized_conversion_cast %{{.*}} to !tile.view<?xf32> {tegula.one_writer, tegula.written}
func.func @overlap_is_not_transitive(%a: !tile.view<?xf32>, %both: !tile.view<?xf32>, %b: !tile.view<?xf32>, %x: f32)
    attributes {tile.kernel, tile.may_alias = [[0, 1], [2, 1]]} {
  %i = tile.program_id 0
  tile.scatter %x, %a[%i] : f32, !tile.view<?xf32>, i64
  tile.scatter %x, %b[%i] : f32, !tile.view<?xf32>, i64
  return
}

// -----

// CHECK-LABEL: func.func private @fast_math_allows_contraction.program(
// CHECK:         arith.mulf %{{.*}} fastmath<reassoc,contract>
// CHECK:         arith.addf %{{.*}} fastmath<reassoc,contract>
func.func @fast_math_allows_contraction(%a: !tile.view<?xf32>, %x: f32, %y: f32) attributes {tile.kernel, tile.fast_math} {
  %i = tile.program_id 0
  %p = arith.mulf %x, %y : f32
  %s = arith.addf %p, %y : f32
  tile.scatter %s, %a[%i] : f32, !tile.view<?xf32>, i64
  return
}

// -----

// CHECK-LABEL: func.func private @without_fast_math_nothing_is_contracted.program(
// CHECK:         arith.mulf
// CHECK-NOT:     fastmath
func.func @without_fast_math_nothing_is_contracted(%a: !tile.view<?xf32>, %x: f32, %y: f32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %p = arith.mulf %x, %y : f32
  %s = arith.addf %p, %y : f32
  tile.scatter %s, %a[%i] : f32, !tile.view<?xf32>, i64
  return
}

// -----

// CHECK-LABEL: func.func @what_is_no_kernel_stays(
// CHECK-SAME:    %{{.*}}: !tile.view<?xf32>) -> i64
// CHECK-NEXT:    tile.dim
// CHECK-NEXT:    return
// CHECK-NOT:   func.func
func.func @what_is_no_kernel_stays(%a: !tile.view<?xf32>) -> i64 {
  %n = tile.dim %a, 0 : !tile.view<?xf32>
  return %n : i64
}

// -----

// Other programs access what atomics guard, so its pointer is not the only one.
// CHECK-LABEL: func private @programs_show_each_other_what_they_store.program(
// CHECK-SAME:    !llvm.ptr {llvm.align = 4 : i64}, {{[^{]*}}!llvm.ptr {llvm.align = 4 : i64}, {{[^{]*}}!llvm.ptr {llvm.align = 4 : i64, llvm.noalias}
func.func @programs_show_each_other_what_they_store(%a: !tile.view<?xf32>, %n: !tile.view<?xi32>, %x: !tile.view<?xf32>) attributes {tile.kernel} {
  %i = tile.program_id 0
  %one = arith.constant 1 : i32
  %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<8xf32>
  tile.store %t, %a[%i] : tensor<8xf32>, !tile.view<?xf32>
  %old = tile.atomic_rmw <add> %one, %n[%i] : i32, !tile.view<?xi32>, i64 -> i32
  %u = tile.load %a[%i] : !tile.view<?xf32> -> tensor<8xf32>
  tile.print "{} {}" %u, %old : tensor<8xf32>, i32
  return
}
