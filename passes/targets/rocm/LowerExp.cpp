// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocm-lower-exp: AMD GPUs have an instruction for 2^x, within 1 ulp. LLVM's
// code around it handles subnormals and range in a few more, where the general
// expansion takes twenty.

#include "passes/lower/ThreadVectors.h"
#include "passes/targets/rocm/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "rocm-lower-exp"

using namespace mlir;

namespace tegula::rocm {
#define GEN_PASS_DEF_LOWEREXPPASS
#include "passes/targets/rocm/Passes.h.inc"
namespace {

bool isApproximate(Operation *op) {
  auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr();
  return flags &&
         bitEnumContainsAny(flags.getValue(), arith::FastMathFlags::afn);
}

/// What the instruction computes, element by element, of f32.
Value approximate(OpBuilder &builder, Location loc, Value x) {
  auto vector = dyn_cast<VectorType>(x.getType());
  auto power = [&](Value element) -> Value {
    return createRocdl(builder, loc, "exp2", element.getType(), element)
        ->getResult(0);
  };
  if (!vector) {
    return power(x);
  }
  auto elements = vector::ToElementsOp::create(builder, loc, x);
  SmallVector<Value> powers = llvm::map_to_vector(
      elements.getResults(), [&](Value element) { return power(element); });
  return vector::FromElementsOp::create(builder, loc, vector, powers);
}

/// The product with log2 e is rounded.
Value approximateExp(OpBuilder &builder, Location loc, Value x) {
  Type type = x.getType();
  Attribute log2E = builder.getF32FloatAttr(llvm::numbers::log2ef);
  if (auto vector = dyn_cast<VectorType>(type)) {
    log2E = SplatElementsAttr::get(vector, log2E);
  }
  Value factor =
      arith::ConstantOp::create(builder, loc, cast<TypedAttr>(log2E));
  return approximate(builder, loc,
                     arith::MulFOp::create(builder, loc, x, factor));
}

/// f16 and bf16 by way of f32; null for other types.
template <typename IntrinsicOp> Value expand(Operation *op) {
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
  Value result;
  if (!isApproximate(op)) {
    result = IntrinsicOp::create(builder, loc, wide, x);
  } else if (isa<math::ExpOp>(op)) {
    result = approximateExp(builder, loc, x);
  } else {
    result = approximate(builder, loc, x);
  }
  if (isSmall) {
    result = arith::TruncFOp::create(builder, loc, type, result);
  }
  return result;
}

struct LowerExpPass final : impl::LowerExpPassBase<LowerExpPass> {
  void runOnOperation() override {
    WalkResult walked = getOperation()->walk([](Operation *op) {
      if (!isa<math::ExpOp, math::Exp2Op>(op)) {
        return WalkResult::advance();
      }
      if (failed(lower::checkElementwise(op))) {
        return WalkResult::interrupt();
      }
      Value result = isa<math::ExpOp>(op) ? expand<LLVM::ExpOp>(op)
                                          : expand<LLVM::Exp2Op>(op);
      if (result) {
        op->getResult(0).replaceAllUsesWith(result);
        op->erase();
      }
      return WalkResult::advance();
    });
    if (walked.wasInterrupted()) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace tegula::rocm
