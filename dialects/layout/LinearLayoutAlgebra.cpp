// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts made of layouts: composition, inverse, product, and what each
// operation that moves elements does to one.

#include "dialects/layout/BitSpan.h"
#include "dialects/layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tegula::layout {

using llvm::ArrayRef;
using llvm::SmallVector;

template <typename Fn>
LinearLayout LinearLayout::withBases(ArrayRef<int64_t> shape, Fn change) const {
  Bases result;
  for (auto [from, to] : llvm::zip(inBases, result)) {
    for (const Basis &basis : from) {
      to.push_back(change(basis));
    }
  }
  return LinearLayout(std::move(result), shape);
}

LinearLayout LinearLayout::withFlat(ArrayRef<uint64_t> flat,
                                    ArrayRef<int64_t> shape) const {
  LinearLayout target(Bases{}, shape);
  size_t next = 0;
  return withBases(
      shape, [&](const Basis &) { return target.unflatten(flat[next++]); });
}

LinearLayout LinearLayout::removeFreeRegisters() const {
  int64_t mask = freeVariableMask(Dim::Register);
  Bases result = inBases;
  auto &registers = result[static_cast<unsigned>(Dim::Register)];
  registers.clear();
  for (auto [bit, basis] : llvm::enumerate(bases(Dim::Register))) {
    if (!(mask >> bit & 1)) {
      registers.push_back(basis);
    }
  }
  return LinearLayout(std::move(result), outShape);
}

//===----------------------------------------------------------------------===//
// Composition and inverse
//===----------------------------------------------------------------------===//

std::optional<LinearLayout>
LinearLayout::compose(const LinearLayout &outer) const {
  if (outer.inBits(Dim::Offset) != outBits() ||
      outer.totalInBits() != outBits()) {
    return std::nullopt;
  }
  SmallVector<uint64_t> columns = outer.flatBases(Dim::Offset);
  SmallVector<uint64_t> images = llvm::map_to_vector(
      flatBases(), [&](uint64_t flat) { return layout::apply(columns, flat); });
  return withFlat(images, outer.shape());
}

SmallVector<int64_t> LinearLayout::placeShape() const {
  return llvm::map_to_vector(kDims, [&](Dim dim) { return inSize(dim); });
}

LinearLayout::Basis LinearLayout::placeBasis(uint64_t input) const {
  Basis result;
  for (Dim dim : kDims) {
    result.push_back(input & (inSize(dim) - 1));
    input >>= inBits(dim);
  }
  return result;
}

std::optional<LinearLayout> LinearLayout::pseudoInvert() const {
  BitSpan span(flatBases());
  Bases result;
  for (unsigned bit = 0; bit < outBits(); ++bit) {
    std::optional<uint64_t> input = span.solve(uint64_t(1) << bit);
    if (!input) {
      return std::nullopt;
    }
    result[static_cast<unsigned>(Dim::Offset)].push_back(placeBasis(*input));
  }
  return create(std::move(result), placeShape());
}

std::optional<LinearLayout> LinearLayout::invert() const {
  return isInjective() ? pseudoInvert() : std::nullopt;
}

std::optional<LinearLayout>
LinearLayout::invertAndCompose(const LinearLayout &other) const {
  if (shape() != other.shape()) {
    return std::nullopt;
  }
  // spans[k] moves along the first k + 1 of `order` only. An offset is within
  // the block.
  constexpr Dim order[] = {Dim::Register, Dim::Lane, Dim::Warp, Dim::Offset,
                           Dim::Block};
  std::array<BitSpan, kNumDims> spans;
  SmallVector<std::pair<Dim, unsigned>> vectors;
  BitSpan span;
  for (auto [level, dim] : llvm::enumerate(order)) {
    for (auto [bit, basis] : llvm::enumerate(other.flatBases(dim))) {
      span.insert(basis);
      vectors.push_back({dim, bit});
    }
    spans[level] = span;
  }
  Bases result;
  for (Dim dim : kDims) {
    SmallVector<uint64_t> theirs = other.flatBases(dim);
    for (auto [bit, target] : llvm::enumerate(flatBases(dim))) {
      Basis place(kNumDims, 0);
      std::optional<uint64_t> parts;
      for (unsigned level = 0; level < kNumDims && !parts; ++level) {
        // A lane, warp or block that the span does not move along stays.
        bool stays =
            dim != Dim::Register && dim != Dim::Offset &&
            !llvm::is_contained(ArrayRef(order).take_front(level + 1), dim) &&
            bit < theirs.size();
        parts = spans[level].solve(target ^ (stays ? theirs[bit] : 0));
        if (parts && stays) {
          place[static_cast<unsigned>(dim)] ^= int32_t(1) << bit;
        }
      }
      if (!parts) {
        return std::nullopt;
      }
      for (auto [index, vector] : llvm::enumerate(vectors)) {
        if (*parts >> index & 1) {
          place[static_cast<unsigned>(vector.first)] ^= int32_t(1)
                                                        << vector.second;
        }
      }
      result[static_cast<unsigned>(dim)].push_back(place);
    }
  }
  return create(std::move(result), other.placeShape());
}

//===----------------------------------------------------------------------===//
// Product
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::operator*(const LinearLayout &outer) const {
  assert(rank() == outer.rank() && "factors are of one rank");
  SmallVector<int64_t> shape;
  for (auto [inner, repeat] : llvm::zip(outShape, outer.outShape)) {
    shape.push_back(inner * repeat);
  }
  LinearLayout shifted = outer.withBases(outer.outShape, [&](Basis basis) {
    for (auto [coordinate, inner] : llvm::zip(basis, outShape)) {
      coordinate *= inner;
    }
    return basis;
  });
  Bases result = inBases;
  for (auto [into, from] : llvm::zip(result, shifted.inBases)) {
    llvm::append_range(into, from);
  }
  return LinearLayout(std::move(result), shape);
}

std::optional<LinearLayout>
LinearLayout::divideLeft(const LinearLayout &tile) const {
  if (rank() != tile.rank()) {
    return std::nullopt;
  }
  SmallVector<int64_t> shape;
  for (auto [whole, inner] : llvm::zip(outShape, tile.outShape)) {
    if (whole < inner) {
      return std::nullopt;
    }
    shape.push_back(whole / inner);
  }
  Bases result;
  for (Dim dim : kDims) {
    ArrayRef<Basis> inner = tile.bases(dim);
    if (bases(dim).take_front(inner.size()) != inner) {
      return std::nullopt;
    }
    for (Basis basis : bases(dim).drop_front(inner.size())) {
      for (auto [coordinate, extent] : llvm::zip(basis, tile.outShape)) {
        if (coordinate & (extent - 1)) {
          return std::nullopt;
        }
        coordinate /= extent;
      }
      result[static_cast<unsigned>(dim)].push_back(basis);
    }
  }
  return LinearLayout(std::move(result), shape);
}

//===----------------------------------------------------------------------===//
// Operations on tiles
//===----------------------------------------------------------------------===//

std::optional<LinearLayout>
LinearLayout::permute(ArrayRef<int64_t> perm) const {
  llvm::SmallBitVector seen(rank());
  for (int64_t axis : perm) {
    if (axis < 0 || axis >= rank() || seen.test(axis)) {
      return std::nullopt;
    }
    seen.set(axis);
  }
  if (perm.size() != rank()) {
    return std::nullopt;
  }
  auto permuted = [&](const auto &list) {
    std::decay_t<decltype(list)> result;
    for (int64_t axis : perm) {
      result.push_back(list[axis]);
    }
    return result;
  };
  return withBases(permuted(outShape), permuted);
}

std::optional<LinearLayout>
LinearLayout::reshape(ArrayRef<int64_t> shape) const {
  std::optional<LinearLayout> target = create({}, shape);
  if (!target || target->outBits() != outBits()) {
    return std::nullopt;
  }
  return withFlat(flatBases(), shape);
}

std::optional<LinearLayout>
LinearLayout::dropDim(unsigned axis, bool dropZeroRegisters) const {
  if (axis >= rank()) {
    return std::nullopt;
  }
  SmallVector<int64_t> shape(this->shape());
  shape.erase(shape.begin() + axis);
  LinearLayout result = withBases(shape, [&](Basis basis) {
    basis.erase(basis.begin() + axis);
    return basis;
  });
  if (dropZeroRegisters) {
    llvm::erase_if(result.inBases[static_cast<unsigned>(Dim::Register)],
                   [](const Basis &basis) {
                     return llvm::all_of(basis,
                                         [](int32_t c) { return c == 0; });
                   });
  }
  return result;
}

std::optional<LinearLayout> LinearLayout::collapseDim(unsigned axis) const {
  if (axis >= rank()) {
    return std::nullopt;
  }
  SmallVector<int64_t> shape(this->shape());
  shape[axis] = 1;
  return withBases(shape, [&](Basis basis) {
    basis[axis] = 0;
    return basis;
  });
}

std::optional<LinearLayout> LinearLayout::insertDim(unsigned axis) const {
  if (axis > rank()) {
    return std::nullopt;
  }
  SmallVector<int64_t> shape(this->shape());
  shape.insert(shape.begin() + axis, 1);
  return withBases(shape, [&](Basis basis) {
    basis.insert(basis.begin() + axis, 0);
    return basis;
  });
}

LinearLayout LinearLayout::appendRegisterDim() const {
  SmallVector<int64_t> shape(this->shape());
  shape.push_back(2);
  LinearLayout result = withBases(shape, [](Basis basis) {
    basis.push_back(0);
    return basis;
  });
  Basis pair(shape.size(), 0);
  pair.back() = 1;
  auto &registers = result.inBases[static_cast<unsigned>(Dim::Register)];
  registers.insert(registers.begin(), pair);
  return result;
}

std::optional<LinearLayout> LinearLayout::halves(unsigned *registerBit) const {
  if (rank() == 0 || outShape.back() != 2) {
    return std::nullopt;
  }
  Basis pair(rank(), 0);
  pair.back() = 1;
  ArrayRef<Basis> registers = bases(Dim::Register);
  const Basis *found = llvm::find(registers, pair);
  if (found == registers.end()) {
    return std::nullopt;
  }
  unsigned bit = found - registers.begin();
  LinearLayout rest = *this;
  auto &left = rest.inBases[static_cast<unsigned>(Dim::Register)];
  left.erase(left.begin() + bit);
  for (const auto &vectors : rest.inBases) {
    if (llvm::any_of(vectors, [](const Basis &b) { return b.back() != 0; })) {
      return std::nullopt;
    }
  }
  if (registerBit) {
    *registerBit = bit;
  }
  return rest.dropDim(rank() - 1);
}

} // namespace tegula::layout
