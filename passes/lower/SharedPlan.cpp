// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets have three fields: the element in a wide access, the bank, and the
// row. Lanes of one phase of an access collide if they differ in the row alone,
// so rows are spanned by vectors outside of what either side's lanes span: by
// what neither has, and by sums of a vector that only the storing lanes have
// and one that only the loading lanes have (the exclusive or of a swizzle).

#include "passes/lower/SharedPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::lower {

using layout::BitSpan;
using Vectors = SmallVector<uint64_t>;

namespace {

class Planner {
public:
  Planner(const Columns &source, const Columns &target, unsigned size,
          int64_t elementBytes, const TargetInfo &info)
      : source(source), target(target), size(size) {
    rowBits = llvm::Log2_64(info.getNumSharedBanks() * 4 / elementBytes);
    maxBits = llvm::Log2_64(std::max<int64_t>(
        1, std::min<int64_t>(16, info.getMaxAccessBytes()) / elementBytes));
  }

  struct Candidate {
    Vectors basis;
    unsigned storeBits, loadBits;
    int64_t cost;
  };

  /// Vectors that both sides have in registers, widened by those of one side.
  Candidate pick() const {
    Vectors both = layout::intersect(source.registers, target.registers);
    llvm::sort(both);
    both.resize(std::min<size_t>(both.size(), maxBits));
    Candidate best = make(both);
    for (const Columns *side : {&source, &target}) {
      Vectors vectors = both;
      BitSpan span(vectors);
      Vectors sorted = side->registers;
      llvm::sort(sorted);
      for (uint64_t vector : sorted) {
        if (vectors.size() < maxBits && span.insert(vector)) {
          vectors.push_back(vector);
        }
      }
      Candidate wide = make(vectors);
      if (wide.cost < best.cost) {
        best = wide;
      }
    }
    return best;
  }

private:
  /// How many of the first vectors a side has in registers.
  static unsigned countHeld(ArrayRef<uint64_t> vectors, const Columns &side) {
    BitSpan held(side.registers);
    unsigned count = 0;
    while (count < vectors.size() && held.contains(vectors[count])) {
      ++count;
    }
    return count;
  }

  /// What lanes that access shared memory at the same time span.
  Vectors getPhase(const Columns &side, unsigned accessBits) const {
    size_t lanes = rowBits > accessBits ? rowBits - accessBits : 0;
    return Vectors(
        ArrayRef(side.lanes).take_front(std::min(lanes, side.lanes.size())));
  }

  Candidate make(const Vectors &vectors) const {
    Candidate result{vectors, countHeld(vectors, source),
                     countHeld(vectors, target), 0};
    Vectors storing = getPhase(source, result.storeBits);
    Vectors loading = getPhase(target, result.loadBits);
    Vectors rows = pickRows(vectors, storing, loading);
    BitSpan span(vectors);
    for (uint64_t vector : rows) {
      span.insert(vector);
    }
    auto extend = [&](ArrayRef<uint64_t> list) {
      for (uint64_t vector : list) {
        if (span.insert(vector)) {
          result.basis.push_back(vector);
        }
      }
    };
    extend(storing);
    extend(loading);
    for (unsigned bit = 0; bit < size; ++bit) {
      extend(uint64_t(1) << bit);
    }
    result.basis.append(rows);
    result.cost = getCost(source, result.storeBits, storing, rows) +
                  getCost(target, result.loadBits, loading, rows);
    return result;
  }

  Vectors pickRows(ArrayRef<uint64_t> vectors, ArrayRef<uint64_t> storing,
                   ArrayRef<uint64_t> loading) const {
    size_t wanted = size > rowBits ? size - rowBits : 0;
    // Vectors of one access count to neither side's lanes.
    BitSpan span(vectors);
    auto extend = [&](ArrayRef<uint64_t> list, Vectors &into) {
      for (uint64_t vector : list) {
        if (span.insert(vector)) {
          into.push_back(vector);
        }
      }
    };
    auto with = [&](ArrayRef<uint64_t> list) {
      Vectors all(vectors);
      llvm::append_range(all, list);
      return all;
    };
    Vectors common = layout::intersect(with(storing), with(loading));
    Vectors shared, stored, loaded, rest;
    extend(common, shared);
    extend(storing, stored);
    extend(loading, loaded);
    for (unsigned bit = size; bit-- > 0;) {
      extend(uint64_t(1) << bit, rest);
    }
    Vectors rows = rest;
    for (auto [one, other] : llvm::zip(stored, loaded)) {
      rows.push_back(one ^ other);
    }
    // Conflicts from here on.
    size_t pairs = std::min(stored.size(), loaded.size());
    const Vectors &longer = stored.size() > pairs ? stored : loaded;
    rows.append(longer.begin() + pairs, longer.end());
    rows.append(shared);
    rows.append(stored.begin(), stored.begin() + pairs);
    rows.resize(std::min(rows.size(), wanted));
    return rows;
  }

  /// Cycles of the port to shared memory, plus a part of one for issuing each
  /// access.
  int64_t getCost(const Columns &side, unsigned accessBits,
                  ArrayRef<uint64_t> phase, ArrayRef<uint64_t> rows) const {
    int64_t accesses = int64_t(1) << (side.registers.size() - accessBits);
    size_t lanes = side.lanes.size();
    int64_t phases = int64_t(1) << (lanes - std::min(lanes, phase.size()));
    int64_t conflicts = int64_t(1) << layout::intersect(phase, rows).size();
    return accesses * (4 * phases * conflicts + 1);
  }

  const Columns &source, &target;
  unsigned size, rowBits, maxBits;
};

} // namespace

SharedPlan SharedPlan::create(const Columns &source, const Columns &target,
                              unsigned size, int64_t elementBytes,
                              const TargetInfo &info) {
  auto best = Planner(source, target, size, elementBytes, info).pick();
  SharedPlan plan;
  plan.basis = best.basis;
  plan.span = BitSpan(best.basis);
  plan.storeBits = best.storeBits;
  plan.loadBits = best.loadBits;
  return plan;
}

} // namespace tegula::lower
