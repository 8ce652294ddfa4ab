// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics -rocm-lower-gpu

// expected-error@+1 {{the module does not say which GPU it is for; 'tegula.arch' must be one of "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"}}
module {
}

// -----

// expected-error@+1 {{there is no AMD GPU "gfx900"; 'tegula.arch' must be one of}}
module attributes {tegula.arch = "gfx900"} {
}

// -----

module attributes {tegula.arch = "gfx942"} {
  func.func @shuffles_of_half_a_wave(%x: f32) -> f32 {
    %mask = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    // expected-error@+1 {{must be among the 64 lanes of a wave}}
    %y, %valid = gpu.shuffle xor %x, %mask, %width : f32
    return %y : f32
  }
}

// -----

module attributes {tegula.arch = "gfx1100"} {
  func.func @a_mask_past_the_wave(%x: f32) -> f32 {
    %mask = arith.constant 32 : i32
    %width = arith.constant 32 : i32
    // expected-error@+1 {{reaches beyond the 32 lanes of a wave}}
    %y, %valid = gpu.shuffle xor %x, %mask, %width : f32
    return %y : f32
  }
}

// -----

module attributes {tegula.arch = "gfx942"} {
  func.func @operations_that_no_kernel_has(%x: f32) -> f32 {
    // expected-error@+1 {{has no code for AMD GPUs}}
    %y = gpu.all_reduce add %x {} : (f32) -> f32
    return %y : f32
  }
}
