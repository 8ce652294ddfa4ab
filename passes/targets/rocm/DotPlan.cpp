// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of dots: products that follow each other, warps, and columns that are
// interleaved so that accesses of memory are wide.

#include "passes/targets/rocm/DotPlan.h"

#include "passes/analysis/AccessFacts.h"
#include "passes/lower/DotLoads.h"
#include "passes/lower/LayoutTransfer.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using tegula::layout::Dim;
using tegula::layout::LinearLayout;

namespace tegula::rocm {

constexpr int64_t kAccessBits = 128;

/// The product that `dot`'s left side is computed from, or null.
static tile::DotOp getProductBefore(tile::DotOp dot) {
  constexpr size_t kMost = 256;
  llvm::SetVector<Value> from;
  from.insert(dot.getA());
  for (size_t next = 0; next < from.size() && from.size() < kMost; ++next) {
    Operation *op = from[next].getDefiningOp();
    if (!op || isa<tile::LoadOp>(op)) {
      continue;
    }
    if (auto product = dyn_cast<tile::DotOp>(op)) {
      return product;
    }
    from.insert_range(op->getOperands());
    // What an operation with regions gives, its regions yield.
    for (Region &region : op->getRegions()) {
      if (!region.empty()) {
        from.insert_range(region.front().getTerminator()->getOperands());
      }
    }
  }
  return tile::DotOp();
}

Chain getChain(tile::DotOp dot) {
  if (getProductBefore(dot)) {
    return Chain::End;
  }
  auto kernel = dot->getParentOfType<FunctionOpInterface>();
  if (!kernel) {
    return Chain::None;
  }
  WalkResult found = kernel->walk([&](tile::DotOp other) {
    return getProductBefore(other) == dot ? WalkResult::interrupt()
                                          : WalkResult::advance();
  });
  return found.wasInterrupted() ? Chain::Start : Chain::None;
}

std::optional<DotPlan> DotPlan::create(const Chip &chip, tile::DotOp dot,
                                       int64_t numWarps, Chain chain) {
  const MatrixInstruction *chosen = chooseInstruction(chip, dot);
  if (!chosen) {
    return std::nullopt;
  }
  DotPlan plan(chip, dot, *chosen, chain);
  plan.divideAmongWarps(numWarps, chain);
  plan.interleaved = plan.getInterleaving(dot, numWarps, chain);
  return plan;
}

std::optional<DotPlan> DotPlan::find(const Chip &chip, tile::DotOp dot,
                                     const lower::DotLayouts &layouts) {
  const MatrixInstruction *chosen = chooseInstruction(chip, dot);
  int64_t numWarps = int64_t(1) << layouts.acc.inBits(Dim::Warp);
  for (Chain chain : {Chain::None, Chain::Start, Chain::End}) {
    if (!chosen) {
      break;
    }
    DotPlan plan(chip, dot, *chosen, chain);
    plan.divideAmongWarps(numWarps, chain);
    unsigned most = plan.getColumnRepeatBits();
    for (; plan.interleaved <= most; ++plan.interleaved) {
      lower::DotLayouts known = plan.getLayouts();
      if (known.a == layouts.a && known.b == layouts.b &&
          known.acc == layouts.acc) {
        return plan;
      }
    }
  }
  return std::nullopt;
}

DotPlan::DotPlan(const Chip &chip, tile::DotOp dot,
                 const MatrixInstruction &chosen, Chain chain)
    : chip(chip), instruction(chosen), aUnsigned(dot.getAUnsigned()),
      bUnsigned(dot.getBUnsigned()),
      rank(cast<RankedTensorType>(dot.getA().getType()).getRank()) {
  auto typeA = cast<RankedTensorType>(dot.getA().getType());
  auto typeB = cast<RankedTensorType>(dot.getB().getType());
  elementA = typeA.getElementType();
  elementB = typeB.getElementType();
  batch = rank == 3 ? typeA.getShape().front() : 1;
  m = typeA.getShape().drop_back().back();
  k = typeA.getShape().back();
  n = typeB.getShape().back();
  // In which order the depth is summed up is free as long as both operands have
  // the same.
  int64_t groups = instruction.k / instruction.kPerLane;
  int64_t columns = instruction.rows == ResultRows::LanesLow
                        ? instruction.kPerLane
                        : kRows * kColumns / chip.lanes;
  int64_t access = kAccessBits / elementA.getIntOrFloatBitWidth();
  kVector = std::min(chain == Chain::End ? columns : std::max(columns, access),
                     k / groups);
}

/// Warps go to whole matrices of a batch first; then each halving goes to the
/// side that is longer, so that warps read little of the other operand. In a
/// chain it goes to the rows: a warp's rows of one result are all that it needs
/// of the next product's left side.
void DotPlan::divideAmongWarps(int64_t numWarps, Chain chain) {
  int64_t restBatch = batch, restM = m, restN = n;
  for (unsigned bit = 0; bit < llvm::Log2_64(numWarps); ++bit) {
    if (restBatch > 1) {
      restBatch /= 2;
      ++warpsBatch;
    } else if (restM > kRows && (restM >= restN || chain != Chain::None)) {
      restM /= 2;
      ++warpsM;
    } else if (restN > kColumns) {
      restN /= 2;
      ++warpsN;
    } else if (restM > kRows) {
      restM /= 2;
      ++warpsM;
    } else {
      ++warpsIdle;
    }
  }
}

/// The load that a dot's right side comes from, and the dimension of its tile
/// that is the dot's columns; nothing if `columns`, a layout of the right side
/// whose first lanes are neighbouring columns, cannot be followed there.
static std::optional<std::pair<tile::LoadOp, unsigned>>
getColumnsInMemory(tile::DotOp dot, LinearLayout columns) {
  Operation *op = dot.getB().getDefiningOp();
  while (op && lower::isPassThrough(op)) {
    std::optional<LinearLayout> before =
        lower::inferOperandLayout(op, 0, columns);
    if (!before) {
      return std::nullopt;
    }
    columns = *before;
    op = op->getOperand(0).getDefiningOp();
  }
  auto load = dyn_cast_or_null<tile::LoadOp>(op);
  if (!load) {
    return std::nullopt;
  }
  ArrayRef<int32_t> step = columns.bases(Dim::Lane).front();
  auto along = llvm::find_if(step, [](int32_t size) { return size != 0; });
  if (along == step.end()) {
    return std::nullopt;
  }
  return std::pair(load, static_cast<unsigned>(along - step.begin()));
}

/// Where rows of b lie side by side in memory, a thread that carries it to
/// shared memory has a few rows and many columns, and transposes them. Its
/// accesses are wide nevertheless if readers have neighbouring columns too.
unsigned DotPlan::getInterleaving(tile::DotOp dot, int64_t numWarps,
                                  Chain chain) const {
  // A first product's columns are the next one's depth, which is laid out
  // already.
  if (chain == Chain::Start || !chip.hasMfma() || chip.hasTransposedReads()) {
    return 0;
  }
  auto source = getColumnsInMemory(dot, getOperandLayout(false));
  if (!source || analysis::getAccessFacts(source->first).unitDim !=
                     std::optional(source->second)) {
    return 0;
  }
  int64_t access = kAccessBits / elementB.getIntOrFloatBitWidth();
  int64_t rows = batch * k * n / (chip.lanes * numWarps) / access;
  // An instruction's operand has to be in registers side by side, but for what
  // is converted element by element.
  bool isConverted = isF8(elementB) && instruction.element == Element::F16;
  if (rows < (isConverted ? 1 : instruction.kPerLane) || rows >= access) {
    return 0;
  }
  return std::min(llvm::Log2_64(access / rows), getColumnRepeatBits());
}

unsigned DotPlan::getColumnRepeatBits() const {
  return llvm::Log2_64(n) - std::min(llvm::Log2_64(n), kSideBits + warpsN);
}

unsigned DotPlan::getColumnBit(unsigned bit) const {
  unsigned repeats = kSideBits + warpsN;
  if (bit < repeats) {
    return bit + interleaved;
  }
  return bit < repeats + interleaved ? bit - repeats : bit;
}

} // namespace tegula::rocm
