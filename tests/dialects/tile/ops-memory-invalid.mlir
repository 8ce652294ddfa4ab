// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics

func.func @grid_axis_past_the_third() {
  // expected-error @below {{attribute 'axis' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 2}}
  %0 = tile.program_id 3
  return
}

// -----

func.func @negative_grid_axis() {
  // expected-error @below {{attribute 'axis' failed to satisfy constraint}}
  %0 = tile.num_programs -1
  return
}

// -----

func.func @dim_past_the_rank(%a: !tile.view<?x?xf32>) {
  // expected-error @below {{'tile.dim' op C1: axis 2 is out of range for an array of rank 2}}
  %0 = tile.dim %a, 2 : !tile.view<?x?xf32>
  return
}

// -----

func.func @stride_past_the_rank(%a: !tile.view<?xf32>) {
  // expected-error @below {{'tile.stride' op C1: axis 1 is out of range for an array of rank 1}}
  %0 = tile.stride %a, 1 : !tile.view<?xf32>
  return
}

// -----

func.func @dim_of_a_tile(%a: tensor<4xf32>) {
  // expected-error @below {{operand #0 must be A strided array in memory: pointer, run-time sizes and strides, static rank and element type, but got 'tensor<4xf32>'}}
  %0 = "tile.dim"(%a) {axis = 0 : i32} : (tensor<4xf32>) -> i64
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?x?xf32>'}}
func.func @load_with_too_few_indices(%a: !tile.view<?x?xf32>, %i: i64) {
  // expected-error @below {{'tile.load' op C1: needs one index for each of the array's 2 dimensions, got 1}}
  %0 = tile.load %a[%i] : !tile.view<?x?xf32> -> tensor<4x4xf32>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?x?xf32>'}}
func.func @load_of_another_rank(%a: !tile.view<?x?xf32>, %i: i64) {
  // expected-error @below {{'tile.load' op C2: tile shape (16,) has rank 1 but the array has rank 2}}
  %0 = tile.load %a[%i, %i] : !tile.view<?x?xf32> -> tensor<16xf32>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf32>'}}
func.func @load_of_another_element_type(%a: !tile.view<?xf32>, %i: i64) {
  // expected-error @below {{'tile.load' op C2: tile element type 'f16' differs from the array's 'f32'}}
  %0 = tile.load %a[%i] : !tile.view<?xf32> -> tensor<16xf16>
  return
}

// -----

func.func @load_with_pad_of_another_type(%a: !tile.view<?xf32>, %i: i64, %p: i32) {
  // expected-error @below {{'tile.load' op failed to verify that C3: pad has the array's element type}}
  %0 = "tile.load"(%a, %i, %p) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!tile.view<?xf32>, i64, i32) -> tensor<16xf32>
  return
}

// -----

func.func @load_of_a_tile_of_run_time_shape(%a: !tile.view<?xf32>, %i: i64) {
  // expected-error @below {{result #0 must be tile (tensor of rank 1 to 8, static extents from 1 up, less than 2^31 elements)}}
  %0 = tile.load %a[%i] : !tile.view<?xf32> -> tensor<?xf32>
  return
}

// -----

func.func @load_of_an_empty_tile(%a: !tile.view<?xf32>, %i: i64) {
  // expected-error @below {{result #0 must be tile (tensor of rank 1 to 8, static extents from 1 up, less than 2^31 elements)}}
  %0 = tile.load %a[%i] : !tile.view<?xf32> -> tensor<0xf32>
  return
}

// -----

func.func @load_of_a_tile_too_large_to_count(%a: !tile.view<?x?xf32>, %i: i64) {
  // expected-error @below {{result #0 must be tile (tensor of rank 1 to 8, static extents from 1 up, less than 2^31 elements)}}
  %0 = tile.load %a[%i, %i] : !tile.view<?x?xf32> -> tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @load_with_wrong_segments(%a: !tile.view<?xf32>, %i: i64) {
  // expected-error @below {{'operandSegmentSizes'}}
  %0 = "tile.load"(%a, %i) <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (!tile.view<?xf32>, i64) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf32>'}}
func.func @store_with_too_many_indices(%a: !tile.view<?xf32>, %t: tensor<4xf32>, %i: i64) {
  // expected-error @below {{'tile.store' op C1: needs one index for each of the array's 1 dimensions, got 2}}
  tile.store %t, %a[%i, %i] : tensor<4xf32>, !tile.view<?xf32>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf16>'}}
func.func @store_of_another_element_type(%a: !tile.view<?xf16>, %t: tensor<4xf32>, %i: i64) {
  // expected-error @below {{'tile.store' op C2: tile element type 'f32' differs from the array's 'f16'}}
  tile.store %t, %a[%i] : tensor<4xf32>, !tile.view<?xf16>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?x?xf32>'}}
func.func @gather_with_too_few_indices(%a: !tile.view<?x?xf32>, %i: i64) {
  // expected-error @below {{'tile.gather' op C1: needs one index for each of the array's 2 dimensions, got 1}}
  %0 = tile.gather %a[%i] : !tile.view<?x?xf32>, i64 -> f32
  return
}

// -----

// expected-note @below {{this index has type 'tensor<5xi64>'}}
func.func @gather_with_indices_of_two_shapes(%a: !tile.view<?x?xf32>, %i: tensor<4xi64>, %j: tensor<5xi64>) {
  // expected-error @below {{'tile.gather' op C1: indices differ in shape: (4,) and (5,)}}
  %0 = "tile.gather"(%a, %i, %j) <{operandSegmentSizes = array<i32: 1, 2, 0, 0>}> : (!tile.view<?x?xf32>, tensor<4xi64>, tensor<5xi64>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the mask has type 'i1'}}
func.func @gather_with_mask_of_another_shape(%a: !tile.view<?xf32>, %i: tensor<4xi64>, %m: i1) {
  // expected-error @below {{'tile.gather' op C2: mask shape () differs from the indices' (4,)}}
  %0 = tile.gather %a[%i] mask %m : !tile.view<?xf32>, tensor<4xi64>, i1 -> tensor<4xf32>
  return
}

// -----

func.func @gather_with_result_of_another_shape(%a: !tile.view<?xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{'tile.gather' op C2: result shape () differs from the indices' (4,)}}
  %0 = tile.gather %a[%i] : !tile.view<?xf32>, tensor<4xi64> -> f32
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf32>'}}
func.func @gather_with_result_of_another_element_type(%a: !tile.view<?xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{'tile.gather' op C3: result element type 'f64' differs from the array's 'f32'}}
  %0 = tile.gather %a[%i] : !tile.view<?xf32>, tensor<4xi64> -> tensor<4xf64>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf32>'}}
func.func @gather_with_pad_of_another_type(%a: !tile.view<?xf32>, %i: i64, %p: f16) {
  // expected-error @below {{'tile.gather' op C3: pad element type 'f16' differs from the array's 'f32'}}
  %0 = "tile.gather"(%a, %i, %p) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (!tile.view<?xf32>, i64, f16) -> f32
  return
}

// -----

func.func @gather_from_what_is_no_array(%a: tensor<4xf32>, %i: i64) {
  // expected-error @below {{expected a '!tile.view' type, got 'tensor<4xf32>'}}
  %0 = tile.gather %a[%i] : tensor<4xf32>, i64 -> f32
  return
}

// -----

func.func @gather_by_i32(%a: !tile.view<?xf32>, %i: i32) {
  // expected-error @below {{operand #1 must be variadic of i64 scalar or tile, but got 'i32'}}
  %0 = tile.gather %a[%i] : !tile.view<?xf32>, i32 -> f32
  return
}

// -----

// expected-note @below {{the value has type 'tensor<5xf32>'}}
func.func @scatter_of_another_shape(%a: !tile.view<?xf32>, %i: tensor<4xi64>, %v: tensor<5xf32>) {
  // expected-error @below {{'tile.scatter' op C2: value shape (5,) differs from the indices' (4,)}}
  tile.scatter %v, %a[%i] : tensor<5xf32>, !tile.view<?xf32>, tensor<4xi64>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf32>'}}
func.func @scatter_of_another_element_type(%a: !tile.view<?xf32>, %i: tensor<4xi64>, %v: tensor<4xi32>) {
  // expected-error @below {{'tile.scatter' op C3: value element type 'i32' differs from the array's 'f32'}}
  tile.scatter %v, %a[%i] : tensor<4xi32>, !tile.view<?xf32>, tensor<4xi64>
  return
}

// -----

func.func @scatter_with_pad(%a: !tile.view<?xf32>, %i: i64, %v: f32) {
  // expected-error @below {{expected ':'}}
  tile.scatter %v, %a[%i] pad %v : f32, !tile.view<?xf32>, i64
  return
}

// -----

#lanes = #layout.linear<lane = [[1], [2]], shape = [4]>
#copies = #layout.linear<register = [[1], [2]], lane = [[0], [0]], shape = [4]>
// expected-note @below {{this index has type 'tensor<4xi64, #layout.linear<register = [[1], [2]], lane = [[0], [0]], warp = [], block = [], shape = [4]>>'}}
func.func @indices_that_differ_in_encoding(%a: !tile.view<?x?xf32>, %i: tensor<4xi64, #lanes>, %j: tensor<4xi64, #copies>) {
  // expected-error @below {{C1: indices differ in type}}
  %0 = "tile.gather"(%a, %i, %j) <{operandSegmentSizes = array<i32: 1, 2, 0, 0>}> : (!tile.view<?x?xf32>, tensor<4xi64, #lanes>, tensor<4xi64, #copies>) -> tensor<4xf32, #lanes>
  return
}

// -----

func.func @load_of_a_part_of_another_rank(%a: !tile.view<?x?xf32>, %i: i64) {
  // expected-error @below {{'tile.load' op C4: extents (8,) are not within the tile's shape (16, 16)}}
  %0 = tile.load %a[%i, %i] extents [8] : !tile.view<?x?xf32> -> tensor<16x16xf32>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?x?xf32>'}}
func.func @part_with_too_few_offsets(%a: !tile.view<?x?xf32>, %i: i64) {
  // expected-error @below {{'tile.subview' op C1: needs one index for each of the array's 2 dimensions, got 1}}
  %b = tile.subview %a[%i] dims [0] sizes [%i] steps [1] : !tile.view<?x?xf32> -> !tile.view<?xf32>
  return
}

// -----

func.func @load_of_more_than_the_tile(%a: !tile.view<?xf32>, %i: i64) {
  // expected-error @below {{'tile.load' op C4: extents (17,) are not within the tile's shape (16,)}}
  %0 = tile.load %a[%i] extents [17] : !tile.view<?xf32> -> tensor<16xf32>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?x?xf32>'}}
func.func @part_along_one_dimension_twice(%a: !tile.view<?x?xf32>, %i: i64) {
  // expected-error @below {{'tile.subview' op C2: dims [1, 1] do not each name one of the array's 2 dimensions once}}
  %b = tile.subview %a[%i, %i] dims [1, 1] sizes [%i, %i] steps [1, 1] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  return
}

// -----

func.func @store_of_nothing(%a: !tile.view<?xf32>, %t: tensor<16xf32>, %i: i64) {
  // expected-error @below {{'tile.store' op C4: extents (0,) are not within the tile's shape (16,)}}
  tile.store %t, %a[%i] extents [0] : tensor<16xf32>, !tile.view<?xf32>
  return
}

// -----

func.func @part_of_rank_0(%a: !tile.view<?xf32>, %i: i64) {
  // expected-error @below {{'tile.subview' op C2: dims names no dimension}}
  %b = tile.subview %a[%i] dims [] sizes [] steps [] : !tile.view<?xf32> -> !tile.view<?xf32>
  return
}

// -----

func.func @part_with_too_many_steps(%a: !tile.view<?xf32>, %i: i64) {
  // expected-error @below {{'tile.subview' op C3: needs one size and one step for each of 1 dimensions, got 1 and 2}}
  %b = tile.subview %a[%i] dims [0] sizes [%i] steps [1, 1] : !tile.view<?xf32> -> !tile.view<?xf32>
  return
}

// -----

func.func @part_without_a_step(%a: !tile.view<?xf32>, %i: i64) {
  // expected-error @below {{'tile.subview' op C4: a step is not 0 and between -2^31 and 2^31, got 0}}
  %b = tile.subview %a[%i] dims [0] sizes [%i] steps [0] : !tile.view<?xf32> -> !tile.view<?xf32>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf32, strides = [1], align = 16>'}}
func.func @part_that_claims_its_arrays_alignment(%a: !tile.view<?xf32, strides = [1], align = 16>, %i: i64) {
  // expected-error @below {{'tile.subview' op C5: result has type '!tile.view<?xf32, strides = [1], align = 16>', expected '!tile.view<?xf32, strides = [1]>'}}
  %b = tile.subview %a[%i] dims [0] sizes [%i] steps [1] : !tile.view<?xf32, strides = [1], align = 16> -> !tile.view<?xf32, strides = [1], align = 16>
  return
}

// -----

func.func @other_sizes_with_too_few_strides(%a: !tile.view<?xf32>, %i: i64) {
  // expected-error @below {{'tile.reshape_view' op C1: needs as many strides as sizes, got 1 and 2}}
  %b = tile.reshape_view %a sizes [%i, %i] strides [%i] : !tile.view<?xf32> -> !tile.view<?x?xf32>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf32>'}}
func.func @other_sizes_of_a_single_element(%a: !tile.view<?xf32>) {
  // expected-error @below {{'tile.reshape_view' op C2: needs one dimension or more on both sides, got 1 and 0}}
  %b = tile.reshape_view %a sizes [] strides [] : !tile.view<?xf32> -> !tile.view<?xf32>
  return
}

// -----

// expected-note @below {{the array has type '!tile.view<?xf32>'}}
func.func @other_sizes_with_a_stride(%a: !tile.view<?xf32>, %i: i64) {
  // expected-error @below {{'tile.reshape_view' op C3: result has type '!tile.view<?xf32, strides = [1]>', expected '!tile.view<?xf32>'}}
  %b = tile.reshape_view %a sizes [%i] strides [%i] : !tile.view<?xf32> -> !tile.view<?xf32, strides = [1]>
  return
}
