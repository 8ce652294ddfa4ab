// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order a kernel's programs had better start. Any order is right; what
// starts last should not be what takes longest.

#ifndef TEGULA_PASSES_LOWER_PROGRAMORDER_H
#define TEGULA_PASSES_LOWER_PROGRAMORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::lower {

/// Whether a loop of the kernel has more iterations the larger the program's
/// number along the first axis is.
bool growsWithProgram(mlir::func::FuncOp kernel);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_PROGRAMORDER_H
