// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda-widen-bf16: bf16 values lie in pairs in the registers that loads and
// packed conversions fill. Taken apart first, the upper one costs an
// instruction more than it has to.

#include "passes/analysis/Explanation.h"
#include "passes/targets/cuda/Passes.h"
#include "passes/tile/Expr.h"

#define DEBUG_TYPE "cuda-widen-bf16"

using namespace mlir;

namespace tegula::cuda {
#define GEN_PASS_DEF_WIDENBF16PASS
#include "passes/targets/cuda/Passes.h.inc"
namespace {

/// An even number of bf16.
bool isPairs(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isBF16() && vector.getRank() == 1 &&
         !vector.isScalable() && vector.getNumElements() % 2 == 0;
}

/// A bf16 is the upper half of the f32 that it equals.
Value widenPairs(arith::ExtFOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<VectorType>(op.getType());
  auto words =
      VectorType::get({type.getNumElements() / 2}, builder.getI32Type());
  Expr pairs(builder, loc,
             vector::BitCastOp::create(builder, loc, words, op.getIn()));
  Value low = pairs.shl(16), high = pairs & 0xffff0000u;
  Value both = vector::InterleaveOp::create(builder, loc, low, high);
  return Expr(builder, loc, both).bitcast(builder.getF32Type());
}

struct WidenBF16Pass final : impl::WidenBF16PassBase<WidenBF16Pass> {
  void runOnOperation() override {
    getOperation()->walk([](arith::ExtFOp op) {
      if (!isPairs(op.getIn().getType()) ||
          !getElementTypeOrSelf(op.getType()).isF32()) {
        analysis::missed(DEBUG_TYPE, "arithmetic", op.getLoc())
            << "values of " << op.getIn().getType()
            << " are not widened in pairs";
        return;
      }
      op.replaceAllUsesWith(widenPairs(op));
      op.erase();
    });
  }
};

} // namespace
} // namespace tegula::cuda
