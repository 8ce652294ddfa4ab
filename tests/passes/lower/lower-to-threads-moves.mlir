// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-to-threads --canonicalize --cse | FileCheck %s --implicit-check-not=tile. --implicit-check-not=layout.convert
// RUN: tegula-opt %s -split-input-file --lower-to-threads --canonicalize --cse --remarks-filter=lower-to-threads --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Analysis] layout | Category:lower-to-threads | Remark="512 elements of f16 change threads through shared memory"

#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
#column = #layout.linear<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], warp = [], block = [], shape = [128, 1]>
#wide = #layout.linear<register = [[0, 1], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], warp = [], block = [], shape = [128, 2]>
#turned = #layout.linear<register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [], block = [], shape = [2, 128]>

// CHECK-LABEL: func @moves_give_registers_other_numbers
// CHECK: %[[EXP:.*]] = math.exp {{.*}} : vector<4xf32>
// CHECK: %[[X:.*]]:4 = vector.to_elements %[[EXP]] : vector<4xf32>
// CHECK: %[[TURNED:.*]] = vector.from_elements %[[X]]#0, %[[X]]#1, %[[X]]#2, %[[X]]#3, %[[X]]#0, %[[X]]#1, %[[X]]#2, %[[X]]#3 : vector<8xf32>
// CHECK: math.absf %[[TURNED]] : vector<8xf32>
// CHECK-NOT: gpu.shuffle
module attributes {tegula.arch = "generic32"} {
  func.func @moves_give_registers_other_numbers(%a: !tile.view<?xf32>, %b: !tile.view<?x?xf32>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %x = tile.load %a[%zero] : !tile.view<?xf32> -> tensor<128xf32, #row>
    %e = math.exp %x : tensor<128xf32, #row>
    %column = tile.reshape %e : tensor<128xf32, #row> -> tensor<128x1xf32, #column>
    %wide = tile.broadcast %column : tensor<128x1xf32, #column> -> tensor<128x2xf32, #wide>
    %turned = tile.permute %wide [1, 0] : tensor<128x2xf32, #wide> -> tensor<2x128xf32, #turned>
    %y = math.absf %turned : tensor<2x128xf32, #turned>
    tile.store %y, %b[%zero, %zero] : tensor<2x128xf32, #turned>, !tile.view<?x?xf32>
    return
  }
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
#pairs = #layout.linear<register = [[0, 1], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], warp = [], block = [], shape = [128, 2]>
#long = #layout.linear<register = [[128], [1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [256]>

// CHECK-LABEL: func @join_split_and_concat_choose_registers
// CHECK: %[[EXP:.*]] = math.exp {{.*}} : vector<4xf32>
// CHECK: %[[LOG:.*]] = math.log {{.*}} : vector<4xf32>
// CHECK: %[[E:.*]]:4 = vector.to_elements %[[EXP]] : vector<4xf32>
// CHECK: %[[L:.*]]:4 = vector.to_elements %[[LOG]] : vector<4xf32>
// CHECK: %[[JOINED:.*]] = vector.from_elements %[[E]]#0, %[[L]]#0, %[[E]]#1, %[[L]]#1, %[[E]]#2, %[[L]]#2, %[[E]]#3, %[[L]]#3 : vector<8xf32>
// CHECK: math.absf %[[JOINED]] : vector<8xf32>
// CHECK: %[[SIN:.*]] = math.sin {{.*}} : vector<8xf32>
// CHECK: %[[S:.*]]:8 = vector.to_elements %[[SIN]] : vector<8xf32>
// CHECK: vector.from_elements %[[S]]#1, %[[S]]#3, %[[S]]#5, %[[S]]#7 : vector<4xf32>
module attributes {tegula.arch = "generic32"} {
  func.func @join_split_and_concat_choose_registers(%a: !tile.view<?xf32>, %b: !tile.view<?x?xf32>, %c: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %x = tile.load %a[%zero] : !tile.view<?xf32> -> tensor<128xf32, #row>
    %e = math.exp %x : tensor<128xf32, #row>
    %l = math.log %x : tensor<128xf32, #row>
    %joined = tile.join %e, %l : tensor<128xf32, #row> -> tensor<128x2xf32, #pairs>
    %end_to_end = tile.concat %e, %l axis 0 : tensor<128xf32, #row>, tensor<128xf32, #row> -> tensor<256xf32, #long>
    %y = math.absf %joined : tensor<128x2xf32, #pairs>
    %z = math.absf %end_to_end : tensor<256xf32, #long>
    %s = math.sin %y : tensor<128x2xf32, #pairs>
    %first, %second = tile.split %s : tensor<128x2xf32, #pairs> -> tensor<128xf32, #row>
    %w = math.absf %second : tensor<128xf32, #row>
    tile.store %w, %c[%zero] : tensor<128xf32, #row>, !tile.view<?xf32>
    tile.store %y, %b[%zero, %zero] : tensor<128x2xf32, #pairs>, !tile.view<?x?xf32>
    tile.store %z, %c[%zero] : tensor<256xf32, #long>, !tile.view<?xf32>
    return
  }
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
#renamed = #layout.linear<register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
#shuffled = #layout.linear<register = [[1], [4]], lane = [[2], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>

// One bit changes places between registers and lanes: half of the registers travel, chosen by the lane's bit.

// CHECK-LABEL: func @conversions_within_a_warp
// CHECK: %[[EXP:.*]] = math.exp {{.*}} : vector<4xf32>
// CHECK: %[[X:.*]]:4 = vector.to_elements %[[EXP]] : vector<4xf32>
// CHECK: %[[RENAMED:.*]] = vector.from_elements %[[X]]#0, %[[X]]#2, %[[X]]#1, %[[X]]#3 : vector<4xf32>
// CHECK: math.absf %[[RENAMED]]
// CHECK-COUNT-2: gpu.shuffle  xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
module attributes {tegula.arch = "generic32"} {
  func.func @conversions_within_a_warp(%a: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i64
    %x = tile.load %a[%zero] : !tile.view<?xf32> -> tensor<128xf32, #row>
    %e = math.exp %x : tensor<128xf32, #row>
    %renamed = layout.convert %e : tensor<128xf32, #row> -> tensor<128xf32, #renamed>
    %y = math.absf %renamed : tensor<128xf32, #renamed>
    %shuffled = layout.convert %e : tensor<128xf32, #row> -> tensor<128xf32, #shuffled>
    tile.store %y, %a[%zero] : tensor<128xf32, #renamed>, !tile.view<?xf32>
    tile.store %shuffled, %a[%zero] : tensor<128xf32, #shuffled>, !tile.view<?xf32>
    return
  }
}

// -----

#rows = #layout.linear<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0]], block = [], shape = [32, 16]>
#columns = #layout.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8]], block = [], shape = [32, 16]>

// CHECK-LABEL: func @conversions_between_warps
// CHECK-SAME: tegula.shared_bytes = 1024 : i32
// CHECK-COUNT-1: llvm.store {{.*}} : vector<8xf16>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f16
module attributes {tegula.arch = "generic32"} {
  func.func @conversions_between_warps(%a: !tile.view<?x?xf16>) attributes {tile.kernel, tegula.num_warps = 2 : i32} {
    %zero = arith.constant 0 : i64
    %x = tile.load %a[%zero, %zero] : !tile.view<?x?xf16> -> tensor<32x16xf16, #rows>
    %y = layout.convert %x : tensor<32x16xf16, #rows> -> tensor<32x16xf16, #columns>
    tile.store %y, %a[%zero, %zero] : tensor<32x16xf16, #columns>, !tile.view<?x?xf16>
    return
  }
}
