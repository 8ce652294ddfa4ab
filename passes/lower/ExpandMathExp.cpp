// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exponential and what is made of it. All share one reduction, x = n ln 2 +
// r with |r| <= ln 2 / 2 (W. J. Cody and W. Waite, "Software Manual for the
// Elementary Functions", 1980), and one polynomial for e^r - 1; coefficients
// are minimax fits (Remez) rounded to f32 one after the other.

#include "passes/lower/ExpandMath.h"

namespace tegula::lower {
namespace {

constexpr double kLog2E = 1.44269504088896340736;
constexpr double kLn2High = 0.693147182464599609375;
constexpr double kLn2Low = -1.904654299957768e-9;
/// Adding and subtracting 1.5 * 2^23 rounds to the nearest integer, which is
/// then also in the low bits of the sum.
constexpr float kRounder = 12582912.0f;
constexpr int kRounderBits = 0x4b400000;

struct Reduced {
  Expr n;        // i32
  Expr fraction; // e^r - 1
};

Reduced reduce(Expr x) {
  Expr sum = fma(x, kLog2E, x.constant(kRounder));
  Expr n = sum - kRounder;
  Expr r = fma(n, -kLn2Low, fma(n, -kLn2High, x));
  Expr q = polynomial(
      r, {0.49999997, 0.16666539, 0.0416677557, 0.00836710259, 0.00138363929});
  return {sum.bits() - kRounderBits, fma(r * r, q, r)};
}

/// 2^n for n in [-126, 128], the last being infinity.
Expr powerOfTwo(Expr n) { return (n + 127).shl(23).bitcast(n.f32()); }

/// x * 2^n in two steps, so that overflow and the rounding of subnormal results
/// happen in the last one.
Expr scale(Expr x, Expr n) {
  Expr half = n.ashr(1);
  return x * powerOfTwo(half) * powerOfTwo(n - half);
}

} // namespace

/// Results below the smallest subnormal are taken out first: they are common
/// (masked softmax), and underflow is slow.
Expr expandExp(Expr x) {
  Expr isZero = less(x, -104.0);
  Reduced reduced = reduce(atMost(isZero.select(0.0, x), 89.0));
  return isZero.select(0.0, scale(reduced.fraction + 1.0, reduced.n));
}

Expr expandExp2(Expr x) {
  Expr isZero = less(x, -151.0);
  Expr bounded = atMost(isZero.select(0.0, x), 129.0);
  Expr sum = bounded + kRounder;
  Expr r = bounded - (sum - kRounder);
  Expr q = polynomial(r, {0.693147182, 0.240225941, 0.0555036627, 0.00962544512,
                          0.00133879273, 0.000133325346});
  Expr power = scale(fma(r, q, 1.0), sum.bits() - kRounderBits);
  return isZero.select(0.0, power);
}

/// 2^n e^r - 1 = 2 (2^(n-1) (e^r - 1) + (2^(n-1) - 1/2)); tiny arguments are
/// their own result.
Expr expandExpm1(Expr x) {
  Reduced reduced = reduce(atMost(atLeast(x, -18.0), 89.0));
  Expr half = powerOfTwo(reduced.n - 1);
  Expr result = fma(half, reduced.fraction, half - 0.5) * 2.0;
  return less(abs(x), 0x1p-24).select(x, result);
}

/// (e^x - e^-x) / 2 from e^x / 2, and a polynomial where that would cancel.
Expr expandSinh(Expr x) {
  Expr a = abs(x);
  Reduced reduced = reduce(atMost(a, 90.0));
  Expr half = (reduced.fraction + 1.0) * powerOfTwo(reduced.n - 2) * 2.0;
  Expr large = half - 0.25 / half;
  Expr square = a * a;
  Expr p = polynomial(
      square, {0.166666672, 0.00833331048, 0.000198428912, 2.78226707e-06});
  Expr small = fma(a * square, p, a);
  return less(a, 1.0).select(small, large).withSignOf(x);
}

Expr expandCosh(Expr x) {
  Reduced reduced = reduce(atMost(abs(x), 90.0));
  Expr half = (reduced.fraction + 1.0) * powerOfTwo(reduced.n - 2) * 2.0;
  return half + 0.25 / half;
}

/// With m = e^(2|x|) - 1: m / (m + 2), which is 1 beyond the bound; a
/// polynomial where the division would cost accuracy.
Expr expandTanh(Expr x) {
  Expr a = atMost(abs(x), 9.25);
  Reduced reduced = reduce(a + a);
  Expr power = powerOfTwo(reduced.n);
  Expr m = fma(power, reduced.fraction, power - 1.0);
  Expr square = a * a;
  Expr p = polynomial(square, {-0.333333164, 0.133325443, -0.0538475476,
                               0.021050714, -0.0062428494});
  Expr small = fma(a * square, p, a);
  return less(a, 0.55).select(small, m / (m + 2.0)).withSignOf(x);
}

/// An odd polynomial up to 0.93; above it 1 - e^p with p a polynomial for log(1
/// - erf |x|), which is 1 from 3.92 on.
Expr expandErf(Expr x) {
  Expr square = x * x;
  Expr small = fma(
      x,
      polynomial(square, {0.128379166, -0.376126289, 0.112836257, -0.0268557314,
                          0.00519240508, -0.000804976968, 7.99664995e-05}),
      x);
  Expr a = atMost(abs(x), 3.9375);
  Expr p = polynomial(a, {-0.128514364, -0.635718286, -0.105261914,
                          0.0228900388, -0.00321499095, 0.000213991167});
  Reduced reduced = reduce(fma(a, p, 0.0 - a));
  Expr tail =
      fma(powerOfTwo(reduced.n), reduced.fraction, powerOfTwo(reduced.n));
  return less(a, 0.93).select(small, (1.0 - tail).withSignOf(x));
}

} // namespace tegula::lower
