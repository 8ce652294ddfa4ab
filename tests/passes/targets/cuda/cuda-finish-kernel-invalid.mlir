// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cuda-finish-kernel

module attributes {tegula.arch = "sm_90a"} {
  // expected-error @+1 {{has 'tegula.num_warps' = 64 : i32, but a block has 1 to 32 warps}}
  llvm.func @too_many_warps() attributes {tegula.num_warps = 64 : i32} {
    llvm.return
  }
}

// -----

module attributes {tegula.arch = "sm_89"} {
  // expected-error @+1 {{needs 131072 bytes of shared memory, but sm_89 has 101376 for a block}}
  llvm.func @too_much_memory() attributes {tegula.num_warps = 4 : i32, tegula.shared_bytes = 131072 : i32} {
    llvm.return
  }
}

// -----

module attributes {tegula.arch = "sm_89"} {
  // expected-note @+1 {{this is the first}}
  llvm.func @one() attributes {tegula.num_warps = 4 : i32} {
    llvm.return
  }
  // expected-error @+1 {{is a second kernel in the module}}
  llvm.func @two() attributes {tegula.num_warps = 4 : i32} {
    llvm.return
  }
}

// -----

module attributes {tegula.arch = "sm_90a"} {
  // expected-error @+1 {{has 'tegula.registers' = 0 : i32, but a thread has one or more}}
  llvm.func @no_registers() attributes {tegula.num_warps = 16 : i32, tegula.registers = 0 : i32} {
    llvm.return
  }
}

// -----

module attributes {tegula.arch = "sm_90a"} {
  // expected-error @+1 {{has 'tegula.num_warps' = 16 : si32, but a block has 1 to 32 warps}}
  llvm.func @warps_that_are_no_number() attributes {tegula.num_warps = 16 : si32} {
    llvm.return
  }
}

// -----

module attributes {tegula.arch = "sm_90a"} {
  // expected-error @+1 {{has 'tegula.shared_bytes' = 8 : si32, which is no number}}
  llvm.func @bytes_that_are_no_number() attributes {tegula.num_warps = 1 : i32, tegula.shared_bytes = 8 : si32} {
    llvm.return
  }
}
