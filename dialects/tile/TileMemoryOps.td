// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that read or write arrays, and the grid position that decides where.

#ifndef TEGULA_DIALECTS_TILE_TILEMEMORYOPS
#define TEGULA_DIALECTS_TILE_TILEMEMORYOPS

include "dialects/tile/TileOpBase.td"

//===----------------------------------------------------------------------===//
// Grid and views
//===----------------------------------------------------------------------===//

class Tile_GridOp<string mnemonic, string sinceVersion> : Tile_Op<mnemonic, sinceVersion, [Pure]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I64:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_ProgramIdOp : Tile_GridOp<"program_id", "0.1"> {
  let summary = "Get this program's position in the grid along an axis";
  let description = [{
    `axis` is 0, 1 or 2; along an axis that the grid does not have the position is 0.

    Made by the tracer. The target's lowering of the kernel's signature replaces it by its own grid position.

    ```mlir
    %m = tile.program_id 0
    ```
  }];
}

def Tile_NumProgramsOp : Tile_GridOp<"num_programs", "0.1"> {
  let summary = "Get the size of the grid along an axis";
  let description = [{
    `axis` is 0, 1 or 2; along an axis that the grid does not have the size is 1.

    Made and removed as `tile.program_id`.

    ```mlir
    %n = tile.num_programs 0
    ```
  }];
}

class Tile_ViewQueryOp<string mnemonic, string sinceVersion> : Tile_Op<mnemonic, sinceVersion, [Pure]> {
  let arguments = (ins Tile_ViewType:$view, ConfinedAttr<I32Attr, [IntNonNegative]>:$axis);
  let results = (outs I64:$result);
  let assemblyFormat = "$view `,` $axis attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
}

def Tile_DimOp : Tile_ViewQueryOp<"dim", "0.1"> {
  let summary = "Get the run-time size of a view along an axis";
  let description = [{
    Made by the tracer for `a.shape`; removed with the view.

    C1: `axis` is less than the view's rank.

    ```mlir
    %m = tile.dim %a, 0 : !tile.view<?x?xf32>
    ```
  }];
}

def Tile_StrideOp : Tile_ViewQueryOp<"stride", "0.1"> {
  let summary = "Get the stride of a view along an axis, in elements";
  let description = [{
    A stride that the view's type states folds to a constant. Made by the tracer for `a.strides`; removed with the view.

    C1: `axis` is less than the view's rank.

    ```mlir
    %s = tile.stride %a, 1 : !tile.view<?x?xf32, strides = [?, 1]>
    ```
  }];
  let hasFolder = 1;
}

def Tile_SubviewOp : Tile_Op<"subview", "0.1", [Pure, AttrSizedOperandSegments]> {
  let summary = "Make a view of a part of an array: offsets, steps, permuted and dropped dimensions";
  let description = [{
    Dimension `d` of the result walks along dimension `dims[d]` of the source: its element `i` is at
    `offsets[dims[d]] + i * steps[d]`. Along dimensions that `dims` does not name the position is the offset alone. The result
    has `sizes[d]` elements, or none if that is negative. Elements whose position is outside the source, before or past it,
    are outside the result as well: they read as `pad`, and writes to them are dropped. Positions wrap at 64 bits.

    Made by the tracer; removed by `tile-expand-subviews`, except where a target takes loads and stores of them.

    C1: one offset for each dimension of the source. C2: `dims` names one dimension or more, each once. C3: one size and one
    step for each dimension of the result. C4: steps are not 0 and between -2^31 and 2^31. C5: the result has the source's
    element type and, for each dimension, the product of step and stride where that is known; no more than the element's
    alignment.

    ```mlir
    %b = tile.subview %a[%i, %j] dims [1, 0] sizes [%m, %n] steps [1, 2]
       : !tile.view<?x?xf32, strides = [?, 1]> -> !tile.view<?x?xf32, strides = [1, ?]>
    %row = tile.subview %a[%i, %j] dims [1] sizes [%n] steps [1]
       : !tile.view<?x?xf32, strides = [?, 1]> -> !tile.view<?xf32, strides = [1]>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<I64>:$offsets, Variadic<I64>:$sizes, DenseI64ArrayAttr:$dims,
                       DenseI64ArrayAttr:$steps);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` `dims` $dims `sizes` `[` $sizes `]` `steps` $steps attr-dict
    `:` qualified(type($view)) `->` qualified(type($result))
  }];
  let extraClassDeclaration = [{
    /// The type that C5 asks for.
    static ViewType inferType(ViewType source, ::llvm::ArrayRef<int64_t> dims, ::llvm::ArrayRef<int64_t> steps);
  }];
  let hasVerifier = 1;
}

def Tile_ReshapeViewOp : Tile_Op<"reshape_view", "0.1", [Pure, AttrSizedOperandSegments]> {
  let summary = "Make a view of the same elements with other sizes";
  let description = [{
    The result's elements in row-major order are the source's. Dimension `d` has `sizes[d]` elements, or none if that is
    negative; elements past the source's last are outside. `strides` is what `tile.stride` gives: whoever makes the view
    knows that the source's strides allow it, so that a target may address the result as an array of its own.

    Made by the tracer, behind an assertion; removed by `tile-expand-subviews`.

    C1: one size and one stride for each dimension of the result. C2: source and result have one dimension or more. C3: the
    result has the source's element type, no known stride, and the element's alignment.

    ```mlir
    %b = tile.reshape_view %a sizes [%m, %n] strides [%n, %one] : !tile.view<?xf32> -> !tile.view<?x?xf32>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<I64>:$sizes, Variadic<I64>:$strides);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = [{
    $view `sizes` `[` $sizes `]` `strides` `[` $strides `]` attr-dict `:` qualified(type($view)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Whole tiles
//===----------------------------------------------------------------------===//

def Tile_LoadOp : Tile_Op<"load", "0.1", [
    AttrSizedOperandSegments,
    OptionalTypesMatchWith<"C3: pad has the array's element type", "view", "pad",
                           "::llvm::cast<ViewType>($_self).getElementType()">
  ]> {
  let summary = "Load the tile at a tile index";
  let description = [{
    Reads elements `index[d] * extents[d] .. + extents[d]` of each dimension `d`; `extents` are the tile's own unless
    given. Elements outside the array, before or past it, read as `pad` (zero when absent), and so do those of the tile at
    or past `extents`. The product is computed without wrapping.

    Made by the tracer, `extents` by `tile-pad-extents`; removed by the target's lowering of tile accesses.

    C1: one index for each dimension of the view. C2: the tile's rank and element type are the view's.
    C3: `pad`, if present, has the element type. C4: `extents`, if present, has one entry for each dimension, from 1 to
    the tile's extent.

    ```mlir
    %t = tile.load %a[%i, %j] : !tile.view<?x?xf32> -> tensor<16x32xf32>
    %u = tile.load %a[%i, %j] pad %p : !tile.view<?x?xf32> -> tensor<16x32xf32>
    %v = tile.load %a[%i, %j] extents [10, 32] : !tile.view<?x?xf32> -> tensor<16x32xf32>
    ```
  }];
  let arguments = (ins Arg<Tile_ViewType, "array", [MemRead]>:$view, Variadic<I64>:$index, Optional<Tile_Element>:$pad,
                       OptionalAttr<DenseI64ArrayAttr>:$extents);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $view `[` $index `]` (`pad` $pad^)? (`extents` $extents^)? attr-dict `:` qualified(type($view)) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// The part of the tile that the array fills, which is also the distance between neighbouring tiles.
    ::llvm::ArrayRef<int64_t> getUsedShape() { return getExtents().value_or(getType().getShape()); }
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_StoreOp : Tile_Op<"store", "0.1"> {
  let summary = "Store a tile at a tile index";
  let description = [{
    Writes elements `index[d] * extents[d] .. + extents[d]` of each dimension `d`; `extents` are the tile's own unless
    given. Elements outside the array are dropped, and so are those of the tile at or past `extents`; no byte outside the
    array is written.

    Made by the tracer, `extents` by `tile-pad-extents`; removed by the target's lowering of tile accesses.

    C1: one index for each dimension of the view. C2: the tile's rank and element type are the view's. C4: as `tile.load`.

    ```mlir
    tile.store %t, %a[%i, %j] : tensor<16x32xf32>, !tile.view<?x?xf32>
    tile.store %t, %a[%i, %j] extents [10, 32] : tensor<16x32xf32>, !tile.view<?x?xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Tile_ViewType, "array", [MemWrite]>:$view, Variadic<I64>:$index,
                       OptionalAttr<DenseI64ArrayAttr>:$extents);
  let assemblyFormat = [{
    $value `,` $view `[` $index `]` (`extents` $extents^)? attr-dict `:` type($value) `,` qualified(type($view))
  }];
  let extraClassDeclaration = [{
    /// The part of the tile that is stored, which is also the distance between neighbouring tiles.
    ::llvm::ArrayRef<int64_t> getUsedShape() { return getExtents().value_or(getValue().getType().getShape()); }
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Single elements
//===----------------------------------------------------------------------===//

class Tile_ElementAccessOp<string mnemonic, string sinceVersion>
    : Tile_Op<mnemonic, sinceVersion, [AttrSizedOperandSegments]> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_GatherOp : Tile_ElementAccessOp<"gather", "0.1"> {
  let summary = "Load single elements by index tiles";
  let description = [{
    Element `e` of the result is `view[index_0[e], index_1[e], ...]`. Lanes whose mask is false, and lanes with any index
    outside the array (negative ones included), give `pad` (zero when absent) and touch no memory.

    Made by the tracer; removed by the target's lowering of element accesses.

    C1: one index for each dimension, all of one shape (scalars give a scalar). C2: `mask` and the result have that
    shape. C3: the result and `pad` have the view's element type.

    ```mlir
    %t = tile.gather %a[%rows, %cols] mask %m pad %p
       : !tile.view<?x?xf32>, tensor<64xi64>, tensor<64xi1> -> tensor<64xf32>
    %e = tile.gather %b[%i] : !tile.view<?xf32>, i64 -> f32
    ```
  }];
  let arguments = (ins Arg<Tile_ViewType, "array", [MemRead]>:$view, Variadic<Tile_IndexValue>:$index,
                       Optional<Tile_MaskValue>:$mask, Optional<Tile_Element>:$pad);
  let results = (outs Tile_Value:$result);
}

def Tile_ScatterOp : Tile_ElementAccessOp<"scatter", "0.1"> {
  let summary = "Store single elements by index tiles";
  let description = [{
    Writes `value[e]` to `view[index_0[e], ...]`. Lanes whose mask is false or with an index outside the array are
    dropped. Of several lanes that name one element, the last in row-major order wins within a program.

    Made by the tracer; removed by the target's lowering of element accesses.

    C1: one index for each dimension, all of one shape. C2: `value` and `mask` have that shape. C3: `value` has the view's
    element type.

    ```mlir
    tile.scatter %v, %a[%rows, %cols] mask %m : tensor<64xf32>, !tile.view<?x?xf32>, tensor<64xi64>, tensor<64xi1>
    ```
  }];
  let arguments = (ins Tile_Value:$value, Arg<Tile_ViewType, "array", [MemWrite]>:$view,
                       Variadic<Tile_IndexValue>:$index, Optional<Tile_MaskValue>:$mask);
}

def Tile_AtomicRMWOp : Tile_ElementAccessOp<"atomic_rmw", "0.1"> {
  let summary = "Atomically combine single elements and return what was there";
  let description = [{
    For each active lane in row-major order, atomically replaces `view[index...]` by `old <kind> value` and returns `old`.
    Inactive lanes (mask false, index outside the array) do nothing and return `pad` (zero when absent). `max` and `min`
    propagate NaN. Visible to the whole device; on one element (a scalar, or a tile of one) acquire and release, of a larger
    tile relaxed.

    Made by the tracer; removed by the target's lowering of element accesses.

    C1: one index for each dimension, all of one shape. C2: `value`, `mask` and the result have that shape. C3: `value`,
    `pad` and the result have the view's element type. C4: `and`, `or`, `xor`, `umax`, `umin` need integers; `add`, `max`
    and `min` do not take `i1` or fp8.

    ```mlir
    %old = tile.atomic_rmw <add> %v, %a[%i] mask %m
         : tensor<64xi32>, !tile.view<?xi32>, tensor<64xi64>, tensor<64xi1> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_AtomicKindAttr:$kind, Tile_Value:$value,
                       Arg<Tile_ViewType, "array", [MemRead, MemWrite]>:$view, Variadic<Tile_IndexValue>:$index,
                       Optional<Tile_MaskValue>:$mask, Optional<Tile_Element>:$pad);
  let results = (outs Tile_Value:$result);
}

def Tile_AtomicCASOp : Tile_ElementAccessOp<"atomic_cas", "0.1"> {
  let summary = "Atomically compare and swap single elements and return what was there";
  let description = [{
    For each active lane in row-major order, if `view[index...]` has the bits of `compare`, replaces it by `value`; returns
    the previous value in either case. Inactive lanes do nothing and return `pad` (zero when absent). Visible to the whole
    device and ordered as `tile.atomic_rmw` is.

    Made by the tracer; removed by the target's lowering of element accesses.

    C1: one index for each dimension, all of one shape. C2: `compare`, `value`, `mask` and the result have that shape.
    C3: `compare`, `value`, `pad` and the result have the view's element type.

    ```mlir
    %old = tile.atomic_cas %c, %v, %a[%i] : tensor<64xi32>, !tile.view<?xi32>, tensor<64xi64> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Tile_Value:$compare, Tile_Value:$value,
                       Arg<Tile_ViewType, "array", [MemRead, MemWrite]>:$view, Variadic<Tile_IndexValue>:$index,
                       Optional<Tile_MaskValue>:$mask, Optional<Tile_Element>:$pad);
  let results = (outs Tile_Value:$result);
}

#endif // TEGULA_DIALECTS_TILE_TILEMEMORYOPS
