// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels lower-overlap-products leaves alone. Targets know it when they
// divide a processor's registers and memory.

#ifndef TEGULA_PASSES_LOWER_OVERLAPPRODUCTS_H
#define TEGULA_PASSES_LOWER_OVERLAPPRODUCTS_H

#include "llvm/ADT/StringRef.h"

namespace tegula::lower {

/// Name of the attribute (a unit) of a kernel whose programs share a processor
/// instead of holding several products each.
inline constexpr llvm::StringLiteral kTakesTurnsAttr = "tegula.takes_turns";

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_OVERLAPPRODUCTS_H
