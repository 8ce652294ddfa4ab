// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-expand-elementwise: spells out the language contract (division by zero,
// oversized shifts, saturating casts) in upstream operations, once, so that
// every target inherits the same answers.

#include "passes/tile/ExpandCast.h"
#include "passes/tile/Passes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

#define DEBUG_TYPE "tile-expand-elementwise"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace tegula::tile {
#define GEN_PASS_DEF_EXPANDELEMENTWISEPASS
#include "passes/tile/Passes.h.inc"
namespace {

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

enum class Part { Quotient, Remainder };

/// log2 of a constant divisor that is a power of two greater than 0 in either
/// reading of its bits.
std::optional<unsigned> getLog2(Value divisor) {
  APInt value;
  if (!matchPattern(divisor, m_ConstantInt(&value)) || !value.isPowerOf2() ||
      value.isNegative()) {
    return std::nullopt;
  }
  return value.logBase2();
}

Expr divideUnsigned(Part part, Expr a, Expr b) {
  Expr isZero = b.cmp(CmpIPredicate::eq, 0);
  Expr safe = isZero.select(1, b);
  return part == Part::Remainder
             ? a.emit<arith::RemUIOp>(a, safe)
             : isZero.select(0, a.emit<arith::DivUIOp>(a, safe));
}

/// Dividing by 1 instead of 0 or -1 leaves remainder 0, as the contract has it;
/// the quotient is put right afterwards.
Expr divideSigned(Part part, Expr a, Expr b) {
  Expr isZero = b.cmp(CmpIPredicate::eq, 0);
  Expr isMinusOne = b.cmp(CmpIPredicate::eq, -1);
  Expr safe = (isZero | isMinusOne).select(1, b);
  Expr quotient = a.emit<arith::DivSIOp>(a, safe);
  Expr remainder = a - quotient * safe;
  Expr isBetween = remainder.cmp(CmpIPredicate::ne, 0) &
                   (remainder ^ b).cmp(CmpIPredicate::slt, 0);
  if (part == Part::Remainder) {
    return isBetween.select(remainder + b, remainder);
  }
  Expr floored = isBetween.select(quotient - 1, quotient);
  return isZero.select(0, isMinusOne.select(0 - a, floored));
}

Expr divide(Part part, Expr a, Expr b, bool isUnsigned) {
  if (a.getWidth() == 1) {
    // As 0 and 1: all that is not `x / 1` is 0.
    return part == Part::Quotient ? a & b : a.constant(0);
  }
  if (std::optional<unsigned> log2 = getLog2(b)) {
    if (part == Part::Remainder) {
      return a & ((uint64_t(1) << *log2) - 1);
    }
    return isUnsigned ? a.lshr(*log2) : a.ashr(*log2);
  }
  return isUnsigned ? divideUnsigned(part, a, b) : divideSigned(part, a, b);
}

//===----------------------------------------------------------------------===//
// Shifts and powers
//===----------------------------------------------------------------------===//

/// Logical shifts. The amount is reduced to the width's range first: an
/// oversized one would be poison.
template <typename ShiftOp> Expr shiftOrZero(Expr a, Expr amount) {
  unsigned width = a.getWidth();
  if (width == 1) {
    return a & (amount ^ -1);
  }
  Expr inRange = amount.cmp(CmpIPredicate::ult, width);
  Expr shifted = a.emit<ShiftOp>(a, amount & (width - 1));
  return inRange.select(shifted, 0);
}

/// A negative amount is a large one when read as unsigned.
Expr shiftArithmetic(Expr a, Expr amount) {
  Expr most = amount.constant(a.getWidth() - 1);
  return a.emit<arith::ShRSIOp>(a, a.emit<arith::MinUIOp>(amount, most));
}

/// Square and multiply over every bit of the exponent, or over those that a
/// constant exponent has.
Expr power(Expr base, Expr exponent, bool isUnsigned) {
  unsigned width = base.getWidth();
  if (width == 1) {
    return base | (exponent ^ -1);
  }
  APInt known;
  unsigned activeBits = matchPattern(exponent, m_ConstantInt(&known))
                            ? known.getActiveBits()
                            : width;
  Expr result = base.constant(1);
  Expr square = base;
  for (unsigned bit = 0; bit < activeBits; ++bit) {
    square = bit == 0 ? base : square * square;
    Expr isSet = (exponent & (uint64_t(1) << bit)).cmp(CmpIPredicate::ne, 0);
    result = isSet.select(bit == 0 ? square : result * square, result);
  }
  if (isUnsigned) {
    return result;
  }
  // Bases -1, 0 and 1 have the right answer already, the exponent read as a
  // large unsigned one.
  Expr vanishes = exponent.cmp(CmpIPredicate::slt, 0) &
                  (base + 1).cmp(CmpIPredicate::ugt, 2);
  return vanishes.select(0, result);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// C's fmod of values that came from f32 (or f16), exactly, in f64 and without
/// a loop: takes out multiples of |b| 2^k for falling k. Each quotient is an
/// integer of f64 and each difference one of at most 24 bits, so that `fma` is
/// exact; a quotient rounded up leaves a negative rest, which later steps carry
/// along. `exponents` is how far apart the arguments' exponents can be.
Expr exactRemainder(Expr a, Expr b, int exponents) {
  constexpr int kStep = 47;
  Expr numerator = a.extf(a.f64());
  Expr rest = numerator.emit<math::AbsFOp>(Value(numerator));
  Expr divisor = b.extf(b.f64());
  divisor = divisor.emit<math::AbsFOp>(Value(divisor));
  for (int k = exponents / kStep * kStep; k >= 0; k -= kStep) {
    Expr multiple = divisor * std::ldexp(1.0, k);
    Expr quotient = rest / multiple;
    quotient = quotient.emit<math::TruncOp>(Value(quotient));
    rest = rest.emit<math::FmaOp>(Value(0.0 - quotient), Value(multiple),
                                  Value(rest));
  }
  Expr isNegative = rest.cmp(CmpFPredicate::OLT, 0.0);
  rest = isNegative.select(rest + divisor, rest).truncf(a.getElementType());
  // Of an infinite divisor and a finite number the latter is left; infinity
  // times 0 above was NaN.
  Expr isWhole = divisor.cmp(CmpFPredicate::OEQ, INFINITY);
  rest = isWhole.select(a - a * 0.0, rest);
  return rest.withSignOf(a);
}

/// Moving the remainder to the divisor's sign is the one rounding, which f32
/// does not add to when f16 and bf16 are computed in it (24 >= 2 * 11 + 2
/// bits).
Expr moveToSignOf(Expr b, Expr remainder) {
  Expr isZero = remainder.cmp(CmpFPredicate::OEQ, 0.0);
  Expr differs = (remainder.bits() ^ b.bits()).cmp(CmpIPredicate::slt, 0);
  Expr zero = (b.bits() & b.signMask()).bitcast(b.getElementType());
  return isZero.select(zero, differs.select(remainder + b, remainder));
}

Expr floorModFloat(Expr a, Expr b) {
  Type element = a.getElementType();
  if (element.isF64()) {
    // Too many steps; C's function is exact.
    return moveToSignOf(b, a.emit<arith::RemFOp>(a, b));
  }
  // From the smallest subnormal to the largest number.
  int exponents = element.isF16() ? 40 : 277;
  Expr x = a.extf(a.f32());
  Expr y = b.extf(b.f32());
  return moveToSignOf(y, exactRemainder(x, y, exponents)).truncf(element);
}

/// By the bits of the magnitude: infinity is the largest non-NaN pattern
/// (e4m3fn has none).
Expr classify(Expr x, ClassKind kind) {
  Type element = x.getElementType();
  const llvm::fltSemantics &semantics =
      cast<FloatType>(element).getFloatSemantics();
  bool hasInf = APFloat::semanticsHasInf(semantics);
  APFloat top =
      hasInf ? APFloat::getInf(semantics) : APFloat::getLargest(semantics);
  uint64_t topBits = top.bitcastToAPInt().getZExtValue();
  Expr magnitude = x.bits() & x.magnitudeMask();
  switch (kind) {
  case ClassKind::NaN:
    return magnitude.cmp(CmpIPredicate::ugt, topBits);
  case ClassKind::Inf:
    return hasInf ? magnitude.cmp(CmpIPredicate::eq, topBits)
                  : magnitude.constant(x.i(1), 0);
  case ClassKind::Finite:
    return magnitude.cmp(hasInf ? CmpIPredicate::ult : CmpIPredicate::ule,
                         topBits);
  }
  llvm_unreachable("every class is handled");
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// The replacement of `op`, null after an error, or nothing if `op` is not one
/// that this pass removes.
std::optional<Value> expand(Operation *op, OpBuilder &builder) {
  auto use = [&](Value value) { return Expr(builder, op->getLoc(), value); };
  return TypeSwitch<Operation *, std::optional<Value>>(op)
      .Case([&](FloorDivOp div) -> Value {
        return divide(Part::Quotient, use(div.getLhs()), use(div.getRhs()),
                      div.getIsUnsigned());
      })
      .Case([&](FloorModOp mod) -> Value {
        return divide(Part::Remainder, use(mod.getLhs()), use(mod.getRhs()),
                      mod.getIsUnsigned());
      })
      .Case([&](ShlOp shl) -> Value {
        return shiftOrZero<arith::ShLIOp>(use(shl.getLhs()), use(shl.getRhs()));
      })
      .Case([&](ShrOp shr) -> Value {
        Expr value = use(shr.getLhs());
        Expr amount = use(shr.getRhs());
        return shr.getIsUnsigned() || value.getWidth() == 1
                   ? shiftOrZero<arith::ShRUIOp>(value, amount)
                   : shiftArithmetic(value, amount);
      })
      .Case([&](IPowOp pow) -> Value {
        return power(use(pow.getLhs()), use(pow.getRhs()), pow.getIsUnsigned());
      })
      .Case([&](FloatModOp mod) -> Value {
        Expr lhs = use(mod.getLhs());
        if (lhs.getWidth() < 16) {
          mod.emitOpError() << "has no arithmetic on " << lhs.getElementType()
                            << "; cast to f32 and back";
          return Value();
        }
        return floorModFloat(lhs, use(mod.getRhs()));
      })
      .Case([&](CastOp cast) -> Value {
        return expandCast(use(cast.getSource()),
                          getElementTypeOrSelf(cast.getType()),
                          cast.getFromUnsigned(), cast.getToUnsigned());
      })
      .Case([&](BitcastOp cast) -> Value {
        return use(cast.getSource())
            .bitcast(getElementTypeOrSelf(cast.getType()));
      })
      .Case([&](FPClassOp test) -> Value {
        return classify(use(test.getSource()), test.getKind());
      })
      .Default([](Operation *) { return std::nullopt; });
}

struct ExpandElementwisePass final
    : impl::ExpandElementwisePassBase<ExpandElementwisePass> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    WalkResult result = getOperation()->walk([&](Operation *op) {
      builder.setInsertionPoint(op);
      std::optional<Value> replacement = expand(op, builder);
      if (!replacement) {
        return WalkResult::advance();
      }
      if (!*replacement) {
        return WalkResult::interrupt();
      }
      op->getResult(0).replaceAllUsesWith(*replacement);
      op->erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace tegula::tile
