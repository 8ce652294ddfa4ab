// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations whose upstream counterparts (`arith`, `math`) leave some inputs undefined or differ from the
// language contract. All work on scalars and tiles alike. The tracer makes them; tile-expand-elementwise removes them all.

#ifndef TEGULA_DIALECTS_TILE_TILEELEMENTWISEOPS
#define TEGULA_DIALECTS_TILE_TILEELEMENTWISEOPS

include "dialects/tile/TileOpBase.td"

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// `i1` has no sign: it is read as 0 and 1 whatever the flag says.
class Tile_IntBinaryOp<string mnemonic, string sinceVersion>
    : Tile_ElementwiseOp<mnemonic, sinceVersion, [SameOperandsAndResultType]> {
  let arguments = (ins Tile_IntValue:$lhs, Tile_IntValue:$rhs, UnitAttr:$is_unsigned);
  let results = (outs Tile_IntValue:$result);
  let assemblyFormat = "(`unsigned` $is_unsigned^)? $lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_FloorDivOp : Tile_IntBinaryOp<"floordiv", "0.1"> {
  let summary = "Divide integers, rounding toward negative infinity; by zero gives 0";
  let description = [{
    The most negative value divided by -1 wraps to itself. `i1` is read as 0 and 1.

    Made by the tracer; removed by `tile-expand-elementwise`.

    ```mlir
    %q = tile.floordiv %a, %b : tensor<64xi32>
    %u = tile.floordiv unsigned %c, %d : i64
    ```
  }];
}

def Tile_FloorModOp : Tile_IntBinaryOp<"floormod", "0.1"> {
  let summary = "Take the remainder of floor division, with the sign of the divisor; by zero gives 0";
  let description = [{
    Made by the tracer; removed by `tile-expand-elementwise`.

    ```mlir
    %r = tile.floormod %a, %b : tensor<64xi32>
    ```
  }];
}

def Tile_ShlOp : Tile_IntBinaryOp<"shl", "0.1"> {
  let summary = "Shift left; an amount that is negative or at least the width gives 0";
  let description = [{
    A negative amount is a large one when read as unsigned, so `unsigned` changes nothing.

    Made by the tracer; removed by `tile-expand-elementwise`.

    ```mlir
    %r = tile.shl %a, %b : tensor<64xi32>
    ```
  }];
}

def Tile_ShrOp : Tile_IntBinaryOp<"shr", "0.1"> {
  let summary = "Shift right, arithmetic unless unsigned; an excessive amount gives the sign, or 0";
  let description = [{
    An amount that is negative or at least the width gives 0 (`unsigned`, or a value >= 0) or -1 (a negative value).
    On `i1` the shift is logical.

    Made by the tracer; removed by `tile-expand-elementwise`.

    ```mlir
    %r = tile.shr %a, %b : tensor<64xi32>
    %u = tile.shr unsigned %c, %d : tensor<64xi8>
    ```
  }];
}

def Tile_IPowOp : Tile_IntBinaryOp<"ipow", "0.1"> {
  let summary = "Raise an integer to an integer power, wrapping";
  let description = [{
    A negative exponent gives 0, except for bases 1 (1) and -1 (1 or -1). Zero to the power of zero is 1.

    Made by the tracer; removed by `tile-expand-elementwise`.

    ```mlir
    %p = tile.ipow %a, %b : tensor<64xi32>
    ```
  }];
}

def Tile_FloatModOp : Tile_ElementwiseOp<"fmod", "0.1", [SameOperandsAndResultType]> {
  let summary = "Take the floating-point remainder with the sign of the divisor";
  let description = [{
    `a - floor(a / b) * b` computed exactly and rounded once, as Python's `%` and NumPy's `remainder`; a zero divisor gives
    NaN. Use `tile.floormod` for integers.

    Made by the tracer; removed by `tile-expand-elementwise`.

    ```mlir
    %r = tile.fmod %a, %b : tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_FloatValue:$lhs, Tile_FloatValue:$rhs);
  let results = (outs Tile_FloatValue:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Conversions and tests
//===----------------------------------------------------------------------===//

class Tile_UnaryOp<string mnemonic, string sinceVersion> : Tile_ElementwiseOp<mnemonic, sinceVersion> {
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_CastOp : Tile_UnaryOp<"cast", "0.1"> {
  let summary = "Convert values between element types, with every case defined";
  let description = [{
    Integer to integer: wraps or extends (by `from_unsigned`); to `i1`: true unless zero (NaN is true); from `i1`: 0 or 1.
    Integer to float: rounds to nearest even; a value past the largest finite one becomes infinity, in fp8 the largest
    finite one. Float to integer: truncates, saturates, NaN gives 0 (`to_unsigned`: into [0, 2^n)). Float to float: rounds
    once to nearest even; fp8 results saturate to the largest finite value, NaN stays NaN.

    Made by the tracer; removed by `tile-expand-elementwise`.

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
}

def Tile_BitcastOp : Tile_UnaryOp<"bitcast", "0.1"> {
  let summary = "Reinterpret bits as another element type of the same width";
  let description = [{
    Made by the tracer (`x.view(dtype)`); removed by `tile-expand-elementwise`.

    C1: shapes are equal. C2: element widths are equal.

    ```mlir
    %b = tile.bitcast %f : tensor<64xf32> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_Value:$source);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def Tile_FPClassOp : Tile_UnaryOp<"fpclass", "0.1"> {
  let summary = "Test for NaN, infinity or a finite value";
  let description = [{
    Made by the tracer; removed by `tile-expand-elementwise`.

    C1: the result has the source's shape.

    ```mlir
    %n = tile.fpclass <nan> %x : tensor<64xf32> -> tensor<64xi1>
    ```
  }];
  let arguments = (ins Tile_ClassKindAttr:$kind, Tile_FloatValue:$source);
  let results = (outs Tile_MaskValue:$result);
  let assemblyFormat = "$kind $source attr-dict `:` type($source) `->` type($result)";
}

#endif // TEGULA_DIALECTS_TILE_TILEELEMENTWISEOPS
