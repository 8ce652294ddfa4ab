// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loads feed dots alone, and what stands against loading them earlier.
// lower-pipeline-loads decides with it what travels through rings.

#ifndef TEGULA_PASSES_LOWER_DOTLOADS_H
#define TEGULA_PASSES_LOWER_DOTLOADS_H

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tegula::lower {

/// Operations through which a loaded tile may reach a dot: they move layouts,
/// not data.
bool isPassThrough(mlir::Operation *op);

/// One way from a load to the operand of a dot.
struct Use {
  llvm::SmallVector<mlir::Operation *> path;
  mlir::OpOperand *operand;
};

/// Adds the ways from `value` to dots; fails if it is used otherwise.
llvm::LogicalResult findUses(mlir::Value value,
                             llvm::SmallVector<mlir::Operation *> path,
                             llvm::SmallVector<Use> &uses);

/// The operations of `loop`'s body that compute `values` from its counter;
/// fails if they need more than that.
llvm::LogicalResult getIndexSlice(mlir::scf::ForOp loop,
                                  mlir::ValueRange values,
                                  llvm::SetVector<mlir::Operation *> &slice);

/// Tiles that travel together: they have one ring.
struct Group {
  llvm::SmallVector<tile::LoadOp> loads;
  /// For each load the ways to dots.
  llvm::SmallVector<llvm::SmallVector<Use>> uses;
  /// What computes their indices.
  llvm::SetVector<mlir::Operation *> slice;
  int64_t slots = 0;
  llvm::SmallVector<int32_t> maps;
  mlir::Value ring;
  /// Whether threads compute the addresses of what is copied.
  bool threadsCopy = false;
  /// Of rings that go through registers: types of tiles as they are loaded,
  /// those that are, and where the next ones are fetched.
  bool usesRegisters = false;
  llvm::SmallVector<mlir::RankedTensorType> held;
  llvm::SmallVector<mlir::Value> fetched;
  mlir::Operation *firstDot = nullptr;
  /// Whether what the dots read would not fit in registers all at once.
  bool readsLate = false;

  void append(const Group &other) {
    loads.append(other.loads);
    uses.append(other.uses);
    slice.insert(other.slice.begin(), other.slice.end());
  }

  template <typename Fn> void forEachDot(Fn visit) const {
    for (const llvm::SmallVector<Use> &ways : uses) {
      for (const Use &use : ways) {
        visit(use.operand->getOwner());
      }
    }
  }

  bool feeds(mlir::Operation *dot) const {
    bool found = false;
    forEachDot([&](mlir::Operation *op) { found |= op == dot; });
    return found;
  }

  bool sharesDots(const Group &other) const {
    bool found = false;
    other.forEachDot([&](mlir::Operation *dot) { found |= feeds(dot); });
    return found;
  }
};

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_DOTLOADS_H
