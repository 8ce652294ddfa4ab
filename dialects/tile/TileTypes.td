// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the `tile` dialect and the type constraints that its operations share.

#ifndef TEGULA_DIALECTS_TILE_TILETYPES
#define TEGULA_DIALECTS_TILE_TILETYPES

include "dialects/tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonTypeConstraints.td"

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "A strided array in memory: pointer, run-time sizes and strides, static rank and element type";
  let description = [{
    Sizes are always run-time values. `strides` (in elements) are run-time values (`?`) except where the launch
    guarantees a value; the list is omitted when all are `?`. `align` is the guaranteed alignment of the pointer in bytes;
    omitted when it is only the element's size. Element type `i1` occupies one byte in memory (zero is false).

    ```mlir
    !tile.view<?x?xf32>
    !tile.view<?x?xbf16, strides = [?, 1], align = 16>
    ```
  }];
  let parameters = (ins
    "int64_t":$rank,
    "::mlir::Type":$elementType,
    ArrayRefParameter<"int64_t", "per dimension: static stride or ShapedType::kDynamic">:$strides,
    "int64_t":$align
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "int64_t":$rank, "::mlir::Type":$elementType)>
  ];
  let extraClassDeclaration = [{
    /// True if `type` can be an element of a view or tile.
    static bool isValidElementType(::mlir::Type type);
    /// Bytes one element occupies in memory.
    int64_t getElementByteWidth() const;
    bool hasUnitStride(int64_t dim) const { return getStrides()[dim] == 1; }
  }];
}

/// A scalar or tile of any supported element type.
def Tile_Element : AnyTypeOf<[I1, I8, I16, I32, I64, F16, BF16, F32, F64, F8E4M3FN, F8E5M2],
                             "bool, 8/16/32/64-bit integer or float (fp8, fp16, bf16, fp32, fp64)">;
def Tile_Int : AnyTypeOf<[I1, I8, I16, I32, I64], "integer">;
def Tile_Tensor : RankedTensorOf<[Tile_Element], [HasStaticShapePred, HasAnyRankOfPred<[1, 2, 3, 4, 5, 6, 7, 8]>], "tile (ranked tensor of static shape)">;
def Tile_IntTensor : RankedTensorOf<[Tile_Int], [HasStaticShapePred], "tile of integers">;
def Tile_BoolTensor : RankedTensorOf<[I1], [HasStaticShapePred], "tile of i1">;
def Tile_Value : AnyTypeOf<[Tile_Element, Tile_Tensor], "scalar or tile">;
def Tile_IntValue : AnyTypeOf<[Tile_Int, Tile_IntTensor], "integer scalar or tile">;
def Tile_IndexValue : AnyTypeOf<[I64, RankedTensorOf<[I64], [HasStaticShapePred]>], "i64 scalar or tile">;
def Tile_MaskValue : AnyTypeOf<[I1, Tile_BoolTensor], "i1 scalar or tile">;

#endif // TEGULA_DIALECTS_TILE_TILETYPES
