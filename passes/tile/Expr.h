// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes elementwise code the way its formula reads. Numerical expansions are
// long chains of `arith` operations; spelled with builders they hide the
// mathematics, and they must be the same on scalars, vectors and tiles.

#ifndef TEGULA_PASSES_TILE_EXPR_H
#define TEGULA_PASSES_TILE_EXPR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include <type_traits>

namespace tegula {

/// A scalar or shaped value under construction. Operators emit `arith`
/// operations of the value's kind (float or signless integer) and fold
/// constants; a C++ number beside an Expr is a constant of that Expr's type.
class Expr {
public:
  Expr(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value)
      : builder(&builder), loc(loc), value(value) {}

  operator mlir::Value() const { return value; }
  mlir::Type getElementType() const {
    return mlir::getElementTypeOrSelf(value.getType());
  }
  unsigned getWidth() const { return getElementType().getIntOrFloatBitWidth(); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(getElementType()); }

  /// This shape with another element type.
  mlir::Type withElement(mlir::Type element) const {
    if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(value.getType())) {
      return shaped.clone(element);
    }
    return element;
  }
  mlir::Type i(unsigned width) const { return builder->getIntegerType(width); }
  mlir::Type f16() const { return builder->getF16Type(); }
  mlir::Type bf16() const { return builder->getBF16Type(); }
  mlir::Type f32() const { return builder->getF32Type(); }
  mlir::Type f64() const { return builder->getF64Type(); }

  /// A constant of this shape. Integers wrap to the width.
  template <typename T> Expr constant(mlir::Type element, T number) const {
    static_assert(std::is_arithmetic_v<T>);
    mlir::TypedAttr attr;
    if (mlir::isa<mlir::FloatType>(element)) {
      attr = builder->getFloatAttr(element, static_cast<double>(number));
    } else {
      static_assert(sizeof(T) <= 8);
      llvm::APInt bits(64, static_cast<uint64_t>(number));
      attr = builder->getIntegerAttr(
          element, bits.trunc(element.getIntOrFloatBitWidth()));
    }
    if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(withElement(element))) {
      attr = mlir::DenseElementsAttr::get(
          shaped, llvm::ArrayRef<mlir::Attribute>(attr));
    }
    return wrap(mlir::arith::ConstantOp::create(*builder, loc, attr));
  }
  template <typename T> Expr constant(T number) const {
    return constant(getElementType(), number);
  }

  /// Emits any operation whose result is one value.
  template <typename OpTy, typename... Args> Expr emit(Args &&...args) const {
    return wrap(builder->createOrFold<OpTy>(loc, std::forward<Args>(args)...));
  }
  template <typename OpTy> Expr convert(mlir::Type element) const {
    return emit<OpTy>(withElement(element), value);
  }
  Expr bitcast(mlir::Type element) const {
    return element == getElementType()
               ? *this
               : convert<mlir::arith::BitcastOp>(element);
  }
  /// The bits as a signless integer of the same width.
  Expr bits() const { return bitcast(i(getWidth())); }

  /// The bit that holds a float's sign, and the others.
  uint64_t signMask() const { return uint64_t(1) << (getWidth() - 1); }
  uint64_t magnitudeMask() const { return signMask() - 1; }
  /// This float's magnitude with the sign of another of its type.
  Expr withSignOf(Expr sign) const {
    Expr magnitude = bits() & magnitudeMask();
    return (magnitude | (sign.bits() & signMask())).bitcast(getElementType());
  }

  // Integer width changes; no-ops where the width is right already.
  Expr trunci(unsigned width) const {
    return width == getWidth() ? *this
                               : convert<mlir::arith::TruncIOp>(i(width));
  }
  Expr extui(unsigned width) const {
    return width == getWidth() ? *this
                               : convert<mlir::arith::ExtUIOp>(i(width));
  }
  Expr extsi(unsigned width) const {
    return width == getWidth() ? *this
                               : convert<mlir::arith::ExtSIOp>(i(width));
  }
  Expr extf(mlir::Type element) const {
    return element == getElementType() ? *this
                                       : convert<mlir::arith::ExtFOp>(element);
  }
  Expr truncf(mlir::Type element) const {
    return element == getElementType()
               ? *this
               : convert<mlir::arith::TruncFOp>(element);
  }

  Expr shl(unsigned amount) const {
    return emit<mlir::arith::ShLIOp>(value, constant(amount));
  }
  Expr lshr(unsigned amount) const {
    return emit<mlir::arith::ShRUIOp>(value, constant(amount));
  }
  Expr ashr(unsigned amount) const {
    return emit<mlir::arith::ShRSIOp>(value, constant(amount));
  }

  Expr cmp(mlir::arith::CmpIPredicate predicate, mlir::Value other) const {
    return emit<mlir::arith::CmpIOp>(predicate, value, other);
  }
  Expr cmp(mlir::arith::CmpFPredicate predicate, mlir::Value other) const {
    return emit<mlir::arith::CmpFOp>(predicate, value, other);
  }
  template <typename P, typename T,
            typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Expr cmp(P predicate, T number) const {
    return cmp(predicate, constant(number));
  }
  Expr isNaN() const { return cmp(mlir::arith::CmpFPredicate::UNO, value); }

  /// Where this mask is true `whenTrue`, else `whenFalse`. One of them may be a
  /// number.
  Expr select(Expr whenTrue, Expr whenFalse) const {
    return emit<mlir::arith::SelectOp>(value, whenTrue.value, whenFalse.value);
  }
  template <typename T> Expr select(T whenTrue, Expr whenFalse) const {
    return select(whenFalse.constant(whenTrue), whenFalse);
  }
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Expr select(Expr whenTrue, T whenFalse) const {
    return select(whenTrue, whenTrue.constant(whenFalse));
  }

  friend Expr operator+(Expr a, Expr b) {
    return a.arithmetic<mlir::arith::AddFOp, mlir::arith::AddIOp>(b);
  }
  friend Expr operator-(Expr a, Expr b) {
    return a.arithmetic<mlir::arith::SubFOp, mlir::arith::SubIOp>(b);
  }
  friend Expr operator*(Expr a, Expr b) {
    return a.arithmetic<mlir::arith::MulFOp, mlir::arith::MulIOp>(b);
  }
  friend Expr operator/(Expr a, Expr b) {
    return a.emit<mlir::arith::DivFOp>(a.value, b.value);
  }
  friend Expr operator&(Expr a, Expr b) {
    return a.emit<mlir::arith::AndIOp>(a.value, b.value);
  }
  friend Expr operator|(Expr a, Expr b) {
    return a.emit<mlir::arith::OrIOp>(a.value, b.value);
  }
  friend Expr operator^(Expr a, Expr b) {
    return a.emit<mlir::arith::XOrIOp>(a.value, b.value);
  }

#define TEGULA_EXPR_WITH_NUMBER(OP)                                            \
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>  \
  friend Expr operator OP(Expr a, T b) {                                       \
    return a OP a.constant(b);                                                 \
  }                                                                            \
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>  \
  friend Expr operator OP(T a, Expr b) {                                       \
    return b.constant(a) OP b;                                                 \
  }
  TEGULA_EXPR_WITH_NUMBER(+)
  TEGULA_EXPR_WITH_NUMBER(-)
  TEGULA_EXPR_WITH_NUMBER(*)
  TEGULA_EXPR_WITH_NUMBER(/)
  TEGULA_EXPR_WITH_NUMBER(&)
  TEGULA_EXPR_WITH_NUMBER(|)
  TEGULA_EXPR_WITH_NUMBER(^)
#undef TEGULA_EXPR_WITH_NUMBER

private:
  Expr wrap(mlir::Value result) const { return Expr(*builder, loc, result); }
  template <typename FloatOp, typename IntOp>
  Expr arithmetic(Expr other) const {
    return isFloat() ? emit<FloatOp>(value, other.value)
                     : emit<IntOp>(value, other.value);
  }

  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;
};

} // namespace tegula

#endif // TEGULA_PASSES_TILE_EXPR_H
