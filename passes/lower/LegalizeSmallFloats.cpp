// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-legalize-small-floats: LLVM computes 16-bit floats differently from one
// processor to the next (x86's bf16 conversion flushes subnormals, some have
// f16 arithmetic and some widen whole expressions). Spelled out in f32 they
// give everywhere what the interpreter gives.

#include "passes/lower/Passes.h"
#include "passes/tile/ExpandCast.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

#define DEBUG_TYPE "lower-legalize-small-floats"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace tegula::lower {
#define GEN_PASS_DEF_LEGALIZESMALLFLOATSPASS
#include "passes/lower/Passes.h.inc"
namespace {

bool isSmallFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float16Type, BFloat16Type>(
      getElementTypeOrSelf(type));
}
bool isBF16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

//===----------------------------------------------------------------------===//
// Arithmetic to f32 and conversions
//===----------------------------------------------------------------------===//

/// A conversion with a small float on either side; null if it is one that
/// stays.
Value expandConversion(Expr x, Type result, bool isUnsigned) {
  Type to = getElementTypeOrSelf(result);
  Type from = x.getElementType();
  bool staysInHardware = (from.isF32() && (to.isF16() || to.isBF16())) ||
                         (to.isF32() && (from.isF16() || from.isBF16()));
  if (staysInHardware) {
    return Value();
  }
  return tile::expandCast(x, to, isUnsigned, /*toUnsigned=*/false);
}

/// `x * y + z` rounded once: the product is exact in f64, the sum there is
/// rounded to odd (its last bit set if anything was lost), which makes the last
/// rounding right.
Expr fusedMultiplyAdd(Expr x, Expr y, Expr z) {
  auto widen = [](Expr value) {
    return value.extf(value.f32()).extf(value.f64());
  };
  Expr product = widen(x) * widen(y);
  Expr addend = widen(z);
  Expr sum = product + addend;
  // Knuth's two-sum: `lost` is what `sum` lacks, exactly.
  Expr part = sum - product;
  Expr lost = (product - (sum - part)) + (addend - part);
  Expr isTooLarge = (sum.bits() ^ lost.bits()).lshr(63);
  Expr odd = ((sum.bits() - isTooLarge) | 1).bitcast(sum.f64());
  Expr isInexact = lost.cmp(CmpFPredicate::ONE, 0.0);
  return tile::expandCast(isInexact.select(odd, sum), x.getElementType(),
                          /*fromUnsigned=*/false, /*toUnsigned=*/false);
}

/// The greater or lesser number, a NaN only if both are: like `maxnumf`, but of
/// two zeros the right one.
template <bool isMax> Expr pickNumber(Expr x, Expr y) {
  CmpFPredicate wins = isMax ? CmpFPredicate::OGT : CmpFPredicate::OLT;
  Expr picked = x.cmp(wins, y).select(x, y);
  // Equal values differ in the sign of a zero at most.
  Expr equal = isMax ? x.bits() & y.bits() : x.bits() | y.bits();
  picked = x.cmp(CmpFPredicate::OEQ, y)
               .select(equal.bitcast(x.getElementType()), picked);
  return y.isNaN().select(x, picked);
}

/// Of a value that `to` holds exactly.
Expr narrowExactly(Expr x, Type to) {
  return to.isBF16() ? x.bits().lshr(16).trunci(16).bitcast(to) : x.truncf(to);
}

/// Operations whose result on 16-bit floats is one, before any rounding.
bool isExact(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::RemFOp, math::FloorOp,
             math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp>(op);
}

/// Computes `op` on f32 operands and rounds its result.
Value widen(Operation *op, OpBuilder &builder) {
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (isSmallFloat(operand.getType())) {
      Expr narrow(builder, op->getLoc(), operand);
      mapping.map(operand, Value(narrow.extf(narrow.f32())));
    }
  }
  Operation *wide = builder.clone(*op, mapping);
  Expr result(builder, op->getLoc(), wide->getResult(0));
  Type type = op->getResult(0).getType();
  if (!isSmallFloat(type)) {
    return result;
  }
  wide->getResult(0).setType(result.withElement(result.f32()));
  Type element = getElementTypeOrSelf(type);
  return isExact(op) ? narrowExactly(result, element) : result.truncf(element);
}

/// The replacement of an operation on small floats, null if it stays.
Value legalize(Operation *op, OpBuilder &builder) {
  auto use = [&](Value value) { return Expr(builder, op->getLoc(), value); };
  return TypeSwitch<Operation *, Value>(op)
      .Case<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(
          [](Operation *) { return Value(); })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp>([&](auto cast) {
        return expandConversion(use(cast.getIn()), cast.getType(), false);
      })
      .Case([&](arith::UIToFPOp cast) {
        return expandConversion(use(cast.getIn()), cast.getType(), true);
      })
      .Case([&](arith::NegFOp neg) -> Value {
        Expr x = use(neg.getOperand());
        return (x.bits() ^ x.signMask()).bitcast(x.getElementType());
      })
      .Case([&](math::AbsFOp abs) -> Value {
        Expr x = use(abs.getOperand());
        return (x.bits() & x.magnitudeMask()).bitcast(x.getElementType());
      })
      .Case([&](math::CopySignOp copy) -> Value {
        return use(copy.getLhs()).withSignOf(use(copy.getRhs()));
      })
      .Case([&](math::FmaOp fma) -> Value {
        return fusedMultiplyAdd(use(fma.getA()), use(fma.getB()),
                                use(fma.getC()));
      })
      .Default([&](Operation *other) { return widen(other, builder); });
}

/// `maxnumf` and `minnumf` of any width, null for other operations.
Value legalizeNumberPick(Operation *op, OpBuilder &builder) {
  auto pick = [&](auto function) -> Value {
    Expr x(builder, op->getLoc(), op->getOperand(0));
    Expr y(builder, op->getLoc(), op->getOperand(1));
    Type element = x.getElementType();
    if (!isSmallFloat(element)) {
      return function(x, y);
    }
    Expr picked = function(x.extf(x.f32()), y.extf(y.f32()));
    return narrowExactly(picked, element);
  };
  if (isa<arith::MaxNumFOp>(op)) {
    return pick(pickNumber<true>);
  }
  return isa<arith::MinNumFOp>(op) ? pick(pickNumber<false>) : Value();
}

//===----------------------------------------------------------------------===//
// Conversions between f32 and bf16
//===----------------------------------------------------------------------===//

Expr extendBF16(Expr x) { return x.bits().extui(32).shl(16).bitcast(x.f32()); }

/// To nearest, ties to even; a NaN is made quiet so that the dropped half
/// cannot turn it into infinity.
Expr roundToBF16(Expr x) {
  Expr bits = x.bits();
  Expr rounded = bits + 0x7fff + (bits.lshr(16) & 1);
  Expr kept = x.isNaN().select(bits | 0x400000, rounded);
  return kept.lshr(16).trunci(16).bitcast(x.bf16());
}

Value expandBF16(Operation *op, OpBuilder &builder) {
  if (auto extend = dyn_cast<arith::ExtFOp>(op)) {
    if (isBF16(extend.getIn().getType())) {
      return extendBF16(Expr(builder, op->getLoc(), extend.getIn()));
    }
  }
  if (auto truncate = dyn_cast<arith::TruncFOp>(op)) {
    if (isBF16(truncate.getType())) {
      return roundToBF16(Expr(builder, op->getLoc(), truncate.getIn()));
    }
  }
  return Value();
}

bool isFP8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}

/// Those that some processors have instructions for.
bool convertsF32AndFP8(Operation *op) {
  if (!isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    return false;
  }
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  return (isFP8(from) && getElementTypeOrSelf(to).isF32()) ||
         (isFP8(to) && getElementTypeOrSelf(from).isF32());
}

/// Conversions of fp8, for which LLVM has no type.
Value expandFP8(Operation *op, OpBuilder &builder) {
  bool converts =
      isa<arith::ExtFOp, arith::TruncFOp>(op) &&
      (isFP8(op->getOperand(0).getType()) || isFP8(op->getResult(0).getType()));
  return converts ? legalize(op, builder) : Value();
}

/// Holds bf16 values as their bits. LLVM moves a bfloat by way of f32 where the
/// processor can convert, which flushes subnormals and makes NaNs quiet;
/// nothing computes on them any more.
void carryBF16AsBits(Operation *root) {
  Type bits = IntegerType::get(root->getContext(), 16);
  using Replacement = AttrTypeReplacer::ReplaceFnResult<Attribute>;
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](BFloat16Type) { return bits; });
  replacer.addReplacement([=](FloatAttr value) -> Replacement {
    if (!isBF16(value.getType())) {
      return std::nullopt;
    }
    APInt pattern = value.getValue().bitcastToAPInt();
    return {{IntegerAttr::get(bits, pattern), WalkResult::skip()}};
  });
  replacer.addReplacement([=](DenseElementsAttr values) -> Replacement {
    if (!isBF16(values.getType())) {
      return std::nullopt;
    }
    return {{values.bitcast(bits), WalkResult::skip()}};
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  root->walk([](arith::BitcastOp cast) {
    if (cast.getIn().getType() == cast.getType()) {
      cast.replaceAllUsesWith(cast.getIn());
      cast.erase();
    }
  });
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

bool isArithmetic(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         op->getNumResults() == 1;
}

bool touchesSmallFloats(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isSmallFloat) ||
         llvm::any_of(op->getResultTypes(), isSmallFloat);
}

struct LegalizeSmallFloatsPass final
    : impl::LegalizeSmallFloatsPassBase<LegalizeSmallFloatsPass> {
  using LegalizeSmallFloatsPassBase::LegalizeSmallFloatsPassBase;

  void runOnOperation() override {
    // Everything becomes f32 arithmetic and conversions first; the later sweeps
    // meet those it made.
    replaceEach([this](Operation *op, OpBuilder &builder) {
      if (nativeFP8 && convertsF32AndFP8(op)) {
        return Value();
      }
      if (Value picked = legalizeNumberPick(op, builder)) {
        return picked;
      }
      return touchesSmallFloats(op) ? legalize(op, builder) : Value();
    });
    replaceEach([this](Operation *op, OpBuilder &builder) {
      return nativeFP8 && convertsF32AndFP8(op) ? Value()
                                                : expandFP8(op, builder);
    });
    if (!nativeBF16) {
      replaceEach(expandBF16);
      carryBF16AsBits(getOperation());
    }
  }

private:
  void replaceEach(function_ref<Value(Operation *, OpBuilder &)> expand) {
    OpBuilder builder(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (!isArithmetic(op)) {
        return;
      }
      builder.setInsertionPoint(op);
      if (Value replacement = expand(op, builder)) {
        op->getResult(0).replaceAllUsesWith(replacement);
        op->erase();
      }
    });
  }
};

} // namespace
} // namespace tegula::lower
