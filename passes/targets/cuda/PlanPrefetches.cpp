// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda-plan-prefetches: while programs reduce the rows that they hold, nothing
// asks memory for more. The rows of the programs that come next can be on
// their way to the cache meanwhile. What they are is visible in tiles only; the
// code is emitted by cuda-emit-prefetches.

#include "passes/lower/KernelNumbers.h"
#include "passes/targets/cuda/Passes.h"
#include "passes/targets/cuda/Prefetches.h"

#include "dialects/tile/Tile.h"
#include "passes/analysis/AccessFacts.h"
#include "passes/lower/TargetInfo.h"
#include "passes/targets/cuda/Arch.h"
#include "passes/targets/cuda/Occupancy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "cuda-plan-prefetches"

using namespace mlir;

namespace tegula::cuda {
#define GEN_PASS_DEF_PLANPREFETCHESPASS
#include "passes/targets/cuda/Passes.h.inc"
namespace {

/// Of a row. Less is waited for no longer than the first access takes anyway.
constexpr int64_t kMinRowBytes = 4096;
constexpr int64_t kMaxRows = 4;

/// Most programs on one multiprocessor for which this pays: with more of them,
/// one loads while another reduces.
constexpr int64_t kMaxPrograms = 4;

/// Whether the program waits for memory again when it has reduced what `load`
/// loads.
bool loadsLater(tile::LoadOp load) {
  bool hasReduced = false;
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
    if (hasReduced && isa<tile::LoadOp>(op)) {
      return true;
    }
    hasReduced |= isa<tile::ReduceOp>(op);
  }
  return false;
}

/// Always the first tile of a row, or that in a loop's first iteration.
bool isFirst(Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && loop.getInductionVar() == argument &&
           isFirst(loop.getLowerBound());
  }
  return matchPattern(index, m_Zero());
}

/// Why the tile of `load` is not fetched ahead, or null and `prefetch`.
const char *plan(tile::LoadOp load, int64_t programs, Prefetch &prefetch) {
  if (programs > kMaxPrograms || (programs > 1 && !loadsLater(load))) {
    return "is loaded while other programs reduce";
  }
  auto view = dyn_cast<BlockArgument>(load.getView());
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!view || !type || type.getRank() != 2) {
    return "is no matrix of an array that the kernel is given";
  }
  auto program = load.getIndex()[0].getDefiningOp<tile::ProgramIdOp>();
  if (!program || program.getAxis() != 0 || !isFirst(load.getIndex()[1])) {
    return "is not of the rows of the program's number";
  }
  analysis::ArrayFacts array = analysis::getArrayFacts(view);
  analysis::AccessFacts facts = analysis::getAccessFacts(load);
  prefetch.rows = facts.extents[0];
  prefetch.columns = facts.extents[1];
  prefetch.elementBytes = array.elementBytes;
  bool isAligned = array.alignment % 16 == 0 &&
                   array.strideDivisors[0] * array.elementBytes % 16 == 0;
  if (array.unitDim != 1u || !isAligned) {
    return "has rows that are not whole pieces of 16 bytes";
  }
  if (prefetch.columns * prefetch.elementBytes < kMinRowBytes ||
      prefetch.rows > kMaxRows) {
    return "has many short rows";
  }
  prefetch.argument = 0;
  for (BlockArgument before :
       view.getOwner()->getArguments().take_front(view.getArgNumber())) {
    auto other = dyn_cast<tile::ViewType>(before.getType());
    prefetch.argument += other ? 1 + 2 * other.getRank() : 1;
  }
  return nullptr;
}

struct PlanPrefetchesPass final
    : impl::PlanPrefetchesPassBase<PlanPrefetchesPass> {
  void runOnOperation() override {
    const Arch *arch = getArchOf(getOperation());
    if (!arch) {
      return signalPassFailure();
    }
    getOperation()->walk([&](func::FuncOp kernel) { planFor(kernel, *arch); });
  }

private:
  static void planFor(func::FuncOp kernel, const Arch &arch) {
    if (!arch.hasBulkCopies() || !waitsForItself(kernel)) {
      LLVM_DEBUG(llvm::dbgs() << "no rows are reduced, or no bulk copies\n");
      return;
    }
    auto warps = lower::getNumber(kernel, lower::kNumWarpsAttr);
    if (!warps || *warps < 1) {
      LLVM_DEBUG(llvm::dbgs() << "the number of warps is not known yet\n");
      return;
    }
    if (kernel->hasAttr(kRegistersAttr)) {
      LLVM_DEBUG(llvm::dbgs() << "programs of long rows take turns\n");
      return;
    }
    int64_t programs = getProgramsAtWork(*warps);
    SmallVector<Attribute> found;
    kernel->walk([&](tile::LoadOp load) {
      Prefetch prefetch;
      if (const char *reason = plan(load, programs, prefetch)) {
        LLVM_DEBUG(llvm::dbgs() << *load << ": " << reason << "\n");
        return;
      }
      Attribute attr = toAttr(prefetch, kernel.getContext());
      if (!llvm::is_contained(found, attr)) {
        found.push_back(attr);
      }
    });
    if (!found.empty()) {
      kernel->setAttr(kPrefetchAttr,
                      ArrayAttr::get(kernel.getContext(), found));
    }
  }

  /// Products have their own ways to fetch ahead.
  static bool waitsForItself(func::FuncOp kernel) {
    bool reduces = false, multiplies = false;
    kernel->walk([&](Operation *op) {
      reduces |= isa<tile::ReduceOp>(op);
      multiplies |= isa<tile::DotOp>(op);
    });
    return reduces && !multiplies;
  }
};

} // namespace
} // namespace tegula::cuda
