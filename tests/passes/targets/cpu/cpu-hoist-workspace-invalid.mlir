// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cpu-hoist-workspace

func.func private @scratch_of_run_time_size(%n: index) attributes {tegula.program} {
  // expected-error @+1 {{'memref.alloc' op scratch of type 'memref<?xf32>' cannot be hoisted; it needs a static shape and the default layout}}
  %a = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func private @scratch_with_a_layout() attributes {tegula.program} {
  // expected-error @+1 {{'memref.alloc' op scratch of type 'memref<4xf32, strided<[2]>>' cannot be hoisted; it needs a static shape and the default layout}}
  %a = memref.alloc() : memref<4xf32, strided<[2]>>
  return
}

// -----

// expected-error @+1 {{'func.func' op has no entry that calls it; run cpu-lower-abi first}}
func.func private @a_program_without_an_entry() attributes {tegula.program} {
  %a = memref.alloc() : memref<4xf32>
  return
}

// -----

func.func private @more_than_there_is() attributes {tegula.program} {
  // expected-error @+1 {{'memref.alloc' op scratch of type 'memref<9223372036854775807x256xf32>' is larger than any host's memory}}
  %a = memref.alloc() : memref<9223372036854775807x256xf32>
  return
}
