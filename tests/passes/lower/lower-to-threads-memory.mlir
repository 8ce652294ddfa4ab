// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-to-threads --canonicalize --cse | FileCheck %s --implicit-check-not=tile. --implicit-check-not=unrealized

#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>

// Sizes are multiples of the tile's extent: it is inside or not, and nothing else is compared.
// CHECK-LABEL: func @whole_tiles
// CHECK-SAME:    %[[A:.*]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %[[N:[^:]*]]: i64
// CHECK:         %[[TILES:.*]] = arith.divui %[[N]], %c128_i64
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %[[I:.*]], %[[TILES]] : i64
// CHECK-NOT:     arith.cmpi
// CHECK:         %[[START:.*]] = arith.muli %[[I]], %c128_i64 : i64
// CHECK:         %[[TILE:.*]] = llvm.getelementptr %[[A]][%[[START]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK:         %[[MINE:.*]] = llvm.getelementptr %[[TILE]]
// CHECK:         scf.if %[[IN]] -> (vector<4xf32>)
// CHECK-NEXT:      llvm.load %[[MINE]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:         llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
module attributes {tegula.arch = "generic32"} {
  func.func @whole_tiles(%a: !tile.view<?xf32, strides = [1], align = 16> {tile.size_div = array<i64: 128>}, %b: !tile.view<?xf32, strides = [1], align = 16> {tile.size_div = array<i64: 128>}) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %i = tile.program_id 0
    %t = tile.load %a[%i] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<128xf32, #row>
    tile.store %t, %b[%i] : tensor<128xf32, #row>, !tile.view<?xf32, strides = [1], align = 16>
    return
  }
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>

// Sizes are multiples of the vector: one comparison for each.
// CHECK-LABEL: func @whole_vectors
// CHECK-SAME:    %[[A:.*]]: !llvm.ptr<1> {{.*}}, %[[N:[^:]*]]: i64, %{{.*}}: i64, %[[PAD:.*]]: f32
// CHECK:         arith.cmpi ugt
// CHECK:         %[[LIMIT:.*]] = arith.select
// CHECK:         %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[LIMIT]] : i32
// CHECK-NOT:     arith.cmpi
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:         %[[FILL:.*]] = vector.broadcast %[[PAD]]
// CHECK:         arith.select %[[IN]], %{{.*}}, %[[FILL]] : vector<4xf32>
module attributes {tegula.arch = "generic32"} {
  func.func @whole_vectors(%a: !tile.view<?xf32, strides = [1], align = 16> {tile.size_div = array<i64: 16>}, %pad: f32, %b: !tile.view<?xf32, strides = [1], align = 16> {tile.size_div = array<i64: 16>}) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %i = tile.program_id 0
    %t = tile.load %a[%i] pad %pad : !tile.view<?xf32, strides = [1], align = 16> -> tensor<128xf32, #row>
    tile.store %t, %b[%i] : tensor<128xf32, #row>, !tile.view<?xf32, strides = [1], align = 16>
    return
  }
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>

// An edge may cut a vector: vectors inside, single elements at the edge.
// CHECK-LABEL: func @edges
// CHECK:         %[[INTERIOR:.*]] = arith.cmpi eq, %{{.*}}, %c128_i32 : i32
// CHECK:         scf.if %[[INTERIOR]] -> (vector<4xf32>)
// CHECK-NEXT:      llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:         } else {
// CHECK-COUNT-4:   llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
module attributes {tegula.arch = "generic32"} {
  func.func @edges(%a: !tile.view<?xf32, strides = [1], align = 16>, %b: !tile.view<?xf32, strides = [1], align = 16>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %i = tile.program_id 0
    %t = tile.load %a[%i] : !tile.view<?xf32, strides = [1], align = 16> -> tensor<128xf32, #row>
    tile.store %t, %b[%i] : tensor<128xf32, #row>, !tile.view<?xf32, strides = [1], align = 16>
    return
  }
}

// -----

#rows = #layout.linear<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [], block = [], shape = [8, 16]>

// Rows start anywhere unless their stride is a multiple of the vector.
// CHECK-LABEL: func @strides_decide_alignment
// CHECK:         llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK:         llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
module attributes {tegula.arch = "generic32"} {
  func.func @strides_decide_alignment(%a: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.size_div = array<i64: 16, 16>}, %b: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.size_div = array<i64: 16, 16>, tile.stride_div = array<i64: 16, 1>}) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %i = tile.program_id 0
    %t = tile.load %a[%i, %i] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<8x16xf32, #rows>
    tile.store %t, %b[%i, %i] : tensor<8x16xf32, #rows>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}

// -----

#copied = #layout.linear<register = [[0], [1]], lane = [[2], [4], [8], [16], [0]], warp = [[0]], block = [], shape = [32]>

// Of the copies in registers one is loaded; of those in lanes and warps one is stored.
// CHECK-LABEL: func @copies
// CHECK-COUNT-2: llvm.load {{.*}} -> f16
// CHECK-NOT:     llvm.load
// CHECK-DAG:     %[[LANE:.*]] = arith.andi %{{.*}}, %c16_i32
// CHECK-DAG:     %[[WARP:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK:         %[[COPY:.*]] = arith.ori %[[LANE]], %[[WARP]]
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[COPY]], %c0_i32
// CHECK:         %[[STORES:.*]] = arith.andi %{{.*}}, %[[FIRST]]
// CHECK:         scf.if %[[STORES]]
module attributes {tegula.arch = "generic32"} {
  func.func @copies(%a: !tile.view<?xf16, strides = [2]> {tile.size_div = array<i64: 32>}, %b: !tile.view<?xf16, strides = [2]> {tile.size_div = array<i64: 32>}) attributes {tile.kernel, tegula.num_warps = 2 : i32} {
    %i = tile.program_id 0
    %t = tile.load %a[%i] : !tile.view<?xf16, strides = [2]> -> tensor<32xf16, #copied>
    tile.store %t, %b[%i] : tensor<32xf16, #copied>, !tile.view<?xf16, strides = [2]>
    return
  }
}

// -----

#row = #layout.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [], shape = [64]>

// A bool is a byte, true unless zero; fp8 is a byte to memory.
// CHECK-LABEL: func @bytes
// CHECK:         %[[BYTES:.*]] = llvm.load {{.*}} -> vector<2xi8>
// CHECK:         arith.cmpi ne, %{{.*}}, %{{.*}} : vector<2xi8>
// CHECK:         llvm.load {{.*}} -> vector<2xi8>
// CHECK:         llvm.store {{.*}} : vector<2xi8>, !llvm.ptr<1>
module attributes {tegula.arch = "generic32"} {
  func.func @bytes(%a: !tile.view<?xi1, strides = [1], align = 16> {tile.size_div = array<i64: 64>}, %b: !tile.view<?xf8E5M2, strides = [1], align = 16> {tile.size_div = array<i64: 64>}) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %i = tile.program_id 0
    %t = tile.load %a[%i] : !tile.view<?xi1, strides = [1], align = 16> -> tensor<64xi1, #row>
    tile.store %t, %a[%i] : tensor<64xi1, #row>, !tile.view<?xi1, strides = [1], align = 16>
    %u = tile.load %b[%i] : !tile.view<?xf8E5M2, strides = [1], align = 16> -> tensor<64xf8E5M2, #row>
    tile.store %u, %b[%i] : tensor<64xf8E5M2, #row>, !tile.view<?xf8E5M2, strides = [1], align = 16>
    return
  }
}

// -----

// Programs with larger numbers have longer loops, and start first: the others fill up what is left at the end.
// CHECK-LABEL: func @longest_first
// CHECK-SAME:    %[[GX:[^:]*]]: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: !llvm.ptr<1>)
// CHECK:         %[[P:.*]] = arith.remui %{{.*}}, %[[GX]]
// CHECK:         %[[LAST:.*]] = arith.subi %[[GX]], %c1_i32
// CHECK:         arith.subi %[[LAST]], %[[P]]
// CHECK:         scf.for
#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
module attributes {tegula.arch = "generic32"} {
  func.func @longest_first(%a: !tile.view<?xf32, strides = [1], align = 16>, %n: i64) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %p = tile.program_id 0
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c4 = arith.constant 4 : i64
    %next = arith.addi %p, %c1 : i64
    %all = arith.ceildivsi %next, %c4 : i64
    %end = arith.minsi %all, %n : i64
    %x = arith.constant dense<0.0> : tensor<128xf32, #row>
    scf.for %i = %c0 to %end step %c1 : i64 {
      tile.store %x, %a[%i] : tensor<128xf32, #row>, !tile.view<?xf32, strides = [1], align = 16>
    }
    return
  }
}

// -----

// The same where the quotient is rounded up by hand.
// CHECK-LABEL: func @longest_first_rounded_up
// CHECK-SAME:    %[[GX:[^:]*]]: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: !llvm.ptr<1>)
// CHECK:         %[[P:.*]] = arith.remui %{{.*}}, %[[GX]]
// CHECK:         %[[LAST:.*]] = arith.subi %[[GX]], %c1_i32
// CHECK:         arith.subi %[[LAST]], %[[P]]
// CHECK:         scf.for
#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
module attributes {tegula.arch = "generic32"} {
  func.func @longest_first_rounded_up(%a: !tile.view<?xf32, strides = [1], align = 16>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %p = tile.program_id 0
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    %quotient = arith.shrsi %p, %c2 : i64
    %rest = arith.andi %p, %c3 : i64
    %more = arith.cmpi ne, %rest, %c0 : i64
    %one = arith.extui %more : i1 to i64
    %end = arith.addi %quotient, %one : i64
    %x = arith.constant dense<0.0> : tensor<128xf32, #row>
    scf.for %i = %c0 to %end step %c1 : i64 {
      tile.store %x, %a[%i] : tensor<128xf32, #row>, !tile.view<?xf32, strides = [1], align = 16>
    }
    return
  }
}

// -----

// Whether these are longer is not known.
// CHECK-LABEL: func @as_they_are
// CHECK-SAME:    %[[GX:[^:]*]]: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: !llvm.ptr<1>)
// CHECK-NOT:     arith.subi
// CHECK:         arith.subi %arg{{.*}}, %{{.*}} : i64
// CHECK-NOT:     arith.subi
// CHECK:         scf.for
#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
module attributes {tegula.arch = "generic32"} {
  func.func @as_they_are(%a: !tile.view<?xf32, strides = [1], align = 16>, %n: i64) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %p = tile.program_id 0
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %end = arith.subi %n, %p : i64
    %x = arith.constant dense<0.0> : tensor<128xf32, #row>
    scf.for %i = %c0 to %end step %c1 : i64 {
      tile.store %x, %a[%i] : tensor<128xf32, #row>, !tile.view<?xf32, strides = [1], align = 16>
    }
    return
  }
}

// -----

// Other programs access what atomics guard, so its pointer is not the only one.
#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>
module attributes {tegula.arch = "generic32"} {
  // CHECK-LABEL: func @programs_show_each_other_what_they_store(
  // CHECK-SAME:    %{{[^:]*}}: !llvm.ptr<1> {llvm.align = 4 : i64}, {{[^{]*}}!llvm.ptr<1> {llvm.align = 4 : i64}, {{[^{]*}}!llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias, llvm.readonly}
  func.func @programs_show_each_other_what_they_store(%a: !tile.view<?xf32>, %n: !tile.view<?xi32>, %x: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %i = arith.constant 0 : i64
    %one = arith.constant 1 : i32
    %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<32xf32, #row>
    tile.store %t, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
    %old = tile.atomic_rmw <add> %one, %n[%i] : i32, !tile.view<?xi32>, i64 -> i32
    %u = tile.load %a[%i] : !tile.view<?xf32> -> tensor<32xf32, #row>
    tile.print "{} {}" %u, %old : tensor<32xf32, #row>, i32
    return
  }
}

// -----

// Memory adds, but takes subnormal values for 0: it may where that changes nothing, from 2^-100 on; else the thread adds.
module attributes {tegula.arch = "sm_90a"} {
  // CHECK-LABEL: func @sum
  // CHECK-DAG:     %[[LEAST:.*]] = arith.constant 7.88860905E-31 : f32
  // CHECK:         %[[SIZE:.*]] = math.absf %[[VALUE:.*]] : f32
  // CHECK:         %[[LARGE:.*]] = arith.cmpf oge, %[[SIZE]], %[[LEAST]] : f32
  // CHECK:         scf.if %[[LARGE]] -> (f32) {
  // CHECK-NEXT:      llvm.atomicrmw fadd %{{.*}}, %[[VALUE]] syncscope("device") monotonic
  // CHECK:         } else {
  // CHECK:           scf.while
  // CHECK:             llvm.cmpxchg
  func.func @sum(%a: !tile.view<?xf32>, %v: f32) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %i = tile.program_id 0
    %old = tile.atomic_rmw <add> %v, %a[%i] : f32, !tile.view<?xf32>, i64 -> f32
    tile.print "{}" %old : f32
    return
  }
}

// -----

#row = #layout.linear<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [256]>

// What is said to be inside is not compared with the array's size, and takes no pad value.
// CHECK-LABEL: func @tiles_inside
// CHECK-NOT:     arith.cmpi
// CHECK-NOT:     scf.if
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT:     arith.select
// CHECK:         llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK:         llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
module attributes {tegula.arch = "generic32"} {
  func.func @tiles_inside(%a: !tile.view<?xf32, strides = [1], align = 16>, %pad: f32, %b: !tile.view<?xf32, strides = [1], align = 16>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %i = tile.program_id 0
    %t = tile.load %a[%i] pad %pad {tegula.inside = array<i64: 0>} : !tile.view<?xf32, strides = [1], align = 16> -> tensor<256xf32, #row>
    tile.store %t, %b[%i] {tegula.inside = array<i64: 0>} : tensor<256xf32, #row>, !tile.view<?xf32, strides = [1], align = 16>
    return
  }
}

// -----

#row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>

// What a tile was padded with is outside of it all the same.
// CHECK-LABEL: func @padding_inside
// CHECK:         arith.cmpi slt, %{{.*}}, %c100_i32
// CHECK:         scf.if
// CHECK:         llvm.load
module attributes {tegula.arch = "generic32"} {
  func.func @padding_inside(%a: !tile.view<?xf32, strides = [1], align = 16>, %b: !tile.view<?xf32, strides = [1], align = 16>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %i = tile.program_id 0
    %t = tile.load %a[%i] {extents = array<i64: 100>, tegula.inside = array<i64: 0>} : !tile.view<?xf32, strides = [1], align = 16> -> tensor<128xf32, #row>
    tile.store %t, %b[%i] {extents = array<i64: 100>, tegula.inside = array<i64: 0>} : tensor<128xf32, #row>, !tile.view<?xf32, strides = [1], align = 16>
    return
  }
}
