// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logarithms, powers and roots. Logarithms write x = 2^e (1 + f) with 1 + f in
// [sqrt(1/2), sqrt(2)), as Cephes (S. L. Moshier) and fdlibm do; powers and
// cube roots, whose errors would grow, are computed in f64 and rounded.

#include "passes/lower/ExpandMath.h"

#include <cmath>

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace tegula::lower {
namespace {

constexpr float kInf = INFINITY;
constexpr int kSqrtHalfBits = 0x3f3504f3;

/// log_b(x) = e log_b(2) + log_b(1 + f); both constants as a sum of two f32.
struct Base {
  double perUnit, perUnitLow;         // 1 / ln b
  double perDoubling, perDoublingLow; // log_b 2
};
constexpr Base kNatural{1.0, 0.0, 0.693147182464599609375,
                        -1.904654299957768e-9};
constexpr Base kBinary{1.44269502162933349609375, 1.925962991126e-8, 1.0, 0.0};
constexpr Base kDecimal{0.4342944920063018798828125, -1.010305e-8,
                        0.3010300099849700927734375, -1.4320989e-8};

struct Decomposed {
  Expr exponent; // i32
  Expr f;
};

/// Of a positive, normal number.
Decomposed decompose(Expr x) {
  Expr shifted = x.bits() - kSqrtHalfBits;
  Expr mantissa = ((shifted & 0x7fffff) + kSqrtHalfBits).bitcast(x.f32());
  return {shifted.ashr(23), mantissa - 1.0};
}

/// log_b(2^exponent (1 + f)).
Expr logarithm(Expr exponent, Expr f, const Base &base) {
  Expr q = polynomial(f, {-0.499999881, 0.333333373, -0.250016391, 0.200012058,
                          -0.1660669, 0.141961902, -0.132809728, 0.128265202,
                          -0.0742619485});
  Expr square = f * f;
  Expr mantissa = f;
  if (base.perUnitLow == 0.0) {
    mantissa = fma(square, q, f);
  } else {
    Expr tail = fma(f, base.perUnitLow, square * q * base.perUnit);
    mantissa = fma(f, base.perUnit, tail);
  }
  if (base.perDoublingLow == 0.0) {
    return exponent + mantissa;
  }
  return fma(exponent, base.perDoubling,
             fma(exponent, base.perDoublingLow, mantissa));
}

/// Puts right what a logarithm of `x` gives for 0 (-inf), negative numbers
/// (NaN), infinity and NaN.
Expr fixLogarithm(Expr x, Expr result) {
  Expr finite = less(x, kInf).select(result, x);
  Expr notPositive = equal(x, 0.0).select(-kInf, x.constant(std::nan("")));
  return x.cmp(CmpFPredicate::ULE, 0.0)
      .select(x.isNaN().select(x, notPositive), finite);
}

Expr logarithmOf(Expr x, const Base &base) {
  Expr isSubnormal = less(x, 0x1p-126);
  Expr normal = isSubnormal.select(x * 0x1p23, x);
  Decomposed parts = decompose(normal);
  Expr bias = isSubnormal.select(parts.exponent.constant(-23),
                                 parts.exponent.constant(0));
  Expr exponent = (parts.exponent + bias).convert<arith::SIToFPOp>(x.f32());
  return fixLogarithm(x, logarithm(exponent, parts.f, base));
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// log2 of a positive finite f64 that came from an f32, to 2^-44: 2 artanh(s) /
/// ln 2 with s = f / (2 + f).
Expr log2InDouble(Expr x) {
  constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  Expr shifted = x.bits() - kSqrtHalf;
  Expr exponent = shifted.ashr(52).trunci(32).convert<arith::SIToFPOp>(x.f64());
  Expr mantissa =
      ((shifted & ((uint64_t(1) << 52) - 1)) + kSqrtHalf).bitcast(x.f64());
  Expr s = (mantissa - 1.0) / (mantissa + 1.0);
  Expr p = polynomial(s * s, {2.885390081777849, 0.9617966941149165,
                              0.5770779418965138, 0.412209300802973,
                              0.3199036659514739, 0.28292981007454077});
  return fma(s, p, exponent);
}

/// 2^x to 2^-34. The exponent range of f64 holds every result that f32
/// distinguishes.
Expr exp2InDouble(Expr x) {
  constexpr double kRounder = 6755399441055744.0; // 1.5 * 2^52
  Expr bounded = atMost(atLeast(x, -200.0), 200.0);
  Expr sum = bounded + kRounder;
  Expr r = bounded - (sum - kRounder);
  Expr p = polynomial(r, {0.9999999999616217, 0.693147180728715,
                          0.24022651198753325, 0.05550410352834958,
                          0.009618027172937546, 0.001333392285450625,
                          0.0001546931725216537, 1.5201901148088722e-05});
  Expr power = (sum.bits().shl(52) + (uint64_t(1023) << 52)).bitcast(x.f64());
  return p * power;
}

} // namespace

Expr expandLog(Expr x) { return logarithmOf(x, kNatural); }
Expr expandLog2(Expr x) { return logarithmOf(x, kBinary); }
Expr expandLog10(Expr x) { return logarithmOf(x, kDecimal); }

/// As a logarithm of u = 1 + x, with what the addition rounded off brought back
/// into f.
Expr expandLog1p(Expr x) {
  Expr u = x + 1.0;
  Expr lost = less(abs(x), 1.0).select(x - (u - 1.0), 1.0 - (u - x));
  Decomposed parts = decompose(u);
  Expr one = parts.exponent.constant(x.f32(), 1.0).bits();
  Expr inverse = one - parts.exponent.shl(23);
  inverse =
      inverse.emit<arith::MaxSIOp>(Value(inverse), Value(inverse.constant(0)));
  Expr f = fma(lost, inverse.bitcast(x.f32()), parts.f);
  Expr exponent = parts.exponent.convert<arith::SIToFPOp>(x.f32());
  Expr result = fixLogarithm(u, logarithm(exponent, f, kNatural));
  return equal(x, 0.0).select(x, result);
}

/// |x|^y in f64, then the cases of IEEE 754's pow.
Expr expandPow(Expr x, Expr y) {
  Expr a = abs(x);
  Expr log = log2InDouble(a.extf(x.f64()));
  log = equal(a, 0.0).select(-INFINITY, log);
  log = less(a, kInf).select(log, a.extf(x.f64()));
  Expr power = exp2InDouble(y.extf(x.f64()) * log).truncf(x.f32());
  Expr isOne = equal(y, 0.0) | equal(a, 1.0);
  Expr magnitude = isOne.select(1.0, power);

  Expr isInteger = equal(trunc(y), y);
  Expr half = y * 0.5;
  Expr isOdd = isInteger & trunc(half).cmp(CmpFPredicate::ONE, half);
  Expr sign = isOdd.select(x.bits() & 0x80000000u, 0);
  Expr result = (magnitude.bits() | sign).bitcast(x.f32());
  Expr isFiniteNegative = less(x, 0.0) & greater(x, -kInf);
  Expr isUndefined = isFiniteNegative & (isInteger ^ 1);
  result = isUndefined.select(std::nan(""), result);
  return equal(x, 1.0).select(1.0, equal(y, 0.0).select(1.0, result));
}

/// A guess from a third of the exponent, then Halley's iteration twice in f64
/// (FreeBSD's s_cbrtf.c).
Expr expandCbrt(Expr x) {
  Expr a = abs(x).extf(x.f64());
  Expr high = a.bits().lshr(32).trunci(32);
  Expr third = high.emit<arith::DivUIOp>(Value(high), Value(high.constant(3)));
  Expr t = (third + 715094163).extui(64).shl(32).bitcast(x.f64());
  for (int step = 0; step < 2; ++step) {
    Expr cube = t * t * t;
    t = t * (a + a + cube) / (a + cube + cube);
  }
  Expr isZeroOrInf = equal(a + a, a);
  return isZeroOrInf.select(abs(x), t.truncf(x.f32())).withSignOf(x);
}

Expr expandRsqrt(Expr x) { return 1.0 / sqrt(x); }

} // namespace tegula::lower
