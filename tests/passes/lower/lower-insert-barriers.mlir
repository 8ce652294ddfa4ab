// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-insert-barriers | FileCheck %s
// RUN: tegula-opt %s -split-input-file --lower-insert-barriers --remarks-filter=lower-insert-barriers --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Analysis] barriers | Category:lower-insert-barriers | Remark="threads wait for each other: this may touch memory that line {{[0-9]+}} touches"

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// CHECK-LABEL: func @load_compute_store_needs_none
// CHECK-NOT:     gpu.barrier
func.func @load_compute_store_needs_none(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>, %i: i64) attributes {tile.kernel} {
  %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<32xf32, #row>
  %u = arith.addf %t, %t : tensor<32xf32, #row>
  tile.store %u, %b[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
  return
}

// -----

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// CHECK-LABEL: func @a_load_sees_an_earlier_store
// CHECK:         tile.store
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tile.load
// CHECK-NOT:     gpu.barrier
// CHECK:         return
func.func @a_load_sees_an_earlier_store(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>, %t: tensor<32xf32, #row>, %i: i64, %j: i64) attributes {tile.kernel} {
  tile.store %t, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
  %u = tile.load %a[%j] : !tile.view<?xf32> -> tensor<32xf32, #row>
  tile.store %u, %b[%j] : tensor<32xf32, #row>, !tile.view<?xf32>
  return
}

// -----

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>
#back = #layout.linear<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = [], shape = [32]>

// In place: each thread loads and stores its own elements, unless the layouts differ.
// CHECK-LABEL: func @in_place
// CHECK:         tile.load
// CHECK-NEXT:    tile.store
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tile.load
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tile.store
func.func @in_place(%a: !tile.view<?xf32>, %t: tensor<32xf32, #row>, %i: i64) attributes {tile.kernel} {
  %u = tile.load %a[%i] : !tile.view<?xf32> -> tensor<32xf32, #row>
  tile.store %u, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
  %v = tile.load %a[%i] : !tile.view<?xf32> -> tensor<32xf32, #back>
  tile.store %t, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
  return
}

// -----

// 32 lanes hold 16 elements twice. One copy stores; the other must not load too early.
#copied = #layout.linear<register = [], lane = [[1], [2], [4], [8], [0]], warp = [], block = [], shape = [16]>

// CHECK-LABEL: func @copies_wait
// CHECK:         tile.store
// CHECK-NEXT:    tile.store
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tile.load
func.func @copies_wait(%a: !tile.view<?xf32>, %t: tensor<16xf32, #copied>, %i: i64) attributes {tile.kernel} {
  tile.store %t, %a[%i] : tensor<16xf32, #copied>, !tile.view<?xf32>
  tile.store %t, %a[%i] : tensor<16xf32, #copied>, !tile.view<?xf32>
  %u = tile.load %a[%i] : !tile.view<?xf32> -> tensor<16xf32, #copied>
  return
}

// -----

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// CHECK-LABEL: func @different_tiles_do_not_conflict
// CHECK-NOT:     gpu.barrier
func.func @different_tiles_do_not_conflict(%a: !tile.view<?xf32>, %t: tensor<32xf32, #row>, %i: i64) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i64
  %next = arith.addi %i, %c1 : i64
  tile.store %t, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
  %u = tile.load %a[%next] : !tile.view<?xf32> -> tensor<32xf32, #row>
  return
}

// -----

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// Tiles of other extents overlap although their indices differ.
// CHECK-LABEL: func @extents_differ
// CHECK:         gpu.barrier
func.func @extents_differ(%a: !tile.view<?xf32>, %t: tensor<32xf32, #row>) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  tile.store %t, %a[%c1] : tensor<32xf32, #row>, !tile.view<?xf32>
  %u = tile.load %a[%c2] {extents = array<i64: 20>} : !tile.view<?xf32> -> tensor<32xf32, #row>
  return
}

// -----

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// CHECK-LABEL: func @arrays_may_overlap
// CHECK:         tile.load
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tile.store
// CHECK-NEXT:    tile.load
func.func @arrays_may_overlap(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>, %c: !tile.view<?xf32>, %i: i64) attributes {tile.kernel, tile.may_alias = [[1, 0]]} {
  %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<32xf32, #row>
  tile.store %t, %b[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
  %u = tile.load %c[%i] : !tile.view<?xf32> -> tensor<32xf32, #row>
  return
}

// -----

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// CHECK-LABEL: func @each_iteration_has_its_own_tile
// CHECK-NOT:     gpu.barrier
func.func @each_iteration_has_its_own_tile(%a: !tile.view<?xf32>, %n: i64, %shift: i64) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %at = arith.addi %i, %shift : i64
    %t = tile.load %a[%at] : !tile.view<?xf32> -> tensor<32xf32, #row>
    tile.store %t, %a[%at] : tensor<32xf32, #row>, !tile.view<?xf32>
  }
  return
}

// -----

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// The load of an iteration must see the store of the one before.
// CHECK-LABEL: func @iterations_conflict
// CHECK:         scf.for
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      tile.load
// CHECK-NEXT:      tile.store
func.func @iterations_conflict(%a: !tile.view<?xf32>, %n: i64) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %minus = arith.constant -1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %before = arith.addi %i, %minus : i64
    %t = tile.load %a[%before] : !tile.view<?xf32> -> tensor<32xf32, #row>
    tile.store %t, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
  }
  return
}

// -----

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// CHECK-LABEL: func @a_branch_may_have_stored
// CHECK:         scf.if
// CHECK-NEXT:      tile.store
// CHECK:         gpu.barrier
// CHECK-NEXT:    tile.load
func.func @a_branch_may_have_stored(%a: !tile.view<?xf32>, %t: tensor<32xf32, #row>, %c: i1, %i: i64, %j: i64) attributes {tile.kernel} {
  scf.if %c {
    tile.store %t, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
  }
  %u = tile.load %a[%j] : !tile.view<?xf32> -> tensor<32xf32, #row>
  return
}

// -----

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// CHECK-LABEL: func @while_loops_go_round
// CHECK:         scf.while
// CHECK:           gpu.barrier
// CHECK-NEXT:      tile.gather
func.func @while_loops_go_round(%a: !tile.view<?xf32>, %t: tensor<32xf32, #row>, %i: i64) attributes {tile.kernel} {
  %zero = arith.constant 0.0 : f32
  scf.while : () -> () {
    %x = tile.gather %a[%i] : !tile.view<?xf32>, i64 -> f32
    %c = arith.cmpf olt, %x, %zero : f32
    scf.condition(%c)
  } do {
    tile.store %t, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
    scf.yield
  }
  return
}

// -----

#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// CHECK-LABEL: func @atomics_commute_if_nobody_looks
// CHECK:         tile.atomic_rmw <add>
// CHECK-NEXT:    tile.atomic_rmw <add>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tile.atomic_rmw <xchg>
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    tile.atomic_cas
func.func @atomics_commute_if_nobody_looks(%a: !tile.view<?xi32>, %i: tensor<32xi64, #row>, %v: tensor<32xi32, #row>) attributes {tile.kernel} {
  %0 = tile.atomic_rmw <add> %v, %a[%i] : tensor<32xi32, #row>, !tile.view<?xi32>, tensor<32xi64, #row> -> tensor<32xi32, #row>
  %1 = tile.atomic_rmw <add> %v, %a[%i] : tensor<32xi32, #row>, !tile.view<?xi32>, tensor<32xi64, #row> -> tensor<32xi32, #row>
  %2 = tile.atomic_rmw <xchg> %v, %a[%i] : tensor<32xi32, #row>, !tile.view<?xi32>, tensor<32xi64, #row> -> tensor<32xi32, #row>
  %3 = tile.atomic_cas %v, %v, %a[%i] : tensor<32xi32, #row>, !tile.view<?xi32>, tensor<32xi64, #row> -> tensor<32xi32, #row>
  return
}

// -----

// "The last program adds up": all threads' stores are visible before one thread counts, and all threads look anew after it.
#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>
module attributes {tegula.arch = "sm_90a"} {
  // CHECK-LABEL: func @the_last_program
  // CHECK:         tile.store
  // CHECK-NEXT:    llvm.fence syncscope("device") release
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    tile.atomic_rmw
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    llvm.fence syncscope("device") acquire
  // CHECK-NEXT:    tile.load
  // CHECK-NOT:     gpu.barrier
  // CHECK:         return
  // REMARK: remark: [Analysis] order | Category:lower-insert-barriers | Remark="what the program did before is shown to programs whose atomics on this element come later"
  func.func @the_last_program(%a: !tile.view<?xf32>, %n: !tile.view<?xi32>, %b: !tile.view<?xi32>, %t: tensor<32xf32, #row>, %i: i64, %one: i32) attributes {tile.kernel} {
    tile.store %t, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
    %old = tile.atomic_rmw <add> %one, %n[%i] : i32, !tile.view<?xi32>, i64 -> i32
    %u = tile.load %a[%i] : !tile.view<?xf32> -> tensor<32xf32, #row>
    tile.scatter %old, %b[%i] : i32, !tile.view<?xi32>, i64
    tile.print "{}" %u : tensor<32xf32, #row>
    return
  }
}

// -----

// A lock, taken in a loop and given back by an atomic whose result nobody needs: that one acquires nothing.
#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>
module attributes {tegula.arch = "gfx942"} {
  // CHECK-LABEL: func @lock
  // CHECK:         scf.while
  // CHECK-NEXT:      llvm.fence syncscope("agent") release
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      tile.atomic_cas
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      llvm.fence syncscope("agent") acquire
  // CHECK-NEXT:      arith.cmpi
  // CHECK-NOT:     gpu.barrier
  // CHECK:         tile.store
  // CHECK-NEXT:    llvm.fence syncscope("agent") release
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    tile.atomic_rmw
  // CHECK-NEXT:    return
  func.func @lock(%a: !tile.view<?xf32>, %n: !tile.view<?xi32>, %t: tensor<32xf32, #row>, %i: i64, %zero: i32, %one: i32) attributes {tile.kernel} {
    scf.while : () -> () {
      %old = tile.atomic_cas %zero, %one, %n[%i] : i32, !tile.view<?xi32>, i64 -> i32
      %held = arith.cmpi eq, %old, %one : i32
      scf.condition(%held)
    } do {
      scf.yield
    }
    tile.store %t, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
    %free = tile.atomic_rmw <xchg> %zero, %n[%i] : i32, !tile.view<?xi32>, i64 -> i32
    return
  }
}

// -----

// Nobody can tell: nothing that is written is accessed before the atomic. Nor does the module need a target.
#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// CHECK-LABEL: func @a_counter_that_gives_out_places
// CHECK-NOT:     llvm.fence
// CHECK-NOT:     gpu.barrier
func.func @a_counter_that_gives_out_places(%a: !tile.view<?xf32>, %n: !tile.view<?xi64>, %b: !tile.view<?xf32>, %i: i64) attributes {tile.kernel} {
  %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<32xf32, #row>
  %at = tile.atomic_rmw <add> %i, %n[%i] : i64, !tile.view<?xi64>, i64 -> i64
  tile.store %t, %b[%at] : tensor<32xf32, #row>, !tile.view<?xf32>
  return
}

// -----

// Sums whose results nobody needs, and atomics of tiles, order nothing.
#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>

// CHECK-LABEL: func @nothing_is_asked
// CHECK-NOT:     llvm.fence
// CHECK-NOT:     gpu.barrier
func.func @nothing_is_asked(%a: !tile.view<?xi32>, %n: !tile.view<?xi32>, %b: !tile.view<?xi32>, %t: tensor<32xi32, #row>, %at: tensor<32xi64, #row>, %i: i64, %one: i32) attributes {tile.kernel} {
  %0 = tile.atomic_rmw <add> %one, %n[%i] : i32, !tile.view<?xi32>, i64 -> i32
  %1 = tile.atomic_rmw <add> %t, %a[%at] : tensor<32xi32, #row>, !tile.view<?xi32>, tensor<32xi64, #row> -> tensor<32xi32, #row>
  tile.store %1, %b[%i] : tensor<32xi32, #row>, !tile.view<?xi32>
  return
}

// -----

// In a loop what comes after the atomic comes before it as well, in the next iteration; a tile of one element is one element.
#one = #layout.linear<register = [], lane = [[0], [0], [0], [0], [0]], warp = [], block = [], shape = [1]>
#row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>
module attributes {tegula.arch = "gfx942"} {
  // CHECK-LABEL: func @in_a_loop
  // CHECK:         scf.for
  // CHECK-NEXT:      llvm.fence syncscope("agent") release
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      tile.atomic_rmw
  // CHECK-NEXT:      gpu.barrier
  // CHECK-NEXT:      llvm.fence syncscope("agent") acquire
  // CHECK-NEXT:      tile.store
  // CHECK-NEXT:    }
  func.func @in_a_loop(%n: !tile.view<?xi32>, %b: !tile.view<?xi32>, %c: !tile.view<?xi32>, %t: tensor<32xi32, #row>, %v: tensor<1xi32, #one>, %at: tensor<1xi64, #one>, %z: i64, %m: i64, %s: i64) attributes {tile.kernel} {
    scf.for %k = %z to %m step %s : i64 {
      %old = tile.atomic_rmw <add> %v, %n[%at] : tensor<1xi32, #one>, !tile.view<?xi32>, tensor<1xi64, #one> -> tensor<1xi32, #one>
      tile.store %old, %b[%k] : tensor<1xi32, #one>, !tile.view<?xi32>
    }
    return
  }
}
