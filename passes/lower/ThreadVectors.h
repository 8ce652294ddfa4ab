// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of one thread, which some lowerings take apart. IR that was written
// by hand may hold vectors of any size.

#ifndef TEGULA_PASSES_LOWER_THREADVECTORS_H
#define TEGULA_PASSES_LOWER_THREADVECTORS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tegula::lower {

/// Fails with an error at `op` if it gives a vector that cannot be computed
/// element by element: a scalable one, or more than a thread holds.
inline llvm::LogicalResult checkElementwise(mlir::Operation *op) {
  constexpr int64_t kMostElements = 65536;
  auto vector = mlir::dyn_cast<mlir::VectorType>(op->getResult(0).getType());
  if (!vector ||
      (!vector.isScalable() && vector.getNumElements() <= kMostElements)) {
    return mlir::success();
  }
  return op->emitOpError("is of more elements than are computed one by one: ")
         << vector;
}

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_THREADVECTORS_H
