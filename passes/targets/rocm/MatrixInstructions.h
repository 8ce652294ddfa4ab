// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix instructions of AMD GPUs: what they multiply, and where in a wave
// their operands and results are. One table serves layouts and code.

#ifndef TEGULA_PASSES_TARGETS_ROCM_MATRIXINSTRUCTIONS_H
#define TEGULA_PASSES_TARGETS_ROCM_MATRIXINSTRUCTIONS_H

#include "dialects/tile/Tile.h"
#include "passes/targets/rocm/Chip.h"

namespace tegula::rocm {

/// Extents of every instruction's result, and the bits of a number of either.
inline constexpr int64_t kRows = 16, kColumns = 16;
inline constexpr unsigned kSideBits = 4;

/// Element types of operands, as instructions tell them apart.
enum class Element { F16, BF16, F32, F64, I8, F8 };

/// How the rows of a 16x16 result are spread over a lane's registers (R) and
/// the lanes with the same column (L); a row's number from its lowest bit.
enum class ResultRows { RegistersLow, LanesLow };

/// One instruction: 16 rows and 16 columns.
///
/// Operands: lane l holds row (of a) or column (of b) l % 16 at the
/// `kPerLane` values of k from (l / 16) * kPerLane on, or at all values where
/// `k == kPerLane`, both halves of the wave alike. Which k those are does not
/// matter to the sum as long as a and b agree.
struct MatrixInstruction {
  Matrix since;
  /// Whether later generations of the family have it too.
  bool stays;
  Element element;
  llvm::StringLiteral name; // of the ROCDL operation, without `rocdl.`
  int64_t k;
  int64_t kPerLane;
  ResultRows rows;
};

/// The instruction for `dot`, or null.
const MatrixInstruction *chooseInstruction(const Chip &chip, tile::DotOp dot);

bool isF8(mlir::Type type);

} // namespace tegula::rocm

#endif // TEGULA_PASSES_TARGETS_ROCM_MATRIXINSTRUCTIONS_H
