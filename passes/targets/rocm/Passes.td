// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that only AMD GPUs' pipelines run.

#ifndef TEGULA_PASSES_TARGETS_ROCM_PASSES
#define TEGULA_PASSES_TARGETS_ROCM_PASSES

include "mlir/Pass/PassBase.td"

class Rocm_Pass<string flag, string operation = ""> : Pass<flag, operation> {
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect",
    "::mlir::vector::VectorDialect"];
}

def LowerExpPass : Rocm_Pass<"rocm-lower-exp"> {
  let summary = "Exponentials by the hardware's instruction";
  let description = [{
    `math.exp` and `math.exp2` of f32, and by way of it of f16 and bf16, become LLVM's intrinsics, for which AMDGPU's code
    generator has code around the hardware's 2^x: right for subnormals, at most 1.5 ulp. With the flag `afn` (`approx=True`) both
    are the instruction alone, which flushes subnormal numbers and, for `exp`, takes a rounded product with log2 e. f64 is left to
    the general expansion.

    Before:
    ```mlir
    %e = math.exp %x : vector<4xf32>
    ```
    After:
    ```mlir
    %e = llvm.intr.exp(%x) : (vector<4xf32>) -> vector<4xf32>
    ```
  }];
}

def LowerGpuPass : Rocm_Pass<"rocm-lower-gpu", "::mlir::ModuleOp"> {
  let summary = "Thread numbers, barriers and shuffles as ROCDL";
  let description = [{
    Shuffles by a constant mask become data-parallel primitives (DPP), `permlanex16` or `ds_swizzle`, which need no
    address; a shuffle from one constant lane is `readlane`, all others are `ds_bpermute`. Values of any width move in
    pieces of 32 bits. A barrier orders all memory among the threads of a workgroup; one with the attribute
    `tegula.shared_only` orders the local data share only, so that loads from global memory stay in flight across it.

    Before:
    ```mlir
    module attributes {tegula.arch = "gfx942"} {
      func.func @k(%x: f32, %out: !llvm.ptr<1>) {
        %mask = arith.constant 1 : i32
        %width = arith.constant 64 : i32
        %y, %valid = gpu.shuffle xor %x, %mask, %width : f32
        llvm.store %y, %out : f32, !llvm.ptr<1>
        return
      }
    }
    ```
    After:
    ```mlir
    %0 = llvm.bitcast %x : f32 to i32
    %1 = llvm.mlir.poison : i32
    %2 = rocdl.update.dpp %1, %0 with 177, 15, 15, true : i32
    %y = llvm.bitcast %2 : i32 to f32
    ```
  }];
}

def OrderMemoryPass : Rocm_Pass<"rocm-order-memory"> {
  let summary = "Read shared memory late, and do not wait for all loads at once";
  let description = [{
    A read of shared memory comes right before its first use, unless it would pass an operation that may write. In a loop, what
    follows the loads of one tile and leads to stores to shared memory stays behind them (`rocdl.sched.barrier`); bytes of a
    tile that arrived are taken out of their words there, not before.

    Before:
    ```mlir
    %a = llvm.load %p : !llvm.ptr<3> -> vector<4xf32>
    %s = arith.addf %y, %y : vector<4xf32>
    %t = arith.mulf %s, %a : vector<4xf32>
    ```
    After:
    ```mlir
    %s = arith.addf %y, %y : vector<4xf32>
    %a = llvm.load %p : !llvm.ptr<3> -> vector<4xf32>
    %t = arith.mulf %s, %a : vector<4xf32>
    ```
  }];
}

def PermuteHalvesPass : Rocm_Pass<"rocm-permute-halves", "::mlir::ModuleOp"> {
  let summary = "Put halves of registers together by permutations of bytes";
  let description = [{
    A vector of 16-bit elements that are all taken from other vectors is made of 32-bit words: those words, where it has both
    halves of one, else permutations of the bytes of two. Only for chips whose instructions name halves of registers: LLVM would
    move halves into registers that hold something already, and copy what they hold, before that has arrived from memory.

    Before:
    ```mlir
    module attributes {tegula.arch = "gfx1100"} {
      func.func @pair(%x: vector<2xbf16>, %y: vector<2xbf16>) -> vector<2xbf16> {
        %a:2 = vector.to_elements %x : vector<2xbf16>
        %b:2 = vector.to_elements %y : vector<2xbf16>
        %z = vector.from_elements %a#0, %b#0 : vector<2xbf16>
        return %z : vector<2xbf16>
      }
    }
    ```
    After:
    ```mlir
    %v = llvm.bitcast %x : vector<2xbf16> to vector<1xi32>
    %a = vector.to_elements %v : vector<1xi32>
    %w = llvm.bitcast %y : vector<2xbf16> to vector<1xi32>
    %b = vector.to_elements %w : vector<1xi32>
    %bytes = llvm.mlir.constant(84148480 : i32) : i32
    %word = llvm.call_intrinsic "llvm.amdgcn.perm"(%b, %a, %bytes) : (i32, i32, i32) -> i32
    %words = vector.from_elements %word : vector<1xi32>
    %z = llvm.bitcast %words : vector<1xi32> to vector<2xbf16>
    ```
  }];
}

def OrderProgramsPass : Rocm_Pass<"rocm-order-programs", "::mlir::ModuleOp"> {
  let summary = "Give each die of a GPU one stretch of a product's programs";
  let description = [{
    Only in kernels with matrix instructions, on GPUs of several dies. Any order of programs is right; this one lets those that
    read the same tiles share a cache. The order is a bijection for any number of programs.

    Before:
    ```mlir
    module attributes {tegula.arch = "gfx942"} {
      func.func @k(%a: vector<4xf16>, %c: vector<4xf32>, %out: !llvm.ptr<1>, %gx: i32, %gy: i32, %gz: i32, %ctx: !llvm.ptr<1>) {
        %zero = arith.constant 0 : i32
        %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %c, %zero, %zero, %zero
            : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
        %block = gpu.block_id x
        %program = arith.index_cast %block : index to i64
        llvm.store %program, %out : i64, !llvm.ptr<1>
        return
      }
    }
    ```
    After:
    ```mlir
    %block = gpu.block_id x
    %die = arith.remui %block, %c8
    %place = arith.divui %block, %c8
    // %start: count / 8 * %die and the lesser of %die and count % 8
    %program = arith.addi %start, %place
    ```
  }];
}

def FinishKernelPass : Rocm_Pass<"rocm-finish-kernel", "::mlir::ModuleOp"> {
  let summary = "Calling convention, attributes and shared memory of a kernel";
  let description = [{
    The function with `tegula.num_warps` becomes a kernel: its workgroup size is fixed, and it declares that it reads no
    implicit argument. `tegula_shared` gets the size that the kernel asks for, so that the code object states it. The
    module gets AMDGPU's triple and data layout, and version 5 of code objects, which ROCm 5.7 and later load. WMMA
    instructions whose results are used in other blocks are held where they are, where all lanes of a wave run.

    Before:
    ```mlir
    module attributes {tegula.arch = "gfx942"} {
      llvm.mlir.global external @tegula_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
      llvm.func @k(%a: !llvm.ptr<1>) attributes {tegula.num_warps = 4 : i32, tegula.shared_bytes = 2048 : i32} {
        llvm.return
      }
    }
    ```
    After:
    ```mlir
    llvm.mlir.global internal @tegula_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2048 x i8>
    llvm.func amdgpu_kernelcc @k(%a: !llvm.ptr<1>) attributes {rocdl.flat_work_group_size = "256,256", rocdl.kernel,
        rocdl.reqd_work_group_size = array<i32: 256, 1, 1>, rocdl.uniform_work_group_size = true,
        tegula.num_lanes = 64 : i32, tegula.num_warps = 4 : i32, tegula.shared_bytes = 2048 : i32}
    ```
  }];
}

#endif // TEGULA_PASSES_TARGETS_ROCM_PASSES
