// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three ways of layout.convert, cheapest first. Each is a function of the
// values and two layouts.

#ifndef TEGULA_PASSES_LOWER_CONVERTREGISTERS_H
#define TEGULA_PASSES_LOWER_CONVERTREGISTERS_H

#include "passes/lower/ThreadColumns.h"

namespace tegula::lower {

/// One thread's values of a tile of 2^outBits elements in layout `from`, in
/// layout `to`, by the cheapest means that the layouts allow. All threads of
/// the program must come here. Fails, with the reason in `error`, for elements
/// that shared memory cannot hold.
mlir::FailureOr<Values> convertRegisters(mlir::OpBuilder &builder,
                                         mlir::Location loc,
                                         ThreadEmitter &emitter,
                                         llvm::ArrayRef<mlir::Value> values,
                                         const Columns &from, const Columns &to,
                                         unsigned outBits, std::string &error);

/// By shuffles within each warp. The source has no free registers. Fails, and
/// emits nothing, where elements change warps or shared memory is cheaper.
mlir::FailureOr<Values> convertByShuffles(mlir::OpBuilder &builder,
                                          mlir::Location loc,
                                          const ThreadEmitter &emitter,
                                          llvm::ArrayRef<mlir::Value> values,
                                          const Columns &from,
                                          const Columns &to, unsigned outBits);

/// Through shared memory, in as many rounds as keep the scratch within its
/// limit. Neither layout may have free registers.
mlir::FailureOr<Values> convertByShared(mlir::OpBuilder &builder,
                                        mlir::Location loc,
                                        ThreadEmitter &emitter,
                                        llvm::ArrayRef<mlir::Value> values,
                                        const Columns &from, const Columns &to,
                                        unsigned outBits, std::string &error);

/// tile.take, part of populateMovesToThreads.
void populateTakeToThreads(const mlir::TypeConverter &types,
                           mlir::RewritePatternSet &patterns,
                           ThreadEmitter &emitter);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_CONVERTREGISTERS_H
