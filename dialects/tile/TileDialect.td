// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `tile` dialect itself. It is the one level that the Python tracer produces and that every target's pipeline
// starts from, so it names no hardware.

#ifndef TEGULA_DIALECTS_TILE_TILEDIALECT
#define TEGULA_DIALECTS_TILE_TILEDIALECT

include "mlir/IR/DialectBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tegula::tile";
  let summary = "Target-neutral programs over tiles of strided arrays";
  let description = [{
    A kernel is a `func.func` with the unit attribute `tile.kernel`. It describes one program of a grid. Its
    arguments are array views (`!tile.view`) and scalars. Values inside it are scalars and *tiles*: ranked tensors of
    static shape, rank 1 to 8, any extent >= 1 (not only powers of two), less than 2^31 elements. Integers are signless; an operation whose meaning depends
    on signedness says so. Elementwise arithmetic whose upstream semantics is fully defined is `arith` and `math` on
    tensors; where upstream leaves a value undefined (division by zero, oversized shifts, out-of-range conversions)
    the dialect has an operation of its own with a defined result. Control flow is `scf`.

    Lifecycle. The tracer makes every operation. `tile-expand-elementwise` removes the elementwise ones; each target's
    pipeline removes the rest, and leaves nothing of the dialect behind. An operation's rules have labels (C1, C2, ...):
    the verifier's messages and the tests cite them.

    Rationale. Memory is reached by tile index through a view that knows its sizes, rather than through pointers and
    masks, so that bounds are known to every target (hardware bounds checks, block copies, vector loops) and no access can
    be undefined. Broadcasting is explicit so that passes never re-derive it. The dialect cannot express sharing of data
    between programs other than through memory, nor tiles of run-time shape.

    Discardable attributes:
      * `tile.kernel` (unit, on `func.func`): the function is a kernel;
      * `tile.may_alias` (array of index pairs, on `func.func`): argument pairs whose memory overlaps. Absent: none do;
      * `tile.size_div`, `tile.stride_div` (`array<i64>`, on a view argument): known divisors of sizes and strides;
      * `tile.fast_math` (unit, on `func.func`): multiplications and additions may be contracted and reassociated;
      * `tile.num_warps`, `tile.num_stages` (positive i32, on `func.func`): wishes of the kernel's author, the former a power of
        two: warps of a program, and copies of a loop's tiles that are in memory at once. A target without them pays no heed.
  }];
  // Folding makes constants.
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // TEGULA_DIALECTS_TILE_TILEDIALECT
