// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operand layouts of a dot by multiply-adds: the result's rows (or columns) of
// each thread, with the contracted dimension in its lowest registers.

#include "passes/lower/DotFallback.h"

#include "llvm/Support/MathExtras.h"

namespace tegula::lower {

using layout::Dim;
using layout::LinearLayout;

/// Most multiply-adds that are written out, and most elements of an operand
/// that a thread then holds.
static constexpr int64_t kMaxUnrolled = 1024;
static constexpr int64_t kMaxHeld = 128;

/// The layout of an operand: `acc` without what moves along `dropped`, which is
/// where the operand has the contracted dimension.
static std::optional<LinearLayout> getOperand(const LinearLayout &acc,
                                              int64_t k, unsigned dropped) {
  LinearLayout::Bases bases;
  auto &registers = bases[static_cast<unsigned>(Dim::Register)];
  unsigned rank = acc.rank();
  for (int64_t step = 1; step < k; step *= 2) {
    LinearLayout::Basis basis(rank, 0);
    basis[dropped] = step;
    registers.push_back(basis);
  }
  for (Dim dim : layout::kDims) {
    for (const LinearLayout::Basis &moves : acc.bases(dim)) {
      LinearLayout::Basis basis(moves);
      basis[dropped] = 0;
      bool isZero = llvm::all_of(basis, [](int32_t part) { return part == 0; });
      if (dim != Dim::Register || !isZero) {
        bases[static_cast<unsigned>(dim)].push_back(basis);
      }
    }
  }
  llvm::SmallVector<int64_t> shape(acc.shape());
  shape[dropped] = k;
  return LinearLayout::create(std::move(bases), shape);
}

std::optional<FmaDotLayouts> getFmaDotLayouts(const LinearLayout &acc,
                                              int64_t k) {
  if (!llvm::isPowerOf2_64(k) || acc.inSize(Dim::Register) * k > kMaxUnrolled) {
    return std::nullopt;
  }
  unsigned rank = acc.rank();
  // a is [batch] x M x K: N's place is K's. b is [batch] x K x N: M's place is.
  auto a = getOperand(acc, k, rank - 1);
  auto b = getOperand(acc, k, rank - 2);
  if (!a || !b || a->inSize(Dim::Register) > kMaxHeld ||
      b->inSize(Dim::Register) > kMaxHeld) {
    return std::nullopt;
  }
  return FmaDotLayouts{a->removeFreeRegisters(), b->removeFreeRegisters()};
}

} // namespace tegula::lower
