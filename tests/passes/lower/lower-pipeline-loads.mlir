// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-pipeline-loads,canonicalize))' | FileCheck %s
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(lower-assign-layouts,lower-pipeline-loads,canonicalize))' --remarks-filter=lower-pipeline-loads --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Missed] pipelining | Category:lower-pipeline-loads | Remark="this loop is not pipelined: no load in it feeds dots alone"

// CHECK-LABEL: func.func @product
// CHECK-SAME: tegula.shared_bytes = 4096 : i32
// CHECK: %[[RING:.*]] = simt.ring "plain" at 0 : !simt.ring<2, tensor<8x4xf16, #{{.*}}>, tensor<4x8xf16, #{{.*}}>>
// CHECK: simt.issue %[[RING]][%{{.*}}] if %{{.*}}, %arg0, %arg1[
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%{{.*}}, %[[NUMBER:.*]] = %{{.*}}) -> (tensor<8x8xf32, #{{.*}}>, i32)
// CHECK: simt.await %[[RING]][%[[NUMBER]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[NUMBER]], %{{.*}} : i32
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K]], %{{.*}} : i64
// CHECK: %[[LEFT:.*]] = arith.subi %arg3, %[[K]] : i64
// CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[LEFT]], %{{.*}} : i64
// CHECK: simt.issue %[[RING]][%[[NEXT]]] if %[[MORE]], %arg0, %arg1[%{{.*}}, %[[AHEAD]], %[[AHEAD]], %{{.*}}]
// CHECK: %[[SLOT:.*]] = simt.slot %[[RING]][%[[NUMBER]]] 0
// CHECK: %[[A:.*]] = simt.read %[[SLOT]]
// CHECK: %[[B:.*]] = simt.read
// CHECK: tile.dot %[[A]], %[[B]]
// CHECK: simt.release %[[RING]][%[[NUMBER]]]
// CHECK-NOT: tile.load
module attributes {tegula.arch = "generic32"} {
  func.func @product(%x: !tile.view<?x?xf16>, %y: !tile.view<?x?xf16>, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<8x8xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<8x8xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16> -> tensor<8x4xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16> -> tensor<4x8xf16>
      %c = tile.dot %a, %b, %acc : tensor<8x4xf16>, tensor<4x8xf16>, tensor<8x8xf32>
      scf.yield %c : tensor<8x8xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<8x8xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// Through a transposition, and twice.
// CHECK-LABEL: func.func @transposed
// CHECK: scf.for
// CHECK: %[[READ:.*]] = simt.read %{{.*}} : {{.*}} -> tensor<8x4xf16, #{{.*}}>
// CHECK: %[[TURNED:.*]] = tile.permute %{{.*}} [1, 0] : tensor<8x4xf16, #{{.*}}> -> tensor<4x8xf16, #{{.*}}>
// CHECK: tile.dot
// CHECK-NOT: tile.load
module attributes {tegula.arch = "generic32"} {
  func.func @transposed(%x: !tile.view<?x?xf16>, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<8x8xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<8x8xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16> -> tensor<8x4xf16>
      %b = tile.permute %a [1, 0] : tensor<8x4xf16> -> tensor<4x8xf16>
      %c = tile.dot %a, %b, %acc : tensor<8x4xf16>, tensor<4x8xf16>, tensor<8x8xf32>
      scf.yield %c : tensor<8x8xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<8x8xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// What cannot be fetched ahead: an array that the kernel writes, an index that is loaded, a tile that is also added.
// CHECK-LABEL: func.func @not_ahead
// CHECK-NOT: simt
// CHECK: return
module attributes {tegula.arch = "generic32"} {
  func.func @not_ahead(%x: !tile.view<?x?xf16>, %i: !tile.view<?xi64>, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<8x8xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<8x8xf32>) : i64 {
      %j = tile.gather %i[%k] : !tile.view<?xi64>, i64 -> i64
      %a = tile.load %x[%zero, %j] : !tile.view<?x?xf16> -> tensor<8x8xf16>
      %b = tile.load %x[%zero, %k] : !tile.view<?x?xf16> -> tensor<8x8xf16>
      %bb = arith.addf %b, %b : tensor<8x8xf16>
      %c = tile.dot %a, %bb, %acc : tensor<8x8xf16>, tensor<8x8xf16>, tensor<8x8xf32>
      %w = tile.load %z[%k, %zero] : !tile.view<?x?xf32> -> tensor<8x8xf32>
      %d = tile.dot %w, %w, %c : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
      scf.yield %d : tensor<8x8xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<8x8xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// Tiles of different dots have rings of their own where those are independent, each waited for and given back where its dot
// is. The rings share the memory that there is.
// CHECK-LABEL: func.func @two_rings
// CHECK: %[[K:.*]] = simt.ring "bulk" at 0 : !simt.ring<3, tensor<128x128xf16, #{{.*}}>>
// CHECK: %[[V:.*]] = simt.ring "bulk" at 99328 : !simt.ring<3, tensor<128x128xf16, #{{.*}}>>
// CHECK: simt.issue %[[K]]
// CHECK: simt.issue %[[V]]
// CHECK: scf.for
// CHECK: simt.await %[[K]]
// CHECK: simt.issue %[[K]]
// CHECK: tile.dot
// CHECK: simt.release %[[K]]
// CHECK: simt.await %[[V]]
// CHECK: simt.issue %[[V]]
// CHECK: tile.dot
// CHECK: simt.release %[[V]]
// CHECK: scf.yield
module attributes {tegula.arch = "sm_90a"} {
  func.func @two_rings(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %z: !tile.view<?x?xf32, strides = [?, 1], align = 16>, %k: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %v: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<128x128xf32>
    %q = tile.load %x[%zero, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<128x128xf16>
    %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i64 {
      %a = tile.load %k[%i, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<128x128xf16>
      %b = tile.load %v[%i, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<128x128xf16>
      %s = tile.dot %q, %a, %none : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
      %p = tile.cast %s : tensor<128x128xf32> -> tensor<128x128xf16>
      %o = tile.dot %p, %b, %acc : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
      scf.yield %o : tensor<128x128xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<128x128xf32>, !tile.view<?x?xf32, strides = [?, 1], align = 16>
    return
  }
}

// -----

// Through registers: the first tiles are written before the loop, the second loaded; each iteration reads, writes what it was
// given and loads two ahead. With one slot (two would keep a second program out) all is read before the slot is released.
// CHECK-LABEL: func.func @registers
// CHECK-SAME: tegula.shared_bytes = 32768 : i32
// CHECK: %[[RING:.*]] = simt.ring "registers" at 0 : !simt.ring<1, tensor<128x64xf16, #{{.*}}>, tensor<64x128xf16, #{{.*}}>>
// CHECK: %[[A0:.*]] = tile.load %arg0
// CHECK: simt.write %[[A0]] to %{{.*}}
// CHECK: %[[A1:.*]] = tile.load %arg0
// CHECK: %[[B0:.*]] = tile.load %arg1
// CHECK: simt.write %[[B0]] to %{{.*}}
// CHECK: %[[B1:.*]] = tile.load %arg1
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%{{.*}}, %[[NUMBER:.*]] = %{{.*}}, %[[A:.*]] = %[[A1]], %[[B:.*]] = %[[B1]])
// CHECK: simt.await %[[RING]][%[[NUMBER]]]
// CHECK: %[[LEFT:.*]] = simt.read
// CHECK: %[[RIGHT:.*]] = simt.read
// CHECK: simt.release %[[RING]][%[[NUMBER]]]
// CHECK: %[[AHEAD:.*]] = arith.addi %[[K]], %{{.*}} : i64
// CHECK: simt.write %[[A]] to %{{.*}}
// CHECK: %[[A2:.*]] = tile.load %arg0[%{{.*}}, %[[AHEAD]]]
// CHECK: simt.write %[[B]] to %{{.*}}
// CHECK: %[[B2:.*]] = tile.load %arg1[%[[AHEAD]], %{{.*}}]
// CHECK: %[[SUM:.*]] = tile.dot %[[LEFT]], %[[RIGHT]]
// CHECK: scf.yield %[[SUM]], %{{.*}}, %[[A2]], %[[B2]]
module attributes {tegula.arch = "gfx942"} {
  func.func @registers(%x: !tile.view<?x?xf16>, %y: !tile.view<?x?xf16>, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<128x128xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16> -> tensor<64x128xf16>
      %c = tile.dot %a, %b, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %c : tensor<128x128xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<128x128xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// Where the operands of a product would not fit in registers all at once, the slot is released after it.
// CHECK-LABEL: func.func @late
// CHECK: simt.ring "registers" at 0 : !simt.ring<1, tensor<128x64xf16, #{{.*}}>, tensor<64x128xf16, #{{.*}}>>
// CHECK: scf.for
// CHECK: simt.await
// CHECK-COUNT-2: simt.read
// CHECK: tile.dot
// CHECK: simt.release
// CHECK: simt.write
// CHECK: tile.load
// CHECK: simt.write
// CHECK: tile.load
// CHECK: scf.yield
module attributes {tegula.arch = "gfx1100"} {
  func.func @late(%x: !tile.view<?x?xf16>, %y: !tile.view<?x?xf16>, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<128x128xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16> -> tensor<64x128xf16>
      %c = tile.dot %a, %b, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %c : tensor<128x128xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<128x128xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// Two slots where they fit: reads stay where their dots are.
// CHECK-LABEL: func.func @two_slots
// CHECK: simt.ring "registers" at 0 : !simt.ring<2, tensor<64x32xf16, #{{.*}}>, tensor<32x64xf16, #{{.*}}>>
// CHECK: scf.for
// CHECK: simt.await
// CHECK-COUNT-2: simt.read
// CHECK-COUNT-2: simt.write
// CHECK: tile.dot
module attributes {tegula.arch = "gfx950"} {
  func.func @two_slots(%x: !tile.view<?x?xf16>, %y: !tile.view<?x?xf16>, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16> -> tensor<64x32xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16> -> tensor<32x64xf16>
      %c = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// The kernel's author wants nothing fetched ahead.
// CHECK-LABEL: func.func @one_stage
// CHECK-NOT: simt.ring
// CHECK: tile.load
module attributes {tegula.arch = "generic32"} {
  func.func @one_stage(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16>, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel, tile.num_stages = 1 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x32xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<32x64xf16>
      %c = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// What every iteration reads is copied once, into a ring of one slot. Products that wait for each other leave the matrix unit
// to other programs, so the rings leave room for these.
// CHECK-LABEL: func.func @kept
// CHECK-SAME: tegula.registers = 120 : i32, tegula.shared_bytes = 51328 : i32
// CHECK: %[[Q:.*]] = simt.ring "bulk" at 0 : !simt.ring<1, tensor<64x64xf16, #{{.*}}>>
// CHECK: %[[K:.*]] = simt.ring "bulk" at 9216
// CHECK: simt.issue %[[Q]][%c0_i32] if %true, %arg0[%c0_i64, %c0_i64]
// CHECK: simt.issue %[[K]][%c0_i32]
// CHECK: simt.await %[[Q]][%c0_i32]
// CHECK: simt.read
// CHECK: scf.for
// CHECK-NOT: simt.await %[[Q]]
module attributes {tegula.arch = "sm_90a"} {
  func.func @kept(%x: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel, tegula.num_warps = 4 : i32} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<64x64xf32>
    %q = tile.load %x[%zero, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i64 {
      %a = tile.load %x[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16, strides = [?, 1], align = 16> -> tensor<64x64xf16>
      %t = tile.permute %a [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
      %s = tile.dot %q, %t, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      %e = math.exp2 %s : tensor<64x64xf32>
      %p = tile.cast %e : tensor<64x64xf32> -> tensor<64x64xf16>
      %c = tile.dot %p, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %c : tensor<64x64xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<64x64xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// Threads that copy have addresses to compute: with three slots they do so during the products. Two slots would leave the
// copy too little time.
// CHECK-LABEL: func.func @copies_behind_products
// CHECK: simt.ring "async" at 0 : !simt.ring<3, tensor<128x64xbf16, {{.*}}>, tensor<64x256xbf16, {{.*}}>>
// CHECK: scf.for
// CHECK: simt.await
// CHECK-NOT: simt.issue
// CHECK: tile.dot
// CHECK: simt.issue
module attributes {tegula.arch = "sm_80"} {
  func.func @copies_behind_products(%x: !tile.view<?x?xbf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xbf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<128x256xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<128x256xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xbf16, strides = [?, 1], align = 16> -> tensor<128x64xbf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xbf16, strides = [?, 1], align = 16> -> tensor<64x256xbf16>
      %c = tile.dot %a, %b, %acc : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32>
      scf.yield %c : tensor<128x256xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<128x256xf32>, !tile.view<?x?xf32>
    return
  }
}

// -----

// CHECK-LABEL: func.func @copies_before_products
// CHECK: simt.ring "async" at 0 : !simt.ring<2, tensor<128x64xbf16, {{.*}}>, tensor<64x128xbf16, {{.*}}>>
// CHECK: scf.for
// CHECK: simt.await
// CHECK: simt.issue
// CHECK: tile.dot
// CHECK-NEXT: simt.release
module attributes {tegula.arch = "sm_86"} {
  func.func @copies_before_products(%x: !tile.view<?x?xbf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?x?xbf16, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %z: !tile.view<?x?xf32>, %n: i64) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %none = arith.constant dense<0.0> : tensor<128x128xf32>
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (tensor<128x128xf32>) : i64 {
      %a = tile.load %x[%zero, %k] : !tile.view<?x?xbf16, strides = [?, 1], align = 16> -> tensor<128x64xbf16>
      %b = tile.load %y[%k, %zero] : !tile.view<?x?xbf16, strides = [?, 1], align = 16> -> tensor<64x128xbf16>
      %c = tile.dot %a, %b, %acc : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
      scf.yield %c : tensor<128x128xf32>
    }
    tile.store %sum, %z[%zero, %zero] : tensor<128x128xf32>, !tile.view<?x?xf32>
    return
  }
}
