// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-fuse-elementwise: folds elementwise generics into what reads them, so
// that a chain makes one pass over memory. Upstream supplies the rewrite; what
// is decided here is when it pays, since fusing a value into two readers
// computes it twice.

#include "passes/analysis/Explanation.h"
#include "passes/targets/cpu/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "cpu-fuse-elementwise"

using namespace mlir;

namespace tegula::cpu {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

/// Integer work this small costs less than the memory traffic of keeping its
/// result.
constexpr unsigned kCheapOps = 4;

bool isCheapOp(Operation &op) {
  return isa<linalg::IndexOp, arith::ConstantOp, arith::IndexCastOp,
             arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::CmpIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp,
             arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op);
}

/// Pure moves, splats, iotas and light index arithmetic: computing them again
/// is always better than storing them.
bool isCheap(linalg::GenericOp producer) {
  auto work = producer.getBody()->without_terminator();
  auto size = static_cast<unsigned>(std::distance(work.begin(), work.end()));
  return size <= kCheapOps && llvm::all_of(work, isCheapOp);
}

/// What `value` was extended from.
Value getNarrow(Value value) {
  while (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
      value.getDefiningOp())) {
    value = value.getDefiningOp()->getOperand(0);
  }
  return value;
}

/// Whether `producer` multiplies two inputs. A reduction that took it in would
/// look like a contraction, which may be summed in another order, and is not
/// computed in every type.
bool isProduct(linalg::GenericOp producer) {
  Operation *result =
      getNarrow(producer.getBody()->getTerminator()->getOperand(0))
          .getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(result)) {
    return false;
  }
  Value left = getNarrow(result->getOperand(0));
  Value right = getNarrow(result->getOperand(1));
  return isa<BlockArgument>(left) && isa<BlockArgument>(right) && left != right;
}

void explainKept(linalg::GenericOp producer, StringRef reason) {
  analysis::missed(DEBUG_TYPE, "fusion", producer.getLoc())
      << "this is computed on its own, before what reads it: " << reason;
}

bool paysOff(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer) {
    return false;
  }
  if (consumer.getNumReductionLoops() > 0 && isProduct(producer)) {
    explainKept(producer, "it is part of a sum of products");
    return false;
  }
  if (isCheap(producer)) {
    return true;
  }
  // Each element must be needed once: one reader, in the same block (not deeper
  // in a loop), at one point per element.
  if (!operand->get().hasOneUse() ||
      producer->getBlock() != consumer->getBlock()) {
    explainKept(producer, "it has several readers, or one inside a loop");
    return false;
  }
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  if (!map.isPermutation()) {
    explainKept(producer, "its reader needs elements several times");
    return false;
  }
  return true;
}

struct FuseElementwisePass final
    : impl::FuseElementwisePassBase<FuseElementwisePass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    linalg::populateElementwiseOpsFusionPatterns(set, paysOff);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(set);
    linalg::GenericOp::getCanonicalizationPatterns(set, context);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    // Top down, so that producers have taken in what feeds them before they are
    // weighed.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config))) {
      signalPassFailure();
    }
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace tegula::cpu
