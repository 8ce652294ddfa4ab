// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that only the host CPU's pipeline runs.

#ifndef TEGULA_PASSES_TARGETS_CPU_PASSES
#define TEGULA_PASSES_TARGETS_CPU_PASSES

include "mlir/Pass/PassBase.td"

class Cpu_Pass<string flag, string operation = ""> : Pass<flag, operation> {
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"];
}

def LowerAbiPass : Cpu_Pass<"cpu-lower-abi", "::mlir::ModuleOp"> {
  let summary = "Split a kernel into one program and an entry that walks a range of the grid";
  let description = [{
    The program's arguments are pointers, sizes, strides and scalars, then its grid position and the grid's sizes, then
    the launch context. The entry, named NAME.entry, has the ABI of the launcher: it loads the arguments from
    an array of 8-byte slots and calls the program for each position from `begin` to `end`, the first axis fastest.
    Pointers to arrays that overlap no other are `noalias`. How each array is used is recorded on the cast that still gives
    its `!tile.view`.

    Before:
    ```mlir
    func.func @k(%a: !tile.view<?xf32>) attributes {tile.kernel} {
      %i = tile.program_id 0
      %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<16xf32>
      return
    }
    ```
    After:
    ```mlir
    func.func private @k.program(%p: !llvm.ptr {llvm.noalias}, %size: i64, %stride: i64, %x: i64, %y: i64, %z: i64,
                                 %gx: i64, %gy: i64, %gz: i64, %ctx: !llvm.ptr) attributes {tegula.program} {
      %m = memref.reinterpret_cast %base to offset: [0], sizes: [%0], strides: [%1] : memref<f32> to memref<?xf32, strided<[?]>>
      %a = builtin.unrealized_conversion_cast %m : memref<?xf32, strided<[?]>> to !tile.view<?xf32> {tegula.read}
      %t = tile.load %a[%x] : !tile.view<?xf32> -> tensor<16xf32>
      return
    }
    func.func @k.entry(%args: !llvm.ptr, %begin: i64, %end: i64, %gx: i64, %gy: i64, %gz: i64, %ctx: !llvm.ptr)
    ```
  }];
}

def LowerTileAccessPass : Cpu_Pass<"cpu-lower-tile-access"> {
  let summary = "Read and write whole tiles where they lie, through scratch at the edges";
  let description = [{
    A load becomes the subview of the array if the tile lies inside it, else a scratch buffer filled with the pad value and
    what part of the tile there is. It reads in place only if nothing in the kernel writes the array and rows are contiguous.
    A store becomes the destination of the computation that makes the value under the like condition, else a copy of the part
    inside. Also lowers `tile.dim` and `tile.stride`.

    Before:
    ```mlir
    func.func @k(%a: !tile.view<?xf32, strides = [1]>) attributes {tile.kernel} {
      %i = tile.program_id 0
      %t = tile.load %a[%i] : !tile.view<?xf32, strides = [1]> -> tensor<16xf32>
      return
    }
    ```
    After (of what cpu-lower-abi made):
    ```mlir
    %buffer = scf.if %full -> (memref<16xf32, strided<[1], offset: ?>>) {
      %in = memref.subview %m[%offset] [16] [1] : memref<?xf32, strided<[1]>> to memref<16xf32, strided<[1], offset: ?>>
      scf.yield %in : memref<16xf32, strided<[1], offset: ?>>
    } else {
      %scratch = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
      // fill with the pad value, copy the valid part
      scf.yield %cast : memref<16xf32, strided<[1], offset: ?>>
    }
    %t = bufferization.to_tensor %buffer restrict : memref<16xf32, strided<[1], offset: ?>> to tensor<16xf32>
    ```
  }];
}

def LowerElementAccessPass : Cpu_Pass<"cpu-lower-element-access"> {
  let summary = "Gather, scatter and atomics as guarded accesses of single elements";
  let description = [{
    Each lane checks its indices against the array's sizes. A gather from an array that the kernel does not write is an
    elementwise generic, which fuses; everything else is a loop in row-major order. Float atomics compare and swap bits.

    Before:
    ```mlir
    func.func @k(%a: !tile.view<?xf32>, %i: i64) attributes {tile.kernel} {
      %v = tile.gather %a[%i] : !tile.view<?xf32>, i64 -> f32
      return
    }
    ```
    After (of what cpu-lower-abi made):
    ```mlir
    %inside = arith.cmpi ult, %index, %size : index
    %v = scf.if %inside -> (f32) {
      %e = memref.load %m[%index] : memref<?xf32, strided<[?]>>
      scf.yield %e : f32
    } else {
      scf.yield %pad : f32
    }
    ```
  }];
}

def LowerDebugPass : Cpu_Pass<"cpu-lower-debug", "::mlir::ModuleOp"> {
  let summary = "Print and assert through the runtime";
  let description = [{
    Before:
    ```mlir
    func.func @k(%c: i1) attributes {tile.kernel} {
      tile.assert %c, "no rows"
      return
    }
    ```
    After (of what cpu-lower-abi made):
    ```mlir
    scf.if %failed {
      llvm.call @tegula_rt_assert_fail(%ctx, %text, %file, %line, %column, %x, %y, %z)
    }
    ```
  }];
}

def LowerReductionsPass : Cpu_Pass<"cpu-lower-reductions"> {
  let summary = "Reductions, arg-reductions and scans as linalg generics and loops";
  let description = [{
    A named reduction is a generic whose float sum may be reassociated, so that it vectorizes; sums of fp16, bf16 and fp8
    accumulate in fp32. A reduction by region keeps the order of its operands. An arg-reduction is two reductions: the extreme
    value, then the lowest index that attains it. A scan is a loop along its axis with the dimensions after it innermost.

    Before:
    ```mlir
    %s = tile.reduce <add> %x axis 0 : tensor<64xi32> -> i32
    ```
    After:
    ```mlir
    %init = linalg.generic ... // filled with 0
    %t = linalg.generic {iterator_types = ["reduction"]} ins(%x : tensor<64xi32>) outs(%init : tensor<i32>) {
    ^bb0(%e: i32, %acc: i32):
      %n = arith.addi %acc, %e : i32
      linalg.yield %n : i32
    } -> tensor<i32>
    %s = tensor.extract %t[] : tensor<i32>
    ```
  }];
}

def TileToLinalgPass : Cpu_Pass<"cpu-tile-to-linalg"> {
  let summary = "Moves of elements and matrix products as linalg on tensors";
  let description = [{
    `tile.full`, `iota`, `broadcast`, `permute`, `join`, `split` and reshapes that add or drop dimensions of extent 1 become
    elementwise generics, which fuse into their readers. Other reshapes and `concat` become tensor operations. `tile.dot`
    becomes `linalg.contract`; a transposed operand is read through its index map. `tile.take` becomes a generic over the index
    that extracts from the source at an index inside it and then chooses between that and zero.

    Before:
    ```mlir
    %b = tile.broadcast %x : tensor<16x1xf32> -> tensor<16x32xf32>
    ```
    After:
    ```mlir
    %e = tensor.empty() : tensor<16x32xf32>
    %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x1xf32>) outs(%e : tensor<16x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x32xf32>
    ```
  }];
}

def FuseElementwisePass : Cpu_Pass<"cpu-fuse-elementwise"> {
  let summary = "Fold elementwise generics into the generics that read them";
  let description = [{
    A producer is fused if it is cheap (a move, a splat, light index arithmetic), or if its only reader is in the same block
    and reads each element once. Anything else would be computed again for each reader.

    Before:
    ```mlir
    %b = arith.addf %x, %x : tensor<16xf32>
    %c = arith.mulf %b, %x : tensor<16xf32>
    ```
    After (of what convert-elementwise-to-linalg makes of it): one generic with both operations in its body.
  }];
}

def CarryInPlacePass : Cpu_Pass<"cpu-carry-in-place"> {
  let summary = "Keep each tile that a loop carries in one buffer";
  let description = [{
    Before a loop yields a tile, it is materialized in the tile that it replaces. A value that shares the buffer of another
    carried tile is copied first. An `scf.while` passes on all that it carries, in order.

    Before:
    ```mlir
    %r:2 = scf.for %i = %l to %u step %s iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) : i64 {
      scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
    }
    ```
    After:
    ```mlir
    %r:2 = scf.for %i = %l to %u step %s iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) : i64 {
      %cy = bufferization.alloc_tensor() copy(%y) : tensor<4xf32>
      %cx = bufferization.alloc_tensor() copy(%x) : tensor<4xf32>
      %nx = bufferization.materialize_in_destination %cy in %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %ny = bufferization.materialize_in_destination %cx in %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      scf.yield %nx, %ny : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
}

def LowerCopiesPass : Cpu_Pass<"cpu-lower-copies"> {
  let summary = "Copies between buffers as generics";
  let description = [{
    Before:
    ```mlir
    memref.copy %a, %b : memref<16xf32> to memref<16xf32>
    ```
    After:
    ```mlir
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<16xf32>) outs(%b : memref<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    ```
  }];
}

def WidenBoolsPass : Cpu_Pass<"cpu-widen-bools"> {
  let summary = "Give each bool in a buffer a byte";
  let description = [{
    Buffers of `i1` become buffers of `i8` that hold 0 or 1.

    Before:
    ```mlir
    %m = memref.alloc() : memref<16xi1>
    memref.store %c, %m[%i] : memref<16xi1>
    %d = memref.load %m[%i] : memref<16xi1>
    ```
    After:
    ```mlir
    %m = memref.alloc() : memref<16xi8>
    %byte = arith.extui %c : i1 to i8
    memref.store %byte, %m[%i] : memref<16xi8>
    %e = memref.load %m[%i] : memref<16xi8>
    %zero = arith.constant 0 : i8
    %d = arith.cmpi ne, %e, %zero : i8
    ```
  }];
}

def HoistWorkspacePass : Cpu_Pass<"cpu-hoist-workspace", "::mlir::ModuleOp"> {
  let summary = "Turn the scratch buffers of a program into arguments that its entry provides";
  let description = [{
    Small workspaces are allocated on the worker's stack, larger ones by the runtime, once per call of the entry.

    Before (of what cpu-lower-abi made):
    ```mlir
    func.func @k(%x: f32) attributes {tile.kernel} {
      %c0 = arith.constant 0 : index
      %scratch = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
      memref.store %x, %scratch[%c0] : memref<16xf32>
      return
    }
    ```
    After:
    ```mlir
    func.func private @k.program(%buffer: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}, ...) attributes {tegula.program} {
      %scratch = memref.reinterpret_cast %base to offset: [0], sizes: [16], strides: [1] : memref<f32> to memref<16xf32>
    ```
  }];
}

def LowerContractionsPass : Cpu_Pass<"cpu-lower-contractions"> {
  let summary = "Lower contractions on memrefs to packed, register-blocked vector loops";
  let description = [{
    Every linalg operation that is a contraction of static shape (matmul in any layout, batched, matrix-vector, several
    loops of a kind) becomes a register block of fused multiply-adds on vectors of the host's width, inside loops that
    keep a panel of one operand in L1 and a block of the other in L1 or L2. Operands are packed into scratch, and
    converted to the type of the sum on the way, unless reading them in place is as good. i8 is summed exactly in f32, up
    to 256 products at a time. Ragged edges are masked: no byte outside the operands is touched.

    The order of each sum depends on the shape and layout alone: over k in order, whatever the blocking; only where few
    rows meet an operand that is contiguous along k does each lane of a vector sum its own part first.

    Scratch is allocated where the operation was and not freed: a later pass turns all allocations of a kernel into one
    workspace. Other operations are left alone; a contraction that cannot be lowered is an error.

    Before:
    ```mlir
    linalg.matmul ins(%a, %b : memref<8x64xf32>, memref<64x16xf32>) outs(%c : memref<8x16xf32>)
    ```
    After (vector-bits=512 num-vector-registers=32, indices of rows 1 to 7 left out):
    ```mlir
    scf.for %n = %c0 to %c16 step %c16 {
      %c_0 = vector.load %c_view[%c0, %n] : memref<8x16xf32>, vector<16xf32>
      %sum:8 = scf.for %k = %c0 to %c64 step %c1 iter_args(%s_0 = %c_0, ...) {
        %b_k = vector.load %b_view[%k, %n] : memref<64x16xf32>, vector<16xf32>
        %a_0k = memref.load %a_view[%c0, %k] : memref<8x64xf32>
        %splat = vector.broadcast %a_0k : f32 to vector<16xf32>
        %t_0 = vector.fma %splat, %b_k, %s_0 : vector<16xf32>
        scf.yield %t_0, ...
      }
      vector.store %sum#0, %c_view[%c0, %n] : memref<8x16xf32>, vector<16xf32>
    }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "256", "Width of the host's vector registers">,
    Option<"numVectorRegisters", "num-vector-registers", "int64_t", "16", "How many vector registers it has">,
    Option<"l1Bytes", "l1-bytes", "int64_t", "32768", "Size of its first-level data cache">,
    Option<"l2Bytes", "l2-bytes", "int64_t", "524288", "Size of its second-level cache">];
}

#endif // TEGULA_PASSES_TARGETS_CPU_PASSES
