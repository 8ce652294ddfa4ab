// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of tiles of indices: by how much an index grows along each
// dimension of its tile, and whether all elements name different places.
// Element accesses that are distinct need no order among a program's threads.

#ifndef TEGULA_PASSES_ANALYSIS_INDEXFACTS_H
#define TEGULA_PASSES_ANALYSIS_INDEXFACTS_H

#include "dialects/tile/Tile.h"

#include <optional>

namespace tegula::analysis {

/// For each dimension of the tile `index` (none for a scalar), the difference
/// between neighbours, if each is the same everywhere; modulo 2^n for n bits.
std::optional<llvm::SmallVector<int64_t>> getSteps(mlir::Value index);

/// Whether no two elements of the tiles `index`, one tile for each dimension of
/// an array, have the same indices.
bool areDistinct(mlir::ValueRange index);

} // namespace tegula::analysis

#endif // TEGULA_PASSES_ANALYSIS_INDEXFACTS_H
