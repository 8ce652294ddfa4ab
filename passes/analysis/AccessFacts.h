// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a tile's access before the program runs: which neighbours in
// the tile are neighbours in memory, how well they are aligned and whether an
// edge of the array can cut them. Layouts are chosen by it and accesses are as
// wide as it allows, so both must ask the same place.

#ifndef TEGULA_PASSES_ANALYSIS_ACCESSFACTS_H
#define TEGULA_PASSES_ANALYSIS_ACCESSFACTS_H

#include "dialects/tile/Tile.h"

#include <optional>

namespace tegula::analysis {

/// Name of an attribute of a load or store, an array of dimensions: along them
/// no element of the tile's extents is outside of the array.
inline constexpr llvm::StringLiteral kInsideAttr = "tegula.inside";

/// Facts about an array, from its type and from the attributes of the argument
/// that it is (or of the cast that makes it from its parts).
struct ArrayFacts {
  int64_t elementBytes = 1;
  /// Of the first element, in bytes.
  int64_t alignment = 1;
  /// In elements; ShapedType::kDynamic where unknown.
  llvm::SmallVector<int64_t> strides;
  /// Numbers that divide strides and sizes; at least 1, or 0 for a stride of 0.
  llvm::SmallVector<int64_t> strideDivisors;
  llvm::SmallVector<int64_t> sizeDivisors;
  /// The last dimension whose stride is known to be 1.
  std::optional<unsigned> unitDim;
  /// As tile::kCompactAttr says.
  bool isCompact = false;
};
ArrayFacts getArrayFacts(mlir::Value view);

/// Facts about a load or store of a whole tile.
struct AccessFacts {
  /// The dimension of the tile along which neighbours are neighbours in memory.
  std::optional<unsigned> unitDim;
  /// The most elements along unitDim, a power of two, that one access may take
  /// when it starts at a multiple of that many in the tile: its address is then
  /// a multiple of its size.
  int64_t alignedElements = 1;
  /// As alignedElements; besides, no edge of the array or of the tile's extents
  /// runs through such an access.
  int64_t wholeElements = 1;
  /// For each dimension, whether the tile is inside the array along it with all
  /// of its extent or with nothing.
  llvm::SmallVector<bool> isWhole;
  /// For each dimension, as kInsideAttr says.
  llvm::SmallVector<bool> isInside;
  /// The extents by which the tile index counts. They are the tile's shape,
  /// unless the tile was padded to larger extents.
  llvm::SmallVector<int64_t> extents;
};
AccessFacts getAccessFacts(tile::LoadOp op);
AccessFacts getAccessFacts(tile::StoreOp op);
/// Of an access to the tile of `shape` at a tile index of `view`.
AccessFacts getAccessFacts(mlir::Value view, llvm::ArrayRef<int64_t> shape,
                           mlir::ValueRange index);

/// Notes that tiles are inside along `axes` too (kInsideAttr).
void addInside(mlir::Operation *access, llvm::ArrayRef<int64_t> axes);

/// A power of two that divides a scalar integer, wrapped or not; at most 2^30.
int64_t getKnownDivisor(mlir::Value value);

} // namespace tegula::analysis

#endif // TEGULA_PASSES_ANALYSIS_ACCESSFACTS_H
