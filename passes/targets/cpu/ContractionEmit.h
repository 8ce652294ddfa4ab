// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that cpu-lower-contractions emits, in two parts: packing of the
// operands and the register-blocked product. Both address matrices through the
// same small views, so that "packed" and "in place" differ in a view and not in
// the code.

#ifndef TEGULA_PASSES_TARGETS_CPU_CONTRACTIONEMIT_H
#define TEGULA_PASSES_TARGETS_CPU_CONTRACTIONEMIT_H

#include "passes/targets/cpu/ContractionPlan.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tegula::cpu {

/// A two-dimensional memref. Its last dimension is logical dimension `inner`
/// of the matrix and has unit stride, unless `contiguous` is false.
struct MatrixView {
  mlir::Value memref;
  unsigned inner = 1;
  bool contiguous = true;
  bool isUnsigned = false;
  /// Where logical (0, 0) of the current block lies.
  std::array<mlir::Value, 2> origin;

  mlir::Type elementType() const {
    return llvm::cast<mlir::MemRefType>(memref.getType()).getElementType();
  }
  /// Memref indices of logical (row, col) counted from the origin.
  llvm::SmallVector<mlir::Value, 2> at(mlir::ImplicitLocOpBuilder &b,
                                       mlir::Value row, mlir::Value col) const;
};

/// Index arithmetic that folds constants.
mlir::Value indexConstant(mlir::ImplicitLocOpBuilder &b, int64_t value);
mlir::Value addIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                     mlir::Value y);
mlir::Value addIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value x, int64_t y);
mlir::Value subIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                     mlir::Value y);

/// `for (i = lower; i < upper; i += step) body(i)`.
void emitLoop(mlir::ImplicitLocOpBuilder &b, mlir::Value lower,
              mlir::Value upper, int64_t step,
              llvm::function_ref<void(mlir::Value)> body);

/// Converts an operand's scalar or vector to the element type `to`.
mlir::Value convertElements(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                            mlir::Type to, bool isUnsigned);

/// Loads a vector at `indices`; lanes that `mask` (may be null) leaves out are
/// not read and are zero.
mlir::Value loadVector(mlir::ImplicitLocOpBuilder &b, mlir::VectorType type,
                       mlir::Value memref, mlir::ValueRange indices,
                       mlir::Value mask);

/// The lanes of a vector at `position` that lie before `extent`.
mlir::Value edgeMask(mlir::ImplicitLocOpBuilder &b, int64_t lanes,
                     int64_t extent, mlir::Value position);

/// Transposes a square of vectors in log2(lanes) rounds. Round `bit` swaps
/// that bit of the row number with that bit of the lane number:
///   a0 a1 a2 a3            a0 b0 a2 b2            a0 b0 c0 d0
///   b0 b1 b2 b3  bit 1:    a1 b1 a3 b3   bit 2:   a1 b1 c1 d1
///   c0 c1 c2 c3            c0 d0 c2 d2            a2 b2 c2 d2
///   d0 d1 d2 d3            c1 d1 c3 d3            a3 b3 c3 d3
void transposeSquare(mlir::ImplicitLocOpBuilder &b,
                     llvm::MutableArrayRef<mlir::Value> rows);

/// Scratch for a packed block of lhs: its rows, or columns if those are
/// contiguous in the source, padded to an odd number of cache lines so that
/// the rows of a panel spread over all cache sets.
MatrixView allocateLhs(mlir::ImplicitLocOpBuilder &b, const Contraction &c,
                       const ContractionPlan &plan);
/// Scratch for a packed block or panel of rhs: memref<panels x kBlock x panel>.
mlir::Value allocateRhs(mlir::ImplicitLocOpBuilder &b, const Contraction &c,
                        const ContractionPlan &plan);

/// Packs the block of `source` at its origin that has `size` logical rows and
/// columns.
void packLhs(mlir::ImplicitLocOpBuilder &b, const Contraction &c,
             const ContractionPlan &plan, const MatrixView &source,
             const MatrixView &packed, std::array<mlir::Value, 2> size);
void packRhs(mlir::ImplicitLocOpBuilder &b, const Contraction &c,
             const ContractionPlan &plan, const MatrixView &source,
             mlir::Value packed, std::array<mlir::Value, 2> size);

/// Emits the whole contraction.
void emitContraction(mlir::ImplicitLocOpBuilder &b, const Contraction &c,
                     const ContractionPlan &plan);

} // namespace tegula::cpu

#endif // TEGULA_PASSES_TARGETS_CPU_CONTRACTIONEMIT_H
