// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread's elements of gather, scatter and atomics, tiles and scalars
// alike: a scalar is a tile of one element that every thread has a copy of.
// Order among elements that name the same place is settled by comparing them
// all.

#ifndef TEGULA_PASSES_LOWER_ELEMENTACCESS_H
#define TEGULA_PASSES_LOWER_ELEMENTACCESS_H

#include "passes/lower/KernelArguments.h"
#include "passes/lower/ThreadEmitter.h"

namespace tegula::lower {

class ElementAccess {
public:
  /// `type` is that of an index before conversion; `index` and `mask` (or null)
  /// are one thread's vectors or scalars.
  ElementAccess(mlir::OpBuilder &builder, mlir::Location loc,
                ThreadEmitter &emitter, const ArrayParts &array,
                mlir::Type elementType, mlir::Type type, mlir::ValueRange index,
                mlir::Value mask);

  int64_t getNumRegisters() const { return offsets.size(); }
  /// Registers that hold the first copy of their element in this thread.
  llvm::ArrayRef<int64_t> getFirstRegisters() const { return firstRegisters; }
  /// Whether the element is inside the array and not masked off (i1).
  mlir::Value getActive(int64_t reg) const { return active[reg]; }
  /// As getActive; besides, no other thread accesses it.
  mlir::Value emitOwned(mlir::OpBuilder &builder, int64_t reg) const;
  mlir::Value emitPointer(mlir::OpBuilder &builder, int64_t reg) const;

  /// For each register (null for copies), how many active elements that are
  /// before the register's in row-major order (after it, if `later`) name the
  /// same place: i32, in all threads.
  llvm::SmallVector<mlir::Value> emitRivals(mlir::OpBuilder &builder,
                                            bool later) const;

  /// Gives copies what the thread that owns the first one has.
  llvm::SmallVector<mlir::Value>
  emitShare(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Value> values) const;

  /// Gives copies within the thread what the first one has.
  llvm::SmallVector<mlir::Value>
  emitRepeat(llvm::ArrayRef<mlir::Value> values) const;

  mlir::Location loc;
  ThreadEmitter &emitter;
  mlir::Type elementType;

private:
  mlir::Value emitFlat(mlir::OpBuilder &builder, int64_t reg) const;

  mlir::Value pointer;
  layout::LinearLayout layout; // One-dimensional.
  mlir::Value flatBase;
  mlir::Value isFirstCopy;
  llvm::SmallVector<mlir::Value> offsets; // i64, in elements
  llvm::SmallVector<mlir::Value> active;
  llvm::SmallVector<int64_t> firstRegisters;
};

/// Marks element accesses of which no two of a program name one place; to be
/// called before the conversion, which hides where indices come from.
inline constexpr llvm::StringLiteral kDistinctAttr = "tegula.distinct";
void markDistinct(mlir::func::FuncOp kernel);
void populateElementsToThreads(const mlir::TypeConverter &types,
                               mlir::RewritePatternSet &patterns,
                               ThreadEmitter &emitter);
void populateAtomicsToThreads(const mlir::TypeConverter &types,
                              mlir::RewritePatternSet &patterns,
                              ThreadEmitter &emitter);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_ELEMENTACCESS_H
