// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of long rows: what the passes that let two of them take turns on a
// processor agree on.

#ifndef TEGULA_PASSES_TARGETS_CUDA_ROWPROGRAMS_H
#define TEGULA_PASSES_TARGETS_CUDA_ROWPROGRAMS_H

#include "passes/lower/SharedAccess.h"

namespace tegula::cuda {

/// Programs that are to share a processor.
constexpr int64_t kPrograms = 2;
/// Widest elements as which rows are loaded.
constexpr int64_t kNarrowBytes = 2;
/// Shared memory of each program, through which threads exchange values.
constexpr int64_t kExchangeBytes = 4096;

/// Of an element.
inline int64_t getBytes(mlir::Type type) {
  return lower::getElementBytes(mlir::getElementTypeOrSelf(type));
}

} // namespace tegula::cuda

#endif // TEGULA_PASSES_TARGETS_CUDA_ROWPROGRAMS_H
