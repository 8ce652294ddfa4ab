// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices by warpgroups of four warps (wgmma, sm_90a), which read
// operands from shared memory.

#ifndef TEGULA_PASSES_TARGETS_CUDA_WARPGROUPMMA_H
#define TEGULA_PASSES_TARGETS_CUDA_WARPGROUPMMA_H

#include "dialects/simt/Simt.h"
#include "passes/lower/ThreadEmitter.h"

namespace tegula::cuda {

/// How warpgroups share a product: `m` of them side by side along M, `n` along
/// N.
struct WarpgroupGrid {
  int64_t m;
  int64_t n;
};

/// Nothing unless each warpgroup gets whole instructions of an MxN result.
std::optional<WarpgroupGrid> getWarpgroupGrid(int64_t m, int64_t n,
                                              int64_t numWarps);

/// The layout of an MxN accumulator (PTX ISA, figure "WGMMA .m64nNk16 D
/// matrix"): of mma.sync's m16n8 tiles, one below the other in the four warps,
/// side by side in registers.
layout::LinearLayout getWarpgroupAccLayout(int64_t m, int64_t n,
                                           WarpgroupGrid grid);
/// The layout of an MxK left operand in registers, of 16-bit elements (figure
/// "WGMMA .m64nNk16 A matrix").
layout::LinearLayout getWarpgroupLhsLayout(int64_t m, int64_t k,
                                           WarpgroupGrid grid);

/// Whether wgmma computes `dot` with operands of these types, a buffer or a
/// tile, and a buffer.
bool supportsWarpgroupMma(tile::DotOp dot, mlir::Type a, simt::BufferType b,
                          int64_t numWarps);

/// Starts the product; `a`, `b` and `acc` are one thread's values. Returns the
/// accumulator's vector.
mlir::FailureOr<mlir::Value> emitMma(mlir::OpBuilder &builder,
                                     lower::ThreadEmitter &emitter,
                                     simt::MmaOp op, mlir::Value a,
                                     mlir::Value b, mlir::Value acc);
/// Waits; returns the vector that may be read now. `a` is the left operand if
/// it was in registers, else null.
mlir::Value emitMmaWait(mlir::OpBuilder &builder, mlir::Location loc,
                        int64_t pending, mlir::Value acc, mlir::Value a);

} // namespace tegula::cuda

#endif // TEGULA_PASSES_TARGETS_CUDA_WARPGROUPMMA_H
