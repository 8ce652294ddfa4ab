// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much code an operation becomes. Passes ask before they copy code, or
// before a code generator gets more than it can take.

#ifndef TEGULA_PASSES_LOWER_CODESIZE_H
#define TEGULA_PASSES_LOWER_CODESIZE_H

#include "mlir/IR/Operation.h"

namespace tegula::lower {

/// Operations of one thread on single elements that `op` stands for, without
/// those in its regions; none for moves within registers. `getPerThread` says
/// how many elements of a type a thread has.
int64_t getNumOperations(mlir::Operation *op,
                         llvm::function_ref<int64_t(mlir::Type)> getPerThread);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_CODESIZE_H
