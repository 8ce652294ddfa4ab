// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scratch in shared memory is used again and again. Uses that follow each other
// get places of their own, so that most need not wait for the readers of the
// one before.

#ifndef TEGULA_PASSES_LOWER_SCRATCHBARRIERS_H
#define TEGULA_PASSES_LOWER_SCRATCHBARRIERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::lower {

/// Name of the attribute (i64, bytes) of the barrier before a use of scratch
/// and of the operation that points to the scratch. No other code sees it:
/// placeScratch removes it.
inline constexpr llvm::StringLiteral kScratchAttr = "tegula.scratch";

/// Gives each use of scratch that is marked so its place, and removes barriers
/// before uses whose place nobody has touched since the last barrier. Gives the
/// bytes of scratch that the kernel needs.
int64_t placeScratch(mlir::func::FuncOp kernel);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_SCRATCHBARRIERS_H
