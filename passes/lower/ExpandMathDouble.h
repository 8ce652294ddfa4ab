// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of `lower-expand-math` on f64, for devices that have no C
// library to call. At most 2 ulp, 3 for sinh, tanh and tan, as measured against
// exact values at random arguments.

#ifndef TEGULA_PASSES_LOWER_EXPANDMATHDOUBLE_H
#define TEGULA_PASSES_LOWER_EXPANDMATHDOUBLE_H

#include "passes/lower/ExpandMath.h"

namespace tegula::lower {

// ExpandMathDouble.cpp
Expr expandExpDouble(Expr x);
Expr expandExp2Double(Expr x);
Expr expandExpm1Double(Expr x);
Expr expandSinhDouble(Expr x);
Expr expandCoshDouble(Expr x);
Expr expandTanhDouble(Expr x);
Expr expandErfDouble(Expr x);
Expr expandLogDouble(Expr x);
Expr expandLog2Double(Expr x);
Expr expandLog10Double(Expr x);
Expr expandLog1pDouble(Expr x);
Expr expandPowDouble(Expr x, Expr y);
Expr expandCbrtDouble(Expr x);

// ExpandMathDoubleTrig.cpp
Expr expandSinDouble(Expr x);
Expr expandCosDouble(Expr x);
Expr expandTanDouble(Expr x);
Expr expandAsinDouble(Expr x);
Expr expandAcosDouble(Expr x);
Expr expandAtanDouble(Expr x);
Expr expandAtan2Double(Expr y, Expr x);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_EXPANDMATHDOUBLE_H
