// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-lower-abi --cpu-lower-debug | FileCheck %s

// CHECK: llvm.mlir.global internal constant @text_goes_to_the_runtime.program.text0("hello\00")
// CHECK-LABEL: func private @text_goes_to_the_runtime.program(
// CHECK-SAME:    %[[CTX:[^:]*]]: !llvm.ptr)
// CHECK:         %[[TEXT:.*]] = llvm.mlir.addressof @text_goes_to_the_runtime.program.text0
// CHECK:         llvm.call @tegula_rt_print_text(%[[CTX]], %[[TEXT]]) : (!llvm.ptr, !llvm.ptr) -> ()
// CHECK:         llvm.call @tegula_rt_print_end(%[[CTX]])
func.func @text_goes_to_the_runtime() attributes {tile.kernel} {
  tile.print "hello"
  return
}

// -----

// CHECK-LABEL: func private @an_empty_line_has_no_text.program(
// CHECK-NOT:     tegula_rt_print_text
// CHECK:         llvm.call @tegula_rt_print_end
func.func @an_empty_line_has_no_text() attributes {tile.kernel} {
  tile.print ""
  return
}

// -----

// CHECK-DAG:   llvm.mlir.global internal constant @[[$BEFORE:.*]]("n = \00")
// CHECK-DAG:   llvm.mlir.global internal constant @[[$BETWEEN:.*]](", x = \00")
// CHECK-LABEL: func private @values_stand_between_the_pieces_of_text.program(
// CHECK-SAME:    %[[N:[^:]*]]: i64, %[[X:[^:]*]]: bf16, {{.*}} %[[CTX:[^:]*]]: !llvm.ptr)
// CHECK:         llvm.mlir.addressof @[[$BEFORE]]
// CHECK:         llvm.call @tegula_rt_print_text
// CHECK:         %[[SCRATCH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<i64>
// CHECK:         memref.store %[[N]], %[[SCRATCH]][]
// CHECK:         %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[SCRATCH]]
// CHECK:         %[[BITS:.*]] = arith.index_cast %[[ADDRESS]]
// CHECK:         %[[DATA:.*]] = llvm.inttoptr %[[BITS]]
// CHECK-DAG:     %[[I64:.*]] = arith.constant 4 : i64
// CHECK-DAG:     %[[RANK:.*]] = arith.constant 0 : i64
// CHECK-DAG:     %[[NO_SHAPE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         llvm.call @tegula_rt_print_value(%[[CTX]], %[[DATA]], %[[I64]], %[[RANK]], %[[NO_SHAPE]])
// CHECK:         llvm.mlir.addressof @[[$BETWEEN]]
// CHECK:         llvm.call @tegula_rt_print_text
// CHECK:         %[[BF16:.*]] = arith.constant 10 : i64
// CHECK:         llvm.call @tegula_rt_print_value(%[[CTX]], %{{.*}}, %[[BF16]],
// CHECK-NEXT:    llvm.call @tegula_rt_print_end(%[[CTX]])
func.func @values_stand_between_the_pieces_of_text(%n: i64, %x: bf16) attributes {tile.kernel} {
  tile.print "n = {}, x = {}" %n, %x : i64, bf16
  return
}

// -----

// CHECK-DAG:   llvm.mlir.global internal constant @{{.*}}("{} {\00")
// CHECK-DAG:   llvm.mlir.global internal constant @{{.*}}("}\00")
// CHECK-LABEL: func private @doubled_braces_are_text.program(
// CHECK:         llvm.call @tegula_rt_print_text
// CHECK:         llvm.call @tegula_rt_print_value
// CHECK:         llvm.call @tegula_rt_print_text
// CHECK-NEXT:    llvm.call @tegula_rt_print_end
func.func @doubled_braces_are_text(%n: i64) attributes {tile.kernel} {
  tile.print "{{}} {{{}}}" %n : i64
  return
}

// -----

// CHECK:       llvm.mlir.global internal constant @[[$SHAPE:.*shape.*]](dense<[2, 4]> : tensor<2xi64>)
// CHECK-LABEL: func private @a_tile_is_copied_to_plain_rows.program(
// CHECK:         %[[TILE:.*]] = tile.full
// CHECK:         %[[SCRATCH:.*]] = memref.alloc() {{.*}} : memref<2x4xf32>
// CHECK:         %[[SOURCE:.*]] = bufferization.to_buffer %[[TILE]] read_only : tensor<2x4xf32> to memref<2x4xf32, strided<[?, ?], offset: ?>>
// CHECK:         linalg.generic {{.*}} ins(%[[SOURCE]] {{.*}} outs(%[[SCRATCH]]
// CHECK:         %[[F32:.*]] = arith.constant 11 : i64
// CHECK:         %[[RANK:.*]] = arith.constant 2 : i64
// CHECK:         %[[EXTENTS:.*]] = llvm.mlir.addressof @[[$SHAPE]]
// CHECK:         llvm.call @tegula_rt_print_value(%{{.*}}, %{{.*}}, %[[F32]], %[[RANK]], %[[EXTENTS]])
func.func @a_tile_is_copied_to_plain_rows(%x: f32) attributes {tile.kernel} {
  %t = tile.full %x : tensor<2x4xf32>
  tile.print "{}" %t : tensor<2x4xf32>
  return
}

// -----

// CHECK-LABEL: func private @bools_are_printed_from_bytes.program(
// CHECK:         memref.alloc() {{.*}} : memref<4xi8>
// CHECK:         linalg.generic
// CHECK:           %[[BYTE:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK:           linalg.yield %[[BYTE]]
// CHECK:         arith.extui %{{.*}} : i1 to i8
// CHECK:         memref.store %{{.*}} : memref<i8>
func.func @bools_are_printed_from_bytes(%x: i1) attributes {tile.kernel} {
  %t = tile.full %x : tensor<4xi1>
  tile.print "{} {}" %t, %x : tensor<4xi1>, i1
  return
}

// -----

// The runtime's codes: i8 is 1 and u8 is 5, i32 is 3 and u64 is 8.
// CHECK-LABEL: func private @signs_are_part_of_the_type_code.program(
// CHECK:         %[[U8:.*]] = arith.constant 5 : i64
// CHECK:         llvm.call @tegula_rt_print_value(%{{.*}}, %{{.*}}, %[[U8]],
// CHECK:         %[[I32:.*]] = arith.constant 3 : i64
// CHECK:         llvm.call @tegula_rt_print_value(%{{.*}}, %{{.*}}, %[[I32]],
// CHECK:         %[[U64:.*]] = arith.constant 8 : i64
// CHECK:         llvm.call @tegula_rt_print_value(%{{.*}}, %{{.*}}, %[[U64]],
func.func @signs_are_part_of_the_type_code(%a: i8, %b: i32, %c: i64) attributes {tile.kernel} {
  tile.print "{}{}{}" %a, %b, %c : i8, i32, i64 {unsigned_mask = array<i1: true, false, true>}
  return
}

// -----

// CHECK-LABEL: func private @every_float_has_its_code.program(
// CHECK:         %[[BOOL:.*]] = arith.constant 0 : i64
// CHECK:         llvm.call @tegula_rt_print_value(%{{.*}}, %{{.*}}, %[[BOOL]],
// CHECK:         %[[F16:.*]] = arith.constant 9 : i64
// CHECK:         llvm.call @tegula_rt_print_value(%{{.*}}, %{{.*}}, %[[F16]],
// CHECK:         %[[F64:.*]] = arith.constant 12 : i64
// CHECK:         llvm.call @tegula_rt_print_value(%{{.*}}, %{{.*}}, %[[F64]],
// CHECK:         %[[E4M3:.*]] = arith.constant 13 : i64
// CHECK:         llvm.call @tegula_rt_print_value(%{{.*}}, %{{.*}}, %[[E4M3]],
// CHECK:         %[[E5M2:.*]] = arith.constant 14 : i64
// CHECK:         llvm.call @tegula_rt_print_value(%{{.*}}, %{{.*}}, %[[E5M2]],
func.func @every_float_has_its_code(%a: i1, %b: f16, %c: f64, %d: f8E4M3FN, %e: f8E5M2) attributes {tile.kernel} {
  tile.print "{}{}{}{}{}" %a, %b, %c, %d, %e : i1, f16, f64, f8E4M3FN, f8E5M2
  return
}

// -----

// CHECK-DAG:   llvm.mlir.global internal constant @[[$MESSAGE:.*]]("no rows\00")
// CHECK-DAG:   llvm.mlir.global internal constant @[[$FILE:.*]]("kernel.py\00")
// CHECK-LABEL: func private @a_failed_assertion_is_reported_with_its_place.program(
// CHECK-SAME:    %[[OK:[^:]*]]: i1, %[[X:[^:]*]]: i64, %[[Y:[^:]*]]: i64, %[[Z:[^:]*]]: i64, {{.*}}, %[[CTX:[^:]*]]: !llvm.ptr)
// CHECK:         %[[FAILED:.*]] = arith.xori %[[OK]]
// CHECK:         scf.if %[[FAILED]] {
// CHECK-DAG:       %[[M:.*]] = llvm.mlir.addressof @[[$MESSAGE]]
// CHECK-DAG:       %[[F:.*]] = llvm.mlir.addressof @[[$FILE]]
// CHECK-DAG:       %[[LINE:.*]] = arith.constant 12 : i64
// CHECK-DAG:       %[[COLUMN:.*]] = arith.constant 5 : i64
// CHECK:           llvm.call @tegula_rt_assert_fail(%[[CTX]], %[[M]], %[[F]], %[[LINE]], %[[COLUMN]], %[[X]], %[[Y]], %[[Z]])
// CHECK-NEXT:    }
func.func @a_failed_assertion_is_reported_with_its_place(%ok: i1) attributes {tile.kernel} {
  tile.assert %ok, "no rows" loc("kernel.py":12:5)
  return
}

// -----

// CHECK-DAG:   llvm.mlir.global internal constant @{{.*}}("helper.py\00")
// CHECK-NOT:   "kernel.py\00"
// CHECK-LABEL: func private @an_assertion_in_a_helper_is_at_the_helper.program(
// CHECK:         arith.constant 3 : i64
// CHECK:         llvm.call @tegula_rt_assert_fail
func.func @an_assertion_in_a_helper_is_at_the_helper(%ok: i1) attributes {tile.kernel} {
  tile.assert %ok, "no rows" loc(callsite("helper.py":3:1 at "kernel.py":12:5))
  return
}

// -----

// CHECK-LABEL: func private @a_failure_without_a_place_says_line_zero.program(
// CHECK:         %[[LINE:.*]] = arith.constant 0 : i64
// CHECK:         llvm.call @tegula_rt_assert_fail(%{{.*}}, %{{.*}}, %{{.*}}, %[[LINE]],
func.func @a_failure_without_a_place_says_line_zero(%ok: i1) attributes {tile.kernel} {
  tile.assert %ok, "no rows" loc(unknown)
  return
}

// -----

// CHECK:       llvm.func @tegula_rt_print_end(!llvm.ptr)
// CHECK-NOT:   llvm.func @tegula_rt_print_end
// CHECK-LABEL: func private @the_runtime_is_declared_once.program(
// CHECK-COUNT-2: llvm.call @tegula_rt_print_end
func.func @the_runtime_is_declared_once(%n: i64, %one: i64) attributes {tile.kernel} {
  %i = tile.program_id 0
  scf.for %k = %i to %n step %one : i64 {
    tile.print ""
  }
  tile.print ""
  return
}

// -----

// CHECK-LABEL: func private @only_the_extents_are_printed.program(
// CHECK:         %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 0] [2, 3] [1, 1] : tensor<2x4xf32> to tensor<2x3xf32>
// CHECK:         %[[SCRATCH:.*]] = memref.alloc() {{.*}} : memref<2x3xf32>
// CHECK:         bufferization.to_buffer %[[PART]] read_only
func.func @only_the_extents_are_printed(%x: f32) attributes {tile.kernel} {
  %t = tile.full %x : tensor<2x4xf32>
  tile.print "{}" %t : tensor<2x4xf32> {extents = [array<i64: 2, 3>]}
  return
}
