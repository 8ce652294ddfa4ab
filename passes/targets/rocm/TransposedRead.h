// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of shared memory that transpose on the way: a matrix whose rows lie
// side by side is read by columns, without a permutation of bytes when it is
// written.

#ifndef TEGULA_PASSES_TARGETS_ROCM_TRANSPOSEDREAD_H
#define TEGULA_PASSES_TARGETS_ROCM_TRANSPOSEDREAD_H

#include "passes/lower/ThreadEmitter.h"

namespace tegula::rocm {

/// See TargetInfo::getNamedElements.
std::optional<layout::LinearLayout>
getNamedElements(const layout::LinearLayout &fragment, unsigned along,
                 int64_t elementBytes);

/// See TargetInfo::emitRead.
mlir::FailureOr<mlir::Value>
emitTransposedRead(mlir::OpBuilder &builder, mlir::Location loc,
                   lower::ThreadEmitter &emitter, mlir::Value pointer,
                   const layout::LinearLayout &places, mlir::Type elementType);

} // namespace tegula::rocm

#endif // TEGULA_PASSES_TARGETS_ROCM_TRANSPOSEDREAD_H
