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

#endif // TEGULA_PASSES_LOWER_PASSES
