// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowerings from tiles to the code of one thread, shared by every target that has threads in lockstep.

#ifndef TEGULA_PASSES_LOWER_PASSES
#define TEGULA_PASSES_LOWER_PASSES

include "mlir/Pass/PassBase.td"

def SetTargetPass : Pass<"lower-set-target", "::mlir::ModuleOp"> {
  let summary = "Say which device a module is compiled for";
  let description = [{
    Puts the architecture's name on the module as `tegula.arch`, where every later pass looks its device up. An unknown name
    is an error that lists the known ones.

    Before:
    ```mlir
    module {
    }
    ```
    After (`arch=generic32`):
    ```mlir
    module attributes {tegula.arch = "generic32"} {
    }
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", /*default=*/"\"\"", "name of the architecture">];
}

def ToThreadsPass : Pass<"lower-to-threads", "::mlir::ModuleOp"> {
  let summary = "Turn a kernel on tiles with layouts into the code of one thread";
  let description = [{
    A tile becomes the vector of the elements that one thread holds, in the order of the layout's registers; an operation on
    tiles becomes what a thread does on its elements, with exchanges between threads through shuffles and shared memory. What
    is left is `arith`, `math`, `vector`, `scf`, `gpu` and `llvm`.

    The kernel's arguments become flat: of an array a pointer to global memory, its sizes and its strides (64 bits each, all of
    them, in elements), of an `i1` an `i8`; then the grid (three `i32`) and a pointer to the message buffer. Blocks of threads
    number the programs of the grid, the first dimension fastest.

    Needs `tegula.arch` on the module (`lower-set-target`), `tegula.num_warps` on each kernel and a `#layout.linear` encoding
    on every tile (`lower-assign-layouts`). Sets `tegula.num_lanes` and `tegula.shared_bytes`.

    Before:
    ```mlir
    #row = #layout.linear<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [], shape = [128]>
    module attributes {tegula.arch = "generic32"} {
      func.func @double(%x: f32, %a: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
        %c = arith.constant dense<2.0> : tensor<128xf32, #row>
        %d = arith.addf %c, %c : tensor<128xf32, #row>
        return
      }
    }
    ```
    After:
    ```mlir
    module attributes {tegula.arch = "generic32"} {
      func.func @double(%x: f32, %a: !llvm.ptr<1>, %size: i64, %stride: i64, %gx: i32, %gy: i32, %gz: i32,
                        %context: !llvm.ptr<1>)
          attributes {tegula.num_lanes = 32 : i32, tegula.num_warps = 1 : i32, tegula.shared_bytes = 0 : i32} {
        %c = arith.constant dense<2.0> : vector<4xf32>
        %d = arith.addf %c, %c : vector<4xf32>
        return
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandMathPass : Pass<"lower-expand-math", "::mlir::ModuleOp"> {
  let summary = "Write out exp, log, sin and their kin as arithmetic";
  let description = [{
    Functions of f32 become straight-line code of `arith` and `math.fma` with a stated error in ulp, right for NaN,
    infinities, zeros of either sign, subnormals and arguments of any size; those of f16 and bf16 are computed in f32 and
    rounded. f64 calls the C library where there is one (`libm`). What processors have an instruction for (`fma`, `sqrt`,
    `floor`, `absf`, ...) stays.

    Before:
    ```mlir
    %r = math.rsqrt %x : f32
    ```
    After:
    ```mlir
    %one = arith.constant 1.0 : f32
    %root = math.sqrt %x : f32
    %r = arith.divf %one, %root : f32
    ```
  }];
  let options = [Option<"libm", "libm", "bool", /*default=*/"false", "compute functions of f64 by calls of the C library">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect"];
}

def LegalizeSmallFloatsPass : Pass<"lower-legalize-small-floats"> {
  let summary = "Compute f16 and bf16 arithmetic in f32, rounding after each operation";
  let description = [{
    Gives the interpreter's answers whether or not the processor has 16-bit arithmetic. f16 converts in hardware. Arithmetic
    that only moves bits (select, negation, absolute value) is done on the bits. `math.fma` is rounded once. Also spells out
    `maximumf` and `minimumf`, for which LLVM has no good vector code.

    Unless `native-bf16` says that the processor converts as the language asks, conversions to and from bf16 become integer
    operations, and bf16 values are held as their bits (`i16`): x86's own conversions flush subnormals, and LLVM uses them
    even to move a value. With `native-fp8` conversions between f32 and 8-bit floats stay for the target to lower.

    Before:
    ```mlir
    %c = arith.addf %a, %b : f16
    ```
    After:
    ```mlir
    %a0 = arith.extf %a : f16 to f32
    %b0 = arith.extf %b : f16 to f32
    %c0 = arith.addf %a0, %b0 : f32
    %c = arith.truncf %c0 : f32 to f16
    ```
  }];
  let options = [
    Option<"nativeBF16", "native-bf16", "bool", /*default=*/"false", "keep bf16 and its conversions from and to f32">,
    Option<"nativeFP8", "native-fp8", "bool", /*default=*/"false", "keep conversions between f32 and 8-bit floats">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // TEGULA_PASSES_LOWER_PASSES
