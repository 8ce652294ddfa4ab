// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda-lower-exp: softmax and attention spend as much on exponentials as on
// everything else; the special function unit does in one instruction what costs
// a dozen with polynomials.

#include "passes/targets/cuda/Passes.h"
#include "passes/tile/Expr.h"

#include <cmath>

#define DEBUG_TYPE "cuda-lower-exp"

using namespace mlir;

namespace tegula::cuda {
#define GEN_PASS_DEF_LOWEREXPPASS
#include "passes/targets/cuda/Passes.h.inc"
namespace {

constexpr double kLog2E = 1.44269504088896340736;
/// What kLog2E, rounded to f32, lacks.
constexpr double kLog2ELow = 1.925963033500011079e-8;
constexpr double kLn2 = 0.693147180559945309417;
/// Beyond these every result is 0 or infinity; within, products are finite.
constexpr double kLowest = -104.0, kHighest = 89.0;

constexpr StringLiteral kExp2 = "llvm.nvvm.ex2.approx.f32";
/// Takes subnormal numbers for zero, for which the unit alone would need three
/// more instructions.
constexpr StringLiteral kFlushingExp2 = "llvm.nvvm.ex2.approx.ftz.f32";

/// 2^x, element by element.
Expr exp2(OpBuilder &builder, Location loc, Expr x,
          StringRef intrinsic = kExp2) {
  auto scalar = [&](Value value) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, loc, builder.getF32Type(),
                                         builder.getStringAttr(intrinsic),
                                         ValueRange{value})
        .getResult(0);
  };
  auto type = dyn_cast<VectorType>(Value(x).getType());
  if (!type) {
    return Expr(builder, loc, scalar(x));
  }
  SmallVector<Value> elements;
  auto all = vector::ToElementsOp::create(builder, loc, x);
  for (Value element : all.getResults()) {
    elements.push_back(scalar(element));
  }
  return Expr(builder, loc,
              vector::FromElementsOp::create(builder, loc, type, elements));
}

Expr fma(Expr x, Expr y, Expr z) {
  return x.emit<math::FmaOp>(Value(x), Value(y), Value(z));
}

/// e^x = 2^high 2^low with x log2 e = high + low; NaN passes both bounds.
Expr exp(OpBuilder &builder, Location loc, Expr x) {
  using arith::CmpFPredicate;
  Expr bounded = x.cmp(CmpFPredicate::OLT, kLowest).select(kLowest, x);
  bounded = bounded.cmp(CmpFPredicate::OGT, kHighest).select(kHighest, bounded);
  Expr factor = x.constant(kLog2E);
  Expr high = bounded * factor;
  Expr rest = fma(bounded, factor, high * -1.0);
  Expr low = fma(bounded, x.constant(kLog2ELow), rest);
  Expr power = exp2(builder, loc, high);
  // Infinity times zero would be NaN.
  Expr corrected = fma(power, low * kLn2, power);
  return power.cmp(CmpFPredicate::OEQ, INFINITY).select(power, corrected);
}

/// The same where the kernel says `approx=True`: what the unit computes, of a
/// product that is rounded.
Expr approximate(Operation *op, OpBuilder &builder, Expr x) {
  Expr power = isa<math::ExpOp>(op) ? x * kLog2E : x;
  return exp2(builder, op->getLoc(), power, kFlushingExp2);
}

bool isApproximate(Operation *op) {
  auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr();
  return flags &&
         bitEnumContainsAny(flags.getValue(), arith::FastMathFlags::afn);
}

Expr precise(Operation *op, OpBuilder &builder, Expr x) {
  return isa<math::ExpOp>(op) ? exp(builder, op->getLoc(), x)
                              : exp2(builder, op->getLoc(), x);
}

struct LowerExpPass final : impl::LowerExpPassBase<LowerExpPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<math::ExpOp, math::Exp2Op>(op)) {
        lower(op);
      }
    });
  }

private:
  static void lower(Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Expr narrow(builder, loc, op->getOperand(0));
    Type element = narrow.getElementType();
    if (!isa<Float16Type, BFloat16Type, Float32Type>(element)) {
      return;
    }
    Expr x = narrow.extf(narrow.f32());
    Expr result = isApproximate(op) ? approximate(op, builder, x)
                                    : precise(op, builder, x);
    op->getResult(0).replaceAllUsesWith(result.truncf(element));
    op->erase();
  }
};

} // namespace
} // namespace tegula::cuda
