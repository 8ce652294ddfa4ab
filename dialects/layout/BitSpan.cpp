// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gauss-Jordan elimination on machine words. See BitSpan.h.

#include "dialects/layout/BitSpan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

namespace tegula::layout {

BitSpan::Row BitSpan::reduceRow(uint64_t vector) const {
  Row result{vector, 0, 0};
  for (const Row &row : rows) {
    if (result.vector & row.lead) {
      result.vector ^= row.vector;
      result.parts ^= row.parts;
    }
  }
  return result;
}

bool BitSpan::insert(uint64_t vector) {
  Row row = reduceRow(vector);
  if (added < 64) {
    row.parts ^= uint64_t(1) << added;
  }
  ++added;
  if (row.vector == 0) {
    return false;
  }
  row.lead = llvm::bit_floor(row.vector);
  for (Row &other : rows) {
    if (other.vector & row.lead) {
      other.vector ^= row.vector;
      other.parts ^= row.parts;
    }
  }
  rows.push_back(row);
  return true;
}

std::optional<uint64_t> BitSpan::solve(uint64_t vector) const {
  Row row = reduceRow(vector);
  return row.vector == 0 ? std::optional<uint64_t>(row.parts) : std::nullopt;
}

uint64_t BitSpan::reduce(uint64_t vector) const {
  return reduceRow(vector).vector;
}

uint64_t apply(llvm::ArrayRef<uint64_t> columns, uint64_t bits) {
  uint64_t sum = 0;
  for (auto [index, column] : llvm::enumerate(columns)) {
    if (bits >> index & 1) {
      sum ^= column;
    }
  }
  return sum;
}

llvm::SmallVector<uint64_t> kernel(llvm::ArrayRef<uint64_t> columns) {
  llvm::SmallVector<uint64_t> result;
  BitSpan span;
  for (auto [index, column] : llvm::enumerate(columns)) {
    if (std::optional<uint64_t> parts = span.solve(column)) {
      result.push_back(*parts | uint64_t(1) << index);
    }
    span.insert(column);
  }
  return result;
}

llvm::SmallVector<uint64_t> intersect(llvm::ArrayRef<uint64_t> lhs,
                                      llvm::ArrayRef<uint64_t> rhs) {
  // Each relation between both lists is a vector that either gives alone.
  llvm::SmallVector<uint64_t> both(lhs);
  both.append(rhs.begin(), rhs.end());
  llvm::SmallVector<uint64_t> result;
  BitSpan found;
  for (uint64_t relation : kernel(both)) {
    uint64_t vector = apply(lhs, relation & ((uint64_t(1) << lhs.size()) - 1));
    if (found.insert(vector)) {
      result.push_back(vector);
    }
  }
  return result;
}

} // namespace tegula::layout
