// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(cuda-split-rows))' | FileCheck %s
// RUN: not tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(cuda-split-rows))' --remarks-filter=cuda-split-rows --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// expected-error @+1 {{the module does not say which GPU it is for}}
func.func @for_no_gpu() {
  return
}

// -----

module attributes {tegula.arch = "sm_90a"} {
  // CHECK-LABEL: func.func @the_kernel_writes_what_it_loads
  // CHECK-NOT:     tensor<1x4096
  // REMARK: a program has a processor for itself: the kernel writes what it loads
  func.func @the_kernel_writes_what_it_loads(%x: !tile.view<?x?xbf16>) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xbf16> -> tensor<1x32768xbf16>
    %wide = tile.cast %row : tensor<1x32768xbf16> -> tensor<1x32768xf32>
    %top = tile.reduce <max> %wide axis 1 : tensor<1x32768xf32> -> tensor<1xf32>
    tile.store %row, %x[%i, %zero] : tensor<1x32768xbf16>, !tile.view<?x?xbf16>
    return
  }
}

// -----

module attributes {tegula.arch = "sm_90a"} {
  // CHECK-LABEL: func.func @running_sums
  // CHECK-NOT:     tensor<1x4096
  // REMARK: a program has a processor for itself: it has control flow
  func.func @running_sums(%x: !tile.view<?x?xbf16>, %y: !tile.view<?x?xf32>) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xbf16> -> tensor<1x32768xbf16>
    %wide = tile.cast %row : tensor<1x32768xbf16> -> tensor<1x32768xf32>
    %sums = tile.scan <add> %wide axis 1 : tensor<1x32768xf32> -> tensor<1x32768xf32>
    tile.store %sums, %y[%i, %zero] : tensor<1x32768xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

module attributes {tegula.arch = "sm_90a"} {
  // CHECK-LABEL: func.func @rows_are_stored_twice
  // CHECK-NOT:     tensor<1x4096
  // REMARK: a program has a processor for itself: rows are stored more than once
  func.func @rows_are_stored_twice(%x: !tile.view<?x?xbf16>, %y: !tile.view<?x?xf32>, %z: !tile.view<?x?xf32>)
      attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xbf16> -> tensor<1x32768xbf16>
    %wide = tile.cast %row : tensor<1x32768xbf16> -> tensor<1x32768xf32>
    %top = tile.reduce <max> %wide axis 1 : tensor<1x32768xf32> -> tensor<1xf32>
    tile.store %wide, %y[%i, %zero] : tensor<1x32768xf32>, !tile.view<?x?xf32>
    tile.store %wide, %z[%i, %zero] : tensor<1x32768xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

module attributes {tegula.arch = "sm_90a"} {
  // CHECK-LABEL: func.func @the_author_asks_for_warps
  // CHECK-NOT:     tensor<1x4096
  // REMARK: rows stay whole: the number of warps is given
  func.func @the_author_asks_for_warps(%x: !tile.view<?x?xbf16>, %y: !tile.view<?xf32>)
      attributes {tile.kernel, tile.num_warps = 8 : i32} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xbf16> -> tensor<1x32768xbf16>
    %wide = tile.cast %row : tensor<1x32768xbf16> -> tensor<1x32768xf32>
    %top = tile.reduce <max> %wide axis 1 : tensor<1x32768xf32> -> tensor<1xf32>
    tile.store %top, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    return
  }
}

// -----

module attributes {tegula.arch = "sm_89"} {
  // CHECK-LABEL: func.func @little_shared_memory
  // CHECK-NOT:     tensor<1x4096
  // REMARK: rows stay whole: two programs have not enough shared memory
  func.func @little_shared_memory(%x: !tile.view<?x?xbf16>, %y: !tile.view<?xf32>) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xbf16> -> tensor<1x32768xbf16>
    %wide = tile.cast %row : tensor<1x32768xbf16> -> tensor<1x32768xf32>
    %top = tile.reduce <max> %wide axis 1 : tensor<1x32768xf32> -> tensor<1xf32>
    tile.store %top, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    return
  }
}
