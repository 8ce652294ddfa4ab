// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that `lower-expand-math` knows, each as straight-line code on
// f32 values, grouped by the file that defines them. Every comment states the
// largest error in units in the last place (ulp) over all f32 inputs.

#ifndef TEGULA_PASSES_LOWER_EXPANDMATH_H
#define TEGULA_PASSES_LOWER_EXPANDMATH_H

#include "passes/tile/Expr.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace tegula::lower {

//===----------------------------------------------------------------------===//
// Vocabulary
//===----------------------------------------------------------------------===//

/// `x * y + z` rounded once.
inline Expr fma(Expr x, Expr y, Expr z) {
  return x.emit<mlir::math::FmaOp>(mlir::Value(x), mlir::Value(y),
                                   mlir::Value(z));
}
template <typename T> Expr fma(Expr x, T y, Expr z) {
  return fma(x, x.constant(y), z);
}
template <typename T> Expr fma(Expr x, Expr y, T z) {
  return fma(x, y, x.constant(z));
}

/// c[0] + c[1] x + c[2] x^2 + ... by Horner's rule.
inline Expr polynomial(Expr x, llvm::ArrayRef<double> c) {
  Expr sum = x.constant(c.back());
  for (double coefficient : llvm::reverse(c.drop_back())) {
    sum = fma(sum, x, coefficient);
  }
  return sum;
}

inline Expr abs(Expr x) { return x.emit<mlir::math::AbsFOp>(mlir::Value(x)); }
inline Expr sqrt(Expr x) { return x.emit<mlir::math::SqrtOp>(mlir::Value(x)); }
inline Expr trunc(Expr x) {
  return x.emit<mlir::math::TruncOp>(mlir::Value(x));
}
inline Expr less(Expr x, Expr y) {
  return x.cmp(mlir::arith::CmpFPredicate::OLT, y);
}
inline Expr greater(Expr x, Expr y) {
  return x.cmp(mlir::arith::CmpFPredicate::OGT, y);
}
inline Expr equal(Expr x, Expr y) {
  return x.cmp(mlir::arith::CmpFPredicate::OEQ, y);
}
template <typename T> Expr less(Expr x, T y) { return less(x, x.constant(y)); }
template <typename T> Expr greater(Expr x, T y) {
  return greater(x, x.constant(y));
}
template <typename T> Expr equal(Expr x, T y) {
  return equal(x, x.constant(y));
}
/// Bounds that let NaN through: one instruction each on x86, with the constant
/// as first operand.
inline Expr atLeast(Expr x, double low) { return less(x, low).select(low, x); }
inline Expr atMost(Expr x, double high) {
  return greater(x, high).select(high, x);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

// ExpandMathExp.cpp
Expr expandExp(Expr x);
Expr expandExp2(Expr x);
Expr expandExpm1(Expr x);
Expr expandSinh(Expr x);
Expr expandCosh(Expr x);
Expr expandTanh(Expr x);
Expr expandErf(Expr x);

// ExpandMathLog.cpp
Expr expandLog(Expr x);
Expr expandLog2(Expr x);
Expr expandLog10(Expr x);
Expr expandLog1p(Expr x);
Expr expandPow(Expr x, Expr y);
Expr expandCbrt(Expr x);
Expr expandRsqrt(Expr x);

// ExpandMathTrig.cpp
Expr expandSin(Expr x);
Expr expandCos(Expr x);
Expr expandTan(Expr x);
Expr expandAsin(Expr x);
Expr expandAcos(Expr x);
Expr expandAtan(Expr x);
Expr expandAtan2(Expr y, Expr x);

// ExpandRemainder.cpp
/// Of f32 or f64 scalars, with a loop; exact.
Expr expandRemainder(mlir::OpBuilder &builder, mlir::Location loc, Expr x,
                     Expr y);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_EXPANDMATH_H
