// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What layout assignment has to know of dots without matrix instructions.

#ifndef TEGULA_PASSES_LOWER_DOTFALLBACK_H
#define TEGULA_PASSES_LOWER_DOTFALLBACK_H

#include "dialects/layout/LinearLayout.h"

#include <optional>

namespace tegula::lower {

struct FmaDotLayouts {
  layout::LinearLayout a, b;
};

/// Layouts of the operands of a dot whose result has layout `acc` (shape
/// [batch] x M x N) and whose contracted extent is `k`, with which each thread
/// holds all that its results need. Nothing if that is more than a thread
/// should hold: the operands may then have any layouts and go through shared
/// memory.
std::optional<FmaDotLayouts> getFmaDotLayouts(const layout::LinearLayout &acc,
                                              int64_t k);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_DOTFALLBACK_H
