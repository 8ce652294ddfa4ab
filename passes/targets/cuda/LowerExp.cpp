// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda-lower-exp: softmax and attention spend as much on exponentials as on
// everything else; the special function unit does in one instruction what costs
// a dozen with polynomials.

#include "passes/lower/ThreadVectors.h"
#include "passes/targets/cuda/Passes.h"
#include "passes/tile/Expr.h"

#define DEBUG_TYPE "cuda-lower-exp"

using namespace mlir;

namespace tegula::cuda {
#define GEN_PASS_DEF_LOWEREXPPASS
#include "passes/targets/cuda/Passes.h.inc"
namespace {

constexpr double kLog2E = 1.44269504088896340736;
/// What kLog2E, rounded to f32, lacks.
constexpr double kLog2ELow = 1.925963033500011079e-8;
/// Powers of two that are normal numbers go from -kBias to kSpan - kBias.
constexpr double kSpan = 253.0, kBias = 126.0;
/// A float from here on has an ulp of 1, and its lowest bits are an integer.
/// The 1 makes of them a biased exponent.
constexpr double kInteger = 12582912.0 + 1.0;

/// Takes subnormal numbers for zero; otherwise it would be three instructions.
constexpr StringLiteral kExp2 = "llvm.nvvm.ex2.approx.ftz.f32";

/// An intrinsic of f32, element by element.
Expr call(StringRef name, ArrayRef<Expr> operands, OpBuilder &builder,
          Location loc) {
  Type f32 = builder.getF32Type();
  auto scalar = [&](ValueRange arguments) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, loc, f32,
                                         builder.getStringAttr(name), arguments)
        .getResult(0);
  };
  SmallVector<Value> all(operands.begin(), operands.end());
  auto type = dyn_cast<VectorType>(all.front().getType());
  if (!type) {
    return Expr(builder, loc, scalar(all));
  }
  SmallVector<SmallVector<Value>> arguments(type.getNumElements());
  for (Value operand : all) {
    auto elements = vector::ToElementsOp::create(builder, loc, operand);
    for (auto [list, element] :
         llvm::zip_equal(arguments, elements.getResults())) {
      list.push_back(element);
    }
  }
  SmallVector<Value> results;
  for (const SmallVector<Value> &list : arguments) {
    results.push_back(scalar(list));
  }
  return Expr(builder, loc,
              vector::FromElementsOp::create(builder, loc, type, results));
}

Expr fma(Expr x, Expr y, Expr z) {
  return x.emit<math::FmaOp>(Value(x), Value(y), Value(z));
}

/// 2^(x scale), where `rest` gives x scale - n for an integer n near it. That
/// is 2^n, made from bits, times 2^rest by the instruction, which rounds to
/// nothing but normal numbers; so subnormal results are rounded once. n stays
/// among normal exponents, and past them the instruction gives 0 or infinity.
/// NaN, whose n is some finite number, is what `rest` is.
Expr power(OpBuilder &builder, Location loc, Expr x, double scale,
           function_ref<Expr(Expr)> rest) {
  Expr share = call("llvm.nvvm.fma.rn.sat.f",
                    {x, x.constant(scale / kSpan), x.constant(kBias / kSpan)},
                    builder, loc);
  Expr number = fma(share, x.constant(kSpan), x.constant(kInteger));
  Expr minusN = x.constant(kInteger + kBias) - number;
  Expr fraction = call(kExp2, {rest(minusN)}, builder, loc);
  return fraction * number.bits().shl(23).bitcast(x.getElementType());
}

Expr exp2(OpBuilder &builder, Location loc, Expr x) {
  return power(builder, loc, x, 1.0, [&](Expr minusN) { return x + minusN; });
}

/// The product with log2 e in two parts, for it has twice the digits.
Expr exp(OpBuilder &builder, Location loc, Expr x) {
  return power(builder, loc, x, kLog2E, [&](Expr minusN) {
    Expr high = fma(x, x.constant(kLog2E), minusN);
    return fma(x, x.constant(kLog2ELow), high);
  });
}

/// The same where the kernel says `approx=True`: what the unit computes, of a
/// product that is rounded.
Expr approximate(Operation *op, OpBuilder &builder, Expr x) {
  Expr power = isa<math::ExpOp>(op) ? x * kLog2E : x;
  return call(kExp2, {power}, builder, op->getLoc());
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
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (!isa<math::ExpOp, math::Exp2Op>(op)) {
        return WalkResult::advance();
      }
      if (failed(lower::checkElementwise(op))) {
        return WalkResult::interrupt();
      }
      replace(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      signalPassFailure();
    }
  }

private:
  static void replace(Operation *op) {
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
