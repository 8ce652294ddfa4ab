// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-limit-code: code generators take minutes, or all of the memory, for a
// thread whose straight-line code is too long, so a kernel that comes to that
// is refused here, with the line that has most of it. On tiles, where it runs
// first, it knows only what there will be at least.

#include "passes/analysis/Explanation.h"
#include "passes/lower/CodeSize.h"
#include "passes/lower/Passes.h"
#include "passes/lower/TargetInfo.h"

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "lower-limit-code"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_LIMITCODEPASS
#include "passes/lower/Passes.h.inc"
namespace {

constexpr StringLiteral kNumOperationsAttr = "tegula.num_operations";

/// Elements of one thread; `threads` is the most that can share a tile.
int64_t getElementsPerThread(Type type, int64_t threads) {
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    return tile.hasStaticShape()
               ? llvm::divideCeil(tile.getNumElements(), threads)
               : 1;
  }
  auto vector = dyn_cast<VectorType>(type);
  return vector && !vector.isScalable() ? vector.getNumElements() : 1;
}

struct LimitCodePass final : impl::LimitCodePassBase<LimitCodePass> {
  using Base::Base;

  void runOnOperation() override {
    threads = 1;
    if (getOperation()->hasAttr(kArchAttr)) {
      const TargetInfo *target = TargetInfo::of(getOperation());
      if (!target) {
        return signalPassFailure();
      }
      threads = target->getNumLanes() * target->getMaxNumWarps();
    }
    for (auto func : getOperation().getOps<FunctionOpInterface>()) {
      if (failed(check(func))) {
        return signalPassFailure();
      }
    }
  }

private:
  LogicalResult check(FunctionOpInterface func) {
    int64_t total = 0;
    // In the order of the code, so that of equal lines the first one counts.
    llvm::MapVector<Location, int64_t> lines;
    func.walk([&](Operation *op) {
      int64_t weight = getNumOperations(
          op, [&](Type type) { return getElementsPerThread(type, threads); });
      total += weight;
      lines[op->getLoc()] += weight;
    });
    analysis::chosen(DEBUG_TYPE, "code", func.getLoc())
        << "each thread runs about " << total << " operations, loops once";
    if (total <= maxOperations) {
      func->setAttr(
          kNumOperationsAttr,
          IntegerAttr::get(IntegerType::get(&getContext(), 64), total));
      return success();
    }
    auto most = llvm::max_element(lines, llvm::less_second());
    InFlightDiagnostic error = emitError(most->first)
                               << "too much code: each thread would run "
                               << total << " operations, " << most->second
                               << " of them for this line; at most "
                               << maxOperations.getValue() << " are compiled";
    error.attachNote(func.getLoc())
        << "help: use smaller tiles, with more programs or in a loop";
    return error;
  }

  int64_t threads = 1;
};

} // namespace
} // namespace tegula::lower
