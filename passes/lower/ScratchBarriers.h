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

/// Puts a barrier where the kernel's rings, if it has any, are done: what comes
/// after it may use their memory. placeScratch removes it if nothing does.
void markRingsDone(mlir::func::FuncOp kernel);

/// Gives each use of scratch that is marked so its place, and removes barriers
/// before uses whose place nobody has touched since the last barrier. A large
/// use after the rings takes the place of one of them; other scratch begins at
/// `firstByte` of shared memory. Gives the bytes from there on that the kernel
/// needs.
int64_t placeScratch(mlir::func::FuncOp kernel, int64_t firstByte);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_SCRATCHBARRIERS_H
