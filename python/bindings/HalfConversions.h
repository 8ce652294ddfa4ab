// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact conversions between double and floats of 8 and 16 bits, in software.
// Two users: scalar arguments of a launch, and the conversions that compiled
// code calls where the host has no instruction (HalfConversions.cpp).

#ifndef TEGULA_PYTHON_BINDINGS_HALFCONVERSIONS_H
#define TEGULA_PYTHON_BINDINGS_HALFCONVERSIONS_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace tegula::runtime {

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// Rounds to nearest even into sign, `exponentBits`, `mantissaBits`. IEEE 754:
/// overflow gives infinity; NaNs stay NaNs and become quiet.
template <int exponentBits, int mantissaBits>
uint16_t doubleToSmallFloat(double value) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr int maxExponent = (1 << exponentBits) - 1;
  constexpr uint16_t infinity = maxExponent << mantissaBits;
  auto bits = bitCast<uint64_t>(value);
  auto sign =
      static_cast<uint16_t>(bits >> 63 << (exponentBits + mantissaBits));
  int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 0x7ff) {
    uint16_t payload = static_cast<uint16_t>(mantissa >> (52 - mantissaBits)) |
                       uint16_t(1 << (mantissaBits - 1));
    return sign | infinity | (mantissa ? payload : uint16_t(0));
  }
  int target = exponent - 1023 + bias;
  if (target >= maxExponent) {
    return sign | infinity;
  }
  int shift = 52 - mantissaBits;
  if (target <= 0) {
    if (target < -mantissaBits) {
      return sign;
    }
    mantissa |= uint64_t(1) << 52; // A double of this size is normal.
    shift += 1 - target;
    target = 0;
  }
  uint64_t kept = mantissa >> shift;
  uint64_t rest = mantissa & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  // A carry out of the mantissa correctly raises the exponent, up to infinity.
  kept += rest > half || (rest == half && (kept & 1)) ? 1 : 0;
  return static_cast<uint16_t>(sign + (target << mantissaBits) +
                               static_cast<int>(kept));
}

/// Like doubleToSmallFloat, but saturates to the largest finite value. With
/// four exponent bits the format is e4m3fn: no infinity, NaN is all ones, and
/// the top exponent is an ordinary one.
template <int exponentBits, int mantissaBits>
uint8_t doubleToFloat8(double value) {
  constexpr bool finiteOnly = exponentBits == 4;
  constexpr uint8_t largest = finiteOnly ? 0x7e : 0x7b;
  uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) {
    return sign | (finiteOnly ? 0x7f : 0x7e);
  }
  constexpr double limit = finiteOnly ? 448.0 : 57344.0;
  double magnitude = std::fabs(value);
  if (magnitude >= limit) {
    return sign | largest;
  }
  if (finiteOnly && magnitude >= 240.0) { // Beyond IEEE's e4m3: scale by hand.
    auto scaled = doubleToSmallFloat<exponentBits, mantissaBits>(magnitude / 4);
    return sign | static_cast<uint8_t>(scaled + (2 << mantissaBits));
  }
  auto bits = doubleToSmallFloat<exponentBits, mantissaBits>(magnitude);
  return sign | (bits > largest ? largest : static_cast<uint8_t>(bits));
}

inline float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 0x1f;
  uint32_t mantissa = half & 0x3ff;
  if (exponent == 0) {
    float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return bitCast<float>(bitCast<uint32_t>(magnitude) | sign);
  }
  if (exponent == 0x1f) {
    uint32_t quiet = mantissa ? 0x400000 : 0;
    return bitCast<float>(sign | 0x7f800000 | quiet | mantissa << 13);
  }
  return bitCast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

inline float bfloatToFloat(uint16_t bits) {
  return bitCast<float>(uint32_t(bits) << 16);
}

template <int exponentBits, int mantissaBits>
float float8ToFloat(uint8_t bits) {
  if (exponentBits == 5) { // e5m2 is the upper byte of a half.
    return halfToFloat(static_cast<uint16_t>(bits << 8));
  }
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  float sign = bits & 0x80 ? -1.0F : 1.0F;
  int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  int mantissa = bits & ((1 << mantissaBits) - 1);
  if ((bits & 0x7f) == 0x7f) {
    return std::copysign(bitCast<float>(uint32_t(0x7fc00000)), sign);
  }
  int implicit = exponent ? 1 << mantissaBits : 0;
  int scale = (exponent ? exponent : 1) - bias - mantissaBits;
  return sign * std::ldexp(static_cast<float>(implicit + mantissa), scale);
}

} // namespace tegula::runtime

#endif // TEGULA_PYTHON_BINDINGS_HALFCONVERSIONS_H
