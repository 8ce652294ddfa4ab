// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that Tegula registers with MLIR. `tegula-opt` and the Python
// bindings call the same two functions, so that what one can parse or run, the
// other can too.

#ifndef TEGULA_PASSES_OPT_REGISTER_H
#define TEGULA_PASSES_OPT_REGISTER_H

#include "mlir/IR/DialectRegistry.h"

namespace tegula {

void registerDialects(mlir::DialectRegistry &registry);
void registerPasses();

} // namespace tegula

#endif // TEGULA_PASSES_OPT_REGISTER_H
