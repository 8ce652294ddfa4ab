// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that read or write arrays, and the grid position that decides where.

#ifndef TEGULA_DIALECTS_TILE_TILEMEMORYOPS
#define TEGULA_DIALECTS_TILE_TILEMEMORYOPS

include "dialects/tile/TileOpBase.td"

class Tile_GridOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I64:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_ProgramIdOp : Tile_GridOp<"program_id"> {
  let summary = "Position of this program in the grid along an axis";
  let description = [{
    Made by the tracer; each target's pipeline replaces it by its own grid position. `axis` is 0, 1 or 2.

    ```mlir
    %m = tile.program_id 0
    ```
  }];
}

def Tile_NumProgramsOp : Tile_GridOp<"num_programs"> {
  let summary = "Size of the grid along an axis";
  let description = [{
    ```mlir
    %n = tile.num_programs 0
    ```
  }];
}

class Tile_ViewQueryOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins Tile_ViewType:$view, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs I64:$result);
  let assemblyFormat = "$view `,` $axis attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
}

def Tile_DimOp : Tile_ViewQueryOp<"dim"> {
  let summary = "Run-time size of a view along an axis";
  let description = [{
    C1: `axis` is less than the view's rank.

    ```mlir
    %m = tile.dim %a, 0 : !tile.view<?x?xf32>
    ```
  }];
}

def Tile_StrideOp : Tile_ViewQueryOp<"stride"> {
  let summary = "Stride of a view along an axis, in elements";
  let description = [{
    C1: `axis` is less than the view's rank.

    ```mlir
    %s = tile.stride %a, 1 : !tile.view<?x?xf32, strides = [?, 1]>
    ```
  }];
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_Op<"load", [
    AttrSizedOperandSegments,
    OptionalTypesMatchWith<"pad has the element type", "view", "pad", "::llvm::cast<ViewType>($_self).getElementType()">
  ]> {
  let summary = "Load the tile at a tile index";
  let description = [{
    Reads elements `index[d] * shape[d] .. + shape[d]` of each dimension `d`. Elements outside the array, before or
    past it, read as `pad` (zero when absent). The product is computed without wrapping.

    C1: one index for each dimension of the view. C2: the tile's rank and element type are the view's.
    C3: `pad`, if present, has the element type.

    ```mlir
    %t = tile.load %a[%i, %j] : !tile.view<?x?xf32> -> tensor<16x32xf32>
    %u = tile.load %a[%i, %j] pad %p : !tile.view<?x?xf32> -> tensor<16x32xf32>
    ```
  }];
  let arguments = (ins Arg<Tile_ViewType, "array", [MemRead]>:$view, Variadic<I64>:$index, Optional<Tile_Element>:$pad);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $view `[` $index `]` (`pad` $pad^)? attr-dict `:` qualified(type($view)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "Store a tile at a tile index";
  let description = [{
    Writes elements `index[d] * shape[d] .. + shape[d]` of each dimension `d`. Elements outside the array are dropped;
    no byte outside the array is written.

    C1: one index for each dimension of the view. C2: the tile's rank and element type are the view's.

    ```mlir
    tile.store %t, %a[%i, %j] : tensor<16x32xf32>, !tile.view<?x?xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Tile_ViewType, "array", [MemWrite]>:$view, Variadic<I64>:$index);
  let assemblyFormat = "$value `,` $view `[` $index `]` attr-dict `:` type($value) `,` qualified(type($view))";
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [AttrSizedOperandSegments]> {
  let summary = "Load single elements by index tiles";
  let description = [{
    Element `e` of the result is `view[index_0[e], index_1[e], ...]`. Lanes whose mask is false, and lanes with any index
    outside the array (negative ones included), give `pad` (zero when absent) and touch no memory.

    C1: one index for each dimension, all of one shape (scalars give a scalar). C2: `mask` has that shape.
    C3: the result has that shape and the view's element type.

    ```mlir
    %t = tile.gather %a[%rows, %cols] mask %m pad %p
       : !tile.view<?x?xf32>, tensor<64xi64>, tensor<64xi1> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Arg<Tile_ViewType, "array", [MemRead]>:$view, Variadic<Tile_IndexValue>:$index,
                       Optional<Tile_MaskValue>:$mask, Optional<Tile_Element>:$pad);
  let results = (outs Tile_Value:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ScatterOp : Tile_Op<"scatter", [AttrSizedOperandSegments]> {
  let summary = "Store single elements by index tiles";
  let description = [{
    Writes `value[e]` to `view[index_0[e], ...]`. Lanes whose mask is false or with an index outside the array are
    dropped. Of several lanes that name one element, the last in row-major order wins within a program.

    C1: one index for each dimension, all of one shape. C2: `value` and `mask` have that shape. C3: `value` has the view's
    element type.

    ```mlir
    tile.scatter %v, %a[%rows, %cols] mask %m : tensor<64xf32>, !tile.view<?x?xf32>, tensor<64xi64>, tensor<64xi1>
    ```
  }];
  let arguments = (ins Tile_Value:$value, Arg<Tile_ViewType, "array", [MemWrite]>:$view,
                       Variadic<Tile_IndexValue>:$index, Optional<Tile_MaskValue>:$mask);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", [AttrSizedOperandSegments]> {
  let summary = "Atomically combine single elements and return what was there";
  let description = [{
    For each active lane in row-major order, atomically replaces `view[index...]` by `old <kind> value` and returns `old`.
    Inactive lanes (mask false, index outside the array) do nothing and return `pad` (zero when absent). Relaxed ordering,
    visible to the whole device.

    C1: one index for each dimension, all of one shape. C2: `value` and `mask` have that shape. C3: `value` has the view's
    element type. C4: `and`, `or`, `xor`, `umax`, `umin` need integers.

    ```mlir
    %old = tile.atomic_rmw <add> %v, %a[%i] mask %m
         : tensor<64xi32>, !tile.view<?xi32>, tensor<64xi64>, tensor<64xi1> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_Value:$value,
                       Arg<Tile_ViewType, "array", [MemRead, MemWrite]>:$view, Variadic<Tile_IndexValue>:$index,
                       Optional<Tile_MaskValue>:$mask, Optional<Tile_Element>:$pad);
  let results = (outs Tile_Value:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas", [AttrSizedOperandSegments]> {
  let summary = "Atomically compare and swap single elements and return what was there";
  let description = [{
    For each active lane in row-major order, if `view[index...]` has the bits of `compare`, replaces it by `value`; returns
    the previous value in either case. Inactive lanes do nothing and return `pad` (zero when absent).

    C1: one index for each dimension, all of one shape. C2: `compare`, `value` and `mask` have that shape. C3: `compare`
    and `value` have the view's element type.

    ```mlir
    %old = tile.atomic_cas %c, %v, %a[%i] : tensor<64xi32>, !tile.view<?xi32>, tensor<64xi64> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_Value:$compare, Tile_Value:$value,
                       Arg<Tile_ViewType, "array", [MemRead, MemWrite]>:$view, Variadic<Tile_IndexValue>:$index,
                       Optional<Tile_MaskValue>:$mask, Optional<Tile_Element>:$pad);
  let results = (outs Tile_Value:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // TEGULA_DIALECTS_TILE_TILEMEMORYOPS
