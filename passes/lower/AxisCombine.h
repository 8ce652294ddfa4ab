// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combination of a tile's elements along one axis, which reductions and scans
// share. The axis is gone through bit by bit: elements that differ in one bit
// of their coordinate meet, in one thread's registers, by a shuffle, or in
// shared memory.

#ifndef TEGULA_PASSES_LOWER_AXISCOMBINE_H
#define TEGULA_PASSES_LOWER_AXISCOMBINE_H

#include "passes/lower/Combiner.h"
#include "passes/lower/ThreadColumns.h"

namespace tegula::lower {

class AxisCombine {
public:
  /// Of a tile of 2^outBits elements, held as `columns` say, along the axis
  /// whose coordinate is bits [firstBit, firstBit + numBits) of a flat index.
  AxisCombine(mlir::OpBuilder &builder, mlir::Location loc,
              ThreadEmitter &emitter, const Combiner &combiner, Columns columns,
              unsigned outBits, unsigned firstBit, unsigned numBits,
              llvm::SmallVector<Values> operands);

  /// Combines everything along the axis. Afterwards getColumns() have zeros for
  /// the axis and each thread that holds one of an element's addends, their
  /// total.
  void reduce();
  /// Combines each element with those before it (after it, if `reverse`).
  void scan(bool reverse);

  /// Where totals are, and they: one list for each operand.
  const Columns &getColumns() const { return columns; }
  llvm::ArrayRef<Values> getTotals() const { return totals; }
  /// Results of a scan, one for each register that is not free.
  llvm::ArrayRef<Values> getElements() const { return elements; }
  const Columns &getElementColumns() const { return elementColumns; }

private:
  /// Register, lane and warp bits whose columns add up to a flat index.
  struct Place {
    uint64_t reg, lane, warp;
  };
  /// Where in shared memory partial totals go.
  struct Exchange {
    Columns buffer;         // Offsets instead of flat indices.
    unsigned offsetBits;    // The lowest are the bits that are exchanged.
    unsigned registerBits;  // How many of the highest registers alone decide.
    unsigned roundBits = 0; // How many of those number the rounds.
    unsigned loadedBits =
        0; // Of the exchanged bits, those one thread combines.
    llvm::SmallVector<unsigned> lanes; // Lane bits that stand for the others.
    int64_t bytes = 0;                 // Of one round.
  };

  void run();
  Place getPlace(unsigned bit) const;
  unsigned pickBit() const;
  llvm::SmallVector<unsigned> pickGroup(unsigned bit) const;
  void finish(llvm::ArrayRef<unsigned> bits);

  void combineInWarp(unsigned bit, const Place &place);
  void combineInShared(llvm::ArrayRef<unsigned> bits);
  Exchange planExchange(llvm::ArrayRef<unsigned> bits) const;
  llvm::SmallVector<Values> exchangeRound(const Exchange &plan, uint64_t round,
                                          uint64_t dropped,
                                          mlir::Value threadPart,
                                          mlir::Value predicate);
  mlir::Value getFirstPart(const Exchange &plan, mlir::Value threadPart);
  Values combineLanes(llvm::ArrayRef<unsigned> lanes, Values values);

  /// Of all operands, the value of one register.
  Values at(llvm::ArrayRef<Values> lists, uint64_t reg) const;
  Values combine(mlir::ValueRange left, mlir::ValueRange right) {
    return combiner(builder, loc, left, right);
  }
  Values select(mlir::Value condition, mlir::ValueRange yes,
                mlir::ValueRange no);
  /// Combination of a list from left to right, as a tree.
  Values combineAll(llvm::ArrayRef<Values> parts);
  /// Lane and warp bits that move `bit` of a flat index.
  uint64_t getThreadMask(unsigned bit) const;
  /// Register of `columns` that has the total to which register `reg` of
  /// `elementColumns` belongs.
  uint64_t getTotalRegister(uint64_t reg) const;
  void scanInWarp(unsigned bit, llvm::ArrayRef<Values> others);
  void scanRegister(uint64_t reg, llvm::ArrayRef<unsigned> bits,
                    llvm::ArrayRef<Values> parts);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  ThreadEmitter &emitter;
  const Combiner &combiner;
  ThreadBits threadBits;
  Columns columns;
  unsigned outBits;
  llvm::SmallVector<unsigned> remaining; // Bits, lowest first.
  uint64_t done = 0;                     // Flat index bits combined so far.
  llvm::SmallVector<Values> totals;

  bool isScan = false;
  bool isReverse = false;
  Columns elementColumns;
  llvm::SmallVector<Values> elements;
};

/// Part of populateReductionsToThreads.
void populateScansToThreads(const mlir::TypeConverter &types,
                            mlir::RewritePatternSet &patterns,
                            ThreadEmitter &emitter);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_AXISCOMBINE_H
