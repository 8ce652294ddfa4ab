// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ds_read_b64_tr_b16 and _b8 ("CDNA4 Instruction Set Architecture", LDS
// transpose loads): in each row of 16 lanes, a lane names 8 bytes, n elements
// of 16 or 8 bits. Lane l then has element l % n of what the lanes l / n, l / n
// + 16 / n, ... named. So who names what is the fragment's own map with its
// lowest registers and lanes exchanged.

#include "passes/targets/rocm/TransposedRead.h"

#include "passes/targets/rocm/Rocdl.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::rocm {

using layout::Dim;
using layout::LinearLayout;
using lower::ThreadEmitter;

namespace {

constexpr int64_t kBytes = 8;
constexpr unsigned kRowBits = 4; // of the lanes that exchange
constexpr unsigned kOffset = static_cast<unsigned>(Dim::Offset);

/// log2 of the elements that a lane names, or nothing if the instructions do
/// not know such elements.
std::optional<unsigned> getNamedBits(const LinearLayout &fragment,
                                     int64_t elementBytes) {
  if (elementBytes != 1 && elementBytes != 2) {
    return std::nullopt;
  }
  unsigned bits = llvm::Log2_64(kBytes / elementBytes);
  if (fragment.inBits(Dim::Register) < bits ||
      fragment.inBits(Dim::Lane) < kRowBits) {
    return std::nullopt;
  }
  return bits;
}

/// Whether neighbouring lanes are neighbours along output `along`, and nothing
/// else changes the coordinate's low bits.
bool areNeighbours(const LinearLayout &fragment, unsigned along,
                   unsigned bits) {
  int32_t mask = (1 << bits) - 1;
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp}) {
    for (auto [bit, basis] : llvm::enumerate(fragment.bases(dim))) {
      bool isNamed = dim == Dim::Lane && bit < bits;
      int32_t wanted = isNamed ? 1 << bit : basis[along] & ~mask;
      if (basis[along] != wanted) {
        return false;
      }
    }
  }
  return true;
}

/// The fragment with registers and lanes exchanged.
LinearLayout exchange(const LinearLayout &fragment, unsigned bits) {
  LinearLayout::Bases bases = fragment.allBases();
  auto &registers = bases[static_cast<unsigned>(Dim::Register)];
  auto &lanes = bases[static_cast<unsigned>(Dim::Lane)];
  auto named = llvm::to_vector(llvm::ArrayRef(lanes).take_front(bits));
  std::copy(lanes.begin() + bits, lanes.begin() + kRowBits, lanes.begin());
  std::copy(registers.begin(), registers.begin() + bits,
            lanes.begin() + kRowBits - bits);
  llvm::copy(named, registers.begin());
  return *LinearLayout::create(std::move(bases), fragment.shape());
}

} // namespace

std::optional<LinearLayout> getNamedElements(const LinearLayout &fragment,
                                             unsigned along,
                                             int64_t elementBytes) {
  std::optional<unsigned> bits = getNamedBits(fragment, elementBytes);
  if (!bits || !areNeighbours(fragment, along, *bits)) {
    return std::nullopt;
  }
  return exchange(fragment, *bits);
}

FailureOr<Value> emitTransposedRead(OpBuilder &builder, Location loc,
                                    ThreadEmitter &emitter, Value pointer,
                                    const LinearLayout &places,
                                    Type elementType) {
  int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
  std::optional<unsigned> bits = getNamedBits(places, elementBytes);
  if (!bits || !areNeighbours(places, kOffset, *bits)) {
    return failure();
  }
  LinearLayout named = exchange(places, *bits);
  int64_t threadBits = ThreadEmitter::getThreadBits(named, kOffset);
  Value base = emitter.getBaseCoordinates(builder, loc, named)[kOffset];
  bool isByte = elementBytes == 1;
  Type type = isByte ? VectorType::get(2, builder.getI32Type())
                     : VectorType::get(4, builder.getI16Type());
  auto part = VectorType::get(int64_t(1) << *bits, elementType);
  SmallVector<Value> elements;
  int64_t step = int64_t(1) << *bits;
  for (int64_t reg = 0; reg < named.inSize(Dim::Register); reg += step) {
    Value offset = ThreadEmitter::emitWithOffset(
        builder, loc, base, named.apply(reg)[kOffset], threadBits);
    Value place =
        ThreadEmitter::emitOffset(builder, loc, pointer, offset, elementType);
    Value loaded = createRocdl(builder, loc,
                               isByte ? "ds.read.tr8.b64" : "ds.read.tr16.b64",
                               type, place)
                       ->getResult(0);
    loaded = vector::BitCastOp::create(builder, loc, part, loaded);
    llvm::append_range(elements, ThreadEmitter::unpack(builder, loc, loaded));
  }
  return ThreadEmitter::pack(builder, loc, elements, elementType);
}

} // namespace tegula::rocm
