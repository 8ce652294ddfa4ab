// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of `tile-expand-elementwise`. Upstream casts leave out-of-range
// floats undefined, round twice on the way to 8 and 16 bits, and know no
// saturation; the sequences here are exact, branch-free and the same on every
// target.

#include "passes/tile/ExpandCast.h"

#include <cmath>

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace tegula::tile {
namespace {

/// An 8-bit float: sign, exponent with `bias`, `mantissa` bits; magnitudes up
/// to `maxCode` are finite.
struct Float8Format {
  unsigned mantissa;
  int bias;
  unsigned maxCode;
  unsigned nanCode;
};

bool isFloat8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

Float8Format getFormat(Type type) {
  return isa<Float8E4M3FNType>(type) ? Float8Format{3, 7, 0x7e, 0x7f}
                                     : Float8Format{2, 15, 0x7b, 0x7e};
}

Expr lesser(Expr a, Expr b) {
  return a.cmp(CmpFPredicate::OLT, b).select(a, b);
}
Expr greater(Expr a, Expr b) {
  return a.cmp(CmpFPredicate::OGT, b).select(a, b);
}

//===----------------------------------------------------------------------===//
// From floats
//===----------------------------------------------------------------------===//

/// Exact: e5m2 is the upper half of f16; e4m3fn placed there is 2^8 too small,
/// and its one NaN code needs care.
Expr float8ToF32(Expr x) {
  Expr code = x.bits();
  if (isa<Float8E5M2Type>(x.getElementType())) {
    return code.extui(16).shl(8).bitcast(x.f16()).extf(x.f32());
  }
  Expr half = (code.extsi(16).shl(7) & 0xbfff).bitcast(x.f16());
  Expr number = half.extf(x.f32()) * 256.0;
  Expr isNaN = (code & 0x7f).cmp(CmpIPredicate::eq, 0x7f);
  return isNaN.select(std::nan(""), number);
}

Expr toF32OrF64(Expr x) {
  if (isFloat8(x.getElementType())) {
    return float8ToF32(x);
  }
  return x.getWidth() < 32 ? x.extf(x.f32()) : x;
}

/// f64 to f32 rounded to odd: truncated, with the last bit set if anything was
/// lost. A later rounding to 22 bits or fewer then gives what one rounding of
/// `x` would (Boldo and Melquiond, "When double rounding is odd", 2005).
Expr roundToOddF32(Expr x) {
  Expr near = x.truncf(x.f32());
  Expr exact = x.bits();
  Expr back = near.extf(x.f64()).bits();
  Expr isAbove = exact.cmp(CmpIPredicate::ult, back).extui(32);
  Expr isInexact = exact.cmp(CmpIPredicate::ne, back).extui(32);
  return ((near.bits() - isAbove) | isInexact).bitcast(x.f32());
}

/// f32 to an 8-bit float: nearest even, beyond the largest finite value that
/// value, NaN stays NaN.
Expr f32ToFloat8(Expr x, Type to) {
  Float8Format format = getFormat(to);
  unsigned dropped = 23 - format.mantissa;
  Expr bits = x.bits();
  Expr magnitude = bits & 0x7fffffff;
  Expr odd = magnitude.lshr(dropped) & 1;
  Expr normal = (magnitude + ((1u << (dropped - 1)) - 1) + odd).lshr(dropped) -
                ((127 - format.bias) << format.mantissa);
  // Adding a number whose last place is the smallest subnormal leaves the
  // subnormal's code in the low bits.
  float magic = std::ldexp(1.0f, 24 - format.bias - int(format.mantissa));
  Expr shifted = (magnitude.bitcast(x.f32()) + magic).bits();
  Expr subnormal = shifted - shifted.constant(x.f32(), magic).bits();
  Expr isSubnormal =
      magnitude.cmp(CmpIPredicate::ult, (128 - format.bias) << 23);
  Expr code = isSubnormal.select(subnormal, normal);
  code = code.emit<arith::MinUIOp>(code, code.constant(format.maxCode));
  code = magnitude.cmp(CmpIPredicate::ugt, 0x7f800000)
             .select(format.nanCode, code);
  return (code | (bits.lshr(24) & 0x80)).trunci(8).bitcast(to);
}

Expr floatToFloat(Expr x, Type to) {
  if (x.getElementType() == to) {
    return x;
  }
  Expr wide = toF32OrF64(x);
  if (to.isF64()) {
    return wide.extf(to);
  }
  bool isDouble = wide.getWidth() == 64;
  if (to.isF32()) {
    return isDouble ? wide.truncf(to) : wide;
  }
  Expr single = isDouble ? roundToOddF32(wide) : wide;
  return isFloat8(to) ? f32ToFloat8(single, to) : single.truncf(to);
}

/// Truncate and saturate, NaN gives 0. The float is clamped to representable
/// bounds first, so that the conversion is never out of range.
Expr floatToInt(Expr source, unsigned width, bool isUnsigned) {
  Expr x = toF32OrF64(source);
  unsigned precision = x.getWidth() == 64 ? 53 : 24;
  unsigned magnitudeBits = isUnsigned ? width : width - 1;
  double low = isUnsigned ? 0.0 : -std::ldexp(1.0, width - 1);
  double limit = std::ldexp(1.0, magnitudeBits);
  // The largest integer below `limit` that the float holds.
  double high = limit - std::ldexp(1.0, magnitudeBits > precision
                                            ? magnitudeBits - precision
                                            : 0);
  // NaN fails the comparison and becomes `low`, which is right already for
  // unsigned results.
  Expr clamped = lesser(greater(x, x.constant(low)), x.constant(high));
  unsigned machineWidth = std::max(width, 32u);
  Type machine = x.withElement(x.i(machineWidth));
  Expr result = isUnsigned && width >= 32
                    ? clamped.emit<arith::FPToUIOp>(machine, clamped)
                    : clamped.emit<arith::FPToSIOp>(machine, clamped);
  if (magnitudeBits > precision) {
    uint64_t most = ~uint64_t(0) >> (64 - magnitudeBits);
    result = x.cmp(CmpFPredicate::OGE, limit).select(most, result);
  }
  result = result.trunci(width);
  return isUnsigned ? result : x.isNaN().select(0, result);
}

/// Not zero; NaN is true.
Expr toBool(Expr x) {
  if (!x.isFloat()) {
    return x.cmp(CmpIPredicate::ne, 0);
  }
  if (x.getWidth() < 32) {
    return (x.bits() & x.magnitudeMask()).cmp(CmpIPredicate::ne, 0);
  }
  return x.cmp(CmpFPredicate::UNE, 0.0);
}

//===----------------------------------------------------------------------===//
// From integers
//===----------------------------------------------------------------------===//

Expr intToInt(Expr x, unsigned width, bool isUnsigned) {
  if (width <= x.getWidth()) {
    return x.trunci(width);
  }
  return isUnsigned ? x.extui(width) : x.extsi(width);
}

Expr intToNative(Expr x, Type to, bool isUnsigned) {
  return isUnsigned ? x.convert<arith::UIToFPOp>(to)
                    : x.convert<arith::SIToFPOp>(to);
}

/// An integer of at most 32 bits that stands for `x` in a format whose largest
/// finite value is below 2^17.
Expr clampToI32(Expr x, bool isUnsigned) {
  if (x.getWidth() <= 16) {
    return intToInt(x, 32, isUnsigned);
  }
  constexpr int kBound = 1 << 17;
  Expr high = x.constant(kBound);
  if (isUnsigned) {
    return x.emit<arith::MinUIOp>(x, high).trunci(32);
  }
  Expr low = x.emit<arith::MaxSIOp>(x, x.constant(-kBound));
  return low.emit<arith::MinSIOp>(low, high).trunci(32);
}

/// To bf16 with one rounding. An integer of more bits than `wide` holds exactly
/// gets its lowest `sticky` bits replaced by one odd bit above them (rounding
/// to odd: two's complement makes that right for negative numbers too).
Expr intToBF16(Expr x, bool isUnsigned) {
  if (x.getWidth() <= 16) {
    return intToNative(x, x.f32(), isUnsigned).truncf(x.bf16());
  }
  bool isLong = x.getWidth() == 64;
  unsigned precision = isLong ? 53 : 24;
  unsigned sticky = x.getWidth() - precision;
  uint64_t low = (uint64_t(1) << sticky) - 1;
  Expr odd = ((x & low) + low | x) & ~low;
  uint64_t exactUpTo = uint64_t(1) << precision;
  Expr isLarge = isUnsigned
                     ? x.cmp(CmpIPredicate::ugt, exactUpTo)
                     : (x + exactUpTo).cmp(CmpIPredicate::ugt, 2 * exactUpTo);
  Expr wide = intToNative(isLarge.select(odd, x), isLong ? x.f64() : x.f32(),
                          isUnsigned);
  return floatToFloat(wide, x.bf16());
}

Expr intToFloat(Expr x, Type to, bool isUnsigned) {
  if (x.getWidth() == 1) {
    return x.select(x.constant(to, 1), x.constant(to, 0));
  }
  if (to.isF32() || to.isF64()) {
    return intToNative(x, to, isUnsigned);
  }
  if (to.isBF16()) {
    return intToBF16(x, isUnsigned);
  }
  Expr small = clampToI32(x, isUnsigned);
  return floatToFloat(intToNative(small, x.f32(), /*isUnsigned=*/false), to);
}

} // namespace

Expr expandCast(Expr source, Type to, bool fromUnsigned, bool toUnsigned) {
  if (to.isInteger(1)) {
    return source.getElementType().isInteger(1) ? source : toBool(source);
  }
  if (source.isFloat()) {
    return isa<FloatType>(to)
               ? floatToFloat(source, to)
               : floatToInt(source, to.getIntOrFloatBitWidth(), toUnsigned);
  }
  // A boolean has no sign: true is 1.
  bool isUnsigned = fromUnsigned || source.getWidth() == 1;
  return isa<FloatType>(to)
             ? intToFloat(source, to, isUnsigned)
             : intToInt(source, to.getIntOrFloatBitWidth(), isUnsigned);
}

} // namespace tegula::tile
