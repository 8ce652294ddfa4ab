// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that only NVIDIA GPUs' pipelines run.

#ifndef TEGULA_PASSES_TARGETS_CUDA_PASSES
#define TEGULA_PASSES_TARGETS_CUDA_PASSES

include "mlir/Pass/PassBase.td"

class Cuda_Pass<string flag, string operation = ""> : Pass<flag, operation> {
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SplitRowsPass : Cuda_Pass<"cuda-split-rows", "::mlir::func::FuncOp"> {
  let summary = "Handle rows that take a whole processor in pieces, by half its threads";
  let description = [{
    A kernel whose widest tile is one row, of as many bytes as all threads of a program hold, leaves memory idle while it reduces the
    row, and the processor idle while it loads the next. If the row is loaded in elements of 2 bytes or less, half the threads can
    hold it, and two programs take turns. Rows are then handled in pieces of which each thread has one access: what comes before a
    reduction is computed piece after piece, loads a piece ahead, then the sum (or whatever it is) of the pieces is reduced.

    Sets `tegula.num_warps`, and in `tegula.registers` what each thread may use. Only kernels without control flow are split, whose
    rows are loaded, computed element by element, reduced by name along the row and stored once; the order of a sum is the
    compiler's choice. GPUs where two programs have no room for half of a row each in shared memory are left alone.

    Before:
    ```mlir
    module attributes {tegula.arch = "sm_90a"} {
      func.func @pieces_between_reductions(%x: !tile.view<?x?xbf16, strides = [?, 1]>, %y: !tile.view<?x?xbf16, strides = [?, 1]>)
          attributes {tile.kernel} {
        %zero = arith.constant 0 : i64
        %low = arith.constant 0xFF80 : bf16
        %i = tile.program_id 0
        %row = tile.load %x[%i, %zero] pad %low : !tile.view<?x?xbf16, strides = [?, 1]> -> tensor<1x32768xbf16>
        %wide = tile.cast %row : tensor<1x32768xbf16> -> tensor<1x32768xf32>
        %top = tile.reduce <max> %wide axis 1 : tensor<1x32768xf32> -> tensor<1xf32>
        %one = tile.reshape %top : tensor<1xf32> -> tensor<1x1xf32>
        %tops = tile.broadcast %one : tensor<1x1xf32> -> tensor<1x32768xf32>
        %low_row = arith.subf %wide, %tops : tensor<1x32768xf32>
        %narrow = tile.cast %low_row : tensor<1x32768xf32> -> tensor<1x32768xbf16>
        tile.store %narrow, %y[%i, %zero] : tensor<1x32768xbf16>, !tile.view<?x?xbf16, strides = [?, 1]>
        return
      }
    }
    ```
    After:
    ```mlir
    %row0 = tile.load %x[%i, %c0] pad %low : !tile.view<?x?xbf16, strides = [?, 1]> -> tensor<1x4096xbf16>
    %row1 = tile.load %x[%i, %c1] pad %low : !tile.view<?x?xbf16, strides = [?, 1]> -> tensor<1x4096xbf16>
    %wide0 = tile.cast %row0 : tensor<1x4096xbf16> -> tensor<1x4096xf32>
    %wide1 = tile.cast %row1 : tensor<1x4096xbf16> -> tensor<1x4096xf32>
    %max1 = arith.maximumf %wide0, %wide1 : tensor<1x4096xf32>
    // ... and so for the other six pieces
    %top = tile.reduce <max> %max7 axis 1 : tensor<1x4096xf32> -> tensor<1xf32>
    ```
  }];
}

def LimitRegistersPass : Cuda_Pass<"cuda-limit-registers", "::mlir::func::FuncOp"> {
  let summary = "Let two programs of half a processor's threads share it";
  let description = [{
    A kernel of half as many warps as a program can have, which loads rows, computes element by element and reduces, gets
    `tegula.registers`, what each thread may use when two programs share a processor, if the tiles that its blocks load, carry
    and hold during reductions leave enough of them. Others are left alone.

    Before:
    ```mlir
    #row = #layout.linear<register = [[0, 1], [0, 2], [0, 4], [0, 4096], [0, 8192]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = [[0, 256], [0, 512], [0, 1024], [0, 2048]], block = [], shape = [1, 16384]>
    module attributes {tegula.arch = "sm_90a"} {
      func.func @a_loop_that_carries_a_row(%a: !tile.view<?x?xbf16>, %n: i64) -> tensor<1xf32>
          attributes {tegula.num_warps = 16 : i32} {
        %c0 = arith.constant 0 : i64
        %c1 = arith.constant 1 : i64
        %none = arith.constant dense<0.0> : tensor<1x16384xf32, #row>
        %squares = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %none) -> (tensor<1x16384xf32, #row>) : i64 {
          %x = tile.load %a[%c0, %j] : !tile.view<?x?xbf16> -> tensor<1x16384xbf16, #row>
          %w = tile.cast %x : tensor<1x16384xbf16, #row> -> tensor<1x16384xf32, #row>
          %q = arith.mulf %w, %w : tensor<1x16384xf32, #row>
          %next = arith.addf %sum, %q : tensor<1x16384xf32, #row>
          scf.yield %next : tensor<1x16384xf32, #row>
        }
        %s = tile.reduce <add> %squares axis 1 : tensor<1x16384xf32, #row> -> tensor<1xf32>
        return %s : tensor<1xf32>
      }
    }
    ```
    After:
    ```mlir
    func.func @a_loop_that_carries_a_row(...) attributes {tegula.num_warps = 16 : i32, tegula.registers = 64 : i32}
    ```
  }];
}

def HoldTilesPass : Cuda_Pass<"cuda-hold-tiles", "::mlir::func::FuncOp"> {
  let summary = "Hold less in registers while threads exchange values";
  let description = [{
    In kernels with `tegula.registers`: during each reduction a thread holds the tiles that are used afterwards. Those that a few cheap
    operations compute from narrow tiles that were loaded are computed again, from a `simt.renew` of the narrow ones, right before
    their next use. Of what is still more than the registers, tiles of 4-byte elements are written to shared memory
    (`simt.reserve`) and read again, as long as there is room for them beside the other programs on the processor.

    Before:
    ```mlir
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
    ```
    After, behind the first reduction:
    ```mlir
    %x2 = simt.renew %x : tensor<256xbf16, #t>
    %w2 = tile.cast %x2 : tensor<256xbf16, #t> -> tensor<256xf32, #t>
    %d = arith.subf %w2, %f : tensor<256xf32, #t>
    ```
  }];
  let dependentDialects = ["::tegula::simt::SimtDialect"];
}

def PlanPrefetchesPass : Cuda_Pass<"cuda-plan-prefetches"> {
  let summary = "Find rows that the next programs will load";
  let description = [{
    A program that reduces a row which it holds in registers asks memory for nothing meanwhile. In kernels with reductions and without
    dots, loads of the rows of the program's number (a tile of at most 4, at least 4 KB each, the first along the row) are noted in
    `tegula.prefetch`, if the program has a multiprocessor for itself, or if up to four share one and each loads more after a
    reduction: the number of the pointer among the parameters of the kernel's later form, rows and columns of the tile, bytes
    of an element. Rows must begin and continue in whole pieces of 16 bytes. GPUs without bulk copies are left alone.

    Before:
    ```mlir
    module attributes {tegula.arch = "sm_90a"} {
      func.func @k(%x: !tile.view<?x?xf32, strides = [?, 1], align = 16> {tile.stride_div = array<i64: 16, 1>}, %y: !tile.view<?xf32>)
          attributes {tile.kernel, tegula.num_warps = 32 : i32} {
        %zero = arith.constant 0 : i64
        %i = tile.program_id 0
        %row = tile.load %x[%i, %zero] : !tile.view<?x?xf32, strides = [?, 1], align = 16> -> tensor<1x2048xf32>
        %sum = tile.reduce <add> %row axis 1 : tensor<1x2048xf32> -> tensor<1xf32>
        tile.store %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
        return
      }
    }
    ```
    After:
    ```mlir
    func.func @k(...) attributes {tegula.prefetch = [array<i64: 0, 1, 2048, 4>], tile.kernel}
    ```
  }];
}

def EmitPrefetchesPass : Cuda_Pass<"cuda-emit-prefetches", "::mlir::ModuleOp"> {
  let summary = "Fetch the rows of the programs that come next into the cache";
  let description = [{
    At the start of a kernel with `tegula.prefetch`, a thread asks for the rows of a later program of the grid's first dimension, by
    `cp.async.bulk.prefetch.L2`: of the one that begins when those end that are at work, at 1024 threads on each multiprocessor.
    Rows and columns outside the array are not asked for.

    Before:
    ```mlir
    module attributes {tegula.arch = "sm_90a"} {
      func.func @k(%x: !llvm.ptr<1>, %m: i64, %n: i64, %s: i64, %one: i64, %gx: i32, %gy: i32, %gz: i32, %messages: !llvm.ptr<1>)
          attributes {tegula.num_warps = 8 : i32, tegula.prefetch = [array<i64: 0, 1, 2048, 4>]} {
        return
      }
    }
    ```
    After:
    ```mlir
    %next = arith.addi %program, %c528 : i32
    scf.if %first_thread_and_exists {
      scf.if %is_inside {
        %row = llvm.getelementptr %x[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
        llvm.inline_asm has_side_effects "cp.async.bulk.prefetch.L2.global [$0], $1;", "l,r" %row, %bytes : (!llvm.ptr<1>, i32) -> ()
      }
    }
    ```
  }];
}

def LowerExpPass : Cuda_Pass<"cuda-lower-exp"> {
  let summary = "Compute exponentials of f32 with the hardware's power of two";
  let description = [{
    2^x is 2^n, made from bits, times 2^(x - n) by `ex2.approx.ftz.f32`, for an integer n near x that is the exponent of a normal
    number: the instruction's error is not magnified, and a subnormal result is rounded once. `exp` is 2^(x log2 e), the product
    in two parts. Both err by less than 2 ulp if the instruction's fraction errs by 2^-22.5 at most. f16 and bf16 are computed in
    f32 and rounded; f64 stays. With the flag `afn` (`approx=True`) both are the instruction alone, which flushes subnormal numbers
    to zero.

    Before:
    ```mlir
    %r = math.exp2 %x : f32
    ```
    After:
    ```mlir
    %share = llvm.call_intrinsic "llvm.nvvm.fma.rn.sat.f"(%x, %one_253rd, %half) : (f32, f32, f32) -> f32
    %number = math.fma %share, %span, %integer : f32
    %minus_n = arith.subf %zero_exponent, %number : f32
    %rest = arith.addf %x, %minus_n : f32
    %fraction = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%rest) : (f32) -> f32
    %bits = arith.bitcast %number : f32 to i32
    %exponent = arith.shli %bits, %c23 : i32
    %power = arith.bitcast %exponent : i32 to f32
    %r = arith.mulf %fraction, %power : f32
    ```
  }];
}

def WidenBF16Pass : Cuda_Pass<"cuda-widen-bf16"> {
  let summary = "Convert pairs of bf16 to f32 by shift and mask";
  let description = [{
    Two bf16 of a vector share a 32-bit register. The lower one becomes an f32 by a shift, the upper one by a mask, an instruction
    each; converting element by element takes the upper one out first. Scalars, odd vectors and other types stay.

    Before:
    ```mlir
    %r = arith.extf %x : vector<4xbf16> to vector<4xf32>
    ```
    After:
    ```mlir
    %pairs = vector.bitcast %x : vector<4xbf16> to vector<2xi32>
    %low = arith.shli %pairs, %c16 : vector<2xi32>
    %high = arith.andi %pairs, %upper : vector<2xi32>
    %both = vector.interleave %low, %high : vector<2xi32> -> vector<4xi32>
    %r = arith.bitcast %both : vector<4xi32> to vector<4xf32>
    ```
  }];
}

def LowerFloat8Pass : Cuda_Pass<"cuda-lower-float8", "::mlir::ModuleOp"> {
  let summary = "Convert between f32 and 8-bit floats in pairs, where there are instructions for it";
  let description = [{
    From sm_89 on `cvt.rn.satfinite` rounds once, to nearest even, saturates, and keeps NaN, as the contract asks; the way
    back by f16 is exact. Nothing is done for older GPUs, nor to conversions of other types.

    Before:
    ```mlir
    module attributes {tegula.arch = "sm_90a"} {
      func.func @f(%x: vector<2xf32>) -> vector<2xf8E4M3FN> {
        %r = arith.truncf %x : vector<2xf32> to vector<2xf8E4M3FN>
        return %r : vector<2xf8E4M3FN>
      }
    }
    ```
    After:
    ```mlir
    %low = vector.extract %x[0] : f32 from vector<2xf32>
    %high = vector.extract %x[1] : f32 from vector<2xf32>
    %pair = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%high, %low) : (f32, f32) -> i16
    %pairs = vector.from_elements %pair : vector<1xi16>
    %bytes = vector.bitcast %pairs : vector<1xi16> to vector<2xi8>
    %r = arith.bitcast %bytes : vector<2xi8> to vector<2xf8E4M3FN>
    ```
  }];
}

def LowerGpuPass : Cuda_Pass<"cuda-lower-gpu", "::mlir::ModuleOp"> {
  let summary = "Thread numbers, barriers and shuffles as NVVM";
  let description = [{
    Values of any width are shuffled in pieces of 32 bits. All lanes of a warp take part in each shuffle.

    Before:
    ```mlir
    func.func @k(%x: f32, %out: !llvm.ptr<1>) {
      %mask = arith.constant 1 : i32
      %width = arith.constant 32 : i32
      %y, %valid = gpu.shuffle xor %x, %mask, %width : f32
      llvm.store %y, %out : f32, !llvm.ptr<1>
      return
    }
    ```
    After:
    ```mlir
    %0 = llvm.bitcast %x : f32 to i32
    %1 = nvvm.shfl.sync bfly %all, %0, %mask, %clamp : i32 -> i32
    %y = llvm.bitcast %1 : i32 to f32
    ```
  }];
}

def FinishKernelPass : Cuda_Pass<"cuda-finish-kernel", "::mlir::ModuleOp"> {
  let summary = "Calling convention, attributes, triple and data layout of a kernel's module";
  let description = [{
    The function with `tegula.num_warps` becomes a kernel that is launched with exactly so many threads in one dimension.

    Before:
    ```mlir
    module attributes {tegula.arch = "sm_90a"} {
      llvm.func @k(%a: !llvm.ptr<1>) attributes {tegula.num_warps = 4 : i32, tegula.shared_bytes = 2048 : i32} {
        llvm.return
      }
    }
    ```
    After:
    ```mlir
    llvm.func @k(%a: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>, tegula.num_lanes = 32 : i32,
        tegula.num_warps = 4 : i32, tegula.shared_bytes = 2048 : i32}
    ```
  }];
}

#endif // TEGULA_PASSES_TARGETS_CUDA_PASSES
