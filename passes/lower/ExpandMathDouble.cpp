// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponentials, logarithms, powers and roots of f64, for devices without a C
// library. Polynomials are the functions' Taylor series, long enough for the
// interval, so that each coefficient can be checked at sight; what a rounding
// would spoil is carried as a sum of two f64 (T. J. Dekker, "A floating-point
// technique for extending the available precision", 1971).

#include "passes/lower/ExpandMathDouble.h"

#include <cmath>

using namespace mlir;
using arith::CmpFPredicate;

namespace tegula::lower {
namespace {

constexpr double kInf = INFINITY;
/// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer, which is
/// then also in the low bits of the sum.
constexpr double kRounder = 6755399441055744.0;
constexpr uint64_t kRounderBits = 0x4338000000000000;
constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kLog2ELow = 0x1.777d0ffda0d24p-56;
constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
/// With 21 zeros at the end, so that products with exponents are exact.
constexpr double kLn2Short = 0x1.62e42feep-1;
constexpr double kLn2Rest = 0x1.a39ef35793c76p-33;
constexpr double kLog10Of2Short = 0x1.34413508p-2;
constexpr double kLog10Of2Rest = 0x1.f79fef311f12bp-34;
constexpr double kLog10E = 0x1.bcb7b1526e50ep-2;
constexpr double kLog10ELow = 0x1.95355baaafad3p-57;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

struct Reduced {
  Expr n;        // i64
  Expr fraction; // e^r - 1
};

/// e^r - 1 for |r| <= ln 2 / 2, to the term r^13 / 13!.
Expr fractionOf(Expr r) {
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int k = 2; k <= 13; ++k) {
    factorial *= k;
    coefficients.push_back(1 / factorial);
  }
  return fma(r * r, polynomial(r, coefficients), r);
}

/// x + low = n ln 2 + r.
Reduced reduce(Expr x, std::optional<Expr> low = std::nullopt) {
  Expr sum = fma(x, kLog2E, x.constant(kRounder));
  Expr n = sum - kRounder;
  Expr r = fma(n, -kLn2Low, fma(n, -kLn2, x));
  return {sum.bits() - kRounderBits, fractionOf(low ? r + *low : r)};
}

/// 2^n for n in [-1022, 1024], the last being infinity.
Expr powerOfTwo(Expr n) { return (n + 1023).shl(52).bitcast(n.f64()); }

/// x * 2^n in two steps, so that overflow and the rounding of subnormal results
/// happen in the last one.
Expr scale(Expr x, Expr n) {
  Expr half = n.ashr(1);
  return x * powerOfTwo(half) * powerOfTwo(n - half);
}

/// Of a finite number whose result is finite or just beyond.
Expr exponential(Expr x, std::optional<Expr> low = std::nullopt) {
  Reduced reduced = reduce(x, low);
  return scale(reduced.fraction + 1.0, reduced.n);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

struct Decomposed {
  Expr exponent; // f64
  Expr f;        // in [sqrt(1/2) - 1, sqrt(2) - 1]
};

/// x = 2^exponent (1 + f), of a positive number; subnormal ones too.
Decomposed decompose(Expr x) {
  constexpr uint64_t kSqrtHalfBits = 0x3fe6a09e667f3bcd;
  Expr isSubnormal = less(x, 0x1p-1022);
  Expr normal = isSubnormal.select(x * 0x1p54, x);
  Expr shifted = normal.bits() - kSqrtHalfBits;
  Expr exponent = shifted.ashr(52).trunci(32).convert<arith::SIToFPOp>(x.f64());
  exponent = exponent + isSubnormal.select(x.constant(-54.0), x.constant(0.0));
  Expr mantissa =
      ((shifted & ((uint64_t(1) << 52) - 1)) + kSqrtHalfBits).bitcast(x.f64());
  return {exponent, mantissa - 1.0};
}

/// s^3 (2/3 + 2/5 s^2 + ...) / s, of s^2 up to 0.0295: what 2 artanh(s) has
/// beyond 2 s, divided by s. The first terms are left out on request.
Expr artanhTail(Expr square, int from = 1) {
  SmallVector<double> coefficients;
  for (int k = from; k <= 11; ++k) {
    coefficients.push_back(2.0 / (2 * k + 1));
  }
  return polynomial(square, coefficients);
}

/// log(1 + f) + correction = f - (f^2 / 2 - (s (f^2 / 2 + R) + correction))
/// with s = f / (2 + f), as fdlibm has it: the large part is exact.
Expr logarithmOf(Expr f, std::optional<Expr> correction = std::nullopt) {
  Expr s = f / (f + 2.0);
  Expr square = s * s;
  Expr half = f * f * 0.5;
  Expr rest = square * artanhTail(square);
  Expr small = s * (half + rest);
  return f - (half - (correction ? small + *correction : small));
}

/// Puts right what a logarithm of `x` gives for 0 (-inf), negative numbers
/// (NaN), infinity and NaN.
Expr fixLogarithm(Expr x, Expr result) {
  Expr finite = less(x, kInf).select(result, x);
  Expr notPositive = equal(x, 0.0).select(-kInf, x.constant(std::nan("")));
  return x.cmp(CmpFPredicate::ULE, 0.0)
      .select(x.isNaN().select(x, notPositive), finite);
}

Expr naturalLogarithm(Decomposed parts, std::optional<Expr> correction) {
  Expr low = parts.exponent * kLn2Rest;
  Expr rest = logarithmOf(parts.f, correction ? low + *correction : low);
  return fma(parts.exponent, kLn2Short, rest);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// An unevaluated sum.
struct Sum {
  Expr high, low;
};

Sum multiply(Expr a, Expr b) {
  Expr product = a * b;
  return {product, fma(a, b, 0.0 - product)};
}
Sum multiply(Sum a, Sum b) {
  Sum product = multiply(a.high, b.high);
  return {product.high, product.low + (a.high * b.low + a.low * b.high)};
}
/// Of |a| >= |b|, or a = 0.
Sum addOrdered(Expr a, Expr b) {
  Expr sum = a + b;
  return {sum, b - (sum - a)};
}

/// log(x) of a positive finite number to 2^-64: 2 artanh(s), whose first two
/// terms are sums of two.
Sum preciseLogarithm(Expr x) {
  Decomposed parts = decompose(x);
  Sum divisor = addOrdered(x.constant(2.0), parts.f);
  Expr quotient = parts.f / divisor.high;
  Expr remainder = fma(0.0 - quotient, divisor.high, parts.f);
  remainder = remainder - quotient * divisor.low;
  Sum s{quotient, remainder / divisor.high};
  Sum square = multiply(s, s);
  Sum cube = multiply(square, s);
  Sum twoThirds{x.constant(0x1.5555555555555p-1),
                x.constant(0x1.5555555555555p-55)};
  Sum second = multiply(cube, twoThirds);
  Expr third = cube.high * square.high * artanhTail(square.high, /*from=*/2);
  Sum mantissa = addOrdered(s.high * 2.0, second.high);
  Expr low = mantissa.low + (s.low * 2.0 + (second.low + third));
  Sum whole = addOrdered(parts.exponent * kLn2Short, mantissa.high);
  return {whole.high, whole.low + fma(parts.exponent, kLn2Rest, low)};
}

/// |x|^y, with IEEE 754's pow at 0 and infinity.
Expr magnitudeOfPower(Expr a, Expr y) {
  Expr isOrdinary = greater(a, 0.0) & less(a, kInf);
  Sum log = preciseLogarithm(isOrdinary.select(a, 1.0));
  Expr limit = equal(a, 0.0).select(-kInf, a); // also of NaN
  Expr high = isOrdinary.select(log.high, limit);
  Expr low = isOrdinary.select(log.low, 0.0);
  Sum product = multiply(y, high);
  Expr rest = fma(y, low, product.low);
  Expr bounded = atMost(atLeast(product.high, -800.0), 800.0);
  Expr isInside = equal(bounded, product.high) & isOrdinary;
  return exponential(bounded, isInside.select(rest, 0.0));
}

} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Expr expandExpDouble(Expr x) {
  Expr isZero = less(x, -746.0);
  Expr bounded = atMost(isZero.select(0.0, x), 710.0);
  return isZero.select(0.0, exponential(bounded));
}

Expr expandExp2Double(Expr x) {
  Expr isZero = less(x, -1076.0);
  Expr bounded = atMost(isZero.select(0.0, x), 1025.0);
  Expr sum = bounded + kRounder;
  Expr r = bounded - (sum - kRounder);
  Expr fraction = fractionOf(fma(r, kLn2, r * kLn2Low));
  return isZero.select(0.0, scale(fraction + 1.0, sum.bits() - kRounderBits));
}

/// 2^n e^r - 1 = 2 (2^(n-1) (e^r - 1) + (2^(n-1) - 1/2)); tiny arguments are
/// their own result.
Expr expandExpm1Double(Expr x) {
  Reduced reduced = reduce(atMost(atLeast(x, -40.0), 710.0));
  Expr half = powerOfTwo(reduced.n - 1);
  Expr result = fma(half, reduced.fraction, half - 0.5) * 2.0;
  return less(abs(x), 0x1p-54).select(x, result);
}

/// From m = e^|x| - 1; from the square of e^(|x|/2) where that overflows.
Expr expandSinhDouble(Expr x) {
  Expr a = abs(x);
  Expr m = expandExpm1Double(a);
  Expr root = expandExpDouble(a * 0.5);
  Expr small = (m + m / (m + 1.0)) * 0.5;
  Expr result = greater(a, 709.0).select(root * 0.5 * root, small);
  return result.withSignOf(x);
}

Expr expandCoshDouble(Expr x) {
  Expr a = abs(x);
  Expr e = expandExpDouble(a);
  Expr root = expandExpDouble(a * 0.5);
  Expr small = fma(e, 0.5, 0.5 / e);
  return greater(a, 709.0).select(root * 0.5 * root, small);
}

/// m / (m + 2) with m = e^(2|x|) - 1, which is 1 beyond the bound.
Expr expandTanhDouble(Expr x) {
  Expr a = atMost(abs(x), 22.0);
  Expr m = expandExpm1Double(a + a);
  return (m / (m + 2.0)).withSignOf(x);
}

/// The Taylor series up to 0.84; above it 1 - t e^(P(t) - x^2) with t = 2 / (2
/// + |x|) and P an interpolation (Chebyshev's nodes) of what erfc leaves.
Expr expandErfDouble(Expr x) {
  SmallVector<double> series;
  double factorial = 1;
  for (int k = 0; k <= 17; ++k) {
    factorial *= std::max(k, 1);
    double sign = k % 2 == 0 ? 1 : -1;
    series.push_back(sign * M_2_SQRTPI / (factorial * (2 * k + 1)));
  }
  series.front() = 0x1.06eba8214db69p-3; // 2 / sqrt(pi) - 1
  Expr small = fma(x, polynomial(x * x, series), x);
  Expr a = atMost(abs(x), 6.0);
  Expr t = 2.0 / (a + 2.0);
  Expr p = polynomial(
      t - 0.5,
      {-0.6717940840566923,   1.3452864479553135,   0.1893732273676159,
       -0.37516488184948477,  -0.1579630298616495,  0.282398033841587,
       0.11257174761861195,   -0.30026400159673766, -0.03743919077641042,
       0.3449236390613686,    -0.09598498538543587, -0.35697653888114267,
       0.29246911352013,      0.26017755611559723,  -0.494834613189067,
       0.0021448732792260484, 0.5645686232194547,   -0.3576266432612358,
       -0.3643553947477219,   0.46316020798147367});
  Expr tail = t * exponential(fma(0.0 - a, a, p));
  return less(a, 0.84).select(small, (1.0 - tail).withSignOf(x));
}

Expr expandLogDouble(Expr x) {
  return fixLogarithm(x, naturalLogarithm(decompose(x), std::nullopt));
}

Expr expandLog2Double(Expr x) {
  Decomposed parts = decompose(x);
  Expr log = logarithmOf(parts.f);
  Expr scaled = fma(log, kLog2E, log * kLog2ELow);
  return fixLogarithm(x, parts.exponent + scaled);
}

Expr expandLog10Double(Expr x) {
  Decomposed parts = decompose(x);
  Expr log = logarithmOf(parts.f);
  Expr scaled = fma(log, kLog10E, log * kLog10ELow);
  scaled = fma(parts.exponent, kLog10Of2Rest, scaled);
  return fixLogarithm(x, fma(parts.exponent, kLog10Of2Short, scaled));
}

/// As a logarithm of u = 1 + x, with what the addition rounded off brought
/// back.
Expr expandLog1pDouble(Expr x) {
  Expr u = x + 1.0;
  Expr lost = less(abs(x), 1.0).select(x - (u - 1.0), 1.0 - (u - x));
  Expr result = naturalLogarithm(decompose(u), lost / u);
  return equal(x, 0.0).select(x, fixLogarithm(u, result));
}

Expr expandPowDouble(Expr x, Expr y) {
  Expr a = abs(x);
  Expr isOne = equal(y, 0.0) | equal(a, 1.0);
  Expr magnitude = isOne.select(1.0, magnitudeOfPower(a, y));
  Expr isInteger = equal(trunc(y), y);
  Expr half = y * 0.5;
  Expr isOdd = isInteger & trunc(half).cmp(CmpFPredicate::ONE, half);
  Expr sign = isOdd.select(x.bits() & (uint64_t(1) << 63), 0);
  Expr result = (magnitude.bits() | sign).bitcast(x.f64());
  Expr isFiniteNegative = less(x, 0.0) & greater(x, -kInf);
  Expr isUndefined = isFiniteNegative & (isInteger ^ 1);
  result = isUndefined.select(std::nan(""), result);
  return equal(x, 1.0).select(1.0, equal(y, 0.0).select(1.0, result));
}

/// A guess from a third of the exponent and Halley's iteration, as FreeBSD's
/// s_cbrt.c; then one Newton step on the exact residual.
Expr expandCbrtDouble(Expr x) {
  Expr a = abs(x);
  Expr isSubnormal = less(a, 0x1p-1022);
  a = isSubnormal.select(a * 0x1p54, a);
  Expr high = a.bits().lshr(32).trunci(32);
  Expr third = high.emit<arith::DivUIOp>(Value(high), Value(high.constant(3)));
  Expr t = (third + 715094163).extui(64).shl(32).bitcast(x.f64());
  for (int step = 0; step < 3; ++step) {
    Expr ratio = t * t / a * t; // t^3 / a without overflow
    t = t * (ratio + 2.0) / (ratio + ratio + 1.0);
  }
  Sum square = multiply(t, t);
  Sum cube = multiply(square.high, t);
  Expr residual = (cube.high - a) + fma(square.low, t, cube.low);
  t = t - residual / (square.high * 3.0);
  t = isSubnormal.select(t * 0x1p-18, t);
  Expr isZeroOrInf = equal(a + a, a);
  return isZeroOrInf.select(abs(x), t).withSignOf(x);
}

} // namespace tegula::lower
