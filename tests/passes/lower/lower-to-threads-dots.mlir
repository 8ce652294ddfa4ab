// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-to-threads --canonicalize --cse | FileCheck %s --implicit-check-not=tile.

#acc = #layout.linear<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], shape = [8, 8]>
#a = #layout.linear<register = [[0, 1]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = [], shape = [8, 2]>
#b = #layout.linear<register = [[1, 0], [0, 1]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = [], block = [], shape = [2, 8]>

// Each thread has its row of a and its columns of b.

// CHECK-LABEL: func @a_dot_of_what_threads_hold
// CHECK: %[[EXP:.*]] = math.exp {{.*}} : vector<2xf16>
// CHECK: %[[A:.*]]:2 = vector.to_elements %[[EXP]] : vector<2xf16>
// CHECK: %[[ACC:.*]]:2 = vector.to_elements
// CHECK: %[[A0:.*]] = arith.extf %[[A]]#0 : f16 to f32
// CHECK: %[[FIRST:.*]] = math.fma %[[A0]], %{{.*}}, %[[ACC]]#0 : f32
// CHECK: %[[SECOND:.*]] = math.fma %[[A0]], %{{.*}}, %[[ACC]]#1 : f32
// CHECK: %[[A1:.*]] = arith.extf %[[A]]#1 : f16 to f32
// CHECK: math.fma %[[A1]], %{{.*}}, %[[FIRST]] : f32
// CHECK: math.fma %[[A1]], %{{.*}}, %[[SECOND]] : f32
// CHECK-NOT: gpu.barrier
module attributes {tegula.arch = "generic32"} {
  func.func @a_dot_of_what_threads_hold(%x: !tile.view<?x?xf16>, %y: !tile.view<?x?xf16>, %z: !tile.view<?x?xf32>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %acc = arith.constant dense<0.0> : tensor<8x8xf32, #acc>
    %l = tile.load %x[%zero, %zero] : !tile.view<?x?xf16> -> tensor<8x2xf16, #a>
    %r = tile.load %y[%zero, %zero] : !tile.view<?x?xf16> -> tensor<2x8xf16, #b>
    %a = math.exp %l : tensor<8x2xf16, #a>
    %d = tile.dot %a, %r, %acc : tensor<8x2xf16, #a>, tensor<2x8xf16, #b>, tensor<8x8xf32, #acc>
    tile.store %d, %z[%zero, %zero] : tensor<8x8xf32, #acc>, !tile.view<?x?xf32>
    return
  }
}

// -----

#acc = #layout.linear<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]], block = [], shape = [16, 16]>
#a = #layout.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[0, 0]], block = [], shape = [16, 16]>

// Operands that are elsewhere go to shared memory, and a loop reads rows of them.

// CHECK-LABEL: func @a_dot_through_shared_memory
// CHECK-SAME: tegula.shared_bytes = 512 : i32
// CHECK: llvm.store {{.*}} : i8, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32 step %c1_i32 iter_args({{.*}}) -> (vector<4xi32>)
// CHECK:   llvm.load {{.*}} : !llvm.ptr<3> -> i8
// CHECK:   arith.extui {{.*}} : i8 to i32
// CHECK:   llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi8>
// CHECK:   arith.extsi {{.*}} : i8 to i32
// CHECK-COUNT-4: arith.muli {{.*}} : i32
// CHECK:   scf.yield {{.*}} : vector<4xi32>
module attributes {tegula.arch = "generic32"} {
  func.func @a_dot_through_shared_memory(%x: !tile.view<?x?xi8>, %z: !tile.view<?x?xi32>) attributes {tile.kernel, tegula.num_warps = 2 : i32} {
    %zero = arith.constant 0 : i64
    %acc = arith.constant dense<0> : tensor<16x16xi32, #acc>
    %l = tile.load %x[%zero, %zero] : !tile.view<?x?xi8> -> tensor<16x16xi8, #a>
    %d = tile.dot %l, %l, %acc a_unsigned : tensor<16x16xi8, #a>, tensor<16x16xi8, #a>, tensor<16x16xi32, #acc>
    tile.store %d, %z[%zero, %zero] : tensor<16x16xi32, #acc>, !tile.view<?x?xi32>
    return
  }
}
