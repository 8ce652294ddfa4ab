// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices by single warps (mma.sync, sm_80 and newer).

#ifndef TEGULA_PASSES_TARGETS_CUDA_MMASYNC_H
#define TEGULA_PASSES_TARGETS_CUDA_MMASYNC_H

#include "passes/lower/TargetInfo.h"
#include "passes/targets/cuda/Arch.h"

namespace tegula::cuda {

/// Layouts for `dot` on `numWarps` warps; nothing if no instruction takes its
/// types and extents.
std::optional<lower::DotLayouts>
getMmaSyncLayouts(const Arch &arch, tile::DotOp dot, int64_t numWarps);
/// The dot on one thread's vectors in those layouts.
mlir::FailureOr<mlir::Value> emitMmaSync(mlir::OpBuilder &builder,
                                         const Arch &arch, tile::DotOp dot,
                                         const lower::DotLayouts &layouts,
                                         mlir::Value a, mlir::Value b,
                                         mlir::Value acc);

} // namespace tegula::cuda

#endif // TEGULA_PASSES_TARGETS_CUDA_MMASYNC_H
