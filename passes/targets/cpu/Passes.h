// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the passes that only the host CPU's pipeline runs; see
// Passes.td for what each does.

#ifndef TEGULA_PASSES_TARGETS_CPU_PASSES_H
#define TEGULA_PASSES_TARGETS_CPU_PASSES_H

#include "dialects/tile/Tile.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tegula::cpu {

#define GEN_PASS_DECL
#include "passes/targets/cpu/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/targets/cpu/Passes.h.inc"

/// Registers `tegula-cpu-pipeline` and its phases.
void registerPipelines();

} // namespace tegula::cpu

#endif // TEGULA_PASSES_TARGETS_CPU_PASSES_H
