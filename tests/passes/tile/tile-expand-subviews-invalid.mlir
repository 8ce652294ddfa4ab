// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --tile-expand-subviews | FileCheck %s
//
// Every subview that verifies expands, so there is no error to pin. One that goes anywhere but into an access stays.

// CHECK-LABEL: func @a_part_that_is_passed_on_stays(
// CHECK:         %[[B:.*]] = tile.subview
// CHECK-NEXT:    call @elsewhere(%[[B]])
func.func private @elsewhere(!tile.view<?xf32>)
func.func @a_part_that_is_passed_on_stays(%a: !tile.view<?xf32>, %i: i64) {
  %b = tile.subview %a[%i] dims [0] sizes [%i] steps [1] : !tile.view<?xf32> -> !tile.view<?xf32>
  call @elsewhere(%b) : (!tile.view<?xf32>) -> ()
  return
}
