// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a dot becomes matrix instructions: which warps compute which part, where
// operands and results lie, and the code of one thread.

#ifndef TEGULA_PASSES_TARGETS_ROCM_DOTPLAN_H
#define TEGULA_PASSES_TARGETS_ROCM_DOTPLAN_H

#include "passes/lower/TargetInfo.h"
#include "passes/targets/rocm/MatrixInstructions.h"

#include <optional>

namespace tegula::rocm {

/// Whether a dot's left side comes from another one's result (End), or such a
/// dot comes later (Start).
enum class Chain { None, Start, End };
Chain getChain(tile::DotOp dot);

/// How a dot is cut up: an instruction, and which warps compute which part.
class DotPlan {
public:
  /// Nothing if no instruction of the chip computes the dot.
  static std::optional<DotPlan> create(const Chip &chip, tile::DotOp dot,
                                       int64_t numWarps, Chain chain);

  /// The plan that gives these layouts, or nothing.
  static std::optional<DotPlan> find(const Chip &chip, tile::DotOp dot,
                                     const lower::DotLayouts &layouts);

  lower::DotLayouts getLayouts() const;

  /// The dot on one thread's values, vectors in the register order of
  /// getLayouts.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a,
                   mlir::Value b, mlir::Value acc) const;

private:
  DotPlan(const Chip &chip, tile::DotOp dot, const MatrixInstruction &chosen,
          Chain chain);

  void divideAmongWarps(int64_t numWarps, Chain chain);
  /// Bits of a column's number to interleave: depends on where b comes from.
  unsigned getInterleaving(tile::DotOp dot, int64_t numWarps,
                           Chain chain) const;
  unsigned getColumnRepeatBits() const;
  /// The bit of a column's number that bit `bit` of the order instruction,
  /// warp, repeats stands for.
  unsigned getColumnBit(unsigned bit) const;
  layout::LinearLayout getOperandLayout(bool isA) const;
  layout::LinearLayout getResultLayout() const;

  int64_t getRowRepeats() const;
  int64_t getColumnRepeats() const;
  mlir::Value prepareOperand(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value operand) const;
  mlir::Value packOperand(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value elements) const;
  mlir::Value emitInstruction(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value a, mlir::Value b,
                              mlir::Value acc) const;

  const Chip &chip;
  const MatrixInstruction &instruction;
  mlir::Type elementA, elementB;
  bool aUnsigned, bUnsigned;
  unsigned rank;
  int64_t batch, m, n, k; // extents of the dot
  /// Consecutive values of k in a lane: as many as one access takes, or, at a
  /// chain's end, as many as it has consecutive columns of a result, so that a
  /// result is the next product's operand where it is.
  int64_t kVector;
  /// Bits of the warp number that go along the batch, rows, columns, and
  /// nowhere, in this order from the lowest.
  unsigned warpsBatch = 0, warpsM = 0, warpsN = 0, warpsIdle = 0;
  /// Low bits of a column's number that tell repeats of the instruction apart,
  /// so that a lane has neighbouring columns of b at the same k.
  unsigned interleaved = 0;
};

} // namespace tegula::rocm

#endif // TEGULA_PASSES_TARGETS_ROCM_DOTPLAN_H
