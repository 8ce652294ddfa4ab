// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on loops over tiles with layouts: how iterations overlap, and which of
// them look for edges.

#ifndef TEGULA_PASSES_LOWER_LOOPPASSES
#define TEGULA_PASSES_LOWER_LOOPPASSES

include "mlir/Pass/PassBase.td"

def SplitLoopsPass : Pass<"lower-split-loops", "::mlir::func::FuncOp"> {
  let summary = "Give iterations that meet no edge of an array a loop without masks";
  let description = [{
    A loop whose counter, plus a constant, is a tile's index becomes two, one after the other. In the first one's iterations the
    tiles are inside their arrays along that dimension, which `tegula.inside` says, so that they need no masks there: their indices
    are less than the number of whole tiles. A branch that has code only from a bound of the counter on, as one that masks the last
    blocks has, is left out of them too. The second loop does the rest, as before. Results are the same.

    Counters start at 0 or above and go up by one. A loop that contains loops, or too much code, stays as it is.

    Runs when layouts are final and loads are where they stay.

    Before:
    ```mlir
    #row = #layout.linear<register = [[1]], lane = [], warp = [], block = [], shape = [2]>
    func.func @sum(%a: !tile.view<?xf32>, %n: i64) -> tensor<2xf32, #row> {
      %c0 = arith.constant 0 : i64
      %c1 = arith.constant 1 : i64
      %zero = arith.constant dense<0.0> : tensor<2xf32, #row>
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<2xf32, #row>) : i64 {
        %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<2xf32, #row>
        %t = arith.addf %s, %x : tensor<2xf32, #row>
        scf.yield %t : tensor<2xf32, #row>
      }
      return %sum : tensor<2xf32, #row>
    }
    ```
    After:
    ```mlir
    #row = #layout.linear<register = [[1]], lane = [], warp = [], block = [], shape = [2]>
    func.func @sum(%a: !tile.view<?xf32>, %n: i64) -> tensor<2xf32, #row> {
      %c0 = arith.constant 0 : i64
      %c1 = arith.constant 1 : i64
      %c2 = arith.constant 2 : i64
      %zero = arith.constant dense<0.0> : tensor<2xf32, #row>
      %size = tile.dim %a, 0 : !tile.view<?xf32>
      %whole = arith.divui %size, %c2 : i64
      %least = arith.minsi %n, %whole : i64
      %middle = arith.maxsi %least, %c0 : i64
      %first = scf.for %i = %c0 to %middle step %c1 iter_args(%s = %zero) -> (tensor<2xf32, #row>) : i64 {
        %x = tile.load %a[%i] {tegula.inside = array<i64: 0>} : !tile.view<?xf32> -> tensor<2xf32, #row>
        %t = arith.addf %s, %x : tensor<2xf32, #row>
        scf.yield %t : tensor<2xf32, #row>
      }
      %sum = scf.for %i = %middle to %n step %c1 iter_args(%s = %first) -> (tensor<2xf32, #row>) : i64 {
        %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<2xf32, #row>
        %t = arith.addf %s, %x : tensor<2xf32, #row>
        scf.yield %t : tensor<2xf32, #row>
      }
      return %sum : tensor<2xf32, #row>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tegula::tile::TileDialect"];
}

def PipelineLoadsPass : Pass<"lower-pipeline-loads", "::mlir::func::FuncOp"> {
  let summary = "Fetch the tiles of a loop's dots some iterations ahead";
  let description = [{
    In each `scf.for` of constant step, loads that feed nothing but dots, from arrays that the kernel does not write, at an index
    that depends on the loop's counter and what is outside the loop, go through a ring in shared memory: one for all, or, where
    the device's rings are independent, one for each set of loads that share dots. As many iterations ahead are in flight as the
    device and its shared memory allow. There, a load from before the loop that only the loop's dots use becomes a ring of one
    slot, copied once, if the others keep enough slots beside it. Copies for which threads compute addresses start behind the
    first dot, whose time they share, if the ring has three slots; with two that would be too late.

    Where the device has no copies to shared memory (mechanism "registers"), the loop carries the next iteration's tiles in
    registers. Once the iteration's own tiles are read, each of these is written to the ring (`simt.write`) and loaded anew for
    the iteration after: while one tile is waited for, the loads of the others go on. Tiles are loaded so that what the dot
    reads at once is in one thread, and their buffers are swizzled for the two layouts.

    Before:
    ```mlir
    #acc = #layout.linear<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [], shape = [8, 8]>
    #x = #layout.linear<register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [], block = [], shape = [8, 4]>
    #y = #layout.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = [], block = [], shape = [4, 8]>
    #lhs = #layout.linear<register = [[0, 1], [0, 2]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = [], shape = [8, 4]>
    #rhs = #layout.linear<register = [[1, 0], [2, 0], [0, 1]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = [], block = [], shape = [4, 8]>
    module attributes {tegula.arch = "generic32"} {
      func.func @product(%x: !tile.view<?x?xf16>, %y: !tile.view<?x?xf16>, %n: i64) -> tensor<8x8xf32, #acc>
          attributes {tegula.num_warps = 1 : i32} {
        %zero = arith.constant 0 : i64
        %one = arith.constant 1 : i64
        %none = arith.constant dense<0.0> : tensor<8x8xf32, #acc>
        %sum = scf.for %k = %zero to %n step %one iter_args(%partial = %none) -> (tensor<8x8xf32, #acc>) : i64 {
          %a = tile.load %x[%zero, %k] : !tile.view<?x?xf16> -> tensor<8x4xf16, #x>
          %b = tile.load %y[%k, %zero] : !tile.view<?x?xf16> -> tensor<4x8xf16, #y>
          %c = layout.convert %a : tensor<8x4xf16, #x> -> tensor<8x4xf16, #lhs>
          %d = layout.convert %b : tensor<4x8xf16, #y> -> tensor<4x8xf16, #rhs>
          %e = tile.dot %c, %d, %partial : tensor<8x4xf16, #lhs>, tensor<4x8xf16, #rhs>, tensor<8x8xf32, #acc>
          scf.yield %e : tensor<8x8xf32, #acc>
        }
        return %sum : tensor<8x8xf32, #acc>
      }
    }
    ```
    After (types left out):
    ```
    %ring = simt.ring "plain" at 0
    simt.issue %ring[0] if %any, %x, %y[%zero, %zero, %zero, %zero]
    %sum = scf.for %k = %zero to %n step %one iter_args(%partial = %none, %number = 0) {
      simt.await %ring[%number]
      simt.issue %ring[%number + 1] if %more, %x, %y[%zero, %k + 1, %k + 1, %zero]
      %slot_a = simt.slot %ring[%number] 0
      %c = simt.read %slot_a
      %slot_b = simt.slot %ring[%number] 1
      %d = simt.read %slot_b
      %e = tile.dot %c, %d, %partial
      simt.release %ring[%number]
      scf.yield %e, %number + 1
    }
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def UseSharedOperandsPass : Pass<"lower-use-shared-operands", "::mlir::func::FuncOp"> {
  let summary = "Let the matrix unit read operands from shared memory";
  let description = [{
    A dot whose operands are read from buffers of shared memory becomes `simt.mma` on the buffers, where the device's matrix unit
    can read them, and `simt.mma_wait`. A buffer is seen through permutations and reshapes, such as those that drop extents of 1.

    Before:
    ```mlir
    #acc = #layout.linear<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [], shape = [64, 64]>
    #x = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]], shape = [64, 16]>
    #y = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]], shape = [16, 64]>
    #lhs = #layout.linear<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [], shape = [64, 16]>
    #rhs = #layout.linear<register = [[1, 0], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0]], block = [], shape = [16, 64]>
    module attributes {tegula.arch = "sm_90a"} {
      func.func @product(%x: !simt.buffer<tensor<64x16xf16, #x>>, %y: !simt.buffer<tensor<16x64xf16, #y>>,
                         %c: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
        %a = simt.read %x : !simt.buffer<tensor<64x16xf16, #x>> -> tensor<64x16xf16, #lhs>
        %b = simt.read %y : !simt.buffer<tensor<16x64xf16, #y>> -> tensor<16x64xf16, #rhs>
        %d = tile.dot %a, %b, %c : tensor<64x16xf16, #lhs>, tensor<16x64xf16, #rhs>, tensor<64x64xf32, #acc>
        return %d : tensor<64x64xf32, #acc>
      }
    }
    ```
    After (the function's body):
    ```
    %p = simt.mma %x, %y, %c : !simt.buffer<tensor<64x16xf16, #x>>, !simt.buffer<tensor<16x64xf16, #y>>, tensor<64x64xf32, #acc>
    %d = simt.mma_wait 0 %p : tensor<64x64xf32, #acc>
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def OverlapProductsPass : Pass<"lower-overlap-products", "::mlir::func::FuncOp"> {
  let summary = "Run a loop's second product beside the next iteration's first";
  let description = [{
    Where the second product (`simt.mma`) of an iteration needs what is computed from the first, as in attention, the matrix
    unit would be idle meanwhile. The second product and what follows from it move to the next trip of the loop; the trip starts
    the next iteration's first product, then this one, then copies (`simt.issue`), and waits for the first alone. The first iteration's early part comes
    before the loop, the last one's late part after it. Each product's buffers must come from rings of their own, and nothing
    else of the loop may touch memory. A kernel marked `tegula.takes_turns` is left alone: other programs' products run meanwhile.

    Before:
    ```mlir
    #tile = #layout.linear<register = [[0, 1], [1, 0]], lane = [], warp = [], block = [], shape = [2, 2]>
    #rows = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [1, 0]], shape = [2, 2]>
    func.func @chain(%k: !simt.ring<2, tensor<2x2xf32, #rows>>, %v: !simt.ring<2, tensor<2x2xf32, #rows>>,
                     %q: tensor<2x2xf32, #tile>, %zero: tensor<2x2xf32, #tile>, %from: i32, %to: i32, %step: i32)
        -> tensor<2x2xf32, #tile> {
      %r = scf.for %i = %from to %to step %step iter_args(%sum = %zero) -> (tensor<2x2xf32, #tile>) : i32 {
        simt.await %k[%i] : !simt.ring<2, tensor<2x2xf32, #rows>>
        %b = simt.slot %k[%i] 0 : !simt.ring<2, tensor<2x2xf32, #rows>> -> !simt.buffer<tensor<2x2xf32, #rows>>
        %s = simt.mma %q, %b, %zero : tensor<2x2xf32, #tile>, !simt.buffer<tensor<2x2xf32, #rows>>, tensor<2x2xf32, #tile>
        %t = simt.mma_wait 0 %s : tensor<2x2xf32, #tile>
        simt.release %k[%i] : !simt.ring<2, tensor<2x2xf32, #rows>>
        %p = math.exp2 %t : tensor<2x2xf32, #tile>
        simt.await %v[%i] : !simt.ring<2, tensor<2x2xf32, #rows>>
        %c = simt.slot %v[%i] 0 : !simt.ring<2, tensor<2x2xf32, #rows>> -> !simt.buffer<tensor<2x2xf32, #rows>>
        %o = simt.mma %p, %c, %sum : tensor<2x2xf32, #tile>, !simt.buffer<tensor<2x2xf32, #rows>>, tensor<2x2xf32, #tile>
        %w = simt.mma_wait 0 %o : tensor<2x2xf32, #tile>
        simt.release %v[%i] : !simt.ring<2, tensor<2x2xf32, #rows>>
        scf.yield %w : tensor<2x2xf32, #tile>
      }
      return %r : tensor<2x2xf32, #tile>
    }
    ```
    After (types left out):
    ```
    %any = arith.cmpi slt, %from, %to
    %r = scf.if %any {
      ...                            // the first iteration up to %p0
      %sums:3 = scf.for %i = %from + %step to %to step %step iter_args(%before = %from, %p = %p0, %sum = %zero) {
        simt.await %k[%i]
        %b = simt.slot %k[%i] 0
        %s = simt.mma %q, %b, %zero
        simt.await %v[%before]
        %c = simt.slot %v[%before] 0
        %o = simt.mma %p, %c, %sum
        %t = simt.mma_wait 1 %s
        simt.release %k[%i]
        %next = math.exp2 %t
        %w = simt.mma_wait 0 %o
        simt.release %v[%before]
        scf.yield %i, %next, %w
      }
      ...                            // the last iteration from there
    } else {
      scf.yield %zero
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def DeferMmaWaitsPass : Pass<"lower-defer-mma-waits", "::mlir::func::FuncOp"> {
  let summary = "Keep the matrix unit busy across iterations";
  let description = [{
    In a loop whose products (`simt.mma`) only add to what the next iteration goes on with, the wait for a product moves into the
    next iteration, after that one's products have started. The slot that the product reads is released then, and refilled.
    Products that anything else uses, or that read registers, stay as they are.

    Before:
    ```mlir
    #acc = #layout.linear<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [], shape = [64, 64]>
    #x = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]], shape = [64, 16]>
    #y = #layout.linear<register = [], lane = [], warp = [], block = [], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]], shape = [16, 64]>
    module attributes {tegula.arch = "sm_90a"} {
      func.func @product(%v: !tile.view<?x?xf16>, %w: !tile.view<?x?xf16>, %zero: tensor<64x64xf32, #acc>, %end: i32, %k: i64, %more: i1) -> tensor<64x64xf32, #acc> {
        %first = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %ring = simt.ring "bulk" at 0 : !simt.ring<4, tensor<64x16xf16, #x>, tensor<16x64xf16, #y>>
        %sum, %last = scf.for %i = %first to %end step %one iter_args(%c = %zero, %n = %first) -> (tensor<64x64xf32, #acc>, i32) : i32 {
          simt.await %ring[%n] : !simt.ring<4, tensor<64x16xf16, #x>, tensor<16x64xf16, #y>>
          simt.issue %ring[%n] if %more, %v, %w[%k, %k, %k, %k] : !simt.ring<4, tensor<64x16xf16, #x>, tensor<16x64xf16, #y>>, !tile.view<?x?xf16>, !tile.view<?x?xf16>
          %a = simt.slot %ring[%n] 0 : !simt.ring<4, tensor<64x16xf16, #x>, tensor<16x64xf16, #y>> -> !simt.buffer<tensor<64x16xf16, #x>>
          %b = simt.slot %ring[%n] 1 : !simt.ring<4, tensor<64x16xf16, #x>, tensor<16x64xf16, #y>> -> !simt.buffer<tensor<16x64xf16, #y>>
          %p = simt.mma %a, %b, %c : !simt.buffer<tensor<64x16xf16, #x>>, !simt.buffer<tensor<16x64xf16, #y>>, tensor<64x64xf32, #acc>
          %d = simt.mma_wait 0 %p : tensor<64x64xf32, #acc>
          simt.release %ring[%n] : !simt.ring<4, tensor<64x16xf16, #x>, tensor<16x64xf16, #y>>
          %next = arith.addi %n, %one : i32
          scf.yield %d, %next : tensor<64x64xf32, #acc>, i32
        }
        return %sum : tensor<64x64xf32, #acc>
      }
    }
    ```
    After (from the product on):
    ```
          %p = simt.mma %a, %b, %c : !simt.buffer<tensor<64x16xf16, #x>>, !simt.buffer<tensor<16x64xf16, #y>>, tensor<64x64xf32, #acc>
          %d = simt.mma_wait 1 %p : tensor<64x64xf32, #acc>
          %later = arith.cmpi ne, %n, %first : i32
          scf.if %later {
            %previous = arith.subi %n, %one : i32
            simt.release %ring[%previous] : !simt.ring<4, tensor<64x16xf16, #x>, tensor<16x64xf16, #y>>
          }
          simt.issue %ring[%n] if %more, %v, %w[%k, %k, %k, %k] : ...
          %next = arith.addi %n, %one : i32
          scf.yield %d, %next : tensor<64x64xf32, #acc>, i32
        }
        %done = simt.mma_wait 0 %sum : tensor<64x64xf32, #acc>
        return %done : tensor<64x64xf32, #acc>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tegula::simt::SimtDialect"];
}

#endif
