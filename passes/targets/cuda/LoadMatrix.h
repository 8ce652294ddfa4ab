// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments of matrices read from shared memory by whole warps (ldmatrix).

#ifndef TEGULA_PASSES_TARGETS_CUDA_LOADMATRIX_H
#define TEGULA_PASSES_TARGETS_CUDA_LOADMATRIX_H

#include "passes/lower/ThreadEmitter.h"

namespace tegula::cuda {

/// Reads the elements of `type` at `places` (their offsets, of each register
/// of each thread) of the buffer at `pointer`. Fails, without a diagnostic, if
/// the places are not those of ldmatrix: rows of 16 bytes, of which a thread
/// has 4 bytes, or, of 16-bit elements, the same of the transposed matrix.
mlir::FailureOr<mlir::Value>
emitLoadMatrix(mlir::OpBuilder &builder, mlir::Location loc,
               lower::ThreadEmitter &emitter, mlir::Value pointer,
               const layout::LinearLayout &places, mlir::Type type);

} // namespace tegula::cuda

#endif // TEGULA_PASSES_TARGETS_CUDA_LOADMATRIX_H
