// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-to-threads | FileCheck %s --implicit-check-not=tile. --implicit-check-not=unrealized

// CHECK-LABEL: func @arguments_become_flat
// CHECK-SAME:    %{{.*}}: i8, %{{.*}}: f32,
// CHECK-SAME:    %[[A:.*]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: i64, %[[COLS:.*]]: i64, %[[ROW:.*]]: i64, %{{[^:]*}}: i64,
// CHECK-SAME:    %[[GX:.*]]: i32, %[[GY:.*]]: i32, %[[GZ:.*]]: i32, %{{.*}}: !llvm.ptr<1>)
// CHECK-SAME:    attributes {tegula.num_lanes = 32 : i32, tegula.num_warps = 4 : i32, tegula.shared_bytes = 0 : i32}
module attributes {tegula.arch = "generic32"} {
  func.func @arguments_become_flat(%flag: i1, %x: f32, %a: !tile.view<?x?xi64, strides = [?, 1], align = 16>) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    // CHECK: %[[BLOCK:.*]] = gpu.block_id x
    // CHECK: %[[P:.*]] = arith.index_castui %[[BLOCK]]
    // CHECK: %[[REST:.*]] = arith.divui %[[P]], %[[GX]]
    // CHECK: %[[Y:.*]] = arith.remui %[[REST]], %[[GY]]
    // CHECK: %[[Y64:.*]] = arith.extui %[[Y]] : i32 to i64
    // CHECK: arith.extui %[[GZ]] : i32 to i64
    // CHECK: arith.addi %{{.*}}, %[[COLS]]
    // CHECK: arith.addi %{{.*}}, %[[ROW]]
    %p = tile.program_id 1
    %n = tile.num_programs 2
    %cols = tile.dim %a, 1 : !tile.view<?x?xi64, strides = [?, 1], align = 16>
    %row = tile.stride %a, 0 : !tile.view<?x?xi64, strides = [?, 1], align = 16>
    %0 = arith.addi %p, %n : i64
    %1 = arith.addi %0, %cols : i64
    %2 = arith.addi %1, %row : i64
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    scf.for %i = %c0 to %2 step %c1 : i64 {
      %c = arith.constant dense<0> : tensor<1x256xi64, #layout.linear<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[0, 64], [0, 128]], block = [], shape = [1, 256]>>
      %i0 = arith.constant 0 : i64
      tile.store %c, %a[%i0, %i] : tensor<1x256xi64, #layout.linear<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[0, 64], [0, 128]], block = [], shape = [1, 256]>>, !tile.view<?x?xi64, strides = [?, 1], align = 16>
    }
    return
  }
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
#turned = #layout.linear<register = [[64], [32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [128]>
#small = #layout.linear<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [], block = [], shape = [4]>

// CHECK-LABEL: func @elementwise_operations_take_vectors
module attributes {tegula.arch = "generic32"} {
  func.func @elementwise_operations_take_vectors(%x: !tile.view<?xf32, strides = [1], align = 16>, %n: i64) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    // CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<4xf32>
    // CHECK: scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %[[TWO]]) -> (vector<4xf32>)
    // CHECK:   %[[SUM:.*]] = arith.addf %[[CARRIED]], %[[TWO]] fastmath<nnan> : vector<4xf32>
    // CHECK:   %[[LESS:.*]] = arith.cmpf olt, %[[SUM]], %[[TWO]] : vector<4xf32>
    // CHECK:   %[[PICKED:.*]] = arith.select %[[LESS]], %[[SUM]], %[[TWO]] : vector<4xi1>, vector<4xf32>
    // CHECK:   math.exp %[[PICKED]] : vector<4xf32>
    // CHECK:   scf.yield {{.*}} : vector<4xf32>
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %two = arith.constant dense<2.0> : tensor<128xf32, #row>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %two) -> (tensor<128xf32, #row>) : i64 {
      %sum = arith.addf %t, %two fastmath<nnan> : tensor<128xf32, #row>
      %less = arith.cmpf olt, %sum, %two : tensor<128xf32, #row>
      %picked = arith.select %less, %sum, %two : tensor<128xi1, #row>, tensor<128xf32, #row>
      %e = math.exp %picked : tensor<128xf32, #row>
      scf.yield %e : tensor<128xf32, #row>
    }
    tile.store %r, %x[%c0] : tensor<128xf32, #row>, !tile.view<?xf32, strides = [1], align = 16>
    return
  }
}

// -----

// Values that depend on the thread come from memory; values that do not are a constant.
// CHECK: llvm.mlir.global internal constant @constants.data0(dense<{{.*}}> : tensor<64xi8>) {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<64 x i8>
// CHECK-LABEL: func @constants
#two = #layout.linear<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [64]>
#copied = #layout.linear<register = [[2], [1]], lane = [[0], [0], [0], [0], [0]], warp = [], block = [], shape = [4]>
module attributes {tegula.arch = "generic32"} {
  func.func @constants(%a: !tile.view<?xi1>, %b: !tile.view<?xi32>, %i: i64) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    // CHECK-DAG: arith.constant dense<[10, 30, 20, 40]> : vector<4xi32>
    // CHECK-DAG: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
    // CHECK-DAG: %[[DATA:.*]] = llvm.mlir.addressof @constants.data0
    // CHECK-DAG: llvm.getelementptr %[[DATA]][{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    // CHECK-DAG: %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i8
    // CHECK-DAG: arith.cmpi ne, %[[BYTE]], %{{.*}} : i8
    %m = arith.constant dense<"0xF0F0F0F00F0F0F0F"> : tensor<64xi1, #two>
    %c = arith.constant dense<[10, 20, 30, 40]> : tensor<4xi32, #copied>
    tile.store %m, %a[%i] : tensor<64xi1, #two>, !tile.view<?xi1>
    tile.store %c, %b[%i] : tensor<4xi32, #copied>, !tile.view<?xi32>
    return
  }
}
