// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that only the host CPU's pipeline runs.

#ifndef TEGULA_PASSES_TARGETS_CPU_PASSES
#define TEGULA_PASSES_TARGETS_CPU_PASSES

include "mlir/Pass/PassBase.td"

#endif // TEGULA_PASSES_TARGETS_CPU_PASSES
