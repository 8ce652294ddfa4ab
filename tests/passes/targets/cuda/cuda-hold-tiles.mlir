// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(cuda-hold-tiles))' | FileCheck %s
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(cuda-hold-tiles))' --remarks-filter=cuda-hold-tiles --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// Each reduction is followed by what it lets be computed again, from a renewal of the one before.
// CHECK-LABEL: func.func @narrow_tiles_are_widened_again
// CHECK:         %[[X:.*]] = tile.load
// CHECK-NEXT:    %[[W:.*]] = tile.cast %[[X]]
// CHECK:         %[[S:.*]] = tile.reduce <add> %[[W]]
// CHECK:         %[[F:.*]] = tile.full %[[S]]
// CHECK-NEXT:    %[[X2:.*]] = simt.renew %[[X]]
// CHECK-NEXT:    %[[W2:.*]] = tile.cast %[[X2]]
// CHECK-NEXT:    %[[D:.*]] = arith.subf %[[W2]], %[[F]]
// CHECK-NEXT:    %[[Q:.*]] = arith.mulf %[[D]], %[[D]]
// CHECK-NEXT:    %[[V:.*]] = tile.reduce <add> %[[Q]]
// CHECK-NEXT:    %[[G:.*]] = tile.full %[[V]]
// CHECK-NEXT:    %[[X3:.*]] = simt.renew %[[X2]]
// CHECK-NEXT:    %[[W3:.*]] = tile.cast %[[X3]]
// CHECK-NEXT:    %[[F3:.*]] = tile.full %[[S]]
// CHECK-NEXT:    %[[D3:.*]] = arith.subf %[[W3]], %[[F3]]
// CHECK-NEXT:    arith.mulf %[[D3]], %[[G]]
// REMARK: remark: [Analysis] registers | Category:cuda-hold-tiles | Remark="this tile is computed again after line {{[0-9]+}}, from what was loaded"
#t = #layout.linear<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [], block = [], shape = [256]>
module attributes {tegula.arch = "sm_90a"} {
  func.func @narrow_tiles_are_widened_again(%a: !tile.view<?xbf16>, %b: !tile.view<?xf32>, %i: i64)
      attributes {tegula.num_warps = 16 : i32, tegula.registers = 64 : i32, tile.kernel} {
    %x = tile.load %a[%i] : !tile.view<?xbf16> -> tensor<256xbf16, #t>
    %w = tile.cast %x : tensor<256xbf16, #t> -> tensor<256xf32, #t>
    %s = tile.reduce <add> %w axis 0 : tensor<256xf32, #t> -> f32
    %f = tile.full %s : tensor<256xf32, #t>
    %d = arith.subf %w, %f : tensor<256xf32, #t>
    %q = arith.mulf %d, %d : tensor<256xf32, #t>
    %v = tile.reduce <add> %q axis 0 : tensor<256xf32, #t> -> f32
    %g = tile.full %v : tensor<256xf32, #t>
    %y = arith.mulf %d, %g : tensor<256xf32, #t>
    tile.store %y, %b[%i] : tensor<256xf32, #t>, !tile.view<?xf32>
    return
  }
}

// -----

// Two of 32 registers are more than 36: the first waits in shared memory. An exponential is not computed again.
// CHECK-LABEL: func.func @what_is_dear_waits_in_shared_memory
// CHECK-SAME:    tegula.shared_bytes = 4096 : i32
// CHECK:         %[[E:.*]] = math.exp
// CHECK-NEXT:    %[[B:.*]] = simt.reserve at 0 : !simt.buffer<tensor<1024xf32,
// CHECK-NEXT:    simt.write %[[E]] to %[[B]]
// CHECK-NEXT:    %[[G:.*]] = math.exp
// CHECK-NOT:     simt.reserve
// CHECK:         %[[S:.*]] = tile.reduce
// CHECK-NEXT:    %[[F:.*]] = tile.full %[[S]]
// CHECK-NEXT:    %[[AGAIN:.*]] = simt.read %[[B]]
// CHECK-NEXT:    arith.mulf %[[AGAIN]], %[[F]]
// CHECK-NEXT:    arith.mulf %[[G]], %[[F]]
// REMARK: Remark="this tile waits in shared memory, 4096 bytes, during line {{[0-9]+}}"
#u = #layout.linear<register = [[1], [2], [256], [512], [128]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [1024]>
module attributes {tegula.arch = "sm_90a"} {
  func.func @what_is_dear_waits_in_shared_memory(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>, %i: i64, %j: i64)
      attributes {tegula.num_warps = 16 : i32, tegula.registers = 64 : i32, tile.kernel} {
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<1024xf32, #u>
    %z = tile.load %a[%j] : !tile.view<?xf32> -> tensor<1024xf32, #u>
    %e = math.exp %x : tensor<1024xf32, #u>
    %g = math.exp %z : tensor<1024xf32, #u>
    %both = arith.addf %e, %g : tensor<1024xf32, #u>
    %s = tile.reduce <add> %both axis 0 : tensor<1024xf32, #u> -> f32
    %f = tile.full %s : tensor<1024xf32, #u>
    %p = arith.mulf %e, %f : tensor<1024xf32, #u>
    %q = arith.mulf %g, %f : tensor<1024xf32, #u>
    tile.store %p, %b[%i] : tensor<1024xf32, #u>, !tile.view<?xf32>
    tile.store %q, %b[%j] : tensor<1024xf32, #u>, !tile.view<?xf32>
    return
  }
}
