// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trigonometric functions and their inverses. Arguments of any size are reduced
// without branches or tables in memory, so that loops of sines vectorise like
// loops of sums.

#include "passes/lower/ExpandMath.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace tegula::lower {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kHalfPiHigh = 1.57079637050628662109375;
constexpr double kHalfPiLow = -4.37113900018624283e-8;

//===----------------------------------------------------------------------===//
// Argument reduction
//===----------------------------------------------------------------------===//

struct Reduced {
  Expr quadrant; // i32, counts modulo 4 in its low bits
  Expr r;        // in [-pi/4, pi/4]
};

/// 2/pi as a sum of two f64, for f32 arguments below `limit`. Digits of 2/pi
/// whose product with every argument of at least the previous limit is a
/// multiple of 4 are left out (M. Payne and R. Hanek, "Radian reduction for
/// trigonometric functions", SIGNUM Newsletter 18, 1983).
struct Window {
  double limit;
  double high, low;
};
constexpr Window kWindows[] = {
    {0x1p28, 0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55},
    {0x1p53, 0x1.7cc1b727220a9p-7, 0x1.3f84eafa3ea6ap-61},
    {0x1p78, 0x1.c9c882a53f84fp-29, -0x1.4170565911f92p-83},
    {0x1p103, 0x1.4a7f09d5f47d5p-54, -0x1.6447e493ad4cep-109},
    {0, 0x1.abe8fa9a6ee07p-79, -0x1.275a99b0ef1bfp-134}};

/// With x * high = p + e exactly, takes the multiple of 4 out of p, adds e and
/// x * low, and splits off the nearest integer. The product spans at most 2^50,
/// so that the fraction is right to 2^-56; no f32 comes closer than 2^-30 to a
/// multiple of pi/2.
Reduced reduce(Expr x) {
  constexpr double kRounder = 6755399441055744.0; // 1.5 * 2^52
  Expr a = abs(x);
  Expr wide = x.extf(x.f64());
  Expr high = wide.constant(std::end(kWindows)[-1].high);
  Expr low = wide.constant(std::end(kWindows)[-1].low);
  for (const Window &window : llvm::reverse(llvm::drop_end(kWindows))) {
    Expr isBelow = less(a, window.limit);
    high = isBelow.select(window.high, high);
    low = isBelow.select(window.low, low);
  }
  Expr product = wide * high;
  Expr error = fma(wide, high, 0.0 - product);
  Expr fours = fma(product, 0.25, wide.constant(kRounder)) - kRounder;
  Expr turn = fma(fours, -4.0, product);
  Expr rest = fma(wide, low, error);
  Expr sum = turn + rest + kRounder;
  Expr fraction = turn - (sum - kRounder) + rest;
  return {sum.bits().trunci(32), (fraction * (kPi / 2)).truncf(x.f32())};
}

/// Of r in [-pi/4, pi/4].
Expr sinPolynomial(Expr r) {
  Expr square = r * r;
  Expr p = polynomial(square, {-0.166666552, 0.00833218824, -0.000195180954});
  return fma(r * square, p, r);
}

Expr cosPolynomial(Expr r) {
  Expr square = r * r;
  Expr p = polynomial(square, {0.0416666456, -0.00138873095, 2.44323273e-05});
  return fma(square * square, p, fma(square, -0.5, r.constant(1.0)));
}

/// sin(r + quadrant pi/2).
Expr sinAt(Reduced at) {
  Expr isOdd = (at.quadrant & 1).cmp(CmpIPredicate::ne, 0);
  Expr value = isOdd.select(cosPolynomial(at.r), sinPolynomial(at.r));
  Expr sign = (at.quadrant & 2).shl(30);
  return (value.bits() ^ sign).bitcast(value.f32());
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

/// asin(a) = w for small a, and pi/2 - 2 w above (as Cephes does, with the
/// halves meeting where w is below 1/2).
struct ArcSine {
  Expr isLarge;
  Expr w;
};

/// `offset` is added to a large w before it is rounded.
ArcSine arcSine(Expr a, double offset) {
  Expr isLarge = greater(a, 0.5625);
  Expr square = isLarge.select(fma(a, -0.5, a.constant(0.5)), a * a);
  Expr s = isLarge.select(sqrt(square), a);
  Expr p = polynomial(square, {0.166666314, 0.0750210062, 0.0442314632,
                               0.0340169482, 0.00672083162, 0.0475110784});
  Expr shift = isLarge.select(a.constant(offset), a.constant(0.0));
  return {isLarge, s + fma(s * square, p, shift)};
}

/// Of a in [0, 1].
Expr atanPolynomial(Expr a) {
  Expr square = a * a;
  Expr p = polynomial(square, {-0.333332986, 0.199985296, -0.142640159,
                               0.109508812, -0.0839930847, 0.0578813441,
                               -0.0310967527, 0.0108683994, -0.00178270775});
  return fma(a * square, p, a);
}

/// pi/2 - x.
Expr fromHalfPi(Expr x) { return kHalfPiHigh - (x - kHalfPiLow); }

} // namespace

Expr expandSin(Expr x) {
  // The reduction turns -0 into +0.
  return equal(x, 0.0).select(x, sinAt(reduce(x)));
}

Expr expandCos(Expr x) {
  Reduced at = reduce(x);
  return sinAt({at.quadrant + 1, at.r});
}

Expr expandTan(Expr x) {
  Reduced at = reduce(x);
  Expr square = at.r * at.r;
  Expr p =
      polynomial(square, {0.333333492, 0.133326739, 0.0540591776, 0.0212845113,
                          0.0108324783, 9.12236137e-05, 0.00437642401});
  Expr tangent = fma(at.r * square, p, at.r);
  Expr isOdd = (at.quadrant & 1).cmp(CmpIPredicate::ne, 0);
  Expr result = isOdd.select(-1.0 / tangent, tangent);
  return equal(x, 0.0).select(x, result);
}

Expr expandAsin(Expr x) {
  ArcSine part = arcSine(abs(x), -kHalfPiLow / 2);
  Expr large = fma(part.w, -2.0, x.constant(kHalfPiHigh));
  return part.isLarge.select(large, part.w).withSignOf(x);
}

Expr expandAcos(Expr x) {
  ArcSine part = arcSine(abs(x), 0.0);
  Expr twice = part.w + part.w;
  Expr isNegative = less(x, 0.0);
  Expr large =
      isNegative.select(2 * kHalfPiHigh - (twice - 2 * kHalfPiLow), twice);
  return part.isLarge.select(large, fromHalfPi(part.w.withSignOf(x)));
}

Expr expandAtan(Expr x) {
  Expr a = abs(x);
  Expr isLarge = greater(a, 1.0);
  Expr angle = atanPolynomial(isLarge.select(1.0 / a, a));
  return isLarge.select(fromHalfPi(angle), angle).withSignOf(x);
}

/// The angle of (|x|, |y|) in the first octant, then mirrored.
Expr expandAtan2(Expr y, Expr x) {
  Expr a = abs(x);
  Expr b = abs(y);
  Expr isSteep = greater(b, a);
  Expr smaller = isSteep.select(a, b);
  Expr larger = isSteep.select(b, a);
  // 0 / 0 counts as 0 and inf / inf as 1; NaN stays.
  Expr isSame = equal(a, b);
  Expr diagonal = equal(a, 0.0).select(a, x.constant(1.0));
  Expr ratio = isSame.select(diagonal, smaller / larger);
  Expr angle = atanPolynomial(ratio);
  angle = isSteep.select(fromHalfPi(angle), angle);
  Expr isLeft = x.bits().cmp(CmpIPredicate::slt, 0);
  angle = isLeft.select(2 * kHalfPiHigh - (angle - 2 * kHalfPiLow), angle);
  return angle.withSignOf(y);
}

} // namespace tegula::lower
