// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lower-pipeline-loads decides before it changes a loop: which tiles are
// fetched ahead or kept, and what rings they travel through.

#ifndef TEGULA_PASSES_LOWER_PIPELINELOADS_H
#define TEGULA_PASSES_LOWER_PIPELINELOADS_H

#include "passes/lower/DotLoads.h"
#include "passes/lower/TargetInfo.h"

namespace tegula::lower {

/// Says why a loop is not pipelined, or not all of it.
void explainLoop(mlir::scf::ForOp loop, const llvm::Twine &reason);

/// The layout in which the tile of a load is read for a use, if there is one.
std::optional<layout::LinearLayout> getReadLayout(const Use &use);

/// The loads of a loop that can be moved to earlier iterations. Tiles that one
/// dot needs arrive together. Those of another dot need not wait for them, nor
/// stay for as long, if the device's rings are independent.
llvm::SmallVector<Group, 2> findFetched(mlir::scf::ForOp loop,
                                        bool hasIndependentRings);

/// The loads from before the loop whose tiles its dots read in each iteration.
llvm::SmallVector<Group, 1> findKept(mlir::scf::ForOp loop);

/// Makes the rings before `loop`. Groups that get none, since there is no room
/// or the device cannot copy their tiles, are removed. `wantedSlots` is as in
/// RingRoom.
void createRings(mlir::scf::ForOp loop, const TargetInfo &target,
                 int64_t wantedSlots, llvm::SmallVector<Group, 2> &groups,
                 llvm::SmallVector<Group, 1> &kept);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_PIPELINELOADS_H
