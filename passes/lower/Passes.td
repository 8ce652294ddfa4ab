// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowerings from tiles to the code of one thread, shared by every target that has threads in lockstep.

#ifndef TEGULA_PASSES_LOWER_PASSES
#define TEGULA_PASSES_LOWER_PASSES

include "mlir/Pass/PassBase.td"
include "passes/lower/LoopPasses.td"

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
    After:
    ```mlir
    module attributes {tegula.arch = "generic32"} {
    }
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", /*default=*/"\"generic32\"",
                        "name of the architecture; the default has nothing special">];
}

def HoistLoadsPass : Pass<"lower-hoist-loads", "::mlir::func::FuncOp"> {
  let summary = "Move loads of tiles up, so that several are on their way at a time";
  let description = [{
    Moves each `tile.load` up in its block, past operations without effects whose results it does not use. It stops at other
    accesses to memory, so that all stay in order, at barriers and control flow, and where threads exchange values (reductions,
    scans, dots, conversions): registers for what is loaded are not taken longer than that.

    Then rings (`simt.ring`) and the copies that start in them (`simt.issue`) move up to before the loads that come before them,
    with the scalars that they need: copies take no registers, and no thread waits for them yet.

    Before:
    ```mlir
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<64xf32>
    %s = arith.mulf %x, %x : tensor<64xf32>
    %y = tile.load %b[%i] : !tile.view<?xf32> -> tensor<64xf32>
    ```
    After:
    ```mlir
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<64xf32>
    %y = tile.load %b[%i] : !tile.view<?xf32> -> tensor<64xf32>
    %s = arith.mulf %x, %x : tensor<64xf32>
    ```
  }];
}

def VersionBoundsPass : Pass<"lower-version-bounds", "::mlir::func::FuncOp"> {
  let summary = "Give programs that meet no edge of an array code without masks";
  let description = [{
    Of a kernel that loads, reduces and stores (rows, for instance) there will be two copies, and each program takes one of them
    before its first access. In the first copy every tile is inside its array: its loads and stores are marked `tegula.inside`, so
    that they get no predicates and no pad values, and a select whose mask follows from the sizes of arrays is gone. The second
    copy is the kernel as it was. Results are the same in both.

    A tile is inside if its index is less than the number of whole tiles that the array has there. In a loop over tiles the end of
    the loop must be no greater. Kernels whose places are known later than before the first access, with small tiles, or with too
    much code stay as they are, and so do those with products or with accesses of elements. So do kernels whose registers nothing
    limits (`tegula.registers`): code generators would load what comes after an exchange of threads before it, for no branch holds
    it back, and fewer programs would share a processor.

    Runs when layouts are final, before `lower-insert-barriers`.

    Before:
    ```mlir
    #row = #layout.linear<register = [[1], [2], [4], [8]], lane = [], warp = [], block = [], shape = [16]>
    func.func @sum(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>) attributes {tegula.registers = 64 : i32} {
      %i = tile.program_id 0
      %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<16xf32, #row>
      %s = tile.reduce <add> %x axis 0 : tensor<16xf32, #row> -> f32
      %t = tile.full %s : tensor<16xf32, #row>
      tile.store %t, %b[%i] : tensor<16xf32, #row>, !tile.view<?xf32>
      return
    }
    ```
    After:
    ```mlir
    #row = #layout.linear<register = [[1], [2], [4], [8]], lane = [], warp = [], block = [], shape = [16]>
    func.func @sum(%a: !tile.view<?xf32>, %b: !tile.view<?xf32>) attributes {tegula.registers = 64 : i32} {
      %c16 = arith.constant 16 : i64
      %i = tile.program_id 0
      %m = tile.dim %a, 0 : !tile.view<?xf32>
      %rows = arith.divui %m, %c16 : i64
      %load = arith.cmpi ult, %i, %rows : i64
      %n = tile.dim %b, 0 : !tile.view<?xf32>
      %places = arith.divui %n, %c16 : i64
      %store = arith.cmpi ult, %i, %places : i64
      %inside = arith.andi %load, %store : i1
      scf.if %inside {
        %x = tile.load %a[%i] {tegula.inside = array<i64: 0>} : !tile.view<?xf32> -> tensor<16xf32, #row>
        %s = tile.reduce <add> %x axis 0 : tensor<16xf32, #row> -> f32
        %t = tile.full %s : tensor<16xf32, #row>
        tile.store %t, %b[%i] {tegula.inside = array<i64: 0>} : tensor<16xf32, #row>, !tile.view<?xf32>
      } else {
        %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<16xf32, #row>
        %s = tile.reduce <add> %x axis 0 : tensor<16xf32, #row> -> f32
        %t = tile.full %s : tensor<16xf32, #row>
        tile.store %t, %b[%i] : tensor<16xf32, #row>, !tile.view<?xf32>
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tegula::tile::TileDialect"];
}

def InsertBarriersPass : Pass<"lower-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "Make the threads of a program wait where their accesses to memory may conflict";
  let description = [{
    A program's accesses happen one after the other, but tiles are spread over threads that do not wait for each other. Puts a
    `gpu.barrier` before each access that may touch what another thread accessed since the last barrier, if one of the two
    writes; in loops, since the last barrier of an earlier iteration. Arrays overlap only where `tile.may_alias` says so.

    No barrier is needed between tiles whose indices are known to differ, a loop's induction variable from one iteration to
    the next included; between accesses of one tile in one layout, where each thread meets its own elements; and between
    atomics that commute and whose results are not used.

    An atomic on one element, which one thread does for all, shows other programs what this one did before and shows it what
    they did. Where they could tell (some atomic with a result comes before accesses to what the kernel writes, some atomic
    after) all threads fence and wait before it and, if its result is used, wait and fence after it. The scope of the fences is
    that of the module's target.

    Runs when layouts are final and before `lower-to-threads`.

    Before:
    ```mlir
    #row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>
    func.func @kernel(%a: !tile.view<?xf32>, %t: tensor<32xf32, #row>, %i: i64, %j: i64) attributes {tile.kernel} {
      tile.store %t, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
      %u = tile.load %a[%j] : !tile.view<?xf32> -> tensor<32xf32, #row>
      return
    }
    ```
    After:
    ```mlir
    #row = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>
    func.func @kernel(%a: !tile.view<?xf32>, %t: tensor<32xf32, #row>, %i: i64, %j: i64) attributes {tile.kernel} {
      tile.store %t, %a[%i] : tensor<32xf32, #row>, !tile.view<?xf32>
      gpu.barrier
      %u = tile.load %a[%j] : !tile.view<?xf32> -> tensor<32xf32, #row>
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect"];
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
    rounded. f64 calls the C library where there is one (`libm`), else it is written out too, and `arith.remf` becomes an
    exact division of integers. What processors have an instruction for (`fma`, `sqrt`,
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
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
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

def LimitCodePass : Pass<"lower-limit-code", "::mlir::ModuleOp"> {
  let summary = "Refuse kernels whose code would take too long to generate";
  let description = [{
    Code generators need more than linear time for straight-line code, and a thread that holds hundreds of elements of each tile
    has a lot of it. This counts operations on single elements, each where it stands, loops once; moves within registers count
    nothing, and a tile's elements are shared by as many threads as the device has for a program. The number is put on the function as `tegula.num_operations`; beyond the limit there is an error at the line that
    has most of them.

    Before:
    ```mlir
    func.func @k(%x: vector<512xf32>, %p: !llvm.ptr) {
      %y = arith.addf %x, %x : vector<512xf32>
      llvm.store %y, %p : vector<512xf32>, !llvm.ptr
      return
    }
    ```
    After:
    ```mlir
    func.func @k(%x: vector<512xf32>, %p: !llvm.ptr) attributes {tegula.num_operations = 1024 : i64} {
      %y = arith.addf %x, %x : vector<512xf32>
      llvm.store %y, %p : vector<512xf32>, !llvm.ptr
      return
    }
    ```
  }];
  let options = [
    Option<"maxOperations", "max-operations", "int64_t", /*default=*/"24576", "operations of one thread that are compiled">
  ];
}

def AssignLayoutsPass : Pass<"lower-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "Decide which thread holds which element of each tile";
  let description = [{
    Gives every tile a `#layout.linear` encoding and the kernel `tegula.num_warps`, unless it has it; `tile.num_warps` is heeded as far as the
    device has warps. Loads, stores and
    accesses of elements get coalesced layouts with the widest vectors that alignment allows, dots those of the device's matrix
    instructions or of multiply-adds; the rest follows them, dots first. Where a tile is used in another layout than it was
    made in, `layout.convert` says so.

    Needs `tegula.arch` on the module and extents that are powers of two (`tile-pad-extents`).

    Before:
    ```mlir
    module attributes {tegula.arch = "generic32"} {
      func.func @negate(%a: !tile.view<?xf32>, %i: i64) attributes {tile.kernel} {
        %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<64xf32>
        %y = arith.negf %x : tensor<64xf32>
        tile.store %y, %a[%i] : tensor<64xf32>, !tile.view<?xf32>
        return
      }
    }
    ```
    After:
    ```mlir
    #linear = #layout.linear<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [64]>
    module attributes {tegula.arch = "generic32"} {
      func.func @negate(%a: !tile.view<?xf32>, %i: i64) attributes {tegula.num_warps = 1 : i32, tile.kernel} {
        %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<64xf32, #linear>
        %y = arith.negf %x : tensor<64xf32, #linear>
        tile.store %y, %a[%i] : tensor<64xf32, #linear>, !tile.view<?xf32>
        return
      }
    }
    ```
  }];
  let dependentDialects = ["::tegula::layout::LayoutDialect"];
}

def RemoveConversionsPass : Pass<"lower-remove-conversions", "::mlir::func::FuncOp"> {
  let summary = "Compute tiles in the layout that is wanted, where that is cheaper than to convert them";
  let description = [{
    A conversion of a tile that comes from constants, indices and cheap arithmetic, or from tiles that are much smaller, is
    replaced by the same computation in the other layout. A small load that is wanted in one other layout alone is made in it.

    Before:
    ```mlir
    #a = #layout.linear<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [32]>
    #b = #layout.linear<register = [[1], [2], [4], [8], [16]], lane = [[0], [0], [0], [0], [0]], warp = [], block = [], shape = [32]>
    module attributes {tegula.arch = "generic32"} {
      func.func @range() -> tensor<32xi64, #b> {
        %i = tile.iota : tensor<32xi64, #a>
        %j = layout.convert %i : tensor<32xi64, #a> -> tensor<32xi64, #b>
        return %j : tensor<32xi64, #b>
      }
    }
    ```
    After:
    ```mlir
    #b = #layout.linear<register = [[1], [2], [4], [8], [16]], lane = [[0], [0], [0], [0], [0]], warp = [], block = [], shape = [32]>
    module attributes {tegula.arch = "generic32"} {
      func.func @range() -> tensor<32xi64, #b> {
        %i = tile.iota : tensor<32xi64, #b>
        return %i : tensor<32xi64, #b>
      }
    }
    ```
  }];
  let dependentDialects = ["::tegula::layout::LayoutDialect"];
}

def CompareOffsetsPass : Pass<"lower-compare-offsets"> {
  let summary = "Compare a thread's positions as constants";
  let description = [{
    A thread's elements have positions that are one number, which the thread's own determines, plus constants. Where it compares
    them with fewer bounds, that number is taken from the bounds and the constants are compared: one register for each bound
    instead of one for each position. Comparisons are signed, the positions not negative, and bounds are known to be so near that
    no difference wraps.

    Before:
    ```mlir
    %one = arith.constant 1 : i32
    %first = arith.constant 6 : i32
    %from = arith.andi %thread, %first : i32
    %next = arith.addi %from, %one : i32
    %seven = arith.constant 7 : i32
    %bound = arith.andi %n, %seven : i32
    %positions = vector.from_elements %from, %next : vector<2xi32>
    %bounds = vector.from_elements %bound, %bound : vector<2xi32>
    %mask = arith.cmpi slt, %positions, %bounds : vector<2xi32>
    ```
    After:
    ```mlir
    %first = arith.constant 6 : i32
    %from = arith.andi %thread, %first : i32
    %seven = arith.constant 7 : i32
    %bound = arith.andi %n, %seven : i32
    %positions = arith.constant dense<[0, 1]> : vector<2xi32>
    %left = arith.subi %bound, %from : i32
    %bounds = vector.from_elements %left, %left : vector<2xi32>
    %mask = arith.cmpi slt, %positions, %bounds : vector<2xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def ScalarizeVectorsPass : Pass<"lower-scalarize-vectors"> {
  let summary = "Turn vectors of one element into that element";
  let description = [{
    A thread whose layout gives it one element of a tile has that element in a vector of one. In the LLVM dialect the same
    operations compute with the element itself, which every code generator is used to: LLVM 22 has some that never end on
    vectors of one 16-bit integer.

    Signatures of functions, calls, inline assembly and what is about vectors as such (masked accesses, reductions) stay as they
    are: values are put into vectors for them, and taken out.

    Before:
    ```mlir
    %sum = llvm.add %x, %y : vector<1xi16>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %element = llvm.extractelement %sum[%zero : i32] : vector<1xi16>
    ```
    After:
    ```mlir
    %sum = llvm.add %x, %y : i16
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TEGULA_PASSES_LOWER_PASSES
