// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations whose upstream counterparts (`arith`, `math`) leave some inputs undefined or differ from the
// language contract. All work on scalars and tiles alike.

#ifndef TEGULA_DIALECTS_TILE_TILEELEMENTWISEOPS
#define TEGULA_DIALECTS_TILE_TILEELEMENTWISEOPS

include "dialects/tile/TileOpBase.td"

class Tile_IntBinaryOp<string mnemonic, list<Trait> traits = []>
    : Tile_ElementwiseOp<mnemonic, [SameOperandsAndResultType] # traits> {
  let arguments = (ins Tile_IntValue:$lhs, Tile_IntValue:$rhs, UnitAttr:$is_unsigned);
  let results = (outs Tile_IntValue:$result);
  let assemblyFormat = "(`unsigned` $is_unsigned^)? $lhs `,` $rhs attr-dict `:` type($result)";
}

def Tile_FloorDivOp : Tile_IntBinaryOp<"floordiv"> {
  let summary = "Integer division rounded toward negative infinity; by zero gives 0";
  let description = [{
    The most negative value divided by -1 wraps to itself.

    ```mlir
    %q = tile.floordiv %a, %b : tensor<64xi32>
    %u = tile.floordiv unsigned %c, %d : i64
    ```
  }];
  let hasFolder = 1;
}

def Tile_FloorModOp : Tile_IntBinaryOp<"floormod"> {
  let summary = "Remainder of floor division, with the sign of the divisor; by zero gives 0";
  let description = [{
    ```mlir
    %r = tile.floormod %a, %b : tensor<64xi32>
    ```
  }];
  let hasFolder = 1;
}

def Tile_ShlOp : Tile_IntBinaryOp<"shl"> {
  let summary = "Left shift; an amount that is negative or at least the width gives 0";
  let description = [{
    `unsigned` says how the shift amount is read.

    ```mlir
    %r = tile.shl %a, %b : tensor<64xi32>
    ```
  }];
}

def Tile_ShrOp : Tile_IntBinaryOp<"shr"> {
  let summary = "Right shift, arithmetic unless unsigned; an excessive amount gives the sign, or 0";
  let description = [{
    An amount that is negative or at least the width gives 0 (`unsigned`, or a value >= 0) or -1 (a negative value).

    ```mlir
    %r = tile.shr %a, %b : tensor<64xi32>
    %u = tile.shr unsigned %c, %d : tensor<64xi8>
    ```
  }];
}

def Tile_FloatModOp : Tile_ElementwiseOp<"fmod", [SameOperandsAndResultType]> {
  let summary = "Floating-point remainder with the sign of the divisor";
  let description = [{
    `a - floor(a / b) * b` computed exactly and rounded once, as Python's `%` and NumPy's `remainder`; a zero divisor gives
    NaN.

    ```mlir
    %r = tile.fmod %a, %b : tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_Value:$lhs, Tile_Value:$rhs);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_CastOp : Tile_ElementwiseOp<"cast"> {
  let summary = "Convert values between element types, with every case defined";
  let description = [{
    integer to integer: wraps or extends (by `from_unsigned`); to `i1`: true unless zero (NaN is true). Integer to float:
    rounds to nearest even; a value past the largest finite one becomes infinity, in fp8 the largest finite one. Float to
    integer: truncates, saturates, NaN gives 0 (`to_unsigned`: into [0, 2^n)). Float to float: rounds once to nearest even;
    fp8 results saturate to the largest finite value, NaN stays NaN.

    C1: shapes are equal. C2: `from_unsigned` needs an integer source, `to_unsigned` an integer result.

    ```mlir
    %h = tile.cast %f : tensor<64xf32> -> tensor<64xf16>
    %i = tile.cast %u from_unsigned : tensor<64xi8> -> tensor<64xf32>
    %j = tile.cast %f to_unsigned : tensor<64xf32> -> tensor<64xi8>
    ```
  }];
  let arguments = (ins Tile_Value:$source, UnitAttr:$from_unsigned, UnitAttr:$to_unsigned);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = [{
    $source (`from_unsigned` $from_unsigned^)? (`to_unsigned` $to_unsigned^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_BitcastOp : Tile_ElementwiseOp<"bitcast"> {
  let summary = "Reinterpret bits as another element type of the same width";
  let description = [{
    C1: shapes are equal. C2: element widths are equal.

    ```mlir
    %b = tile.bitcast %f : tensor<64xf32> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_Value:$source);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_IPowOp : Tile_IntBinaryOp<"ipow"> {
  let summary = "Integer power, wrapping";
  let description = [{
    A negative exponent gives 0, except for bases 1 (1) and -1 (1 or -1).

    ```mlir
    %p = tile.ipow %a, %b : tensor<64xi32>
    ```
  }];
}

def Tile_FPClassOp : Tile_ElementwiseOp<"fpclass"> {
  let summary = "Test for NaN, infinity or a finite value";
  let description = [{
    C1: the result is `i1` of the source's shape.

    ```mlir
    %n = tile.fpclass <nan> %x : tensor<64xf32> -> tensor<64xi1>
    ```
  }];
  let arguments = (ins Tile_ClassKindAttr:$kind, Tile_Value:$source);
  let results = (outs Tile_MaskValue:$result);
  let assemblyFormat = "$kind $source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TEGULA_DIALECTS_TILE_TILEELEMENTWISEOPS
