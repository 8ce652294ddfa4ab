// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocking that cpu-lower-contractions uses. Instead of a table of shapes,
// a small model of the core (two FMA and two load ports, four cycles of
// latency) rates every register block that fits, so that odd extents get a
// block of their own.

#include "passes/targets/cpu/ContractionPlan.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace tegula::cpu {

namespace {

/// Steps of the reduction between a load and a store of the accumulators. The
/// rhs panel of so many steps stays in L1; for integers it also bounds the
/// partial sums below 2^24, where f32 is still exact.
constexpr int64_t kMaxKBlock = 256;

/// Operands whose rows lie at most so many bytes apart are read in place: with
/// larger (power of two) distances the rows of a panel compete for few cache
/// sets and take a TLB entry each.
constexpr int64_t kMaxDirectStrideBytes = 1024;

/// Reductions and row counts so short that packing costs more than it saves.
constexpr int64_t kTinyReduction = 8;
constexpr int64_t kTinyRows = 4;

/// Narrower elements cannot be masked on every vector unit.
constexpr int64_t kMaskableBytes = 4;

int64_t elementBytes(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// Cycles of one step of the reduction in a rows x vectors register block.
double stepCycles(int64_t rows, int64_t vectors) {
  double fma = rows * vectors / 2.0;
  double loads = (rows + vectors) / 2.0;
  double issue = (rows * vectors + rows + vectors + 2) / 5.0;
  double latency = 4.0;
  return std::max({fma, loads, issue, latency});
}

/// Cycles of the whole product, less packing, for one register block.
double productCycles(const Contraction &contraction, int64_t lanes,
                     int64_t rows, int64_t vectors) {
  // Filling and emptying the accumulators: a load and a store each, and what
  // the pipeline loses at both ends of the loop.
  auto blockCycles = [&](int64_t blockRows) {
    double steps = contraction.k() * stepCycles(blockRows, vectors);
    double blocks = llvm::divideCeil(contraction.k(), kMaxKBlock);
    return steps + blocks * (1.5 * blockRows * vectors + 10);
  };
  int64_t full = contraction.m() / rows, tail = contraction.m() % rows;
  double cycles = full * blockCycles(rows) + (tail ? blockCycles(tail) : 0);
  return cycles * llvm::divideCeil(contraction.n(), lanes * vectors);
}

/// Splits `extent` into equal blocks of at most `most`, multiples of `unit`.
int64_t balancedBlock(int64_t extent, int64_t most, int64_t unit) {
  if (extent <= most) {
    return extent;
  }
  int64_t blocks = llvm::divideCeil(extent, most);
  return llvm::alignTo(llvm::divideCeil(extent, blocks), unit);
}

bool isNearlyCompact(const MatrixOperand &operand) {
  std::optional<unsigned> unit = operand.unitDim();
  if (!unit) {
    return false;
  }
  int64_t stride = operand.strides[1 - *unit];
  if (operand.extents[1 - *unit] == 1) {
    return true;
  }
  return !ShapedType::isDynamic(stride) &&
         stride * elementBytes(operand.elementType()) <= kMaxDirectStrideBytes;
}

/// Whether rhs can be read in the innermost loop of the chosen block: narrow
/// elements cannot be masked at a ragged edge on every vector unit, and masks
/// take vector registers where there are no mask registers.
bool fitsUnpacked(const Contraction &contraction, const ContractionHost &host,
                  const ContractionPlan &plan) {
  if (contraction.n() % plan.panel() == 0) {
    return true;
  }
  int64_t registers =
      (plan.rows + (host.vectorBits >= 512 ? 1 : 2)) * plan.vectors + 1;
  return elementBytes(contraction.rhs.elementType()) >= kMaskableBytes &&
         registers <= host.numRegisters;
}

void choosePacking(const Contraction &contraction, const ContractionHost &host,
                   ContractionPlan &plan) {
  const MatrixOperand &lhs = contraction.lhs, &rhs = contraction.rhs;
  bool convertLhs = lhs.elementType() != contraction.computeType;
  bool convertRhs = rhs.elementType() != contraction.computeType;
  plan.packLhs =
      convertLhs || !(isNearlyCompact(lhs) || contraction.m() <= kTinyRows);
  // A rhs used by one row of register blocks is read once, converted on the
  // way; one used again is read in place only if it is as good as packed.
  bool usedOnce = contraction.m() <= plan.rows;
  bool asGoodAsPacked = !convertRhs && (isNearlyCompact(rhs) ||
                                        contraction.k() <= kTinyReduction);
  plan.prefetchLhs = lhs.unitDim() && !isNearlyCompact(lhs);
  plan.prefetchRhs = rhs.unitDim() && !isNearlyCompact(rhs);
  plan.packRhs = !rhs.isUnit(1) || !(usedOnce || asGoodAsPacked) ||
                 !fitsUnpacked(contraction, host, plan);
}

void chooseBlocks(const Contraction &contraction, const ContractionHost &host,
                  ContractionPlan &plan) {
  int64_t bytes = elementBytes(contraction.computeType);
  int64_t panelBytes = plan.panel() * bytes;
  int64_t mostK = std::clamp<int64_t>(
      llvm::alignDown(host.l1Bytes * 2 / 3 / panelBytes, plan.lanes),
      plan.lanes, kMaxKBlock);
  plan.kBlock = balancedBlock(contraction.k(), mostK, plan.lanes);
  auto most = [&](int64_t share, int64_t unit) {
    int64_t extent = share / (plan.kBlock * bytes);
    return std::max(unit, extent / unit * unit);
  };
  int64_t blockBytes = plan.kBlock * contraction.n() * bytes;
  plan.rowsOutside = blockBytes <= host.l1Bytes * 2 / 3;
  plan.nBlock = contraction.n();
  if (plan.rowsOutside && (!plan.packLhs || plan.packsLhsByRows(contraction))) {
    plan.mBlock = contraction.m();
    return;
  }
  plan.mBlock = balancedBlock(contraction.m(),
                              most(host.l2Bytes / 2, plan.rows), plan.rows);
  if (!plan.rowsOutside && contraction.m() > plan.mBlock) {
    plan.nBlock = balancedBlock(
        contraction.n(), most(host.l2Bytes / 4, plan.panel()), plan.panel());
  }
}

/// Whether the dot products of few rows of lhs with the columns of rhs, read in
/// place, are possible and cheaper than transposing rhs.
bool suitsRowDots(const Contraction &contraction, int64_t lanes) {
  const MatrixOperand &lhs = contraction.lhs, &rhs = contraction.rhs;
  bool maskable = std::min(elementBytes(lhs.elementType()),
                           elementBytes(rhs.elementType())) >= kMaskableBytes;
  return contraction.m() <= kTinyRows && contraction.k() >= 2 * lanes &&
         contraction.out.isUnit(1) && !rhs.isUnit(1) && rhs.strides[0] == 1 &&
         (maskable || contraction.k() % lanes == 0);
}

ContractionPlan planRowDots(const Contraction &contraction, int64_t lanes) {
  ContractionPlan plan{};
  plan.lanes = lanes;
  plan.rows = contraction.m();
  plan.vectors = 1;
  plan.rowDots = true;
  plan.packLhs = contraction.lhs.strides[1] != 1;
  plan.mBlock = contraction.m();
  plan.nBlock = contraction.n();
  // The bound keeps integers exact; only they need one.
  plan.kBlock = contraction.isExactInteger()
                    ? std::min(contraction.k(), kMaxKBlock)
                    : contraction.k();
  double dots = double(contraction.m()) * contraction.n();
  plan.cost = dots * contraction.k() / lanes + dots / lanes * 6 * lanes;
  return plan;
}

/// The best plan for the contraction as it stands.
ContractionPlan planOriented(const Contraction &contraction,
                             const ContractionHost &host) {
  int64_t lanes =
      host.vectorBits / contraction.computeType.getIntOrFloatBitWidth();
  if (suitsRowDots(contraction, lanes)) {
    return planRowDots(contraction, lanes);
  }
  ContractionPlan best{};
  best.cost = std::numeric_limits<double>::infinity();
  int64_t allVectors = llvm::divideCeil(contraction.n(), lanes);
  for (int64_t vectors = 1; vectors <= std::min<int64_t>(8, allVectors);
       ++vectors) {
    // One register broadcasts lhs, `vectors` hold rhs, the rest accumulate.
    int64_t mostRows = (host.numRegisters - vectors - 1) / vectors;
    if (mostRows < 1) {
      break;
    }
    // Equal blocks leave a tail that is nearly as full as the others.
    int64_t blocks = llvm::divideCeil(contraction.m(), mostRows);
    int64_t rows = llvm::divideCeil(contraction.m(), blocks);
    double cost = productCycles(contraction, lanes, rows, vectors);
    if (cost < best.cost) {
      best.lanes = lanes;
      best.rows = rows;
      best.vectors = vectors;
      best.cost = cost;
    }
  }
  choosePacking(contraction, host, best);
  // Copying takes a load and a store a vector; without a contiguous dimension
  // it goes element by element, and rhs against the grain is transposed.
  auto packCycles = [&](const MatrixOperand &operand, bool alongGrain) {
    double elements = double(operand.extents[0]) * operand.extents[1];
    bool scalar = !operand.unitDim();
    return elements * (scalar ? 1.0 : (alongGrain ? 2.0 : 6.0) / lanes);
  };
  best.cost += best.packLhs ? packCycles(contraction.lhs, true) : 0;
  best.cost +=
      best.packRhs ? packCycles(contraction.rhs, contraction.rhs.isUnit(1)) : 0;
  chooseBlocks(contraction, host, best);
  return best;
}

} // namespace

void Contraction::transpose() {
  std::swap(lhs, rhs);
  lhs.transpose();
  rhs.transpose();
  out.transpose();
  for (OuterLoop &loop : outer) {
    std::swap(loop.dims[0], loop.dims[1]);
  }
}

ContractionPlan planContraction(Contraction &contraction,
                                const ContractionHost &host) {
  ContractionPlan asIs = planOriented(contraction, host);
  if (!contraction.out.isUnit(0)) {
    return asIs;
  }
  Contraction transposed = contraction;
  transposed.transpose();
  ContractionPlan other = planOriented(transposed, host);
  if (contraction.out.isUnit(1) && asIs.cost <= other.cost) {
    return asIs;
  }
  contraction = transposed;
  return other;
}

} // namespace tegula::cpu
