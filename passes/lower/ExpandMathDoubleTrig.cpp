// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trigonometric functions of f64 and their inverses, for devices without a C
// library. Arguments of any size are reduced with integers and without
// branches; polynomials are Taylor series.

#include "passes/lower/ExpandMathDouble.h"

#include <cmath>

using namespace mlir;
using arith::CmpIPredicate;

namespace tegula::lower {
namespace {

constexpr double kInf = INFINITY;
constexpr double kHalfPi = 0x1.921fb54442d18p+0;
constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;

//===----------------------------------------------------------------------===//
// Argument reduction
//===----------------------------------------------------------------------===//

/// 2/pi in digits of 32 bits after two that are 0.
constexpr uint64_t kTwoOverPi[] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
    0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0,
    0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
    0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};
constexpr int kDigits = 7;
constexpr uint64_t kDigitMask = 0xffffffff;

/// Seven digits of 2/pi from digit `first` (i64, up to 32) on, by halves.
SmallVector<Expr> getWindow(Expr first) {
  SmallVector<Expr> digits;
  for (uint64_t digit : kTwoOverPi) {
    digits.push_back(first.constant(digit));
  }
  for (int step = 32; step > 0; step /= 2) {
    Expr isBeyond = (first & step).cmp(CmpIPredicate::ne, 0);
    SmallVector<Expr> kept;
    for (int i = 0; i < kDigits + step - 1 && i < int(digits.size()); ++i) {
      bool exists = i + step < int(digits.size());
      kept.push_back(exists ? isBeyond.select(digits[i + step], digits[i])
                            : digits[i]);
    }
    digits = kept;
  }
  return digits;
}

/// The low seven digits of a * window, lowest first; a has three digits.
SmallVector<Expr> multiply(ArrayRef<Expr> a, ArrayRef<Expr> window) {
  SmallVector<Expr> result;
  Expr carry = a.front().constant(0);
  for (int column = 0; column < kDigits; ++column) {
    Expr sum = carry;
    carry = a.front().constant(0);
    for (int i = 0; i < int(a.size()) && i <= column; ++i) {
      Expr product = a[i] * window[kDigits - 1 - (column - i)];
      sum = sum + (product & kDigitMask);
      carry = carry + product.lshr(32);
    }
    carry = carry + sum.lshr(32);
    result.push_back(sum & kDigitMask);
  }
  return result;
}

struct Reduced {
  Expr quadrant; // i64, counts modulo 4 in its low bits
  Expr r, low;   // their sum is in [-pi/4, pi/4]
};

Expr shiftLeft(Expr value, Expr amount) {
  return value.emit<arith::ShLIOp>(Value(value), Value(amount));
}
Expr shiftRight(Expr value, Expr amount) {
  return value.emit<arith::ShRUIOp>(Value(value), Value(amount));
}

/// Of 222 bits of fraction below two bits of quadrant: the fraction, taken to
/// the nearest quadrant, times pi/2.
Reduced fromProduct(ArrayRef<Expr> digits, Type f64) {
  auto pack = [&](int top) {
    return digits[top].shl(34) | digits[top - 1].shl(2) |
           digits[top - 2].lshr(30);
  };
  Expr first = pack(6), second = pack(4);
  Expr quadrant = digits[6].lshr(30) + first.lshr(63);
  auto number = [&](Expr digit, double unit) {
    return digit.convert<arith::SIToFPOp>(f64) * unit;
  };
  Expr a = number(first.ashr(32), 0x1p-32);
  Expr b = number(first & kDigitMask, 0x1p-64);
  Expr c =
      number(second.lshr(32), 0x1p-96) + number(second & kDigitMask, 0x1p-128);
  Expr head = a + b;
  Expr part = head - a;
  Expr lost = (a - (head - part)) + (b - part);
  Expr sum = head + c;
  Expr low = lost + (c - (sum - head));
  Expr r = sum * kHalfPi;
  Expr rest = fma(sum, r.constant(kHalfPi), 0.0 - r);
  return {quadrant, r, rest + fma(sum, kHalfPiLow, low * kHalfPi)};
}

/// Of |x|. With x = m 2^e, the digits of 2/pi whose product with it is a
/// multiple of 4 are left out, and seven digits kept (M. Payne and R. Hanek,
/// "Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983):
/// no f64 comes closer than 2^-62 to a multiple of pi/2, and 2^-138 is lost.
Reduced reduce(Expr a) {
  Expr bits = a.bits();
  // 2^-10 and smaller need no reduction.
  Expr exponent = bits.lshr(52);
  exponent = exponent.emit<arith::MaxSIOp>(Value(exponent),
                                           Value(exponent.constant(1013)));
  Expr position = exponent - 1013;
  Expr shift = position & 31;
  Expr mantissa = (bits & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);
  Expr low = shiftLeft(mantissa, shift);
  Expr high = shiftRight(mantissa.lshr(1), 63 - shift);
  SmallVector<Expr> window = getWindow(position.lshr(5));
  SmallVector<Expr> product =
      multiply({low & kDigitMask, low.lshr(32), high}, window);
  Reduced large = fromProduct(product, a.f64());
  Expr isSmall = less(a, 0.785);
  return {isSmall.select(0, large.quadrant), isSmall.select(a, large.r),
          isSmall.select(0.0, large.low)};
}

//===----------------------------------------------------------------------===//
// Sine and cosine on [-pi/4, pi/4]
//===----------------------------------------------------------------------===//

/// (-1)^k / (2k + first)! for k from 1.
SmallVector<double> alternatingSeries(int first, int count) {
  SmallVector<double> series;
  double factorial = 1;
  for (int k = 1; k <= count; ++k) {
    factorial *= (2 * k + first - 1) * (2 * k + first);
    series.push_back((k % 2 == 0 ? 1 : -1) / factorial);
  }
  return series;
}

Expr sinNear0(Reduced at) {
  Expr square = at.r * at.r;
  Expr p = polynomial(square, alternatingSeries(1, 8));
  Expr low = fma(square, -0.5, square.constant(1.0)) * at.low;
  return at.r + fma(at.r * square, p, low);
}

Expr cosNear0(Reduced at) {
  Expr square = at.r * at.r;
  SmallVector<double> series = alternatingSeries(0, 9);
  Expr p = polynomial(square, ArrayRef(series).drop_front());
  Expr half = square * 0.5;
  Expr head = 1.0 - half;
  Expr lost = (1.0 - head) - half;
  Expr rest = fma(square * square, p, lost - at.r * at.low);
  return head + rest;
}

/// sin(r + quadrant pi/2).
Expr sinAt(Reduced at) {
  Expr isOdd = (at.quadrant & 1).cmp(CmpIPredicate::ne, 0);
  Expr value = isOdd.select(cosNear0(at), sinNear0(at));
  Expr sign = (at.quadrant & 2).shl(62);
  return (value.bits() ^ sign).bitcast(value.f64());
}

/// NaN for infinities and NaN.
Expr fixArgument(Expr x, Expr result) {
  return less(abs(x), kInf).select(result, x - x);
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

/// asin(s) / s - 1 for s^2 up to 1/4.
Expr arcSineTail(Expr square) {
  SmallVector<double> series;
  double binomial = 1; // (2k)! / (4^k k!^2)
  for (int k = 1; k <= 26; ++k) {
    binomial *= (2 * k - 1) / (2.0 * k);
    series.push_back(binomial / (2 * k + 1));
  }
  return square * polynomial(square, series);
}

/// asin of a small number is w, of another pi/2 - 2 w.
struct ArcSine {
  Expr isLarge, w;
};

ArcSine arcSine(Expr a) {
  Expr isLarge = greater(a, 0.5);
  Expr square = isLarge.select(fma(a, -0.5, a.constant(0.5)), a * a);
  Expr root = sqrt(square);
  // What the rounding of the root lost.
  Expr lost = fma(0.0 - root, root, square) / (root + root);
  lost = equal(root, 0.0).select(0.0, lost);
  Expr s = isLarge.select(root, a);
  Expr rest = s * arcSineTail(square);
  return {isLarge, s + isLarge.select(rest + lost, rest)};
}

/// pi/2 - x.
Expr fromHalfPi(Expr x) { return kHalfPi - (x - kHalfPiLow); }

/// Of a in [0, 1]: from the nearest of 0, pi/8 and pi/4, whose tangents are
/// known, by the tangent of the difference.
Expr arcTangent(Expr a) {
  constexpr double kTan1 = 0x1.a827999fcef32p-2; // tan(pi/8)
  Expr isMiddle = greater(a, 0.19891236737965800691);
  Expr isTop = greater(a, 0.66817863791929891999);
  auto pick = [&](double top, double middle) {
    return isTop.select(top, isMiddle.select(middle, a.constant(0.0)));
  };
  Expr tangent = pick(1.0, kTan1);
  // tan(pi/8) as a sum of two.
  Expr difference = a - tangent - pick(0.0, 0x1.08b2fb1366ea9p-56);
  Expr t = difference / fma(a, tangent, a.constant(1.0));
  Expr square = t * t;
  SmallVector<double> series;
  for (int k = 1; k <= 12; ++k) {
    series.push_back((k % 2 == 0 ? 1.0 : -1.0) / (2 * k + 1));
  }
  Expr rest = t * square * polynomial(square, series);
  Expr low = pick(kHalfPiLow / 2, kHalfPiLow / 4);
  return pick(kHalfPi / 2, kHalfPi / 4) + (t + (rest + low));
}

} // namespace

Expr expandSinDouble(Expr x) {
  Expr result = sinAt(reduce(abs(x)));
  Expr sign = x.bits() & (uint64_t(1) << 63);
  return fixArgument(x, (result.bits() ^ sign).bitcast(x.f64()));
}

Expr expandCosDouble(Expr x) {
  Reduced at = reduce(abs(x));
  return fixArgument(x, sinAt({at.quadrant + 1, at.r, at.low}));
}

Expr expandTanDouble(Expr x) {
  Reduced at = reduce(abs(x));
  Expr sine = sinNear0(at), cosine = cosNear0(at);
  Expr isOdd = (at.quadrant & 1).cmp(CmpIPredicate::ne, 0);
  Expr result = isOdd.select(0.0 - cosine, sine) / isOdd.select(sine, cosine);
  Expr sign = x.bits() & (uint64_t(1) << 63);
  return fixArgument(x, (result.bits() ^ sign).bitcast(x.f64()));
}

Expr expandAsinDouble(Expr x) {
  ArcSine part = arcSine(abs(x));
  Expr large = kHalfPi - (part.w * 2.0 - kHalfPiLow);
  return part.isLarge.select(large, part.w).withSignOf(x);
}

Expr expandAcosDouble(Expr x) {
  ArcSine part = arcSine(abs(x));
  Expr twice = part.w * 2.0;
  Expr isNegative = less(x, 0.0);
  Expr large = isNegative.select(2 * kHalfPi - (twice - 2 * kHalfPiLow), twice);
  return part.isLarge.select(large, fromHalfPi(part.w.withSignOf(x)));
}

Expr expandAtanDouble(Expr x) {
  Expr a = abs(x);
  Expr isLarge = greater(a, 1.0);
  Expr angle = arcTangent(isLarge.select(1.0 / a, a));
  return isLarge.select(fromHalfPi(angle), angle).withSignOf(x);
}

/// The angle of (|x|, |y|) in the first octant, then mirrored.
Expr expandAtan2Double(Expr y, Expr x) {
  Expr a = abs(x);
  Expr b = abs(y);
  Expr isSteep = greater(b, a);
  Expr smaller = isSteep.select(a, b);
  Expr larger = isSteep.select(b, a);
  // 0 / 0 counts as 0 and inf / inf as 1; NaN stays.
  Expr isSame = equal(a, b);
  Expr diagonal = equal(a, 0.0).select(a, x.constant(1.0));
  Expr ratio = isSame.select(diagonal, smaller / larger);
  Expr angle = arcTangent(ratio);
  angle = isSteep.select(fromHalfPi(angle), angle);
  Expr isLeft = x.bits().cmp(CmpIPredicate::slt, 0);
  angle = isLeft.select(2 * kHalfPi - (angle - 2 * kHalfPiLow), angle);
  return angle.withSignOf(y);
}

} // namespace tegula::lower
