// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics -rocm-finish-kernel

module attributes {tegula.arch = "gfx942"} {
  // expected-error@+1 {{has 'tegula.num_warps' = 32 : i32, but a workgroup has 1 to 16 waves of 64 lanes}}
  llvm.func @more_threads_than_a_workgroup_has() attributes {tegula.num_warps = 32 : i32} {
    llvm.return
  }
}

// -----

module attributes {tegula.arch = "gfx942"} {
  // expected-error@+1 {{needs 65537 bytes of shared memory, but gfx942 has 65536}}
  llvm.func @more_shared_memory_than_there_is() attributes {tegula.num_warps = 1 : i32, tegula.shared_bytes = 65537 : i32} {
    llvm.return
  }
}

// -----

module attributes {tegula.arch = "gfx942"} {
  llvm.mlir.global external @tegula_shared() {addr_space = 3 : i32} : !llvm.array<0 x i8>
  // expected-error@+1 {{uses 'tegula_shared', but lacks 'tegula.shared_bytes'}}
  llvm.func @shared_memory_of_unknown_size() attributes {tegula.num_warps = 1 : i32} {
    %0 = llvm.mlir.addressof @tegula_shared : !llvm.ptr<3>
    %1 = llvm.load %0 : !llvm.ptr<3> -> i8
    llvm.return
  }
}

// -----

module attributes {tegula.arch = "gfx942"} {
  // expected-note@+1 {{this is the first}}
  llvm.func @one() attributes {tegula.num_warps = 1 : i32} {
    llvm.return
  }
  // expected-error@+1 {{is a second kernel in the module}}
  llvm.func @two() attributes {tegula.num_warps = 1 : i32} {
    llvm.return
  }
}

// -----

module attributes {tegula.arch = "gfx942"} {
  // expected-error@+1 {{has 'tegula.num_warps' = 16 : si32, but a workgroup has 1 to 16 waves of 64 lanes}}
  llvm.func @waves_that_are_no_number() attributes {tegula.num_warps = 16 : si32, tegula.shared_bytes = 65537 : si32} {
    llvm.return
  }
}

// -----

module attributes {tegula.arch = "gfx942"} {
  // expected-error@+1 {{has 'tegula.shared_bytes' = 8 : si32, which is no number}}
  llvm.func @bytes_that_are_no_number() attributes {tegula.num_warps = 1 : i32, tegula.shared_bytes = 8 : si32} {
    llvm.return
  }
}
