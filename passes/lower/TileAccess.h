// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where one thread's elements of a tile lie in an array, and which of them
// exist. Everything that is the same for all threads is computed once and in 64
// bits; a thread adds an offset and compares 32-bit coordinates.

#ifndef TEGULA_PASSES_LOWER_TILEACCESS_H
#define TEGULA_PASSES_LOWER_TILEACCESS_H

#include "passes/analysis/AccessFacts.h"
#include "passes/lower/KernelArguments.h"
#include "passes/lower/ThreadEmitter.h"

#include <map>

namespace tegula::lower {

/// The most registers from a multiple of as many on, at most `most`, that step
/// through neighbours along `axis` and start at a multiple of as many there.
int64_t getAccessWidth(const layout::LinearLayout &layout, unsigned axis,
                       int64_t most);

class TileAccess {
public:
  /// `index` counts tiles of facts.extents.
  TileAccess(mlir::OpBuilder &builder, mlir::Location loc,
             const ThreadEmitter &emitter, const ArrayParts &array,
             tile::ViewType view, const analysis::AccessFacts &facts,
             const layout::LinearLayout &layout, mlir::ValueRange index);

  /// Elements of one access that is wholly inside the array or outside.
  int64_t getWidth() const { return width; }
  /// Elements of one access where the tile is inside the array along the unit
  /// dimension; at least getWidth().
  int64_t getInteriorWidth() const { return interiorWidth; }
  /// Whether it is (i1), to choose between the two.
  mlir::Value emitIsInterior(mlir::OpBuilder &builder) const;

  /// Whether every element is inside the array (i1), or null if that is never
  /// or always so.
  mlir::Value emitIsWhole(mlir::OpBuilder &builder) const;

  /// Whether the elements from register `reg` on are inside the array (i1), or
  /// null if they always are. `interior`: emitIsInterior() holds.
  mlir::Value emitPredicate(mlir::OpBuilder &builder, int64_t reg,
                            bool interior) const;
  mlir::Value emitPointer(mlir::OpBuilder &builder, int64_t reg) const;

private:
  friend class TileWindow;

  void createLimits(mlir::OpBuilder &builder, const ArrayParts &array,
                    mlir::ValueRange index);
  void createBase(mlir::OpBuilder &builder, const ArrayParts &array,
                  mlir::ValueRange index);
  mlir::Value emitCoordinate(mlir::OpBuilder &builder, unsigned axis,
                             int64_t offset) const;
  /// How far the element of register `reg` is from register 0's: a run-time
  /// part (i64, or null for 0) and a constant one, in elements.
  std::pair<mlir::Value, int64_t> emitDistance(mlir::OpBuilder &builder,
                                               int64_t reg) const;
  bool isStatic(unsigned axis) const;
  /// Whether a register moves the coordinate by a sum, not by an exclusive or.
  bool isSum(unsigned axis) const;

  mlir::Location loc;
  tile::ViewType view;
  analysis::AccessFacts facts;
  layout::LinearLayout layout;
  int64_t width = 1;
  int64_t interiorWidth = 1;
  llvm::SmallVector<mlir::Value> coordinates; // of register 0, i32
  llvm::SmallVector<mlir::Value> strides;     // i64
  llvm::SmallVector<mlir::Value> limits;      // i32, null where whole
  mlir::Value inside;                         // i1, along whole dimensions
  mlir::Value start;                          // of the tile, in all threads
  mlir::Value fromStart;                      // of base, i64; null for 0
  mlir::Value base;                           // of register 0
};

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_TILEACCESS_H
