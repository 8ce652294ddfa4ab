// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --tegula-cpu-pipeline | FileCheck %s

// CHECK:       llvm.mlir.global private constant @{{.*}}(dense<[1, 0, 1, 1]> : tensor<4xi8>)
// CHECK-LABEL: llvm.func @a_table_of_bools_is_bytes.entry(
func.func @a_table_of_bools_is_bytes(%a: !tile.view<?xi1>) attributes {tile.kernel} {
  %i = tile.program_id 0
  %v = arith.constant dense<[true, false, true, true]> : tensor<4xi1>
  tile.store %v, %a[%i] : tensor<4xi1>, !tile.view<?xi1>
  return
}
