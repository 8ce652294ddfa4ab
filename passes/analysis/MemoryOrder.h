// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of one launch show each other what they stored by atomics on one
// element: what a program did before such an atomic is seen by a program whose
// own atomic on the element comes later. Most kernels have no use for that,
// and order costs time, so here it is found out where another program could
// tell.

#ifndef TEGULA_PASSES_ANALYSIS_MEMORYORDER_H
#define TEGULA_PASSES_ANALYSIS_MEMORYORDER_H

#include "passes/analysis/Overlaps.h"

#include "llvm/ADT/DenseSet.h"

namespace tegula::analysis {

/// Whether `op` is an atomic on one element, a scalar's or a tile's only one:
/// those order memory.
bool isOrdering(mlir::Operation *op);

class MemoryOrder {
public:
  explicit MemoryOrder(mlir::func::FuncOp kernel);

  /// Whether accesses before `atomic` must be visible to the device first.
  bool releases(mlir::Operation *atomic) const {
    return releasing.contains(atomic);
  }
  /// Whether accesses after `atomic` must see what other programs released.
  bool acquires(mlir::Operation *atomic) const {
    return acquiring.contains(atomic);
  }
  /// Whether any atomic orders accesses that another program can tell apart.
  bool isObserved() const { return !acquiring.empty(); }

private:
  llvm::DenseSet<mlir::Operation *> releasing, acquiring;
};

} // namespace tegula::analysis

#endif // TEGULA_PASSES_ANALYSIS_MEMORYORDER_H
