// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How NVIDIA GPUs fill rings of shared memory.

#ifndef TEGULA_PASSES_TARGETS_CUDA_RINGS_H
#define TEGULA_PASSES_TARGETS_CUDA_RINGS_H

#include "passes/lower/RingLowering.h"
#include "passes/targets/cuda/Arch.h"

namespace tegula::cuda {

/// Copies of 4 to 16 bytes by each thread (cp.async), waited for in groups of
/// one slot each. sm_80 and newer.
inline constexpr llvm::StringLiteral kAsync = "async";
/// Boxes copied by one thread through a tensor map (cp.async.bulk.tensor),
/// waited for by barriers. sm_90 and newer.
inline constexpr llvm::StringLiteral kBulk = "bulk";

/// Bytes behind a ring's slots for its barriers.
int64_t getBarrierBytes(int64_t slots);

/// A ring for the tiles of `loads`: in bulk where all arrays allow that, else
/// in groups, else none.
std::optional<lower::RingPlan>
planRing(const Arch &arch, llvm::ArrayRef<tile::LoadOp> loads,
         llvm::ArrayRef<mlir::RankedTensorType> tiles, lower::RingRoom room);

mlir::LogicalResult emitRing(const lower::RingContext &ring);
mlir::LogicalResult emitIssue(const lower::RingContext &ring, simt::IssueOp op);
mlir::LogicalResult emitAwait(const lower::RingContext &ring,
                              mlir::Value number);
bool tracksReaders(llvm::StringRef mechanism);
mlir::LogicalResult emitRelease(const lower::RingContext &ring,
                                mlir::Value number);

} // namespace tegula::cuda

#endif // TEGULA_PASSES_TARGETS_CUDA_RINGS_H
