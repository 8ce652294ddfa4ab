// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where in shared memory each element of an exchange lies, so that as few
// accesses as possible, with as few bank conflicts as possible, take it there
// and back.

#ifndef TEGULA_PASSES_LOWER_SHAREDPLAN_H
#define TEGULA_PASSES_LOWER_SHAREDPLAN_H

#include "passes/lower/ThreadColumns.h"

#include "dialects/layout/BitSpan.h"

namespace tegula::lower {

/// A basis of a space of 2^size elements: first the vectors of one wide access,
/// then what moves between banks, then the rest. An element's offset is its
/// coordinates.
class SharedPlan {
public:
  /// For threads that store as `source` says and load as `target` does, columns
  /// without free registers.
  static SharedPlan create(const Columns &source, const Columns &target,
                           unsigned size, int64_t elementBytes,
                           const TargetInfo &info);

  uint64_t getOffset(uint64_t element) const { return *span.solve(element); }
  uint64_t getElement(uint64_t offset) const {
    return layout::apply(basis, offset);
  }
  /// Logarithms of the elements of one store and one load.
  unsigned getStoreBits() const { return storeBits; }
  unsigned getLoadBits() const { return loadBits; }

private:
  llvm::SmallVector<uint64_t> basis;
  layout::BitSpan span;
  unsigned storeBits = 0, loadBits = 0;
};

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_SHAREDPLAN_H
