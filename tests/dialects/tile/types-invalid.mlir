// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{C1: view rank must be 1 to 8, got 0}}
func.func private @rank_0(!tile.view<f32>)

// -----

// expected-error @below {{C1: view rank must be 1 to 8, got 9}}
func.func private @rank_9(!tile.view<?x?x?x?x?x?x?x?x?xf32>)

// -----

// expected-error @below {{C2: view element type must be i1, i8, i16, i32, i64, f16, bf16, f32, f64, f8E4M3FN or f8E5M2, got 'index'}}
func.func private @elements_of_unknown_width(!tile.view<?xindex>)

// -----

// expected-error @below {{C2: view element type must be i1, i8, i16, i32, i64, f16, bf16, f32, f64, f8E4M3FN or f8E5M2, got 'si32'}}
func.func private @elements_with_a_sign(!tile.view<?xsi32>)

// -----

// expected-error @below {{C2: view element type must be i1, i8, i16, i32, i64, f16, bf16, f32, f64, f8E4M3FN or f8E5M2, got 'i7'}}
func.func private @elements_of_odd_width(!tile.view<?xi7>)

// -----

// expected-error @below {{C2: view element type must be i1, i8, i16, i32, i64, f16, bf16, f32, f64, f8E4M3FN or f8E5M2, got 'f128'}}
func.func private @elements_of_an_unsupported_float(!tile.view<?xf128>)

// -----

// expected-error @below {{got 'tensor<4xf32>'}}
func.func private @elements_that_are_tiles(!tile.view<?xtensor<4xf32>>)

// -----

// expected-error @below {{C3: view of rank 2 has 1 strides}}
func.func private @too_few_strides(!tile.view<?x?xf32, strides = [1]>)

// -----

// expected-error @below {{C3: view of rank 1 has 0 strides}}
func.func private @no_strides(!tile.view<?xf32, strides = []>)

// -----

// expected-error @below {{C4: view alignment must be a power of two, got 24}}
func.func private @alignment_that_is_no_power_of_two(!tile.view<?xf32, align = 24>)

// -----

// expected-error @below {{C4: view alignment must be a power of two, got 0}}
func.func private @alignment_of_0(!tile.view<?xf32, align = 0>)

// -----

// expected-error @below {{C4: view alignment must be a power of two, got -1}}
func.func private @negative_alignment(!tile.view<?xf32, align = -1>)

// -----

// expected-error @below {{view sizes are run-time values; write '?'}}
func.func private @sizes_that_are_static(!tile.view<?x16xf32>)

// -----

// expected-error @below {{expected one 'strides' and one 'align' at most}}
func.func private @alignment_twice(!tile.view<?xf32, align = 16, align = 16>)

// -----

// expected-error @below {{expected one 'strides' and one 'align' at most}}
func.func private @an_unknown_parameter(!tile.view<?xf32, offset = 16>)

// -----

// expected-error @below {{unknown  type `memory` in dialect `tile`}}
func.func private @an_unknown_type(!tile.memory<4>)

// -----

// expected-error @below {{unknown attribute `unknown` in dialect `tile`}}
func.func private @an_unknown_attribute() attributes {test.a = #tile.unknown<x>}

// -----

// expected-error @below {{'builtin.module' op 'tile.kernel' must be a unit attribute of a function}}
module attributes {tile.kernel} {}

// -----

// expected-error @below {{'func.func' op 'tile.kernel' must be a unit attribute of a function}}
func.func private @kernel_with_a_value() attributes {tile.kernel = 1}

// -----

// expected-error @below {{'func.func' op 'tile.fast_math' must be a unit attribute of a function}}
func.func private @fast_math_with_a_value() attributes {tile.fast_math = false}

// -----

// expected-error @below {{'func.func' op 'tile.num_stages' must be a positive i32 of a function}}
func.func private @no_stages() attributes {tile.num_stages = 0 : i32}

// -----

// expected-error @below {{'func.func' op 'tile.num_warps' must be a positive i32 of a function}}
func.func private @warps_of_another_type() attributes {tile.num_warps = 4}

// -----

// expected-error @below {{'builtin.module' op 'tile.num_warps' must be a positive i32 of a function}}
module attributes {tile.num_warps = 4 : i32} {}

// -----

// expected-error @below {{'func.func' op 'tile.num_warps' is 6, which is no power of two}}
func.func private @six_warps() attributes {tile.num_warps = 6 : i32}

// -----

// expected-error @below {{'func.func' op has unknown 'tile' attribute 'tile.kernle'}}
func.func private @misspelled_attribute() attributes {tile.kernle}

// -----

// expected-error @below {{'builtin.module' op 'tile.may_alias' is an attribute of functions}}
module attributes {tile.may_alias = []} {}

// -----

// expected-error @below {{'tile.may_alias' must be an array of index pairs}}
func.func private @aliases_that_are_no_array(!tile.view<?xf32>) attributes {tile.may_alias = 0}

// -----

// expected-error @below {{'tile.may_alias' entry [0] is not a pair of argument numbers}}
func.func private @alias_of_one(!tile.view<?xf32>) attributes {tile.may_alias = [[0]]}

// -----

// expected-error @below {{'tile.may_alias' entry [0, 1] does not name two array arguments}}
func.func private @alias_with_a_scalar(!tile.view<?xf32>, i64) attributes {tile.may_alias = [[0, 1]]}

// -----

// expected-error @below {{'tile.may_alias' entry [0, 7] does not name two array arguments}}
func.func private @alias_past_the_arguments(!tile.view<?xf32>) attributes {tile.may_alias = [[0, 7]]}

// -----

// expected-error @below {{'tile.may_alias' entry [0, -1] does not name two array arguments}}
func.func private @alias_with_a_negative_number(!tile.view<?xf32>) attributes {tile.may_alias = [[0, -1]]}

// -----

// expected-error @below {{'tile.may_alias' entry [0, 0] does not name two array arguments}}
func.func private @alias_with_itself(!tile.view<?xf32>) attributes {tile.may_alias = [[0, 0]]}

// -----

// expected-error @below {{'tile.may_alias' entry [0, "b"] does not name two array arguments}}
func.func private @alias_by_name(!tile.view<?xf32>) attributes {tile.may_alias = [[0, "b"]]}

// -----

// expected-error @below {{argument 0: has unknown 'tile' attribute 'tile.size'}}
func.func private @unknown_attribute_of_an_argument(!tile.view<?xf32> {tile.size = 4})

// -----

// expected-error @below {{argument 0: 'tile.size_div' needs one divisor for each dimension of an array}}
func.func private @divisors_of_another_rank(!tile.view<?xf32> {tile.size_div = array<i64: 16, 16>})

// -----

// expected-error @below {{argument 1: 'tile.stride_div' needs one divisor for each dimension of an array}}
func.func private @divisors_of_a_scalar(!tile.view<?xf32>, i64 {tile.stride_div = array<i64: 16>})

// -----

// expected-error @below {{argument 0: 'tile.size_div' needs one divisor for each dimension of an array}}
func.func private @divisors_of_another_type(!tile.view<?xf32> {tile.size_div = array<i32: 16>})

// -----

// expected-error @below {{argument 0: 'tile.size_div' divisors must be at least 1}}
func.func private @divisor_of_0(!tile.view<?xf32> {tile.size_div = array<i64: 0>})

// -----

// expected-error @below {{result 0: has unknown 'tile' attribute 'tile.size_div'}}
func.func private @attribute_of_a_result() -> (!tile.view<?xf32> {tile.size_div = array<i64: 16>})
