// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of a tile by a device that checks bounds itself. What changes from one
// tile to the next is the same in all threads, so that a loop is left with
// little more than the loads: a thread's offsets stay.

#ifndef TEGULA_PASSES_LOWER_TILEWINDOW_H
#define TEGULA_PASSES_LOWER_TILEWINDOW_H

#include "passes/lower/TileAccess.h"

namespace tegula::lower {

/// Notes on each load of `kernel` that windows serve which dimensions they have
/// to know. Before anything is lowered: it looks at where indices come from.
void markWindows(mlir::func::FuncOp kernel, const TargetInfo &target);

class TileWindow {
public:
  /// Nothing for a load without such a note.
  static std::optional<TileWindow> create(mlir::OpBuilder &builder,
                                          const TargetInfo &target,
                                          tile::LoadOp load,
                                          const ArrayParts &array);

  /// The strides that the TileAccess has to be made with.
  mlir::ValueRange getStrides() const { return strides; }

  /// Makes the window of the tile that `access` reaches.
  void open(mlir::OpBuilder &builder, const TileAccess &access);
  /// Loads `type`, the elements from register `reg` on; zeros where they are
  /// outside of the array. `interior`: see TileAccess::emitPredicate.
  mlir::Value emitLoad(mlir::OpBuilder &builder, int64_t reg, mlir::Type type,
                       bool interior) const;

private:
  TileWindow(const TargetInfo &target) : target(&target) {}

  mlir::Value emitByteOffset(mlir::OpBuilder &builder, int64_t reg) const;

  const TargetInfo *target;
  const TileAccess *access = nullptr;
  /// The dimension along which the window ends where the array does.
  unsigned outer = 0;
  /// Dimensions that are compared, those that loops change last.
  llvm::SmallVector<unsigned> compared;
  llvm::SmallVector<int64_t> changes; // for each of these
  llvm::SmallVector<mlir::Value> strides;
  mlir::Value window;
};

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_TILEWINDOW_H
