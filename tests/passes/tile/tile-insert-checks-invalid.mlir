// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --tile-insert-checks | FileCheck %s
//
// Every access that verifies can be checked, so there is no error to pin: what accesses nothing stays as it is.

// CHECK-LABEL: func @questions_about_an_array_need_no_check(
// CHECK-NEXT:    %[[N:.*]] = tile.dim
// CHECK-NEXT:    return %[[N]]
func.func @questions_about_an_array_need_no_check(%a: !tile.view<?xf32>) -> i64 {
  %n = tile.dim %a, 0 : !tile.view<?xf32>
  return %n : i64
}
