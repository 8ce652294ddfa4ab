// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many programs a processor holds at a time. While one computes on a
// product, the matrix unit works for the others.

#ifndef TEGULA_PASSES_TARGETS_CUDA_OCCUPANCY_H
#define TEGULA_PASSES_TARGETS_CUDA_OCCUPANCY_H

#include "passes/lower/TargetInfo.h"
#include "passes/targets/cuda/Arch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::cuda {

using lower::kRegistersAttr;

/// 32-bit registers of a processor.
constexpr int64_t kRegisters = 64 * 1024;

/// Programs of `threads` threads, each with so many registers, that one
/// processor can hold.
int64_t getMostPrograms(int64_t threads, int64_t registers);

/// Shared memory for each of `programs` programs on one processor.
int64_t getSharedBytes(const Arch &arch, int64_t programs);

/// Whether a loop of the kernel has a product that needs another one of the
/// same iteration.
bool hasChainedProducts(mlir::func::FuncOp kernel);

/// Registers that a thread needs for the products of the kernel's loops (of
/// layouts known) and beside them: of those of two iterations, or of one.
int64_t estimateRegisters(mlir::func::FuncOp kernel, bool overlaps);

/// Shared memory through which the kernel's threads exchange what they store.
int64_t estimateScratch(mlir::func::FuncOp kernel);

} // namespace tegula::cuda

#endif // TEGULA_PASSES_TARGETS_CUDA_OCCUPANCY_H
