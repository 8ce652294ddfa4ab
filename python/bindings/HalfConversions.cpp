// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions to and from 16-bit floats that LLVM emits as calls where the host
// has no instruction for them. Compiler run-time libraries provide them only
// from certain versions on, so Tegula brings its own, rounding to nearest even
// in one step from the source type.

#include "HalfConversions.h"

#include "Callbacks.h"

namespace tegula::runtime {
namespace {

/// A 16-bit float travels in the low bits of a vector register on x86-64 and
/// AArch64, which is where a `float` with these low bits travels too. That
/// avoids compiler support for the types.
float asRegister(uint16_t bits) { return bitCast<float>(uint32_t(bits)); }
uint16_t fromRegister(float value) {
  return static_cast<uint16_t>(bitCast<uint32_t>(value));
}

float truncDoubleToHalf(double x) {
  return asRegister(doubleToSmallFloat<5, 10>(x));
}
float truncFloatToHalf(float x) {
  return asRegister(doubleToSmallFloat<5, 10>(x));
}
float truncDoubleToBFloat(double x) {
  return asRegister(doubleToSmallFloat<8, 7>(x));
}
float truncFloatToBFloat(float x) {
  return asRegister(doubleToSmallFloat<8, 7>(x));
}
float extendHalfToFloat(float x) { return halfToFloat(fromRegister(x)); }
double extendHalfToDouble(float x) { return halfToFloat(fromRegister(x)); }
float extendBFloatToFloat(float x) { return bfloatToFloat(fromRegister(x)); }

} // namespace

const std::vector<RuntimeSymbol> &halfConversionSymbols() {
  static const auto *symbols = new std::vector<RuntimeSymbol>{
      {"__truncdfhf2", reinterpret_cast<void *>(&truncDoubleToHalf)},
      {"__truncsfhf2", reinterpret_cast<void *>(&truncFloatToHalf)},
      {"__truncdfbf2", reinterpret_cast<void *>(&truncDoubleToBFloat)},
      {"__truncsfbf2", reinterpret_cast<void *>(&truncFloatToBFloat)},
      {"__extendhfsf2", reinterpret_cast<void *>(&extendHalfToFloat)},
      {"__extendhfdf2", reinterpret_cast<void *>(&extendHalfToDouble)},
      {"__extendbfsf2", reinterpret_cast<void *>(&extendBFloatToFloat)},
  };
  return *symbols;
}

} // namespace tegula::runtime
