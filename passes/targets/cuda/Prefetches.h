// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuda-plan-prefetches tells cuda-emit-prefetches, as an attribute of the
// kernel: lower-to-threads is between them.

#ifndef TEGULA_PASSES_TARGETS_CUDA_PREFETCHES_H
#define TEGULA_PASSES_TARGETS_CUDA_PREFETCHES_H

#include "mlir/IR/BuiltinAttributes.h"

#include <optional>

namespace tegula::cuda {

/// Name of that attribute, an array of what toAttr makes.
inline constexpr llvm::StringLiteral kPrefetchAttr = "tegula.prefetch";

/// Whole rows of a matrix, from row `rows` times the program's number on.
struct Prefetch {
  /// Number of the parameter that is the array's pointer; two sizes and two
  /// strides follow it.
  int64_t argument = 0;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t elementBytes = 0;
};

/// Programs that are at work on one multiprocessor, as a guess: 1024 threads
/// with what they hold in registers fill it.
inline int64_t getProgramsAtWork(int64_t numWarps) {
  constexpr int64_t kWarpsAtWork = 32;
  return numWarps < 1 ? kWarpsAtWork
                      : std::max<int64_t>(1, kWarpsAtWork / numWarps);
}

inline mlir::Attribute toAttr(const Prefetch &prefetch,
                              mlir::MLIRContext *context) {
  return mlir::DenseI64ArrayAttr::get(context, {prefetch.argument,
                                                prefetch.rows, prefetch.columns,
                                                prefetch.elementBytes});
}

inline std::optional<Prefetch> fromAttr(mlir::Attribute attr) {
  auto numbers = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(attr);
  if (!numbers || numbers.size() != 4) {
    return std::nullopt;
  }
  return Prefetch{numbers[0], numbers[1], numbers[2], numbers[3]};
}

} // namespace tegula::cuda

#endif // TEGULA_PASSES_TARGETS_CUDA_PREFETCHES_H
