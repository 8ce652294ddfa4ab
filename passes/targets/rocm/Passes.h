// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the passes that only AMD GPUs' pipelines run; see Passes.td
// for what each does.

#ifndef TEGULA_PASSES_TARGETS_ROCM_PASSES_H
#define TEGULA_PASSES_TARGETS_ROCM_PASSES_H

#include "passes/targets/rocm/Rocdl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace tegula::rocm {

#define GEN_PASS_DECL
#include "passes/targets/rocm/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/targets/rocm/Passes.h.inc"

/// Registers `tegula-rocdl-pipeline` and its phases.
void registerPipelines();

} // namespace tegula::rocm

#endif // TEGULA_PASSES_TARGETS_ROCM_PASSES_H
