// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that combine elements across a tile: contraction, reduction, scan. And those that talk to the user.

#ifndef TEGULA_DIALECTS_TILE_TILECOMPUTEOPS
#define TEGULA_DIALECTS_TILE_TILECOMPUTEOPS

include "dialects/tile/TileOpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

def Tile_DotOp : Tile_Op<"dot", "0.1", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Multiply matrices and add an accumulator";
  let description = [{
    `acc + a @ b` for `a` of MxK, `b` of KxN, `acc` of MxN; with one leading batch dimension, one product per batch.
    Products are exact in the accumulator's type or wider; the order of the sum is fixed for a target and shape.
    `<tf32>` permits fp32 operands to be rounded to TF32.

    Made by the tracer; removed by the target's lowering of contractions.

    C1: ranks are 2 or 3 and equal. C2: extents agree. C3: (a, b) -> acc element types are one of f64 -> f64;
    f32, f16, bf16, fp8 (any two fp8 types) -> f32; i8 -> i32 (signed, or unsigned by attribute). C4: tf32 needs f32.
    C5: `a_unsigned` and `b_unsigned` need i8.

    ```mlir
    %d = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x48xf16>, tensor<64x48xf32>
    %e = tile.dot %c, %f, %g <tf32> : tensor<8x64x32xf32>, tensor<8x32x48xf32>, tensor<8x64x48xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$a, Tile_Tensor:$b, Tile_Tensor:$acc,
                       DefaultValuedAttr<Tile_PrecisionAttr, "::tegula::tile::Precision::IEEE">:$precision,
                       UnitAttr:$a_unsigned, UnitAttr:$b_unsigned);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (custom<BracketedPrecision>($precision)^)? (`a_unsigned` $a_unsigned^)?
    (`b_unsigned` $b_unsigned^)? attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reduction and scan
//===----------------------------------------------------------------------===//

class Tile_CombineOp<string mnemonic, string sinceVersion>
    : Tile_Op<mnemonic, sinceVersion, [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let regions = (region MaxSizedRegion<1>:$combiner);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_ReduceOp : Tile_CombineOp<"reduce", "0.1"> {
  let summary = "Combine the elements along one dimension";
  let description = [{
    With a named `kind` one operand, otherwise a combiner region with arguments (left_0 .. left_n, right_0 .. right_n) of
    the element types that ends in `tile.yield`. The combination must be associative; the order of operands is kept, so
    it need not be commutative. `max` and `min` propagate NaN. A float sum starts from 0.0 as NumPy's does, so that a sum
    of -0.0 is 0.0. A one-dimensional tile reduces to a scalar.

    Made by the tracer; removed by the target's lowering of reductions.

    C1: at least one operand, all of one shape. C2: `axis` is less than their rank. C3: either a kind, which takes one
    operand, or a region. C4: `and`, `or`, `xor`, `umax`, `umin` need integers; `add`, `mul`, `max` and `min` do not take
    `i1`. C5: the region takes and yields one scalar of each operand's element type for each side. C6: results are the
    operands' types without `axis`.

    ```mlir
    %s = tile.reduce <add> %x axis 1 : tensor<16x32xf32> -> tensor<16xf32>
    %m, %n = tile.reduce %y, %z axis 0 : tensor<32xf32>, tensor<32xi64> -> f32, i64 {
    ^bb0(%a: f32, %b: i64, %c: f32, %d: i64):
      %t = arith.maximumf %a, %c : f32
      %u = arith.addi %b, %d : i64
      tile.yield %t, %u : f32, i64
    }
    ```
  }];
  let arguments = (ins OptionalAttr<Tile_CombineKindAttr>:$kind, Variadic<Tile_Tensor>:$sources,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Variadic<Tile_Value>:$results);
  let assemblyFormat = [{
    (custom<BracketedKind>($kind)^)? $sources `axis` $axis attr-dict `:` type($sources) `->` type($results) ($combiner^)?
  }];
  let hasCanonicalizer = 1;
}

def Tile_ScanOp : Tile_CombineOp<"scan", "0.1"> {
  let summary = "Combine elements with all that come before them along one dimension";
  let description = [{
    Element `i` of the result combines elements 0 to `i` (with `reverse`, `i` to the last, combining the running value as
    the right operand) along `axis`. Kind and region as in `tile.reduce`.

    Made by the tracer; removed by the target's lowering of reductions.

    C1 to C5: as `tile.reduce`. C6: results have the operands' types.

    ```mlir
    %s = tile.scan <add> %x axis 0 : tensor<64xi32> -> tensor<64xi32>
    %r = tile.scan <mul> %y axis 1 reverse : tensor<4x64xf32> -> tensor<4x64xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<Tile_CombineKindAttr>:$kind, Variadic<Tile_Tensor>:$sources,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let assemblyFormat = [{
    (custom<BracketedKind>($kind)^)? $sources `axis` $axis (`reverse` $reverse^)? attr-dict `:` type($sources) `->`
    type($results) ($combiner^)?
  }];
  let hasFolder = 1;
}

def Tile_YieldOp : Tile_Op<"yield", "0.1", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "Give the result of a combiner region";
  let description = [{
    One value for each operand of the reduction or scan (its rule C5). Made and removed with it.

    ```mlir
    %s = tile.reduce %x axis 0 : tensor<32xf32> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tile.yield %t : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Element>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Tile_ArgReduceOp : Tile_Op<"arg_reduce", "0.1", [Pure]> {
  let summary = "Find the index of the largest or smallest element along one dimension";
  let description = [{
    The lowest index on ties; the first NaN if there is one. A one-dimensional tile gives a scalar.

    Made by the tracer; removed by the target's lowering of reductions.

    C1: `axis` is less than the rank. C2: the result's shape is the source's without `axis`. C3: `umax` and `umin` need
    integers; `max` and `min` do not take `i1`.

    ```mlir
    %i = tile.arg_reduce <max> %x axis 1 : tensor<16x32xf32> -> tensor<16xi64>
    ```
  }];
  let arguments = (ins Tile_ArgKindAttr:$kind, Tile_Tensor:$source, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_IndexValue:$result);
  let assemblyFormat = "$kind $source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

def Tile_PrintOp : Tile_Op<"print", "0.1", [MemoryEffects<[MemWrite, MemRead]>]> {
  let summary = "Print text and values, one line for each program";
  let description = [{
    `format` holds one `{}` for each operand; `{{` and `}}` stand for single braces, and so does a brace that has no
    partner. `unsigned_mask` says which integer operands are unsigned. Of each operand only the elements before `extents`
    are printed, as a tile of those extents; they are the operand's own unless given.

    Made by the tracer, `extents` by `tile-pad-extents`; removed by the target's lowering of messages.

    C1: the number of `{}` equals the number of operands. C2: `unsigned_mask`, if present, has one entry an operand.
    C3: `extents`, if present, has one list an operand, with one entry for each dimension, from 1 to the tile's extent.

    ```mlir
    tile.print "x = {}, n = {}" %x, %n : tensor<4xf32>, i64
    tile.print "x = {}, n = {}" %x, %n : tensor<4xf32>, i64 {extents = [array<i64: 3>, array<i64>]}
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<Tile_Value>:$values, OptionalAttr<DenseBoolArrayAttr>:$unsigned_mask,
                       OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "array of extents">>:$extents);
  let assemblyFormat = "$format ($values^ `:` type($values))? attr-dict";
  let extraClassDeclaration = [{
    /// The texts around the values, one more than there are values, with single braces.
    ::llvm::SmallVector<std::string> getTexts();
    /// The part of an operand that is printed; empty for a scalar.
    ::llvm::ArrayRef<int64_t> getUsedShape(unsigned operand);
  }];
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert", "0.1", [MemoryEffects<[MemWrite, MemRead]>]> {
  let summary = "Report a failure with the program's position if a condition is false";
  let description = [{
    The launch raises after the grid has run. Execution of the program goes on.

    Made by the tracer; removed by the target's lowering of messages.

    ```mlir
    tile.assert %ok, "row is not sorted"
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

#endif // TEGULA_DIALECTS_TILE_TILECOMPUTEOPS
