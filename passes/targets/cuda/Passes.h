// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the passes that only NVIDIA GPUs' pipelines run; see
// Passes.td for what each does.

#ifndef TEGULA_PASSES_TARGETS_CUDA_PASSES_H
#define TEGULA_PASSES_TARGETS_CUDA_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace tegula::cuda {

#define GEN_PASS_DECL
#include "passes/targets/cuda/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/targets/cuda/Passes.h.inc"

/// Makes the GPUs known to the shared lowerings.
void registerTargets();
/// Registers `tegula-nvvm-pipeline` and its phases.
void registerPipelines();

} // namespace tegula::cuda

#endif // TEGULA_PASSES_TARGETS_CUDA_PASSES_H
