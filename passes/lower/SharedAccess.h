// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores and loads of one thread's registers in a scratch buffer of shared
// memory, as wide as their places in it allow.

#ifndef TEGULA_PASSES_LOWER_SHAREDACCESS_H
#define TEGULA_PASSES_LOWER_SHAREDACCESS_H

#include "passes/lower/ThreadColumns.h"

namespace tegula::lower {

/// Bytes of an element in memory.
int64_t getElementBytes(mlir::Type type);

/// Most bytes of scratch that one operation asks for at a time: what is larger
/// goes through in several rounds.
int64_t getScratchLimit(const ThreadEmitter &emitter);

/// Stores elements side by side at `offset` (i32, in elements) from `base`,
/// where `predicate` (or null for always) holds. `offset` is a multiple of
/// their number.
void storeShared(mlir::OpBuilder &builder, mlir::Location loc,
                 llvm::ArrayRef<mlir::Value> elements, mlir::Value base,
                 mlir::Value offset, mlir::Value predicate);
/// Loads `count` elements of `type`.
Values loadShared(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                  int64_t count, mlir::Value base, mlir::Value offset);

/// Registers whose places in a buffer are `offsets` (in elements), accessed
/// 2^vectorBits at a time: the low vectorBits bits of an offset depend on the
/// register alone, and with a register all that share the rest are accessed.
class SharedAccess {
public:
  SharedAccess(mlir::OpBuilder &builder, mlir::Location loc,
               const ThreadEmitter &emitter, const Columns &offsets,
               unsigned vectorBits);

  void store(mlir::Value base, llvm::ArrayRef<int64_t> registers,
             llvm::ArrayRef<mlir::Value> values, mlir::Value predicate) const;
  /// Sets the registers' entries of `values`.
  void load(mlir::Value base, llvm::ArrayRef<int64_t> registers,
            mlir::Type type, llvm::MutableArrayRef<mlir::Value> values) const;

private:
  using Group = llvm::SmallVector<int64_t>;
  /// Registers that lie side by side, in the order of their places.
  llvm::SmallVector<Group> getGroups(llvm::ArrayRef<int64_t> registers) const;
  mlir::Value getOffset(const Group &group) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  Columns offsets;
  unsigned vectorBits;
  mlir::Value threadPart;
  uint64_t threadBits = 0;
};

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_SHAREDACCESS_H
