// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant folding of the elementwise operations, with the language contract's
// answer for every input. All of it works on bits, so that integers and floats,
// scalars and tiles take one path; tile-expand-elementwise must agree with it.

#include "dialects/tile/Tile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;

namespace tegula::tile {
namespace {

//===----------------------------------------------------------------------===//
// Constants as bits
//===----------------------------------------------------------------------===//

APInt toBits(Attribute scalar) {
  if (auto number = dyn_cast<FloatAttr>(scalar)) {
    return number.getValue().bitcastToAPInt();
  }
  return cast<IntegerAttr>(scalar).getValue();
}

Attribute fromBits(const APInt &bits, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    return FloatAttr::get(type, APFloat(type.getFloatSemantics(), bits));
  }
  return IntegerAttr::get(element, bits);
}

bool isNumber(Attribute attr) { return isa<IntegerAttr, FloatAttr>(attr); }

using UnaryFn = function_ref<APInt(const APInt &)>;
using BinaryFn = function_ref<APInt(const APInt &, const APInt &)>;

/// Result of `compute` on the bits of each element, or null if the source is no
/// constant. Splats stay splats.
Attribute foldUnary(Attribute source, Type type, UnaryFn compute) {
  Type element = getElementTypeOrSelf(type);
  auto convert = [&](Attribute scalar) {
    return fromBits(compute(toBits(scalar)), element);
  };
  if (source && isNumber(source)) {
    return convert(source);
  }
  auto tile = dyn_cast_or_null<DenseElementsAttr>(source);
  if (!tile) {
    return {};
  }
  if (tile.isSplat()) {
    return DenseElementsAttr::get(cast<ShapedType>(type),
                                  convert(tile.getSplatValue<Attribute>()));
  }
  SmallVector<Attribute> values =
      llvm::map_to_vector(tile.getValues<Attribute>(), convert);
  return DenseElementsAttr::get(cast<ShapedType>(type), values);
}

/// As `foldUnary`, for integers of one type.
Attribute foldBinary(ArrayRef<Attribute> operands, Type type,
                     BinaryFn compute) {
  if (auto rhs = dyn_cast_or_null<IntegerAttr>(operands[1])) {
    return foldUnary(operands[0], type, [&](const APInt &lhs) {
      return compute(lhs, rhs.getValue());
    });
  }
  auto left = dyn_cast_or_null<DenseElementsAttr>(operands[0]);
  auto right = dyn_cast_or_null<DenseElementsAttr>(operands[1]);
  if (!left || !right) {
    return {};
  }
  if (left.isSplat() && right.isSplat()) {
    APInt value =
        compute(left.getSplatValue<APInt>(), right.getSplatValue<APInt>());
    return DenseElementsAttr::get(cast<ShapedType>(type), value);
  }
  SmallVector<APInt> values;
  for (auto [lhs, rhs] :
       llvm::zip_equal(left.getValues<APInt>(), right.getValues<APInt>())) {
    values.push_back(compute(lhs, rhs));
  }
  return DenseElementsAttr::get(cast<ShapedType>(type), values);
}

} // namespace

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {

/// The operation's flag; `i1` has no sign.
template <typename OpTy> bool isUnsigned(OpTy op) {
  return op.getIsUnsigned() || getElementTypeOrSelf(op.getType()).isInteger(1);
}

struct DivMod {
  APInt quotient;
  APInt remainder;
};

/// Floor, zero divisor gives zeros, overflow wraps.
DivMod floorDivMod(const APInt &lhs, const APInt &rhs, bool isUnsigned) {
  unsigned width = lhs.getBitWidth();
  if (rhs.isZero()) {
    return {APInt::getZero(width), APInt::getZero(width)};
  }
  if (isUnsigned) {
    return {lhs.udiv(rhs), lhs.urem(rhs)};
  }
  DivMod result{lhs.sdiv(rhs), lhs.srem(rhs)};
  if (!result.remainder.isZero() &&
      result.remainder.isNegative() != rhs.isNegative()) {
    --result.quotient;
    result.remainder += rhs;
  }
  return result;
}

APInt power(APInt base, APInt exponent, bool isUnsigned) {
  APInt one(base.getBitWidth(), 1);
  if (!isUnsigned && exponent.isNegative()) {
    if (base.isAllOnes()) {
      return exponent[0] ? base : one;
    }
    return base.isOne() ? one : APInt::getZero(base.getBitWidth());
  }
  APInt result = one;
  for (; !exponent.isZero(); exponent.lshrInPlace(1)) {
    if (exponent[0]) {
      result *= base;
    }
    base *= base;
  }
  return result;
}

} // namespace

OpFoldResult FloorDivOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getLhs(), m_Zero())) {
    return getLhs();
  }
  if (matchPattern(adaptor.getRhs(), m_One())) {
    return getLhs();
  }
  return foldBinary(adaptor.getOperands(), getType(),
                    [&](const APInt &lhs, const APInt &rhs) {
                      return floorDivMod(lhs, rhs, isUnsigned(*this)).quotient;
                    });
}

OpFoldResult FloorModOp::fold(FoldAdaptor adaptor) {
  // Whatever the other operand: 0 % x, x % 0.
  if (matchPattern(adaptor.getLhs(), m_Zero())) {
    return getLhs();
  }
  if (matchPattern(adaptor.getRhs(), m_Zero())) {
    return getRhs();
  }
  if (getLhs() == getRhs() || matchPattern(adaptor.getRhs(), m_One())) {
    return Builder(getContext()).getZeroAttr(getType());
  }
  return foldBinary(adaptor.getOperands(), getType(),
                    [&](const APInt &lhs, const APInt &rhs) {
                      return floorDivMod(lhs, rhs, isUnsigned(*this)).remainder;
                    });
}

OpFoldResult ShlOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getLhs(), m_Zero()) ||
      matchPattern(adaptor.getRhs(), m_Zero())) {
    return getLhs();
  }
  // APInt's shift takes any amount, and gives 0 from the width on.
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](const APInt &lhs, const APInt &rhs) { return lhs.shl(rhs); });
}

OpFoldResult ShrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getLhs(), m_Zero()) ||
      matchPattern(adaptor.getRhs(), m_Zero())) {
    return getLhs();
  }
  return foldBinary(adaptor.getOperands(), getType(),
                    [&](const APInt &lhs, const APInt &rhs) {
                      return isUnsigned(*this) ? lhs.lshr(rhs) : lhs.ashr(rhs);
                    });
}

OpFoldResult IPowOp::fold(FoldAdaptor adaptor) {
  // On i1 the constant true matches as one too, and x ** 1 is x there as well.
  if (matchPattern(adaptor.getRhs(), m_One())) {
    return getLhs();
  }
  return foldBinary(adaptor.getOperands(), getType(),
                    [&](const APInt &lhs, const APInt &rhs) {
                      return power(lhs, rhs, isUnsigned(*this));
                    });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

namespace {

bool isFloat8(FloatType type) { return type.getWidth() == 8; }

/// Puts right what APFloat makes of a value past fp8's largest finite one.
APInt saturate(APFloat value, FloatType to, bool isNaN, bool isNegative) {
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  if (isFloat8(to) && isNaN) {
    return APFloat::getNaN(semantics, isNegative).bitcastToAPInt();
  }
  if (isFloat8(to) && !value.isFinite()) {
    return APFloat::getLargest(semantics, isNegative).bitcastToAPInt();
  }
  return value.bitcastToAPInt();
}

APInt floatToFloat(const APFloat &source, FloatType to) {
  APFloat value = source;
  bool losesInfo;
  value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return saturate(value, to, source.isNaN(), source.isNegative());
}

APInt intToFloat(const APInt &source, FloatType to, bool isUnsigned) {
  APFloat value(to.getFloatSemantics());
  value.convertFromAPInt(source, !isUnsigned, APFloat::rmNearestTiesToEven);
  return saturate(value, to, /*isNaN=*/false,
                  !isUnsigned && source.isNegative());
}

/// APFloat's conversion saturates and takes NaN to 0, as the contract does.
APInt floatToInt(const APFloat &source, unsigned width, bool isUnsigned) {
  APSInt value(width, isUnsigned);
  bool isExact;
  source.convertToInteger(value, APFloat::rmTowardZero, &isExact);
  return value;
}

APInt intToInt(const APInt &source, unsigned width, bool isUnsigned) {
  return isUnsigned ? source.zextOrTrunc(width) : source.sextOrTrunc(width);
}

APInt castBits(CastOp op, const APInt &bits) {
  Type from = getElementTypeOrSelf(op.getSource().getType());
  Type to = getElementTypeOrSelf(op.getType());
  auto toFloat = dyn_cast<FloatType>(to);
  if (auto type = dyn_cast<FloatType>(from)) {
    APFloat value(type.getFloatSemantics(), bits);
    if (to.isInteger(1)) {
      return APInt(1, !value.isZero());
    }
    return toFloat ? floatToFloat(value, toFloat)
                   : floatToInt(value, to.getIntOrFloatBitWidth(),
                                op.getToUnsigned());
  }
  if (to.isInteger(1)) {
    return APInt(1, !bits.isZero());
  }
  bool isUnsigned = op.getFromUnsigned() || from.isInteger(1);
  return toFloat ? intToFloat(bits, toFloat, isUnsigned)
                 : intToInt(bits, to.getIntOrFloatBitWidth(), isUnsigned);
}

} // namespace

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  return foldUnary(adaptor.getSource(), getType(),
                   [&](const APInt &bits) { return castBits(*this, bits); });
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  auto inner = getSource().getDefiningOp<BitcastOp>();
  if (inner && inner.getSource().getType() == getType()) {
    return inner.getSource();
  }
  return foldUnary(adaptor.getSource(), getType(),
                   [](const APInt &bits) { return bits; });
}

OpFoldResult FPClassOp::fold(FoldAdaptor adaptor) {
  auto type = cast<FloatType>(getElementTypeOrSelf(getSource().getType()));
  return foldUnary(adaptor.getSource(), getType(), [&](const APInt &bits) {
    APFloat value(type.getFloatSemantics(), bits);
    switch (getKind()) {
    case ClassKind::NaN:
      return APInt(1, value.isNaN());
    case ClassKind::Inf:
      return APInt(1, value.isInfinity());
    case ClassKind::Finite:
      return APInt(1, value.isFinite());
    }
    llvm_unreachable("every class is handled");
  });
}

} // namespace tegula::tile
