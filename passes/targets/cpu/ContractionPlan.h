// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a contraction is and how it will be blocked. Choosing the blocking is
// arithmetic on extents and strides, kept apart from the code that emits loops
// so that one can be read, and changed, without the other.

#ifndef TEGULA_PASSES_TARGETS_CPU_CONTRACTIONPLAN_H
#define TEGULA_PASSES_TARGETS_CPU_CONTRACTIONPLAN_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <array>
#include <optional>

namespace tegula::cpu {

/// The vector unit and the caches that a blocking is chosen for.
struct ContractionHost {
  int64_t vectorBits;
  int64_t numRegisters;
  int64_t l1Bytes;
  int64_t l2Bytes;
};

/// One operand as a matrix: logical dimension 0 is the row, 1 the column. A
/// logical dimension that the operand lacks (a vector, a scalar) has extent 1.
struct MatrixOperand {
  mlir::Value memref;
  /// The memref's dimension behind each logical one.
  std::array<std::optional<unsigned>, 2> dims;
  std::array<int64_t, 2> extents;
  /// In elements; `ShapedType::kDynamic` if only known at run time.
  std::array<int64_t, 2> strides;
  bool isUnsigned = false;

  mlir::Type elementType() const {
    return llvm::cast<mlir::MemRefType>(memref.getType()).getElementType();
  }
  /// Whether vectors can be loaded along logical dimension `dim`.
  bool isUnit(unsigned dim) const {
    return strides[dim] == 1 || extents[dim] == 1;
  }
  /// The dimension that is contiguous in memory; 1 where there is a choice,
  /// none if neither is.
  std::optional<unsigned> unitDim() const {
    if (strides[1] == 1) {
      return 1;
    }
    return strides[0] == 1 ? std::optional<unsigned>(0)
           : isUnit(1)     ? std::optional<unsigned>(1)
           : isUnit(0)     ? std::optional<unsigned>(0)
                           : std::nullopt;
  }
  void transpose() {
    std::swap(dims[0], dims[1]);
    std::swap(extents[0], extents[1]);
    std::swap(strides[0], strides[1]);
  }
};

/// A loop around the matrix product (a batch, or a second m, n or k) and the
/// dimension that it walks in lhs, rhs and result.
struct OuterLoop {
  int64_t extent;
  std::array<std::optional<unsigned>, 3> dims;
};

/// `out[m, n] += lhs[m, k] * rhs[k, n]` inside `outer`.
struct Contraction {
  llvm::SmallVector<OuterLoop> outer;
  MatrixOperand lhs, rhs, out;
  /// Element type of the products. For i8 it is f32: products and sums of up
  /// to 256 of them are exact there, and twice to four times faster than in
  /// 32-bit integers on every vector unit at hand.
  mlir::Type computeType;

  int64_t m() const { return lhs.extents[0]; }
  int64_t n() const { return rhs.extents[1]; }
  int64_t k() const { return lhs.extents[1]; }
  mlir::Type accType() const { return out.elementType(); }
  bool isExactInteger() const { return accType() != computeType; }
  /// The same contraction with the result transposed.
  void transpose();
};

/// How the contraction is blocked. A register block is `rows` x `vectors`
/// vectors of `lanes` elements and walks `kBlock` steps of the reduction. It
/// reads a panel of rhs, `vectors` wide, and as many rows of lhs. Either
///  - `rowsOutside`: the whole `kBlock` x n block of rhs stays in L1, each rows
///    of lhs are packed just before they meet all its panels; or
///  - an `mBlock` x `kBlock` block of lhs stays in L2, each panel of rhs is
///    packed just before it meets all those rows. If one block cannot hold all
///    rows, `nBlock` columns of rhs are packed for use with several; or
///  - `rowDots`: for very few rows and an rhs contiguous along k, each result
///    is a dot product of two vectors: transposing rhs would cost more than all
///    the rest.
struct ContractionPlan {
  int64_t lanes;
  int64_t rows;
  int64_t vectors;
  int64_t mBlock, nBlock, kBlock;
  bool packLhs;
  bool packRhs;
  /// Whether the operand's rows lie far apart in memory.
  bool prefetchLhs;
  bool prefetchRhs;
  bool rowsOutside;
  bool rowDots;
  /// Estimated cycles, to compare two ways of doing the same.
  double cost;

  int64_t panel() const { return lanes * vectors; }
  /// The dimension along which lhs is read and packed, if it is contiguous.
  std::optional<unsigned> lhsInner(const Contraction &c) const {
    if (rowDots) {
      return c.lhs.strides[1] == 1 ? std::optional<unsigned>(1) : std::nullopt;
    }
    return c.lhs.unitDim();
  }
  /// Whether lhs is packed one register block's rows at a time.
  bool packsLhsByRows(const Contraction &c) const {
    return packLhs && rowsOutside && lhsInner(c) != 0u;
  }
  /// Whether rhs is packed one panel at a time.
  bool packsRhsByPanel(const Contraction &c) const {
    return packRhs && !rowsOutside && c.m() <= mBlock;
  }
};

/// Chooses blocks and panels, and transposes `contraction` where that makes
/// the result's rows contiguous or the register blocks fuller.
ContractionPlan planContraction(Contraction &contraction,
                                const ContractionHost &host);

} // namespace tegula::cpu

#endif // TEGULA_PASSES_TARGETS_CPU_CONTRACTIONPLAN_H
