// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that make tiles from scalars and move elements around without computing on them. The tracer makes all of
// them; each target's lowering of moves removes them.

#ifndef TEGULA_DIALECTS_TILE_TILESHAPEOPS
#define TEGULA_DIALECTS_TILE_TILESHAPEOPS

include "dialects/tile/TileOpBase.td"

def Tile_FullOp : Tile_Op<"full", "0.1", [
    Pure,
    TypesMatchWith<"C1: value has the tile's element type", "result", "value",
                   "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">
  ]> {
  let summary = "Make a tile whose elements all equal a scalar";
  let description = [{
    Made by the tracer and by canonicalization of moves of scalars; removed by the target's lowering of moves.

    C1: the scalar has the tile's element type.

    ```mlir
    %t = tile.full %x : tensor<16x32xf32>
    ```
  }];
  let arguments = (ins Tile_Element:$value);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_IotaOp : Tile_Op<"iota", "0.1", [Pure]> {
  let summary = "Make the one-dimensional tile 0, 1, 2, ...";
  let description = [{
    Values wrap if the extent exceeds the element type. Made by the tracer; removed by the target's lowering of moves.

    C1: the result has rank 1.

    ```mlir
    %i = tile.iota : tensor<64xi64>
    ```
  }];
  let results = (outs Tile_IotaTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", "0.1", [Pure, SameOperandsAndResultElementType]> {
  let summary = "Stretch dimensions of extent 1";
  let description = [{
    Made by the tracer wherever NumPy broadcasts; removed by the target's lowering of moves.

    C1: ranks are equal. C2: each source extent is 1 or the result's.

    ```mlir
    %b = tile.broadcast %t : tensor<16x1xf32> -> tensor<16x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", "0.1", [Pure]> {
  let summary = "Give the same elements in row-major order another shape";
  let description = [{
    Either side may be a scalar when the other has one element. Made by the tracer; removed by the target's lowering of
    moves.

    C1: element types are equal. C2: element counts are equal.

    ```mlir
    %r = tile.reshape %t : tensor<16x32xf32> -> tensor<512xf32>
    %s = tile.reshape %u : tensor<1x1xf32> -> f32
    ```
  }];
  let arguments = (ins Tile_Value:$source);
  let results = (outs Tile_Value:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_PermuteOp : Tile_Op<"permute", "0.1", [Pure, SameOperandsAndResultElementType]> {
  let summary = "Permute dimensions";
  let description = [{
    Dimension `d` of the result is dimension `perm[d]` of the source (NumPy's `transpose`). Made by the tracer; removed by
    the target's lowering of moves.

    C1: `perm` is a permutation of the source's dimensions. C2: the result's shape is the permuted one.

    ```mlir
    %p = tile.permute %t [1, 0] : tensor<16x32xf32> -> tensor<32x16xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, DenseI64ArrayAttr:$perm);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source $perm attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_JoinOp : Tile_Op<"join", "0.1", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Interleave two tiles along a new last dimension of extent 2";
  let description = [{
    Made by the tracer (`tg.stack`); removed by the target's lowering of moves.

    C1: the result's type is the operands' with an extent of 2 appended.

    ```mlir
    %j = tile.join %a, %b : tensor<16xf32> -> tensor<16x2xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$lhs, Tile_Tensor:$rhs);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SplitOp : Tile_Op<"split", "0.1", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Undo join: take the two halves of a last dimension of extent 2";
  let description = [{
    Made by the tracer; removed by the target's lowering of moves.

    C1: the source's type is the results' with an extent of 2 appended.

    ```mlir
    %a, %b = tile.split %j : tensor<16x2xf32> -> tensor<16xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$lhs, Tile_Tensor:$rhs);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($lhs)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ConcatOp : Tile_Op<"concat", "0.1", [Pure]> {
  let summary = "Join tiles end to end along an existing dimension";
  let description = [{
    Made by the tracer; removed by the target's lowering of moves.

    C1: at least one operand. C2: `axis` is less than the result's rank. C3: operands have the result's element type, rank
    and extents other than along `axis`. C4: along `axis` the operands' extents add up to the result's.

    ```mlir
    %c = tile.concat %a, %b axis 0 : tensor<3x4xf32>, tensor<5x4xf32> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$sources, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$sources `axis` $axis attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_TakeOp : Tile_Op<"take", "0.1", [Pure]> {
  let summary = "Pick elements of a tile along one dimension by an index tile";
  let description = [{
    Element `[.., i, ..]` of the result is `source[.., index[.., i, ..], ..]` with the index at position `axis` (NumPy's
    `take_along_axis`). Indices are signed; one that is negative or at least the source's extent gives zero (false).

    Made by the tracer; removed by the target's lowering of moves.

    C1: `axis` is less than the source's rank. C2: the index has the source's rank, and its extents except along `axis`.
    C3: the result has the index's shape and the source's element type.

    ```mlir
    %r = tile.take %x[%i] axis 1 : tensor<4x16xf32>, tensor<4x8xi64> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, Tile_TensorOf<AnyTypeOf<[I32, I64], "32/64-bit integer">>:$index,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $source `[` $index `]` `axis` $axis attr-dict `:` type($source) `,` type($index) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TEGULA_DIALECTS_TILE_TILESHAPEOPS
