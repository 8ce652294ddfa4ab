// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making, asking and printing layouts. LinearLayoutAlgebra.cpp has what makes
// layouts of layouts.

#include "dialects/layout/LinearLayout.h"

#include "dialects/layout/BitSpan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tegula::layout {

using llvm::ArrayRef;
using llvm::SmallVector;

llvm::StringRef dimName(Dim dim) {
  static constexpr llvm::StringLiteral names[] = {"register", "lane", "warp",
                                                  "block", "offset"};
  return names[static_cast<unsigned>(dim)];
}

static bool isExtent(int64_t extent) {
  return extent > 0 && extent <= int64_t(1) << 30 &&
         llvm::isPowerOf2_64(extent);
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

/// What is wrong with a shape, or nothing.
static std::string shapeProblem(ArrayRef<int64_t> shape) {
  unsigned bits = 0;
  for (int64_t extent : shape) {
    if (!isExtent(extent)) {
      return "extent " + std::to_string(extent) +
             " is not a power of two from 1 to 2^30";
    }
    bits += llvm::Log2_64(extent);
  }
  if (bits > LinearLayout::kMaxBits) {
    return "shape has more than 2^" + std::to_string(LinearLayout::kMaxBits) +
           " elements";
  }
  return "";
}

static std::string basisProblem(const LinearLayout::Basis &basis,
                                ArrayRef<int64_t> shape) {
  if (basis.size() != shape.size()) {
    return "has " + std::to_string(basis.size()) +
           " coordinates, the shape has " + std::to_string(shape.size());
  }
  for (auto [axis, coordinate, extent] : llvm::enumerate(basis, shape)) {
    if (coordinate < 0 || coordinate >= extent) {
      return "has coordinate " + std::to_string(coordinate) +
             " along dimension " + std::to_string(axis) + " of extent " +
             std::to_string(extent);
    }
  }
  return "";
}

static std::string problem(const LinearLayout::Bases &bases,
                           ArrayRef<int64_t> shape) {
  std::string text = shapeProblem(shape);
  if (!text.empty()) {
    return text;
  }
  size_t inBits = 0;
  for (Dim dim : kDims) {
    const auto &vectors = bases[static_cast<unsigned>(dim)];
    inBits += vectors.size();
    for (auto [bit, basis] : llvm::enumerate(vectors)) {
      text = basisProblem(basis, shape);
      if (!text.empty()) {
        return dimName(dim).str() + " basis " + std::to_string(bit) + " " +
               text;
      }
    }
  }
  return inBits > LinearLayout::kMaxBits
             ? "there are more than " + std::to_string(LinearLayout::kMaxBits) +
                   " bases"
             : "";
}

std::optional<LinearLayout>
LinearLayout::create(Bases bases, ArrayRef<int64_t> shape, std::string *error) {
  std::string text = problem(bases, shape);
  if (!text.empty()) {
    if (error) {
      *error = std::move(text);
    }
    return std::nullopt;
  }
  return LinearLayout(std::move(bases), shape);
}

std::optional<LinearLayout> LinearLayout::identity(Dim dim,
                                                   ArrayRef<int64_t> shape) {
  std::optional<LinearLayout> empty = create({}, shape);
  if (!empty) {
    return std::nullopt;
  }
  auto &bases = empty->inBases[static_cast<unsigned>(dim)];
  for (unsigned bit = 0; bit < empty->outBits(); ++bit) {
    bases.push_back(empty->unflatten(uint64_t(1) << bit));
  }
  return empty;
}

static bool isPermutation(ArrayRef<int64_t> order, size_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t axis : order) {
    if (axis < 0 || axis >= static_cast<int64_t>(rank) || seen.test(axis)) {
      return false;
    }
    seen.set(axis);
  }
  return order.size() == rank;
}

std::optional<LinearLayout>
LinearLayout::blocked(ArrayRef<int64_t> shape, ArrayRef<int64_t> sizePerThread,
                      ArrayRef<int64_t> threadsPerWarp,
                      ArrayRef<int64_t> warpsPerBlock,
                      ArrayRef<int64_t> order) {
  size_t rank = shape.size();
  const ArrayRef<int64_t> counts[] = {sizePerThread, threadsPerWarp,
                                      warpsPerBlock};
  for (ArrayRef<int64_t> sizes : counts) {
    if (sizes.size() != rank || !llvm::all_of(sizes, isExtent)) {
      return std::nullopt;
    }
  }
  if (!shapeProblem(shape).empty() || !isPermutation(order, rank)) {
    return std::nullopt;
  }
  Bases bases;
  SmallVector<int64_t> reached(rank, 1);
  auto step = [&](Dim dim, int64_t axis) {
    Basis basis(rank, 0);
    bool inside = reached[axis] < shape[axis];
    if (inside) {
      basis[axis] = reached[axis];
      reached[axis] *= 2;
    }
    if (inside || dim != Dim::Register) {
      bases[static_cast<unsigned>(dim)].push_back(basis);
    }
  };
  for (auto [dim, sizes] : llvm::zip(kDims, counts)) {
    for (int64_t axis : order) {
      for (int64_t size = 1; size < sizes[axis]; size *= 2) {
        step(dim, axis);
      }
    }
  }
  for (int64_t axis : order) {
    while (reached[axis] < shape[axis]) {
      step(Dim::Register, axis);
    }
  }
  return create(std::move(bases), shape);
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

unsigned LinearLayout::outBits() const {
  unsigned bits = 0;
  for (int64_t extent : outShape) {
    bits += llvm::Log2_64(extent);
  }
  return bits;
}

unsigned LinearLayout::totalInBits() const {
  unsigned bits = 0;
  for (const auto &vectors : inBases) {
    bits += vectors.size();
  }
  return bits;
}

uint64_t LinearLayout::flatten(ArrayRef<int32_t> coordinates) const {
  uint64_t flat = 0;
  for (auto [coordinate, extent] : llvm::zip(coordinates, outShape)) {
    flat = flat * extent + coordinate;
  }
  return flat;
}

LinearLayout::Basis LinearLayout::unflatten(uint64_t flat) const {
  Basis result(rank(), 0);
  for (unsigned axis = rank(); axis-- > 0;) {
    result[axis] = flat & (outShape[axis] - 1);
    flat /= outShape[axis];
  }
  return result;
}

SmallVector<uint64_t> LinearLayout::flatBases(Dim dim) const {
  return llvm::map_to_vector(
      bases(dim), [&](const Basis &basis) { return flatten(basis); });
}

SmallVector<uint64_t> LinearLayout::flatBases() const {
  SmallVector<uint64_t> result;
  for (Dim dim : kDims) {
    llvm::append_range(result, flatBases(dim));
  }
  return result;
}

LinearLayout::Basis LinearLayout::apply(int64_t reg, int64_t lane, int64_t warp,
                                        int64_t block, int64_t offset) const {
  const int64_t inputs[] = {reg, lane, warp, block, offset};
  Basis result(rank(), 0);
  for (auto [vectors, input] : llvm::zip(inBases, inputs)) {
    for (auto [bit, basis] : llvm::enumerate(vectors)) {
      if (!(input >> bit & 1)) {
        continue;
      }
      for (auto [sum, coordinate] : llvm::zip(result, basis)) {
        sum ^= coordinate;
      }
    }
  }
  return result;
}

bool LinearLayout::isSurjective() const {
  return BitSpan(flatBases()).dimension() == outBits();
}

bool LinearLayout::isInjective() const {
  return BitSpan(flatBases()).dimension() == totalInBits();
}

int64_t LinearLayout::freeVariableMask(Dim dim) const {
  BitSpan span;
  for (Dim earlier : kDims) {
    int64_t mask = 0;
    for (auto [bit, basis] : llvm::enumerate(flatBases(earlier))) {
      mask |= int64_t(!span.insert(basis)) << bit;
    }
    if (earlier == dim) {
      return mask;
    }
  }
  return 0;
}

int64_t LinearLayout::contiguousRegisters(unsigned axis) const {
  if (axis >= rank()) {
    return 1;
  }
  int64_t count = 1;
  for (const Basis &basis : bases(Dim::Register)) {
    Basis next(rank(), 0);
    next[axis] = count;
    if (count >= outShape[axis] || basis != next) {
      break;
    }
    count *= 2;
  }
  return count;
}

llvm::hash_code hash_value(const LinearLayout &layout) {
  llvm::hash_code code =
      llvm::hash_combine_range(layout.outShape.begin(), layout.outShape.end());
  for (const auto &vectors : layout.inBases) {
    code = llvm::hash_combine(code, vectors.size());
    for (const LinearLayout::Basis &basis : vectors) {
      code = llvm::hash_combine(
          code, llvm::hash_combine_range(basis.begin(), basis.end()));
    }
  }
  return code;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

void LinearLayout::print(llvm::raw_ostream &stream) const {
  auto printList = [&](const auto &list) {
    stream << "[";
    llvm::interleaveComma(list, stream);
    stream << "]";
  };
  for (Dim dim : kDims) {
    if (dim == Dim::Offset && bases(dim).empty()) {
      continue;
    }
    stream << dimName(dim) << " = [";
    llvm::interleaveComma(bases(dim), stream, printList);
    stream << "], ";
  }
  stream << "shape = ";
  printList(outShape);
}

std::string LinearLayout::str() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(stream);
  return text;
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &stream,
                              const LinearLayout &layout) {
  layout.print(stream);
  return stream;
}

} // namespace tegula::layout
