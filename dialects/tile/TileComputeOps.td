// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that combine elements across a tile: contraction, reduction, scan. And those that talk to the user.

#ifndef TEGULA_DIALECTS_TILE_TILECOMPUTEOPS
#define TEGULA_DIALECTS_TILE_TILECOMPUTEOPS

include "dialects/tile/TileOpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Matrix product added to an accumulator";
  let description = [{
    `acc + a @ b` for `a` of MxK, `b` of KxN, `acc` of MxN; with one leading batch dimension, one product per batch.
    Products are exact in the accumulator's type or wider; the order of the sum is fixed for a target and shape.
    `precision = tf32` permits fp32 operands to be rounded to TF32.

    C1: ranks are 2 or 3 and equal. C2: extents agree. C3: (a, b) -> acc element types are one of f64 -> f64;
    f32, f16, bf16, fp8 (any two fp8 types) -> f32; i8 -> i32 (signed, or unsigned by attribute). C4: tf32 needs f32.

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
    $a `,` $b `,` $acc custom<BracketedPrecision>($precision) (`a_unsigned` $a_unsigned^)? (`b_unsigned` $b_unsigned^)? attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

class Tile_CombineOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, [RecursiveMemoryEffects] # traits> {
  let regions = (region MaxSizedRegion<1>:$combiner);
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_CombineOp<"reduce"> {
  let summary = "Combine the elements along one dimension";
  let description = [{
    With a named `kind` one operand, otherwise a combiner region with arguments (left_0 .. left_n, right_0 .. right_n) of
    the element types that ends in `tile.yield`. The combination must be associative; the order of operands is kept, so
    it need not be commutative. `max` and `min` propagate NaN. A one-dimensional tile reduces to a scalar.

    C1: all operands have one shape and `axis` is less than their rank. C2: a kind and a region exclude each other; a kind
    takes one operand. C3: results drop `axis`. C4: `and`, `or`, `xor`, `umax`, `umin` need integers; `add`, `mul`, `max`
    and `min` do not take i1. C5: the region takes and yields one scalar of each operand's element type for each side.

    ```mlir
    %s = tile.reduce <add> %x axis 1 : tensor<16x32xf32> -> tensor<16xf32>
    %m, %n = tile.reduce %x, %y axis 0 : tensor<32xf32>, tensor<32xi64> -> f32, i64 {
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
    custom<BracketedKind>($kind) $sources `axis` $axis attr-dict `:` type($sources) `->` type($results) ($combiner^)?
  }];
}

def Tile_ScanOp : Tile_CombineOp<"scan"> {
  let summary = "Inclusive running combination along one dimension";
  let description = [{
    Element `i` combines elements 0 to `i` (with `reverse`, `i` to the last, combining the running value as the right
    operand) along `axis`. Kind and region as in `tile.reduce`.

    C1: all operands have one shape and `axis` is less than their rank. C2: a kind and a region exclude each other; a kind
    takes one operand. C3: results have the operands' types. C4, C5: as `tile.reduce`.

    ```mlir
    %s = tile.scan <add> %x axis 0 : tensor<64xi32> -> tensor<64xi32>
    %r = tile.scan <mul> %y axis 1 reverse : tensor<4x64xf32> -> tensor<4x64xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<Tile_CombineKindAttr>:$kind, Variadic<Tile_Tensor>:$sources,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let assemblyFormat = [{
    custom<BracketedKind>($kind) $sources `axis` $axis (`reverse` $reverse^)? attr-dict `:` type($sources) `->` type($results) ($combiner^)?
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "Result of a combiner region";
  let description = [{
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

def Tile_ArgReduceOp : Tile_Op<"arg_reduce", [Pure]> {
  let summary = "Index of the largest or smallest element along one dimension";
  let description = [{
    The lowest index on ties; the first NaN if there is one. A one-dimensional tile gives a scalar.

    C1: `axis` is less than the rank. C2: the result drops `axis`. C3: `umax` and `umin` need integers.

    ```mlir
    %i = tile.arg_reduce <max> %x axis 1 : tensor<16x32xf32> -> tensor<16xi64>
    ```
  }];
  let arguments = (ins Tile_ArgKindAttr:$kind, Tile_Tensor:$source, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_IndexValue:$result);
  let assemblyFormat = "$kind $source `axis` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite, MemRead]>]> {
  let summary = "Print text and values, one line for each program";
  let description = [{
    `format` holds one `{}` for each operand. `unsigned_mask` says which integer operands are unsigned.

    C1: the number of `{}` equals the number of operands. C2: `unsigned_mask`, if present, has one entry an operand.

    ```mlir
    tile.print "x = {}, n = {}" %x, %n : tensor<4xf32>, i64
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<Tile_Value>:$values, OptionalAttr<DenseBoolArrayAttr>:$unsigned_mask);
  let assemblyFormat = "$format ($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemWrite, MemRead]>]> {
  let summary = "Report a failure with the program's position if a condition is false";
  let description = [{
    The launch raises after the grid has run. Execution of the program goes on.

    ```mlir
    tile.assert %ok, "row is not sorted"
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

#endif // TEGULA_DIALECTS_TILE_TILECOMPUTEOPS
