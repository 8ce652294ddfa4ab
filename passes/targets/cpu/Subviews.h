// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a tile of a part of an array lies in the array, so that parts are read
// and written as directly as whole arrays are.

#ifndef TEGULA_PASSES_TARGETS_CPU_SUBVIEWS_H
#define TEGULA_PASSES_TARGETS_CPU_SUBVIEWS_H

#include "dialects/tile/Tile.h"
#include "passes/targets/cpu/Abi.h"

namespace tegula::cpu {

/// The tile at a tile index of a subview of a subview of ... an array.
///
/// Element `i` of dimension `d` of the tile is at `first[d] + i * steps[d]`
/// along dimension `dims[d]` of the array, and exists for `low[d] <= i <
/// low[d] + count[d]`. Dimensions of the array that the tile does not walk
/// along are at `fixed`.
struct TilePlace {
  mlir::UnrealizedConversionCastOp array;
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<int64_t> steps;
  llvm::SmallVector<mlir::Value> first; // index type
  llvm::SmallVector<mlir::Value> low;
  llvm::SmallVector<mlir::Value> count;
  /// For each dimension of the array; null where the tile walks along it.
  llvm::SmallVector<mlir::Value> fixed;

  /// Whether neighbours along the tile's last dimension are neighbours in
  /// memory.
  bool hasUnitInnerStride();

  /// The elements from `start` on, `sizes` of them, as a memref into the array.
  mlir::Value createMemRef(mlir::OpBuilder &builder, mlir::Location loc,
                           llvm::ArrayRef<mlir::Value> start,
                           llvm::ArrayRef<mlir::OpFoldResult> sizes);
};

/// The place of the tile that a load or store of a subview names, or an error
/// at `op` if cpu-lower-abi did not make the array.
mlir::FailureOr<TilePlace> createTilePlace(mlir::OpBuilder &builder,
                                           mlir::Operation *op,
                                           tile::SubviewOp part,
                                           mlir::ValueRange index,
                                           llvm::ArrayRef<int64_t> extents);

} // namespace tegula::cpu

#endif // TEGULA_PASSES_TARGETS_CPU_SUBVIEWS_H
