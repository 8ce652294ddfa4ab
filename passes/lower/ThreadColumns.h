// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts as the columns of an F2 matrix, and the renaming of registers that
// follows from two of them. Moves, conversions, reductions and scans all ask
// the same question: which register of this thread holds that element.

#ifndef TEGULA_PASSES_LOWER_THREADCOLUMNS_H
#define TEGULA_PASSES_LOWER_THREADCOLUMNS_H

#include "passes/lower/ThreadEmitter.h"

namespace tegula::lower {

using Values = llvm::SmallVector<mlir::Value>;

/// Images of the bits of register, lane and warp numbers as flat indices.
struct Columns {
  llvm::SmallVector<uint64_t> registers, lanes, warps;

  static Columns of(const layout::LinearLayout &layout);

  int64_t getNumRegisters() const { return int64_t(1) << registers.size(); }
  /// Lanes, then warps.
  llvm::SmallVector<uint64_t> getThreads() const;
  /// Flat index that register number `reg` adds to the thread's.
  uint64_t getRegisterPart(uint64_t reg) const;

  /// Applies an F2-linear map of flat indices to every column.
  Columns map(llvm::function_ref<uint64_t(uint64_t)> transfer) const;

  /// Register bits whose column the earlier ones make up.
  uint64_t getFreeRegisterMask() const;
  /// Without those; `values`, one for each register, are narrowed alike.
  void dropFreeRegisters(llvm::MutableArrayRef<Values> values);

  /// Layout of a buffer of 2^bits elements, of which the columns are offsets.
  layout::LinearLayout toBuffer(unsigned bits) const;
};

/// Bits of thread numbers as conditions, made when first asked for.
class ThreadBits {
public:
  ThreadBits(mlir::OpBuilder &builder, mlir::Location loc,
             const ThreadEmitter &emitter)
      : builder(builder), loc(loc), emitter(emitter) {}

  /// Bit `bit` (i1) of the lane, or past its bits of the warp.
  mlir::Value get(unsigned bit);
  /// Exclusive or of the bits that `mask` selects (lane bits lowest); null for
  /// none.
  mlir::Value getParity(uint64_t mask);
  /// Exclusive or of the images of the thread's set bits (i32).
  mlir::Value getImage(llvm::ArrayRef<uint64_t> images);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  const ThreadEmitter &emitter;
  llvm::SmallDenseMap<unsigned, mlir::Value> bits;
};

/// The value of a register after choices by bits of the thread's number, made
/// from the last choice back so that nothing unneeded is emitted.
class RegisterChooser {
public:
  RegisterChooser(mlir::OpBuilder &builder, mlir::Location loc,
                  const ThreadEmitter &emitter,
                  llvm::ArrayRef<mlir::Value> values)
      : builder(builder), loc(loc), bits(builder, loc, emitter),
        values(values) {}

  /// Where thread bit `bit` (as ThreadBits numbers them) is set, the register
  /// meant is the one that differs by `moves`.
  void add(unsigned bit, uint64_t moves) {
    if (moves != 0) {
      choices.push_back({bit, moves});
    }
  }
  mlir::Value get(uint64_t reg) { return get(choices.size(), reg); }

private:
  mlir::Value get(size_t level, uint64_t reg);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  ThreadBits bits;
  llvm::ArrayRef<mlir::Value> values;
  llvm::SmallVector<std::pair<unsigned, uint64_t>> choices;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, mlir::Value> made;
};

/// The elements `targets` of a tile in layout `from`, moved by the image of the
/// thread's number under `threads`. Chooses between registers by lane and warp
/// where it must; fails, and emits nothing, if an element is in another thread.
mlir::FailureOr<Values> renameRegisters(
    mlir::OpBuilder &builder, mlir::Location loc, const ThreadEmitter &emitter,
    llvm::ArrayRef<mlir::Value> values, const Columns &from,
    llvm::ArrayRef<uint64_t> targets, llvm::ArrayRef<uint64_t> threads);
/// The registers of layout `to`, where element x of `to` is element x ^
/// `offset` of `from`.
mlir::FailureOr<Values> renameRegisters(mlir::OpBuilder &builder,
                                        mlir::Location loc,
                                        const ThreadEmitter &emitter,
                                        llvm::ArrayRef<mlir::Value> values,
                                        const Columns &from, const Columns &to,
                                        uint64_t offset = 0);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_THREADCOLUMNS_H
