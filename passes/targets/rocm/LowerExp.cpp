// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocm-lower-exp: AMD GPUs have an instruction for 2^x, within 1 ulp. LLVM's
// code around it handles subnormals and range in a few more, where the general
// expansion takes twenty.

#include "passes/targets/rocm/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

#define DEBUG_TYPE "rocm-lower-exp"

using namespace mlir;

namespace tegula::rocm {
#define GEN_PASS_DEF_LOWEREXPPASS
#include "passes/targets/rocm/Passes.h.inc"
namespace {

/// f16 and bf16 by way of f32; null for other types.
template <typename IntrinsicOp> Value lower(Operation *op) {
  Value x = op->getOperand(0);
  Type type = x.getType();
  Type element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  bool isSmall = element.isF16() || element.isBF16();
  if ((!isSmall && !element.isF32()) || (vector && vector.getRank() != 1)) {
    return Value();
  }
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type wide = builder.getF32Type();
  if (vector) {
    wide = vector.clone(wide);
  }
  if (isSmall) {
    x = arith::ExtFOp::create(builder, loc, wide, x);
  }
  Value result = IntrinsicOp::create(builder, loc, wide, x);
  if (isSmall) {
    result = arith::TruncFOp::create(builder, loc, type, result);
  }
  return result;
}

struct LowerExpPass final : impl::LowerExpPassBase<LowerExpPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      Value result;
      if (isa<math::ExpOp>(op)) {
        result = lower<LLVM::ExpOp>(op);
      } else if (isa<math::Exp2Op>(op)) {
        result = lower<LLVM::Exp2Op>(op);
      }
      if (result) {
        op->getResult(0).replaceAllUsesWith(result);
        op->erase();
      }
    });
  }
};

} // namespace
} // namespace tegula::rocm
