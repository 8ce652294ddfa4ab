// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one public header of the `tile` dialect. Passes and bindings include this
// and nothing else of the folder.

#ifndef TEGULA_DIALECTS_TILE_TILE_H
#define TEGULA_DIALECTS_TILE_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/tile/TileDialect.h.inc"
#include "dialects/tile/TileEnums.h.inc"

namespace tegula::tile {

/// Bounds of a tile's shape. They keep the product of all extents within 32
/// bits, so that no pass overflows when it counts elements.
inline constexpr int64_t kMaxRank = 8;
inline constexpr int64_t kMaxElements = (int64_t(1) << 31) - 1;

/// Whether a tile may have this shape: 1 to kMaxRank static extents of at least
/// 1, with at most kMaxElements elements.
bool isTileShape(llvm::ArrayRef<int64_t> shape);

/// Shape of a tile; empty for a scalar.
llvm::ArrayRef<int64_t> getShape(mlir::Type type);

} // namespace tegula::tile

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/tile/TileOps.h.inc"

namespace tegula::tile {

/// Names of the discardable attributes that the dialect gives meaning to.
inline constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";
inline constexpr llvm::StringLiteral kMayAliasAttr = "tile.may_alias";
inline constexpr llvm::StringLiteral kSizeDivAttr = "tile.size_div";
inline constexpr llvm::StringLiteral kStrideDivAttr = "tile.stride_div";
inline constexpr llvm::StringLiteral kFastMathAttr = "tile.fast_math";
/// Of an argument (a unit): its strides are not negative, each
/// at least spans what the dimensions after it reach (or, in arrays of two
/// dimensions, the one before it), and the array ends less than 2^31 bytes
/// after its first element. Strides of dimensions of size 1, which lead
/// nowhere, may be any.
inline constexpr llvm::StringLiteral kCompactAttr = "tegula.compact";
/// Wishes of the kernel's author, which change speed but no result.
inline constexpr llvm::StringLiteral kNumWarpsHintAttr = "tile.num_warps";
inline constexpr llvm::StringLiteral kNumStagesHintAttr = "tile.num_stages";

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_TILE_H
