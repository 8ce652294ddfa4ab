// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp's accesses are merged where they touch whole segments of memory, and
// one wide access costs as much as one narrow one. Small tiles are spread over
// all threads first: an idle thread is worse than a narrow access.

#include "passes/lower/MemoryLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace tegula::lower {

using layout::LinearLayout;

namespace {

/// Row-major: the last dimension is the fastest.
SmallVector<int64_t> getRowMajorOrder(size_t rank) {
  SmallVector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

} // namespace

SmallVector<int64_t> getAccessOrder(const analysis::AccessFacts &facts,
                                    int64_t rank) {
  SmallVector<int64_t> order = getRowMajorOrder(rank);
  if (facts.unitDim) {
    auto unit = llvm::find(order, int64_t(*facts.unitDim));
    std::rotate(order.begin(), unit, unit + 1);
  }
  return order;
}

LinearLayout getBlockedLayout(ArrayRef<int64_t> shape, ArrayRef<int64_t> order,
                              int64_t vector, int64_t numLanes,
                              int64_t numWarps) {
  int64_t fair = std::max<int64_t>(1, ShapedType::getNumElements(shape) /
                                          (numLanes * numWarps));
  SmallVector<int64_t> perThread(shape.size(), 1), lanes(shape.size(), 1),
      warps(shape.size(), 1);
  perThread[order[0]] = std::min({vector, fair, shape[order[0]]});
  int64_t lanesLeft = numLanes, warpsLeft = numWarps;
  for (int64_t dim : order) {
    lanes[dim] = std::min(lanesLeft, shape[dim] / perThread[dim]);
    lanesLeft /= lanes[dim];
  }
  for (int64_t dim : llvm::reverse(order)) {
    warps[dim] =
        std::min(warpsLeft, shape[dim] / (perThread[dim] * lanes[dim]));
    warpsLeft /= warps[dim];
  }
  // What the tile is too small for holds copies.
  lanes[order[0]] *= lanesLeft;
  warps[order[0]] *= warpsLeft;
  return *LinearLayout::blocked(shape, perThread, lanes, warps, order);
}

LinearLayout getDefaultLayout(ArrayRef<int64_t> shape, int64_t numLanes,
                              int64_t numWarps) {
  return getBlockedLayout(shape, getRowMajorOrder(shape.size()), 4, numLanes,
                          numWarps);
}

LinearLayout getAccessLayout(const analysis::AccessFacts &facts,
                             RankedTensorType type, const TargetInfo &target,
                             int64_t numWarps) {
  SmallVector<int64_t> order = getAccessOrder(facts, type.getRank());
  int64_t vector = 1;
  if (facts.unitDim) {
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    vector =
        std::min(facts.alignedElements, target.getMaxAccessBytes() / bytes);
  }
  return getBlockedLayout(type.getShape(), order, vector, target.getNumLanes(),
                          numWarps);
}

} // namespace tegula::lower
