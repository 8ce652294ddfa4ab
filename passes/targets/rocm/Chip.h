// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differs between the AMD GPUs that kernels are compiled for. Passes ask
// this table, never an architecture's name.

#ifndef TEGULA_PASSES_TARGETS_ROCM_CHIP_H
#define TEGULA_PASSES_TARGETS_ROCM_CHIP_H

#include "mlir/IR/Operation.h"

namespace tegula::rocm {

/// Matrix instructions come in generations; each has those of the one before
/// it in its family.
enum class Matrix { MfmaGfx90a, MfmaGfx942, MfmaGfx950, WmmaGfx11, WmmaGfx12 };

struct Chip {
  llvm::StringLiteral name;
  /// Lanes of a wave.
  int64_t lanes;
  /// Local data share (LDS) of a workgroup, in bytes, and its banks.
  int64_t ldsBytes;
  int64_t ldsBanks;
  /// Vector registers of a lane that leave two waves on each SIMD.
  int64_t registers;
  Matrix matrix;
  /// Dies with an L2 cache each, which get workgroups in turn.
  int64_t dies;

  bool hasMfma() const { return matrix <= Matrix::MfmaGfx950; }
  /// Data-parallel primitives (DPP) that xor lane numbers within a row, and
  /// permlanex16.
  bool hasRowXmask() const { return !hasMfma(); }
};

/// Null if there is none of that name.
const Chip *getChip(llvm::StringRef name);
llvm::ArrayRef<Chip> getChips();

/// The chip that the module of `op` is compiled for; if there is none, emits
/// an error that says how to set it and gives null.
const Chip *getChipOf(mlir::Operation *op);

} // namespace tegula::rocm

#endif // TEGULA_PASSES_TARGETS_ROCM_CHIP_H
