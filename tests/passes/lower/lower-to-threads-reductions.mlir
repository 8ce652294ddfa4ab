// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-to-threads --canonicalize --cse | FileCheck %s --implicit-check-not=tile.

#rows = #layout.linear<register = [[0, 1], [0, 64]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[1, 0]], block = [], shape = [2, 128]>
#result = #layout.linear<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1]], block = [], shape = [2]>

// Registers first, then lanes; nothing goes through shared memory.

// CHECK-LABEL: func @a_sum_within_a_warp
// CHECK-SAME: tegula.shared_bytes = 0 : i32
// CHECK: %[[EXP:.*]] = math.exp {{.*}} : vector<4xf32>
// CHECK: %[[X:.*]]:4 = vector.to_elements %[[EXP]] : vector<4xf32>
// CHECK: %[[LOW:.*]] = arith.addf %[[X]]#0, %[[X]]#1 : f32
// CHECK: %[[HIGH:.*]] = arith.addf %[[X]]#2, %[[X]]#3 : f32
// CHECK: %[[OWN:.*]] = arith.addf %[[LOW]], %[[HIGH]] : f32
// CHECK: %[[OTHER:.*]], %{{.*}} = gpu.shuffle  xor
// CHECK: arith.addf %[[OWN]], %{{.*}} : f32
// CHECK-COUNT-4: gpu.shuffle  xor
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : f32
// CHECK: arith.addf %[[SUM]], %cst : f32
module attributes {tegula.arch = "generic32"} {
  func.func @a_sum_within_a_warp(%a: !tile.view<?x?xf32>, %b: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 2 : i32} {
    %zero = arith.constant 0 : i64
    %x = tile.load %a[%zero, %zero] : !tile.view<?x?xf32> -> tensor<2x128xf32, #rows>
    %e = math.exp %x : tensor<2x128xf32, #rows>
    %s = tile.reduce <add> %e axis 1 : tensor<2x128xf32, #rows> -> tensor<2xf32, #result>
    tile.store %s, %b[%zero] : tensor<2xf32, #result>, !tile.view<?xf32>
    return
  }
}

// -----

#line = #layout.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = [], shape = [256]>
#one = #layout.linear<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = [], shape = [1]>

// Each warp's maximum goes through shared memory once; every thread reads all four.

// CHECK-LABEL: func @a_maximum_across_warps
// CHECK-SAME: tegula.shared_bytes = 16 : i32
// CHECK-COUNT-5: gpu.shuffle  xor
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: %[[ALL:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: %[[X:.*]]:4 = vector.to_elements %[[ALL]] : vector<4xf32>
// CHECK-DAG: %[[LOW:.*]] = arith.maximumf %[[X]]#0, %[[X]]#1 : f32
// CHECK-DAG: %[[HIGH:.*]] = arith.maximumf %[[X]]#2, %[[X]]#3 : f32
// CHECK: arith.maximumf %[[LOW]], %[[HIGH]] : f32
module attributes {tegula.arch = "generic32"} {
  func.func @a_maximum_across_warps(%a: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %x = tile.load %a[%zero] : !tile.view<?xf32> -> tensor<256xf32, #line>
    %s = tile.reduce <max> %x axis 0 : tensor<256xf32, #line> -> f32
    %t = tile.full %s : tensor<1xf32, #one>
    tile.store %t, %a[%zero] : tensor<1xf32, #one>, !tile.view<?xf32>
    return
  }
}

// -----

#line = #layout.linear<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [], block = [], shape = [4]>
#one = #layout.linear<register = [], lane = [[0], [0], [0], [0], [0]], warp = [], block = [], shape = [1]>

// A narrow sum is rounded once; copies in other lanes are not added.

// CHECK-LABEL: func @a_sum_of_halves
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
// CHECK: vector.to_elements %[[WIDE]]
// CHECK-NOT: gpu.shuffle
// CHECK-COUNT-4: arith.addf {{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
module attributes {tegula.arch = "generic32"} {
  func.func @a_sum_of_halves(%a: !tile.view<?xf16>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %x = tile.load %a[%zero] : !tile.view<?xf16> -> tensor<4xf16, #line>
    %y = math.absf %x : tensor<4xf16, #line>
    %s = tile.reduce <add> %y axis 0 : tensor<4xf16, #line> -> f16
    %t = tile.full %s : tensor<1xf16, #one>
    tile.store %t, %a[%zero] : tensor<1xf16, #one>, !tile.view<?xf16>
    return
  }
}

// -----

#line = #layout.linear<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [64]>
#one = #layout.linear<register = [], lane = [[0], [0], [0], [0], [0]], warp = [], block = [], shape = [1]>

// The low bits of the axis are in lanes: they combine first, for both registers, each lane with its lower neighbour on
// the left.

// CHECK-LABEL: func @a_region_keeps_the_order
// CHECK-COUNT-2: gpu.shuffle  xor
// CHECK: arith.select
// CHECK: arith.subi
// CHECK-COUNT-8: gpu.shuffle  xor
// CHECK-NOT: gpu.shuffle
module attributes {tegula.arch = "generic32"} {
  func.func @a_region_keeps_the_order(%a: !tile.view<?xi32>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %x = tile.load %a[%zero] : !tile.view<?xi32> -> tensor<64xi32, #line>
    %s = tile.reduce %x axis 0 : tensor<64xi32, #line> -> i32 {
    ^bb0(%l: i32, %r: i32):
      %d = arith.subi %l, %r : i32
      tile.yield %d : i32
    }
    %t = tile.full %s : tensor<1xi32, #one>
    tile.store %t, %a[%zero] : tensor<1xi32, #one>, !tile.view<?xi32>
    return
  }
}

// -----

#line = #layout.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [], shape = [64]>

// CHECK-LABEL: func @a_running_sum
// CHECK: %[[EXP:.*]] = math.exp {{.*}} : vector<2xf32>
// CHECK: %[[X:.*]]:2 = vector.to_elements %[[EXP]] : vector<2xf32>
// CHECK: %[[BOTH:.*]] = arith.addf %[[X]]#0, %[[X]]#1 : f32
// CHECK: gpu.shuffle  xor
// CHECK: arith.addf %{{.*}}, %[[X]]#0 : f32
// CHECK: arith.select
// CHECK: arith.addf %{{.*}}, %[[BOTH]] : f32
// CHECK: arith.select
// CHECK-COUNT-4: gpu.shuffle  xor
// CHECK-NOT: gpu.shuffle
module attributes {tegula.arch = "generic32"} {
  func.func @a_running_sum(%a: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %x = tile.load %a[%zero] : !tile.view<?xf32> -> tensor<64xf32, #line>
    %e = math.exp %x : tensor<64xf32, #line>
    %s = tile.scan <add> %e axis 0 : tensor<64xf32, #line> -> tensor<64xf32, #line>
    tile.store %s, %a[%zero] : tensor<64xf32, #line>, !tile.view<?xf32>
    return
  }
}

// -----

#line = #layout.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = [], shape = [256]>
#one = #layout.linear<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = [], shape = [1]>

// Reductions that follow each other have scratch of their own: one barrier each.

// CHECK-LABEL: func @two_after_each_other
// CHECK-SAME: tegula.shared_bytes = 528 : i32
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: gpu.barrier
// CHECK: llvm.getelementptr %{{.*}}[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: gpu.barrier
// CHECK: return
module attributes {tegula.arch = "generic32"} {
  func.func @two_after_each_other(%a: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %x = tile.load %a[%zero] : !tile.view<?xf32> -> tensor<256xf32, #line>
    %s = tile.reduce <max> %x axis 0 : tensor<256xf32, #line> -> f32
    %t = tile.full %s : tensor<256xf32, #line>
    %d = arith.subf %x, %t : tensor<256xf32, #line>
    %u = tile.reduce <add> %d axis 0 : tensor<256xf32, #line> -> f32
    %v = tile.full %u : tensor<1xf32, #one>
    tile.store %v, %a[%zero] : tensor<1xf32, #one>, !tile.view<?xf32>
    return
  }
}

// -----

#line = #layout.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = [], shape = [256]>
#one = #layout.linear<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = [], shape = [1]>

// The only one of a loop meets itself in the next iteration.

// CHECK-LABEL: func @one_in_a_loop
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: gpu.barrier
// CHECK: return
module attributes {tegula.arch = "generic32"} {
  func.func @one_in_a_loop(%a: !tile.view<?xf32>, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant 0.0 : f32
    %sum = scf.for %i = %zero to %n step %one iter_args(%total = %none) -> (f32) : i64 {
      %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<256xf32, #line>
      %s = tile.reduce <add> %x axis 0 : tensor<256xf32, #line> -> f32
      %next = arith.addf %total, %s : f32
      scf.yield %next : f32
    }
    %v = tile.full %sum : tensor<1xf32, #one>
    tile.store %v, %a[%zero] : tensor<1xf32, #one>, !tile.view<?xf32>
    return
  }
}

// -----

#line = #layout.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128], [256], [512], [1024]], block = [], shape = [2048]>
#one = #layout.linear<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0], [0], [0], [0]], block = [], shape = [1]>

// Of 32 warps' totals each thread reads four, and lanes combine the rest.

// CHECK-LABEL: func @a_sum_of_many_warps
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: llvm.load {{.*}} !llvm.ptr<3>
// CHECK-COUNT-3: gpu.shuffle  xor
// CHECK-NOT: gpu.shuffle
// CHECK: return
module attributes {tegula.arch = "generic32"} {
  func.func @a_sum_of_many_warps(%a: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 32 : i32} {
    %zero = arith.constant 0 : i64
    %x = tile.load %a[%zero] : !tile.view<?xf32> -> tensor<2048xf32, #line>
    %s = tile.reduce <add> %x axis 0 : tensor<2048xf32, #line> -> f32
    %t = tile.full %s : tensor<1xf32, #one>
    tile.store %t, %a[%zero] : tensor<1xf32, #one>, !tile.view<?xf32>
    return
  }
}
