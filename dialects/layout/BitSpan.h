// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear algebra over F2 on vectors of at most 63 bits, one machine word each.
// Everything a layout is asked (rank, inverse, intersection, conflicts) is an
// elimination over such words.

#ifndef TEGULA_DIALECTS_LAYOUT_BITSPAN_H
#define TEGULA_DIALECTS_LAYOUT_BITSPAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tegula::layout {

/// The span of vectors added one by one. Remembers which of them make up each
/// element, so that it solves equations as well.
class BitSpan {
public:
  BitSpan() = default;
  explicit BitSpan(llvm::ArrayRef<uint64_t> vectors) {
    for (uint64_t vector : vectors) {
      insert(vector);
    }
  }

  /// Adds a vector; false if the span had it already. It takes the next index
  /// either way.
  bool insert(uint64_t vector);
  bool contains(uint64_t vector) const { return solve(vector).has_value(); }
  unsigned dimension() const { return rows.size(); }

  /// Bit i of the result says whether the i-th vector added (one of the first
  /// 64) takes part in the sum that gives `vector`. Only vectors that enlarged
  /// the span when they came take part, so that the answer is unique.
  std::optional<uint64_t> solve(uint64_t vector) const;

  /// `vector` plus an element of the span; the same for all vectors that differ
  /// by such an element.
  uint64_t reduce(uint64_t vector) const;

private:
  struct Row {
    uint64_t vector;
    uint64_t lead; // The highest bit of `vector`; no other row has it.
    uint64_t parts;
  };
  Row reduceRow(uint64_t vector) const;

  llvm::SmallVector<Row, 16> rows;
  unsigned added = 0;
};

/// Sum of the columns that `bits` selects.
uint64_t apply(llvm::ArrayRef<uint64_t> columns, uint64_t bits);

/// A basis of the vectors x with apply(columns, x) == 0.
llvm::SmallVector<uint64_t> kernel(llvm::ArrayRef<uint64_t> columns);

/// A basis of the intersection of two spans.
llvm::SmallVector<uint64_t> intersect(llvm::ArrayRef<uint64_t> lhs,
                                      llvm::ArrayRef<uint64_t> rhs);

} // namespace tegula::layout

#endif // TEGULA_DIALECTS_LAYOUT_BITSPAN_H
