// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the operands and the result of a planned dot lie, from AMD's ISA
// documents (see MatrixInstructions.cpp).

#include "passes/targets/rocm/DotPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using tegula::layout::Dim;
using tegula::layout::LinearLayout;

namespace tegula::rocm {
namespace {

unsigned bitsOf(int64_t extent) { return llvm::Log2_64(extent); }

/// The basis of bit `bit` along `axis`, zero past the extent: rows that a small
/// tile lacks are copies of those it has.
LinearLayout::Basis getBasis(ArrayRef<int64_t> shape, unsigned axis,
                             unsigned bit) {
  LinearLayout::Basis basis(shape.size(), 0);
  if (bit < bitsOf(shape[axis])) {
    basis[axis] = 1 << bit;
  }
  return basis;
}

SmallVector<LinearLayout::Basis, 4> &get(LinearLayout::Bases &bases, Dim dim) {
  return bases[static_cast<unsigned>(dim)];
}

} // namespace

lower::DotLayouts DotPlan::getLayouts() const {
  return {getOperandLayout(true), getOperandLayout(false), getResultLayout()};
}

/// Registers hold consecutive k, then further k, then further rows (of a) or
/// columns (of b), then further matrices of the batch.
LinearLayout DotPlan::getOperandLayout(bool isA) const {
  SmallVector<int64_t> shape = isA ? SmallVector<int64_t>{batch, m, k}
                                   : SmallVector<int64_t>{batch, k, n};
  shape.erase(shape.begin(), shape.end() - rank);
  unsigned sideAxis = isA ? rank - 2 : rank - 1;
  unsigned kAxis = isA ? rank - 1 : rank - 2;
  unsigned sideWarps = isA ? warpsM : warpsN;
  unsigned vectorBits = bitsOf(kVector);
  unsigned groupBits = bitsOf(instruction.k / instruction.kPerLane);

  LinearLayout::Bases bases;
  auto add = [&](Dim dim, unsigned axis, unsigned from, unsigned to) {
    for (unsigned bit = from; bit < to; ++bit) {
      bool isColumn = !isA && axis == sideAxis;
      get(bases, dim)
          .push_back(getBasis(shape, axis, isColumn ? getColumnBit(bit) : bit));
    }
  };
  auto addCopies = [&](Dim dim, unsigned count) {
    get(bases, dim).append(count, LinearLayout::Basis(rank, 0));
  };
  add(Dim::Register, kAxis, 0, vectorBits);
  add(Dim::Register, kAxis, vectorBits + groupBits, bitsOf(k));
  add(Dim::Register, sideAxis, kSideBits + sideWarps, bitsOf(isA ? m : n));
  add(Dim::Register, 0, warpsBatch, bitsOf(batch));
  add(Dim::Lane, sideAxis, 0, kSideBits);
  add(Dim::Lane, kAxis, vectorBits, vectorBits + groupBits);
  addCopies(Dim::Lane, bitsOf(chip.lanes) - kSideBits - groupBits);
  add(Dim::Warp, 0, 0, warpsBatch);
  addCopies(Dim::Warp, isA ? 0 : warpsM);
  add(Dim::Warp, sideAxis, kSideBits, kSideBits + sideWarps);
  addCopies(Dim::Warp, (isA ? warpsN : 0) + warpsIdle);
  return *LinearLayout::create(bases, shape);
}

/// Registers hold what one instruction makes, then further columns, rows and
/// matrices of the batch. An instruction computes the product transposed, from
/// b and a: a lane then has consecutive columns of one row, as memory has.
LinearLayout DotPlan::getResultLayout() const {
  SmallVector<int64_t> shape = {batch, m, n};
  shape.erase(shape.begin(), shape.end() - rank);
  unsigned rowAxis = rank - 2, columnAxis = rank - 1;
  unsigned registerBits = 2 * kSideBits - bitsOf(chip.lanes);
  bool lanesLow = instruction.rows == ResultRows::LanesLow;
  unsigned split = lanesLow ? kSideBits - registerBits : registerBits;

  LinearLayout::Bases bases;
  auto add = [&](Dim dim, unsigned axis, unsigned from, unsigned to) {
    for (unsigned bit = from; bit < to; ++bit) {
      get(bases, dim)
          .push_back(getBasis(shape, axis,
                              axis == columnAxis ? getColumnBit(bit) : bit));
    }
  };
  add(Dim::Register, columnAxis, lanesLow ? split : 0,
      lanesLow ? kSideBits : split);
  add(Dim::Register, columnAxis, kSideBits + warpsN, bitsOf(n));
  add(Dim::Register, rowAxis, kSideBits + warpsM, bitsOf(m));
  add(Dim::Register, 0, warpsBatch, bitsOf(batch));
  add(Dim::Lane, rowAxis, 0, kSideBits);
  add(Dim::Lane, columnAxis, lanesLow ? 0 : split,
      lanesLow ? split : kSideBits);
  add(Dim::Warp, 0, 0, warpsBatch);
  add(Dim::Warp, rowAxis, kSideBits, kSideBits + warpsM);
  add(Dim::Warp, columnAxis, kSideBits, kSideBits + warpsN);
  get(bases, Dim::Warp).append(warpsIdle, LinearLayout::Basis(rank, 0));
  return *LinearLayout::create(bases, shape);
}

} // namespace tegula::rocm
