// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-hoist-workspace | FileCheck %s

// One argument for each buffer, before those that were there.
// CHECK-LABEL: func private @scratch_comes_from_the_entry.program(
// CHECK-SAME:    %[[SECOND:[^:]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}, %[[FIRST:[^:]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}, %{{[^:]*}}: i64)
// CHECK-NOT:     memref.alloc
// CHECK:         llvm.insertvalue %[[FIRST]]
// CHECK:         memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [16, 8], strides: [8, 1] : memref<f32> to memref<16x8xf32>
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK-NOT:       memref.dealloc
// CHECK-LABEL: func @scratch_comes_from_the_entry(
// CHECK-SAME:    %[[P:.*]]: i64)
// CHECK:         %[[BYTES:.*]] = llvm.mlir.constant(512 : i64)
// CHECK:         %[[A:.*]] = llvm.alloca %[[BYTES]] x i8 {alignment = 64 : i64}
// Three bytes are rounded up, so that every buffer is aligned.
// CHECK:         %[[MORE:.*]] = llvm.mlir.constant(64 : i64)
// CHECK:         %[[B:.*]] = llvm.alloca %[[MORE]] x i8 {alignment = 64 : i64}
// CHECK:         call @scratch_comes_from_the_entry.program(%[[B]], %[[A]], %[[P]])
// CHECK-NOT:     tegula_rt_alloc
func.func private @scratch_comes_from_the_entry.program(%p: i64) attributes {tegula.program} {
  %a = memref.alloc() {alignment = 64 : i64} : memref<16x8xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %one step %one {
    %b = memref.alloc() : memref<3xi8>
    memref.dealloc %b : memref<3xi8>
  }
  return
}
func.func @scratch_comes_from_the_entry(%p: i64) attributes {tegula.entry} {
  call @scratch_comes_from_the_entry.program(%p) : (i64) -> ()
  return
}

// -----

// CHECK-LABEL: func private @a_single_element_needs_no_layout.program(
// CHECK:         %[[BUFFER:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<f64>
// CHECK-NOT:     memref.reinterpret_cast
// CHECK:         memref.load %[[BUFFER]][]
func.func private @a_single_element_needs_no_layout.program() attributes {tegula.program} {
  %a = memref.alloc() : memref<f64>
  %x = memref.load %a[] : memref<f64>
  return
}
func.func @a_single_element_needs_no_layout() attributes {tegula.entry} {
  call @a_single_element_needs_no_layout.program() : () -> ()
  return
}

// -----

// Once for all programs that the entry runs, and given back at its end.
// CHECK-DAG:   llvm.func @tegula_rt_alloc(i64) -> !llvm.ptr
// CHECK-DAG:   llvm.func @tegula_rt_free(!llvm.ptr)
// CHECK-LABEL: func @large_workspaces_come_from_the_runtime(
// CHECK:         %[[TOTAL:.*]] = llvm.mlir.constant(262208 : i64)
// CHECK:         %[[BASE:.*]] = llvm.call @tegula_rt_alloc(%[[TOTAL]])
// CHECK:         %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
// CHECK:         %[[A:.*]] = llvm.getelementptr %[[BASE]][%[[ZERO]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK:         %[[OFFSET:.*]] = llvm.mlir.constant(262144 : i64)
// CHECK:         %[[B:.*]] = llvm.getelementptr %[[BASE]][%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NOT:     llvm.alloca
// CHECK:         scf.for
// CHECK:           call @large_workspaces_come_from_the_runtime.program(%[[B]], %[[A]])
// CHECK:         }
// CHECK-NEXT:    llvm.call @tegula_rt_free(%[[BASE]])
// CHECK-NEXT:    return
func.func private @large_workspaces_come_from_the_runtime.program() attributes {tegula.program} {
  %a = memref.alloc() : memref<256x256xf32>
  %b = memref.alloc() : memref<1xf32>
  return
}
func.func @large_workspaces_come_from_the_runtime(%n: index, %one: index) attributes {tegula.entry} {
  scf.for %i = %one to %n step %one {
    func.call @large_workspaces_come_from_the_runtime.program() : () -> ()
  }
  return
}

// -----

// CHECK-LABEL: func @the_largest_workspace_on_the_stack(
// CHECK:         llvm.alloca
// CHECK-NOT:     llvm.call
func.func private @the_largest_workspace_on_the_stack.program() attributes {tegula.program} {
  %a = memref.alloc() : memref<256x256xf32>
  return
}
func.func @the_largest_workspace_on_the_stack() attributes {tegula.entry} {
  call @the_largest_workspace_on_the_stack.program() : () -> ()
  return
}

// -----

// CHECK-LABEL: func @offsets_have_64_bits(
// CHECK:         llvm.mlir.constant(4294967360 : i64)
// CHECK:         %[[OFFSET:.*]] = llvm.mlir.constant(4294967296 : i64)
// CHECK:         llvm.getelementptr %{{.*}}[%[[OFFSET]]]
func.func private @offsets_have_64_bits.program() attributes {tegula.program} {
  %a = memref.alloc() : memref<1073741824xf32>
  %b = memref.alloc() : memref<1xf32>
  return
}
func.func @offsets_have_64_bits() attributes {tegula.entry} {
  call @offsets_have_64_bits.program() : () -> ()
  return
}

// -----

// CHECK-LABEL: func @sizes_of_vectors_indices_and_bools_are_known(
// CHECK:         llvm.mlir.constant(512 : i64)
// CHECK:         llvm.alloca
// CHECK:         llvm.mlir.constant(256 : i64)
// CHECK:         llvm.alloca
// CHECK:         llvm.mlir.constant(128 : i64)
// CHECK:         llvm.alloca
func.func private @sizes_of_vectors_indices_and_bools_are_known.program() attributes {tegula.program} {
  %a = memref.alloc() : memref<16xvector<8xf32>>
  %b = memref.alloc() : memref<32xindex>
  %c = memref.alloc() : memref<128xi1>
  return
}
func.func @sizes_of_vectors_indices_and_bools_are_known() attributes {tegula.entry} {
  call @sizes_of_vectors_indices_and_bools_are_known.program() : () -> ()
  return
}

// -----

// CHECK-LABEL: func private @a_program_without_scratch_stays.program()
// CHECK-LABEL: func @a_program_without_scratch_stays(
// CHECK-NEXT:    call @a_program_without_scratch_stays.program() : () -> ()
// CHECK-NEXT:    return
func.func private @a_program_without_scratch_stays.program() attributes {tegula.program} {
  return
}
func.func @a_program_without_scratch_stays() attributes {tegula.entry} {
  call @a_program_without_scratch_stays.program() : () -> ()
  return
}

// -----

// CHECK-LABEL: func @scratch_of_other_functions_stays(
// CHECK-NEXT:    memref.alloc() : memref<16xf32>
func.func @scratch_of_other_functions_stays() {
  %a = memref.alloc() : memref<16xf32>
  return
}
