// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimal swizzle. A buffer is a basis of the tile's flat indices, low
// offset bits first: V, what a vector holds; W, what fills a word up; the
// banks; and S, the rows. Lanes conflict if they differ by a row within a bank,
// that is, if S + W meets what they reach in one cycle other than in W. So with
// A = V + W + (the source's lanes of a cycle) and B likewise, S has to be a
// complement of both at once. Two subspaces of equal dimension always have a
// common complement: what neither reaches, and sums a_i + b_i over bases of
// what only one of them reaches.
//
// A vector at consecutive offsets also needs that nothing but its registers
// changes the low bits of the offset: lanes, warps and the other registers have
// to lie in U, the span of all other basis vectors. So U is fixed first, around
// the lanes, and S and the banks are chosen inside of it.

#include "dialects/layout/SharedSwizzle.h"

#include "dialects/layout/BitSpan.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tegula::layout {

using llvm::ArrayRef;
using llvm::SmallVector;
using Vectors = SmallVector<uint64_t>;

namespace {

/// Bits of offsets within a word and within all banks.
struct Sizes {
  Sizes(int64_t elementBits, const SharedMemory &memory)
      : word(log2(memory.bankBytes * 8, elementBits)),
        row(log2(memory.bankBytes * 8 * memory.banks, elementBits)),
        vector(log2(memory.maxVectorBits, elementBits)),
        readVector(memory.maxReadBits ? log2(memory.maxReadBits, elementBits)
                                      : vector) {}

  static unsigned log2(int64_t whole, int64_t part) {
    return whole > part ? llvm::Log2_64(whole / part) : 0;
  }
  /// Lane bits that one cycle serves.
  unsigned laneBits(unsigned vectorBits) const {
    return row - std::max(vectorBits, word);
  }

  unsigned word;
  unsigned row;
  unsigned vector;
  unsigned readVector;
};

/// One side's bases, as sums over a basis of what a block holds.
struct Side {
  Side(const LinearLayout &layout, const BitSpan &block) {
    auto within = [&](Dim dim) {
      return llvm::map_to_vector<6>(
          layout.flatBases(dim), [&](uint64_t vector) {
            std::optional<uint64_t> parts = block.solve(vector);
            isInside &= parts.has_value();
            return parts.value_or(0);
          });
    };
    registers = within(Dim::Register);
    lanes = within(Dim::Lane);
    threads = lanes;
    llvm::append_range(threads, within(Dim::Warp));
  }

  ArrayRef<uint64_t> cycle(const Sizes &sizes, unsigned vectorBits) const {
    return ArrayRef<uint64_t>(lanes).take_front(sizes.laneBits(vectorBits));
  }

  Vectors registers;
  Vectors lanes;
  Vectors threads; // Lanes and warps.
  bool isInside = true;
};

bool insertAll(BitSpan &span, ArrayRef<uint64_t> vectors) {
  bool areNew = true;
  for (uint64_t vector : vectors) {
    areNew &= span.insert(vector);
  }
  return areNew;
}

/// The vectors that enlarge the span, in order and at most `limit`.
Vectors extend(BitSpan &span, ArrayRef<uint64_t> candidates,
               size_t limit = 64) {
  Vectors result;
  for (uint64_t vector : candidates) {
    if (result.size() < limit && span.insert(vector)) {
      result.push_back(vector);
    }
  }
  return result;
}

Vectors concat(ArrayRef<uint64_t> lhs, ArrayRef<uint64_t> rhs) {
  Vectors result(lhs);
  result.append(rhs.begin(), rhs.end());
  return result;
}

Vectors units(unsigned from, unsigned to) {
  Vectors result;
  for (unsigned bit = from; bit < to; ++bit) {
    result.push_back(uint64_t(1) << bit);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Registers of both sides that change bits which no thread changes.
Vectors commonVector(const Side &source, const Side &destination,
                     unsigned limit) {
  // Bases of both come before sums of bases, in the order in which they are
  // read: what is written once is mostly read by several.
  Vectors candidates;
  for (uint64_t vector : destination.registers) {
    if (llvm::is_contained(source.registers, vector)) {
      candidates.push_back(vector);
    }
  }
  llvm::append_range(candidates,
                     intersect(source.registers, destination.registers));
  BitSpan used(concat(source.threads, destination.threads));
  return extend(used, candidates, limit);
}

/// Registers of `wide` that lengthen the vector `common` for it alone.
Vectors widerVector(const Side &wide, const Side &narrow,
                    ArrayRef<uint64_t> common, unsigned limit) {
  Vectors result;
  for (uint64_t vector : wide.registers) {
    if (common.size() + result.size() >= limit) {
      break;
    }
    Vectors longer = concat(result, {vector});
    BitSpan own(wide.threads);
    BitSpan others(concat(concat(wide.threads, narrow.threads), longer));
    if (insertAll(own, longer) && insertAll(own, common) &&
        insertAll(others, common)) {
      result = longer;
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// One buffer
//===----------------------------------------------------------------------===//

/// Builds the basis of a buffer for given vectors.
class Builder {
public:
  Builder(const Side &wide, const Side &narrow, ArrayRef<uint64_t> common,
          ArrayRef<uint64_t> wider, unsigned outBits, const Sizes &sizes)
      : wide(wide), narrow(narrow), common(common), wider(wider),
        outBits(outBits), sizes(sizes),
        vectorBits(common.size() + wider.size()) {
    frame = concat(concat(common, wider), makeOutside());
    coordinates = BitSpan(frame);
  }

  /// Low offset bits first, as flat indices.
  Vectors build() {
    Vectors low = units(0, vectorBits);
    BitSpan fillers(low);
    Vectors inside = inFrame(wide.cycle(sizes, vectorBits));
    size_t missing = sizes.word > vectorBits ? sizes.word - vectorBits : 0;
    llvm::append_range(
        low,
        extend(fillers, concat(inside, units(vectorBits, outBits)), missing));
    ArrayRef<uint64_t> filler = ArrayRef<uint64_t>(low).drop_front(vectorBits);

    // What each side reaches in one cycle, as far as it lies in U.
    Vectors reachedWide = concat(inside, filler);
    Vectors word(ArrayRef<uint64_t>(low).take_front(std::max<size_t>(
        common.size(), std::min<size_t>(sizes.word, low.size()))));
    Vectors reachedNarrow =
        intersect(concat(inFrame(narrow.cycle(sizes, common.size())), word),
                  units(vectorBits, outBits));
    reachedNarrow = concat(reachedNarrow, filler);

    Vectors rows = makeRows(reachedWide, reachedNarrow, low);
    BitSpan used(low);
    insertAll(used, rows);
    Vectors banks = extend(used, concat(concat(inside, reachedNarrow),
                                        units(vectorBits, outBits)));
    Vectors all = concat(concat(low, banks), rows);
    return llvm::map_to_vector<6>(
        all, [&](uint64_t vector) { return apply(frame, vector); });
  }

private:
  /// A basis of U. Threads of `wide` lie in it. Those of `narrow` may differ
  /// from it by `wider`; lanes of one cycle do where nothing decides, since
  /// what they have in U is what may conflict.
  Vectors makeOutside() {
    BitSpan span(wider);
    Vectors result = extend(span, wide.threads);
    BitSpan hit;
    size_t cycle = narrow.cycle(sizes, common.size()).size();
    for (auto [index, thread] : llvm::enumerate(narrow.threads)) {
      if (!span.insert(thread)) {
        continue;
      }
      uint64_t shift = 0;
      for (uint64_t vector : wider) {
        if (index < cycle && shift == 0 && hit.insert(vector)) {
          shift = vector;
        }
      }
      result.push_back(thread ^ shift);
    }
    insertAll(span, common);
    llvm::append_range(
        result, extend(span, intersect(wide.registers, narrow.registers)));
    llvm::append_range(result, extend(span, units(0, outBits)));
    return result;
  }

  Vectors inFrame(ArrayRef<uint64_t> vectors) const {
    return llvm::map_to_vector<6>(vectors, [&](uint64_t vector) {
      return coordinates.solve(vector).value_or(0);
    });
  }

  /// A complement of both, as far as there is one; high bits last.
  Vectors makeRows(ArrayRef<uint64_t> lhs, ArrayRef<uint64_t> rhs,
                   ArrayRef<uint64_t> low) {
    size_t count = outBits > sizes.row ? outBits - sizes.row : 0;
    Vectors free = units(vectorBits, outBits);
    // Registers of both sides come last in the frame: as the highest rows they
    // are what a scratch can be reused for.
    std::reverse(free.begin(), free.end());
    BitSpan reached(concat(lhs, rhs));
    Vectors rows = extend(reached, free, count);
    std::reverse(rows.begin(), rows.end());
    BitSpan both(intersect(lhs, rhs));
    BitSpan bothToo = both;
    Vectors onlyLeft = extend(both, lhs), onlyRight = extend(bothToo, rhs);
    Vectors sums;
    for (auto [left, right] : llvm::zip(onlyLeft, onlyRight)) {
      sums.push_back(left ^ right);
    }
    // Past the common complement rows conflict.
    llvm::append_range(sums, onlyLeft);
    llvm::append_range(sums, onlyRight);
    llvm::append_range(sums, free);
    BitSpan used(low);
    insertAll(used, rows);
    return concat(extend(used, sums, count - rows.size()), rows);
  }

  const Side &wide;
  const Side &narrow;
  ArrayRef<uint64_t> common;
  ArrayRef<uint64_t> wider;
  unsigned outBits;
  const Sizes &sizes;
  unsigned vectorBits;
  Vectors frame; // Common, wider and a basis of U.
  BitSpan coordinates;
};

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

int64_t conflictsOf(ArrayRef<uint64_t> laneOffsets, const Sizes &sizes) {
  uint64_t bankMask = (uint64_t(1) << (sizes.row - sizes.word)) - 1;
  BitSpan words, banks;
  for (uint64_t offset : laneOffsets) {
    words.insert(offset >> sizes.word);
    banks.insert(offset >> sizes.word & bankMask);
  }
  return (int64_t(1) << (words.dimension() - banks.dimension())) - 1;
}

SharedAccess makeAccess(const Side &side, const BitSpan &offsets,
                        ArrayRef<uint64_t> vector, const Sizes &sizes) {
  SharedAccess access;
  BitSpan registers(side.registers);
  for (uint64_t basis : vector) {
    access.vectorBits.push_back(registers.solve(basis).value_or(0));
  }
  BitSpan reached;
  for (auto [bit, basis] : llvm::enumerate(side.registers)) {
    uint64_t offset = offsets.solve(basis).value_or(0);
    int64_t mask = int64_t(1) << bit;
    for (auto [index, parts] : llvm::enumerate(access.vectorBits)) {
      mask ^= offset >> index & 1 ? parts : 0;
    }
    if (reached.insert(offset >> vector.size())) {
      access.restBits.push_back(mask);
    }
  }
  Vectors lanes = llvm::map_to_vector<6>(
      side.cycle(sizes, vector.size()),
      [&](uint64_t basis) { return offsets.solve(basis).value_or(0); });
  access.conflicts = conflictsOf(lanes, sizes);
  return access;
}

/// Cycles, and a slot to issue each access, of all accesses of a thread.
int64_t costOf(const SharedAccess &access, const Sizes &sizes) {
  int64_t words = std::max<int64_t>(1, access.vectorSize() >> sizes.word);
  return ((1 + access.conflicts) * words + 1) << access.restBits.size();
}

bool isPowerOf2(int64_t value) {
  return value > 0 && llvm::isPowerOf2_64(value);
}

std::string swizzleProblem(const LinearLayout &source,
                           const LinearLayout &destination, int64_t elementBits,
                           const SharedMemory &memory) {
  if (source.shape() != destination.shape()) {
    return "layouts differ in shape";
  }
  if (source.inBits(Dim::Offset) || destination.inBits(Dim::Offset)) {
    return "layouts are of buffers";
  }
  if (source.bases(Dim::Block) != destination.bases(Dim::Block)) {
    return "layouts differ in their blocks";
  }
  if (!source.isSurjective() || !destination.isSurjective()) {
    return "layouts lack elements";
  }
  if (!isPowerOf2(elementBits) || elementBits < 8 || elementBits > 128) {
    return "elements of " + std::to_string(elementBits) + " bits";
  }
  if (!isPowerOf2(memory.banks) || !isPowerOf2(memory.bankBytes) ||
      !isPowerOf2(memory.maxVectorBits) ||
      (memory.maxReadBits != 0 && !isPowerOf2(memory.maxReadBits)) ||
      memory.banks > 1 << 16 || memory.bankBytes > 1 << 16) {
    return "memory is not of powers of two";
  }
  if (elementBits > memory.banks * memory.bankBytes * 8) {
    return "elements are wider than all banks";
  }
  return "";
}

} // namespace

std::optional<LinearLayout>
SharedBuffer::offsetsOf(const LinearLayout &other) const {
  std::optional<LinearLayout> places = other.invertAndCompose(layout);
  if (!places) {
    return std::nullopt;
  }
  for (unsigned dim = kNumDims - 1; dim-- > 0;) {
    places = places->dropDim(dim);
  }
  return places;
}

std::optional<SharedBuffer> swizzledOffsets(const LinearLayout &source,
                                            const LinearLayout &destination,
                                            int64_t elementBits,
                                            const SharedMemory &memory,
                                            std::string *error) {
  std::string problem =
      swizzleProblem(source, destination, elementBits, memory);
  if (!problem.empty()) {
    if (error) {
      *error = std::move(problem);
    }
    return std::nullopt;
  }
  Sizes sizes(elementBits, memory);
  unsigned limit = std::min(sizes.vector, sizes.row);
  unsigned readLimit = std::min(limit, sizes.readVector);
  // A basis of what block 0 holds; the others hold as much, displaced.
  BitSpan reached;
  Vectors block;
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp}) {
    llvm::append_range(block, extend(reached, source.flatBases(dim)));
  }
  Side from(source, BitSpan(block)), to(destination, BitSpan(block));
  if (!to.isInside) {
    if (error) {
      *error = "layouts' blocks hold different elements";
    }
    return std::nullopt;
  }
  Vectors common = commonVector(from, to, readLimit);
  std::optional<SharedBuffer> best;
  auto consider = [&](bool isSourceWide, ArrayRef<uint64_t> wider) {
    const Side &wide = isSourceWide ? from : to;
    const Side &narrow = isSourceWide ? to : from;
    Vectors basis =
        Builder(wide, narrow, common, wider, block.size(), sizes).build();
    LinearLayout::Bases bases;
    bases[static_cast<unsigned>(Dim::Block)].assign(
        source.bases(Dim::Block).begin(), source.bases(Dim::Block).end());
    for (uint64_t vector : basis) {
      bases[static_cast<unsigned>(Dim::Offset)].push_back(
          source.unflatten(apply(block, vector)));
    }
    std::optional<LinearLayout> layout =
        LinearLayout::create(std::move(bases), source.shape());
    if (!layout) {
      return;
    }
    BitSpan offsets(basis);
    Vectors longer = concat(common, wider);
    SharedBuffer buffer{*layout, {}, {}, 0};
    buffer.write =
        makeAccess(from, offsets, isSourceWide ? longer : common, sizes);
    buffer.read =
        makeAccess(to, offsets, isSourceWide ? common : longer, sizes);
    uint64_t reached = 0;
    for (uint64_t thread : concat(from.threads, to.threads)) {
      reached |= offsets.solve(thread).value_or(0);
    }
    while (buffer.repeatBits < basis.size() &&
           !(reached >> (basis.size() - 1 - buffer.repeatBits) & 1)) {
      ++buffer.repeatBits;
    }
    auto cost = [&](const SharedBuffer &b) {
      return std::pair(b.write.conflicts + b.read.conflicts > 0,
                       costOf(b.write, sizes) + costOf(b.read, sizes));
    };
    if (!best || cost(buffer) < cost(*best)) {
      best = std::move(buffer);
    }
  };
  consider(true, {});
  for (bool isSourceWide : {true, false}) {
    Vectors wider = isSourceWide ? widerVector(from, to, common, limit)
                                 : widerVector(to, from, common, readLimit);
    for (; !wider.empty(); wider.pop_back()) {
      consider(isSourceWide, wider);
    }
  }
  return best;
}

int64_t bankConflicts(const LinearLayout &layout, const LinearLayout &buffer,
                      const SharedAccess &access, int64_t elementBits,
                      const SharedMemory &memory) {
  std::optional<LinearLayout> places = layout.invertAndCompose(buffer);
  if (!places) {
    return 0;
  }
  Sizes sizes(elementBits, memory);
  int64_t group =
      std::min(layout.inSize(Dim::Lane),
               int64_t(1) << sizes.laneBits(access.vectorBits.size()));
  auto sum = [](ArrayRef<int64_t> masks, int64_t bits) {
    int64_t result = 0;
    for (auto [bit, mask] : llvm::enumerate(masks)) {
      result ^= bits >> bit & 1 ? mask : 0;
    }
    return result;
  };
  size_t worst = 1;
  // Words that one group of lanes asks each bank for.
  auto count = [&](int64_t rest, int64_t warp, int64_t first) {
    SmallVector<llvm::DenseSet<int64_t>> words(memory.banks);
    for (int64_t lane = first; lane < first + group; ++lane) {
      for (int64_t item = 0; item < access.vectorSize(); ++item) {
        int64_t reg = rest ^ sum(access.vectorBits, item);
        int64_t offset = places->apply(reg, lane, warp).back();
        int64_t word = offset >> sizes.word;
        for (int64_t part = 0;
             part < std::max<int64_t>(1, elementBits / 8 / memory.bankBytes);
             ++part) {
          int64_t at =
              word * std::max<int64_t>(1, elementBits / 8 / memory.bankBytes) +
              part;
          words[at % memory.banks].insert(at);
        }
      }
    }
    for (const auto &bank : words) {
      worst = std::max<size_t>(worst, bank.size());
    }
  };
  for (int64_t bits = 0; bits < int64_t(1) << access.restBits.size(); ++bits) {
    for (int64_t warp = 0; warp < layout.inSize(Dim::Warp); ++warp) {
      for (int64_t first = 0; first < layout.inSize(Dim::Lane);
           first += group) {
        count(sum(access.restBits, bits), warp, first);
      }
    }
  }
  return worst - 1;
}

} // namespace tegula::layout
