// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-defer-mma-waits: the matrix unit idles from the end of one iteration's
// products until the next iteration has started its own. Where a product only
// goes on in the next iteration, its wait moves there: the unit then always has
// a product in reserve. What it reads stays a little longer, so the slot of the
// iteration before is released, and refilled, after the wait.

#include "passes/analysis/Explanation.h"
#include "passes/lower/Passes.h"
#include "passes/lower/TargetInfo.h"

#include "dialects/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#define DEBUG_TYPE "lower-defer-mma-waits"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_DEFERMMAWAITSPASS
#include "passes/lower/Passes.h.inc"
namespace {

/// A loop's first slot would be refilled before it was read with fewer.
constexpr int64_t kMinSlots = 3;

/// The slot that a buffer is a view of, or null.
simt::SlotOp getSlot(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  while (isa_and_nonnull<simt::PermuteOp, simt::ReshapeOp>(op)) {
    op = op->getOperand(0).getDefiningOp();
  }
  return dyn_cast_or_null<simt::SlotOp>(op);
}

/// The only operation of a kind in a loop, at its top level; null if there are
/// several or none.
template <typename Op> Op getOnly(scf::ForOp loop) {
  Op found;
  bool isOnly = true;
  loop.getBody()->walk([&](Op op) {
    isOnly = isOnly && !found && op->getBlock() == loop.getBody();
    found = op;
  });
  return isOnly ? found : Op();
}

class LoopRewriter {
public:
  LoopRewriter(scf::ForOp loop, const TargetInfo &target)
      : loop(loop), target(target) {}

  void run() {
    loop.getBody()->walk([&](simt::MmaWaitOp wait) { waits.push_back(wait); });
    if (waits.empty()) {
      return;
    }
    StringRef reason = getObstacle();
    if (!reason.empty()) {
      analysis::missed(DEBUG_TYPE, "overlap", loop.getLoc())
          << "each iteration of this loop waits for its products: " << reason;
      return;
    }
    rewrite();
  }

private:
  /// Why the waits cannot move; empty if they can.
  StringRef getObstacle() {
    release = getOnly<simt::ReleaseOp>(loop);
    issue = getOnly<simt::IssueOp>(loop);
    if (!release || !issue || release.getRing() != issue.getRing()) {
      return "it does not read one ring";
    }
    auto number = dyn_cast<BlockArgument>(release.getNumber());
    if (!number || number.getOwner() != loop.getBody() ||
        number == loop.getInductionVar()) {
      return "it does not count its iterations";
    }
    auto ring = release.getRing().getDefiningOp<simt::RingOp>();
    if (!ring || !target.tracksReaders(ring.getMechanism())) {
      return "the ring's slots are refilled without asking whether they are "
             "still read";
    }
    if (ring.getRing().getType().getSlots() < kMinSlots) {
      return "the ring has too few slots";
    }
    for (simt::MmaWaitOp wait : waits) {
      if (StringRef reason = getObstacle(wait); !reason.empty()) {
        return reason;
      }
    }
    return "";
  }

  StringRef getObstacle(simt::MmaWaitOp wait) {
    auto mma = wait.getAcc().getDefiningOp<simt::MmaOp>();
    if (wait->getBlock() != loop.getBody() || !mma ||
        mma->getBlock() != loop.getBody() || wait.getPending() != 0 ||
        !mma->hasOneUse()) {
      return "a product is used before its wait";
    }
    auto acc = dyn_cast<BlockArgument>(mma.getAcc());
    if (!acc || acc.getOwner() != loop.getBody() || !acc.hasOneUse() ||
        !wait->hasOneUse() ||
        loop.getTiedLoopYieldedValue(acc)->get() != wait.getResult()) {
      return "a product is not only the next iteration's accumulator";
    }
    for (Value operand : {mma.getA(), Value(mma.getB())}) {
      // A product may read registers, too, which nobody keeps for it.
      simt::SlotOp slot = isa<simt::BufferType>(operand.getType())
                              ? getSlot(operand)
                              : simt::SlotOp();
      if (!slot || slot.getRing() != release.getRing() ||
          slot.getNumber() != release.getNumber()) {
        return "a product does not read this iteration's slot alone";
      }
    }
    return "";
  }

  void rewrite() {
    for (simt::MmaWaitOp wait : waits) {
      // This iteration's products may run; those of the one before are done.
      wait.setPending(waits.size());
    }
    OpBuilder builder(loop.getContext());
    builder.setInsertionPointAfter(waits.back());
    releasePrevious(builder);
    issue->moveBefore(loop.getBody(), builder.getInsertionPoint());
    release.erase();
    builder.setInsertionPointAfter(loop);
    for (simt::MmaWaitOp wait : waits) {
      unsigned position = wait->use_begin()->getOperandNumber();
      Value result = loop.getResult(position);
      auto last = simt::MmaWaitOp::create(builder, wait.getLoc(),
                                          result.getType(), 0, result);
      result.replaceAllUsesExcept(last.getResult(), last);
    }
  }

  /// Gives back the slot of the iteration before, if there was one.
  void releasePrevious(OpBuilder &builder) {
    Location loc = release.getLoc();
    auto number = cast<BlockArgument>(release.getNumber());
    Value first = loop.getTiedLoopInit(number)->get();
    Value isLater = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, number, first);
    auto branch =
        scf::IfOp::create(builder, loc, isLater, /*withElseRegion=*/false);
    OpBuilder inside = branch.getThenBodyBuilder();
    Value one = arith::ConstantIntOp::create(inside, loc, 1, 32);
    Value previous = arith::SubIOp::create(inside, loc, number, one);
    simt::ReleaseOp::create(inside, loc, release.getRing(), previous);
  }

  scf::ForOp loop;
  const TargetInfo &target;
  SmallVector<simt::MmaWaitOp> waits;
  simt::ReleaseOp release;
  simt::IssueOp issue;
};

class DeferMmaWaits : public impl::DeferMmaWaitsPassBase<DeferMmaWaits> {
public:
  using DeferMmaWaitsPassBase::DeferMmaWaitsPassBase;

  void runOnOperation() override {
    const TargetInfo *target = TargetInfo::of(getOperation());
    if (!target) {
      return signalPassFailure();
    }
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      LoopRewriter(loop, *target).run();
    }
  }
};

} // namespace
} // namespace tegula::lower
