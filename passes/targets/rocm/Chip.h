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
  /// ds_read_b64_tr_b16 and _b8.
  bool hasTransposedReads() const { return matrix == Matrix::MfmaGfx950; }
  /// 16-bit halves of vector registers that instructions name.
  bool hasHalfRegisters() const { return !hasMfma(); }
  /// The last word of a buffer's description: raw bytes, bounds checked. The
  /// data format only must not be 0.
  int64_t getBufferFlags() const {
    constexpr int64_t kFormat = 7 << 12 | 4 << 15;
    // A bit that is reserved as 1, and which offsets are out of bounds: those
    // of raw buffers.
    constexpr int64_t kRaw = int64_t(1) << 24 | int64_t(3) << 28;
    return hasMfma() ? kFormat : kFormat | kRaw;
  }
};

/// Null if there is none of that name.
const Chip *getChip(llvm::StringRef name);
llvm::ArrayRef<Chip> getChips();

/// The chip that the module of `op` is compiled for; if there is none, emits
/// an error that says how to set it and gives null.
const Chip *getChipOf(mlir::Operation *op);

} // namespace tegula::rocm

#endif // TEGULA_PASSES_TARGETS_ROCM_CHIP_H
