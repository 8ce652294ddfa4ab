// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the `tile` dialect and the type constraints that its operations share.

#ifndef TEGULA_DIALECTS_TILE_TILETYPES
#define TEGULA_DIALECTS_TILE_TILETYPES

include "dialects/tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonTypeConstraints.td"

/// `since` as in `Tile_Op`.
class Tile_Type<string name, string typeMnemonic, string sinceVersion> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
  string since = sinceVersion;
}

def Tile_ViewType : Tile_Type<"View", "view", "0.1"> {
  let summary = "A strided array in memory: pointer, run-time sizes and strides, static rank and element type";
  let description = [{
    Sizes are always run-time values. `strides` (in elements) are run-time values (`?`) except where the launch
    guarantees a value; the list is omitted when all are `?`. `align` is the guaranteed alignment of the pointer in bytes;
    omitted when it is only the element's size. Element type `i1` occupies one byte in memory (zero is false).

    Made from each array argument when a kernel is specialized; gone when a target's pipeline has lowered the function's
    signature and every access.

    C1: the rank is 1 to 8. C2: the element type is `i1`, `i8`, `i16`, `i32`, `i64`, `f16`, `bf16`, `f32`, `f64`, `f8E4M3FN`
    or `f8E5M2`. C3: one stride for each dimension. C4: the alignment is a power of two.

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

/// Bounds that let every pass multiply extents and count elements without overflow.
def Tile_ShapePred : CPred<"::tegula::tile::isTileShape(::llvm::cast<::mlir::ShapedType>($_self).getShape())">;
class Tile_TensorOf<Type element>
    : RankedTensorOf<[element], [Tile_ShapePred],
                     "tile (tensor of rank 1 to 8, static extents from 1 up, less than 2^31 elements)">;

def Tile_Element : AnyTypeOf<[I1, I8, I16, I32, I64, F16, BF16, F32, F64, F8E4M3FN, F8E5M2],
                             "bool, 8/16/32/64-bit integer or float (fp8, fp16, bf16, fp32, fp64)">;
def Tile_Int : AnyTypeOf<[I1, I8, I16, I32, I64], "bool or 8/16/32/64-bit integer">;
def Tile_Tensor : Tile_TensorOf<Tile_Element>;
def Tile_IotaTensor : Tile_TensorOf<AnyTypeOf<[I8, I16, I32, I64], "8/16/32/64-bit integer">>;
def Tile_Value : AnyTypeOf<[Tile_Element, Tile_Tensor], "scalar or tile">;
def Tile_IntValue : AnyTypeOf<[Tile_Int, Tile_TensorOf<Tile_Int>], "integer scalar or tile">;
def Tile_FloatValue : AnyTypeOf<[F16, BF16, F32, F64, F8E4M3FN, F8E5M2,
                                 Tile_TensorOf<AnyTypeOf<[F16, BF16, F32, F64, F8E4M3FN, F8E5M2]>>],
                                "floating-point scalar or tile">;
def Tile_IndexValue : AnyTypeOf<[I64, Tile_TensorOf<I64>], "i64 scalar or tile">;
def Tile_MaskValue : AnyTypeOf<[I1, Tile_TensorOf<I1>], "i1 scalar or tile">;

#endif // TEGULA_DIALECTS_TILE_TILETYPES
