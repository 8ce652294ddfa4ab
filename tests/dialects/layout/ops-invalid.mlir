// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics

#rows = #layout.linear<register = [[0, 1]], lane = [[1, 0]], shape = [2, 2]>
func.func @source_without_layout(%x: tensor<2x2xf32>) {
  // expected-error @below {{operand #0 must be tensor with a #layout.linear encoding}}
  %y = layout.convert %x : tensor<2x2xf32> -> tensor<2x2xf32, #rows>
  return
}

// -----

#rows = #layout.linear<register = [[0, 1]], lane = [[1, 0]], shape = [2, 2]>
func.func @result_without_layout(%x: tensor<2x2xf32, #rows>) {
  // expected-error @below {{result #0 must be tensor with a #layout.linear encoding}}
  %y = layout.convert %x : tensor<2x2xf32, #rows> -> tensor<2x2xf32>
  return
}

// -----

#rows = #layout.linear<register = [[0, 1]], lane = [[1, 0]], shape = [2, 2]>
func.func @another_encoding(%x: tensor<2x2xf32, #rows>) {
  // expected-error @below {{result #0 must be tensor with a #layout.linear encoding}}
  %y = layout.convert %x : tensor<2x2xf32, #rows> -> tensor<2x2xf32, "elsewhere">
  return
}

// -----

#rows = #layout.linear<register = [[0, 1]], lane = [[1, 0]], shape = [2, 2]>
func.func @another_element_type(%x: tensor<2x2xf32, #rows>) {
  // expected-error @below {{requires the same element type for all operands and results}}
  %y = layout.convert %x : tensor<2x2xf32, #rows> -> tensor<2x2xf16, #rows>
  return
}

// -----

#rows = #layout.linear<register = [[0, 1]], lane = [[1, 0]], shape = [2, 2]>
#flat = #layout.linear<register = [[1]], lane = [[2]], shape = [4]>
func.func @another_shape(%x: tensor<2x2xf32, #rows>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %y = layout.convert %x : tensor<2x2xf32, #rows> -> tensor<4xf32, #flat>
  return
}
