// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The remainder of floats, exactly, by division of integers. Where there is no
// C library LLVM computes x - trunc(x / y) y, which is wrong as soon as the
// quotient needs more digits than a float has.
//
// With x = p 2^i and y = q 2^j for integers p and q and i >= j the remainder is
// (p 2^(i-j) mod q) 2^j. The shift may be by hundreds of bits and is done in
// steps that fit 64.

#include "passes/lower/ExpandMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace tegula::lower {
namespace {

/// Layout of a format.
struct Format {
  explicit Format(unsigned width)
      : digits(width == 32 ? 23 : 52), exponents(width == 32 ? 0xff : 0x7ff),
        bias(width == 32 ? 127 : 1023) {}
  unsigned digits; // After the point.
  int64_t exponents;
  int64_t bias;
};

struct Parts {
  Expr integer;  // i64
  Expr exponent; // i64; at least 1, as of the smallest normal number
};

Parts split(Expr magnitude, const Format &format) {
  Expr bits = magnitude.extui(64);
  Expr exponent = bits.lshr(format.digits);
  Expr isSubnormal = exponent.cmp(CmpIPredicate::eq, 0);
  int64_t one = int64_t(1) << format.digits;
  Expr digits = bits & (one - 1);
  return {isSubnormal.select(digits, digits | one),
          isSubnormal.select(1, exponent)};
}

/// p 2^shift mod q.
Expr shiftedRemainder(OpBuilder &builder, Location loc, Expr p, Expr shift,
                      Expr q, unsigned digits) {
  Expr first = p.emit<arith::RemUIOp>(Value(p), Value(q));
  Type i64 = builder.getI64Type();
  auto loop = scf::WhileOp::create(builder, loc, TypeRange{i64, i64},
                                   ValueRange{first, shift});
  OpBuilder::InsertionGuard guard(builder);
  Block *before =
      builder.createBlock(&loop.getBefore(), {}, {i64, i64}, {loc, loc});
  Expr left(builder, loc, before->getArgument(1));
  Expr goesOn = left.cmp(CmpIPredicate::sgt, 0);
  scf::ConditionOp::create(builder, loc, goesOn, before->getArguments());
  Block *after =
      builder.createBlock(&loop.getAfter(), {}, {i64, i64}, {loc, loc});
  Expr rest(builder, loc, after->getArgument(0));
  left = Expr(builder, loc, after->getArgument(1));
  int64_t most = 63 - digits;
  Expr step =
      left.emit<arith::MinSIOp>(Value(left), Value(left.constant(most)));
  Expr shifted = rest.emit<arith::ShLIOp>(Value(rest), Value(step));
  Expr next = shifted.emit<arith::RemUIOp>(Value(shifted), Value(q));
  scf::YieldOp::create(builder, loc, ValueRange{next, left - step});
  return Expr(builder, loc, loop.getResult(0));
}

/// 2^(exponent - offset), which is a normal number.
Expr powerOfTwo(Expr exponent, int64_t offset, const Format &format,
                Type type) {
  Expr bits = (exponent + (format.bias - offset)).shl(format.digits);
  return bits.trunci(type.getIntOrFloatBitWidth()).bitcast(type);
}

} // namespace

Expr expandRemainder(OpBuilder &builder, Location loc, Expr x, Expr y) {
  Type type = x.getElementType();
  Format format(x.getWidth());
  Expr xBits = x.bits() & x.magnitudeMask();
  Expr yBits = y.bits() & y.magnitudeMask();
  int64_t infinity = format.exponents << format.digits;
  Expr isNaN = xBits.cmp(CmpIPredicate::uge, infinity)
                   .select(xBits.constant(builder.getI1Type(), 1),
                           yBits.cmp(CmpIPredicate::ugt, infinity) |
                               yBits.cmp(CmpIPredicate::eq, 0));
  Expr isSmall = xBits.cmp(CmpIPredicate::ult, Value(yBits));
  // Neither needs a division, and the one below must not be by zero.
  Expr isDone = isNaN | isSmall;
  Parts p = split(xBits, format), q = split(yBits, format);
  Expr shift = isDone.select(0, p.exponent - q.exponent);
  Expr divisor = isDone.select(1, q.integer);
  Expr rest =
      shiftedRemainder(builder, loc, p.integer, shift, divisor, format.digits);
  // Two factors, since 2^j alone may be no normal number; both products are
  // exact.
  Expr half = q.exponent.ashr(1);
  int64_t offset = format.bias + format.digits;
  Expr scaled =
      rest.convert<arith::UIToFPOp>(type) *
      powerOfTwo(half, offset / 2, format, type) *
      powerOfTwo(q.exponent - half, offset - offset / 2, format, type);
  Expr result = isSmall.select(x, scaled.withSignOf(x));
  return isNaN.select(NAN, result);
}

} // namespace tegula::lower
