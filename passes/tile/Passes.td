// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of the `tile` level that every target shares.

#ifndef TEGULA_PASSES_TILE_PASSES
#define TEGULA_PASSES_TILE_PASSES

include "mlir/Pass/PassBase.td"

def ExpandElementwisePass : Pass<"tile-expand-elementwise"> {
  let summary = "Expand the elementwise tile operations into fully defined arith and math";
  let description = [{
    Replaces `tile.floordiv`, `floormod`, `shl`, `shr`, `ipow`, `fmod`, `cast`, `bitcast` and `fpclass`, on scalars and
    tiles alike, by upstream operations guarded so that no input reaches an undefined case. Afterwards none of them is left.

    Before:
    ```mlir
    %q = tile.floordiv unsigned %a, %b : i32
    ```
    After:
    ```mlir
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %is_zero = arith.cmpi eq, %b, %zero : i32
    %safe = arith.select %is_zero, %one, %b : i32
    %quotient = arith.divui %a, %safe : i32
    %q = arith.select %is_zero, %zero, %quotient : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // TEGULA_PASSES_TILE_PASSES
