// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that loads what its other threads stored waits for them; one that only passes tiles on does not.
//
// RUN: tegula-opt %s -split-input-file --tegula-rocdl-pipeline=arch=gfx942 | FileCheck %s

!v = !tile.view<?xf32, strides = [1]>
module {
  // CHECK-LABEL: llvm.func {{.*}}@shift(
  // CHECK:         llvm.store {{.*}} : {{.*}}f32{{.*}}, !llvm.ptr<1>
  // CHECK:         rocdl.s.barrier
  // CHECK:         llvm.load {{.*}} : !llvm.ptr<1> -> {{.*}}f32
  // CHECK-NOT:     rocdl.s.barrier
  // CHECK:         llvm.return
  func.func @shift(%a: !v, %b: !v, %c: !v) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %t = tile.load %a[%zero] : !v -> tensor<128xf32>
    tile.store %t, %b[%zero] : tensor<128xf32>, !v
    %u = tile.load %b[%one] : !v -> tensor<64xf32>
    tile.store %u, %c[%zero] : tensor<64xf32>, !v
    return
  }
}

// -----

!v = !tile.view<?xf32, strides = [1]>
module {
  // Once between the iterations without bounds and the last ones, which are a loop of their own; in neither of them.
  // CHECK-LABEL: llvm.func {{.*}}@copy(
  // CHECK:         llvm.store {{.*}} : {{.*}}f32{{.*}}, !llvm.ptr<1>
  // CHECK:         llvm.br
  // CHECK:         rocdl.s.barrier
  // CHECK-NOT:     rocdl.s.barrier
  // CHECK:         llvm.return
  func.func @copy(%a: !v, %b: !v) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = tile.dim %a, 0 : !v
    scf.for %i = %zero to %n step %one : i64 {
      %t = tile.load %a[%i] : !v -> tensor<128xf32>
      tile.store %t, %b[%i] : tensor<128xf32>, !v
    }
    return
  }
}
