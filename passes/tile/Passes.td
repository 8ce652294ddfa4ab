// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of the `tile` level that every target shares.

#ifndef TEGULA_PASSES_TILE_PASSES
#define TEGULA_PASSES_TILE_PASSES

include "mlir/Pass/PassBase.td"

def ExpandArgReducePass : Pass<"tile-expand-arg-reduce"> {
  let summary = "Expand arg-reductions into reductions of values with their indices";
  let description = [{
    Replaces `tile.arg_reduce` by a `tile.reduce` of the values together with their positions. The combiner takes the right
    pair only where its value is strictly further out, with NaN beyond every number: the lowest index wins a tie, and the
    first NaN wins over all. It is associative; like every combiner it relies on the order of its sides. Afterwards no
    arg-reduction is left.

    Before:
    ```mlir
    %i = tile.arg_reduce <max> %x axis 0 : tensor<64xi32> -> i64
    ```
    After:
    ```mlir
    %n = tile.iota : tensor<64xi64>
    %m, %i = tile.reduce %x, %n axis 0 : tensor<64xi32>, tensor<64xi64> -> i32, i64 {
    ^bb0(%left: i32, %left_index: i64, %right: i32, %right_index: i64):
      %takes_right = arith.cmpi sgt, %right, %left : i32
      %value = arith.select %takes_right, %right, %left : i32
      %index = arith.select %takes_right, %right_index, %left_index : i64
      tile.yield %value, %index : i32, i64
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tegula::tile::TileDialect"];
}

def NarrowComparisonsPass : Pass<"tile-narrow-comparisons"> {
  let summary = "Compare a tile's positions with a bound in 32 bits";
  let description = [{
    A signed comparison of a 64-bit `tile.iota` with a `tile.full`, as masks of what is inside an array are, becomes one of 32
    bits. The bound is clamped to just outside the positions first, where each compares as the bound does. Where the
    bound is an array's size that is known to be a multiple of a power of two, "below it" asks for the position rounded down to a
    multiple, which neighbours share. Positions may be spread over a larger tile (`tile.reshape`, `tile.broadcast`), as may bounds of
    which there are fewer than comparisons. Nothing is done where the positions themselves need more bits.

    Before:
    ```mlir
    %i = tile.iota : tensor<64xi64>
    %b = tile.full %n : tensor<64xi64>
    %mask = arith.cmpi slt, %i, %b : tensor<64xi64>
    ```
    After:
    ```mlir
    %minus = arith.constant -1 : i64
    %low = arith.maxsi %n, %minus : i64
    %extent = arith.constant 64 : i64
    %inside = arith.minsi %low, %extent : i64
    %m = arith.trunci %inside : i64 to i32
    %i = tile.iota : tensor<64xi32>
    %b = tile.full %m : tensor<64xi32>
    %mask = arith.cmpi slt, %i, %b : tensor<64xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tegula::tile::TileDialect"];
}

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

def PadExtentsPass : Pass<"tile-pad-extents"> {
  let summary = "Carry every tile in one whose extents are powers of two";
  let description = [{
    Rounds each extent of each tile up to a power of two, so that all later passes see no others. No answer changes: what a
    load has beyond the tile's own extents (`extents`) is the pad value, such elements are not stored, and their lanes are
    masked out of gathers, scatters and atomics; reductions, scans from the end and products find in the padding what changes
    nothing, or with a combiner region an extra operand says what takes part; reshapes and concatenations that padding would
    change take each element from its place. Concatenations of other than 2^n equal extents are written so as well. Elsewhere
    padding holds any value.

    Must come before `tile-expand-arg-reduce`, as an arg-reduction needs no extra operand, and before layouts. Each tile that
    is padded is an analysis remark.

    Before:
    ```mlir
    %x = tile.load %a[%i] : !tile.view<?xf32> -> tensor<100xf32>
    %m = tile.reduce <max> %x axis 0 : tensor<100xf32> -> f32
    ```
    After:
    ```mlir
    %x = tile.load %a[%i] extents [100] : !tile.view<?xf32> -> tensor<128xf32>
    %position = tile.iota : tensor<128xi32>
    %end = arith.constant dense<100> : tensor<128xi32>
    %mask = arith.cmpi ult, %position, %end : tensor<128xi32>
    %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
    %y = arith.select %mask, %x, %lowest : tensor<128xi1>, tensor<128xf32>
    %m = tile.reduce <max> %y axis 0 : tensor<128xf32> -> f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tegula::tile::TileDialect"];
}

def ExpandSubviewsPass : Pass<"tile-expand-subviews"> {
  let summary = "Make every access of a subview one of the array that it is a part of";
  let description = [{
    Positions in a subview become positions in the array, and a mask says which of them the subview has. Gathers, scatters and
    atomics stay what they are; loads and stores of whole tiles become gathers and scatters by index tiles, unless
    `keep-tile-accesses` leaves them to a target that takes them. Sizes and strides are computed. Views of other sizes
    (`tile.reshape_view`) go the same way, always to single elements: their row-major positions are divided by the array's
    sizes. Views that nothing uses any more are erased.

    Before:
    ```mlir
    func.func @k(%a: !tile.view<?xf32>, %i: i64, %n: i64) attributes {tile.kernel} {
      %b = tile.subview %a[%i] dims [0] sizes [%n] steps [2] : !tile.view<?xf32> -> !tile.view<?xf32>
      %at = tile.iota : tensor<8xi64>
      %x = tile.gather %b[%at] : !tile.view<?xf32>, tensor<8xi64> -> tensor<8xf32>
      return
    }
    ```
    After:
    ```mlir
    // %at_most is max(%n, 0), both it and %i as tiles
    %mask = arith.cmpi ult, %at, %at_most : tensor<8xi64>
    %step = arith.muli %at, %two : tensor<8xi64>
    %place = arith.addi %step, %first : tensor<8xi64>
    %x = tile.gather %a[%place] mask %mask : !tile.view<?xf32>, tensor<8xi64>, tensor<8xi1> -> tensor<8xf32>
    ```
  }];
  let options = [
    Option<"keepTileAccesses", "keep-tile-accesses", "bool", /*default=*/"false",
           "leave loads and stores of whole tiles as they are">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tegula::tile::TileDialect"];
}

def CheckInputPass : Pass<"tile-check-input", "::mlir::ModuleOp"> {
  let summary = "Refuse what is not of the `tile` level";
  let description = [{
    Changes nothing. The lowering of kernels starts here: functions of operations of `tile`, `arith`, `math` and `scf` (`for`,
    `if`, `while`, `execute_region`) on arrays, on tiles without a layout (static, at most eight dimensions and 2^24 elements)
    and on scalars of elements' types. Functions with operations on tiles are kernels. Anything else is an error where it stands.

    Before:
    ```mlir
    func.func @k(%x: tensor<16xf32>) -> tensor<16xf32> {
      %y = arith.addf %x, %x : tensor<16xf32>
      return %y : tensor<16xf32>
    }
    ```
    After:
    ```mlir
    func.func @k(%x: tensor<16xf32>) -> tensor<16xf32> {
      %y = arith.addf %x, %x : tensor<16xf32>
      return %y : tensor<16xf32>
    }
    ```
  }];
}

def InsertChecksPass : Pass<"tile-insert-checks"> {
  let summary = "Assert that each access reaches its array";
  let description = [{
    Before each load and store of a tile: the tile index is one of a tile that begins inside the array. Before each gather,
    scatter and atomic: every lane that is not masked off is inside. Both are defined to give the pad value or to be dropped,
    so this is for finding mistakes. A failed check prints one line with the program, the array, the axis, the index and the
    size, and fails an assertion at the access. Names of arrays come from the function's `tegula.array_names`, if it has them.

    Before:
    ```mlir
    func.func @k(%a: !tile.view<?xf32>, %i: i64) attributes {tile.kernel, tegula.array_names = ["a", "i"]} {
      %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<16xf32>
      return
    }
    ```
    After:
    ```mlir
    %ok = arith.cmpi ult, %i, %tiles : i64
    scf.if %failed {
      tile.print "\1Fprogram ({}, {}, {}): load of the array 'a' along axis 0: tile index {} is outside, there are {} tiles" %x, %y, %z, %i, %tiles : i64, i64, i64, i64, i64
    }
    tile.assert %ok, "load of the array 'a' along axis 0: tile index is outside"
    %t = tile.load %a[%i] : !tile.view<?xf32> -> tensor<16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tegula::tile::TileDialect"];
}

#endif // TEGULA_PASSES_TILE_PASSES
