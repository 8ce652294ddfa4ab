// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts that suit memory: neighbouring lanes touch neighbouring addresses,
// each with the widest access.

#ifndef TEGULA_PASSES_LOWER_MEMORYLAYOUTS_H
#define TEGULA_PASSES_LOWER_MEMORYLAYOUTS_H

#include "passes/analysis/AccessFacts.h"
#include "passes/lower/TargetInfo.h"

namespace tegula::lower {

/// Dimensions of an access, the one of unit stride first, the rest row-major.
llvm::SmallVector<int64_t> getAccessOrder(const analysis::AccessFacts &facts,
                                          int64_t rank);

/// Where dimension order[0] is the fastest in memory and a thread takes up to
/// `vector` consecutive elements of it. The extents are powers of two. Warps
/// take the slowest dimensions, so that a row stays within a warp where it can.
layout::LinearLayout getBlockedLayout(llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<int64_t> order,
                                      int64_t vector, int64_t numLanes,
                                      int64_t numWarps);

/// The layout for a tile that is computed and not loaded: row-major.
layout::LinearLayout getDefaultLayout(llvm::ArrayRef<int64_t> shape,
                                      int64_t numLanes, int64_t numWarps);

/// The layout for the tile of `type` that a load or store moves.
layout::LinearLayout getAccessLayout(const analysis::AccessFacts &facts,
                                     mlir::RankedTensorType type,
                                     const TargetInfo &target,
                                     int64_t numWarps);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_MEMORYLAYOUTS_H
