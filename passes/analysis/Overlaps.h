// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of a kernel's arrays may overlap in memory, and which it writes.

#ifndef TEGULA_PASSES_ANALYSIS_OVERLAPS_H
#define TEGULA_PASSES_ANALYSIS_OVERLAPS_H

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::analysis {

/// What `tile.may_alias` of a kernel says.
class Overlaps {
public:
  explicit Overlaps(mlir::func::FuncOp kernel);

  /// Numbers of the other arguments that may overlap argument `number`.
  llvm::SmallVector<int64_t> getOthers(int64_t number) const;
  /// Whether two arrays, or parts of arrays, may have an element in common.
  /// What comes from no argument may be any array.
  bool mayOverlap(mlir::Value first, mlir::Value second) const;

private:
  llvm::SmallVector<std::pair<int64_t, int64_t>> pairs;
};

/// The array that a view is, or is a part of.
mlir::Value getWhole(mlir::Value view);

/// The array, or the part of one, that an access is to, or null if `op` is no
/// access.
mlir::Value getAccessed(mlir::Operation *op);
bool isAtomic(mlir::Operation *op);
/// Whether `op` is an access that writes, as atomics do.
bool isWrite(mlir::Operation *op);

/// Whether a kernel writes what may lie in `view`. What uses arrays and is none
/// of this dialect's accesses counts as `othersWrite` says.
bool isWritten(mlir::func::FuncOp kernel, mlir::Value view,
               bool othersWrite = true);

} // namespace tegula::analysis

#endif // TEGULA_PASSES_ANALYSIS_OVERLAPS_H
