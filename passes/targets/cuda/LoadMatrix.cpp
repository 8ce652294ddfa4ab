// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One ldmatrix reads up to four matrices of eight rows of 16 bytes. Lane l
// names row l % 8 of matrix l / 8 and receives, of each matrix, the four bytes
// at column l % 4 of row l / 4 (PTX ISA 9.7.14.5.15). Which lane names what is
// therefore the fragment's own map with some of its inputs exchanged.

#include "passes/targets/cuda/LoadMatrix.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;

namespace tegula::cuda {

using layout::Dim;
using layout::LinearLayout;
using lower::ThreadEmitter;

namespace {

constexpr unsigned kOffset = static_cast<unsigned>(Dim::Offset);
constexpr int64_t kRowBytes = 16;
constexpr int64_t kLaneBits = 5;
constexpr int64_t kMatrixBits = 2; // of the matrices that one instruction reads

using Basis = LinearLayout::Basis;
using BasisList = SmallVector<Basis>;

/// A fragment as ldmatrix reads it.
struct Fragment {
  bool isTransposed = false;
  unsigned matrixBits = 0; // log2 of the number of matrices
  int64_t numWords = 0;    // of a thread
  /// Lanes to the offsets of the rows that they name; registers to those of
  /// further instructions.
  std::optional<LinearLayout> rows;
};

/// Whether `bases` are the offsets 1, 2, 4, ... within a row.
bool areWithinRow(ArrayRef<Basis> bases) {
  for (auto [bit, basis] : llvm::enumerate(bases)) {
    if (basis[kOffset] != int32_t(1) << bit) {
      return false;
    }
  }
  return true;
}

/// Whether each basis leads from the start of a row to that of another.
bool areBetweenRows(ArrayRef<Basis> bases, int64_t rowElements) {
  return llvm::all_of(bases, [&](const Basis &basis) {
    return basis[kOffset] % rowElements == 0;
  });
}

/// The fragment of `places`, if ldmatrix reads it.
std::optional<Fragment> matchFragment(const LinearLayout &places,
                                      int64_t elementBytes) {
  ArrayRef<Basis> registers = places.bases(Dim::Register);
  ArrayRef<Basis> lanes = places.bases(Dim::Lane);
  unsigned packed = llvm::Log2_64(4 / elementBytes); // registers in a word
  if (registers.size() < packed ||
      lanes.size() != static_cast<size_t>(kLaneBits)) {
    return std::nullopt;
  }
  BasisList column(registers.take_front(packed));
  llvm::append_range(column, lanes.take_front(2));
  BasisList row(lanes.drop_front(2));
  Fragment fragment;
  if (!areWithinRow(column)) {
    // The transposed matrix: what are rows of the fragment lie side by side.
    std::swap(column, row);
    fragment.isTransposed = true;
    if (elementBytes != 2 || !areWithinRow(column)) {
      return std::nullopt;
    }
  }
  ArrayRef<Basis> others = registers.drop_front(packed);
  int64_t rowElements = kRowBytes / elementBytes;
  if (!areBetweenRows(row, rowElements) ||
      !areBetweenRows(others, rowElements) ||
      !areBetweenRows(places.bases(Dim::Warp), rowElements)) {
    return std::nullopt;
  }
  fragment.numWords = int64_t(1) << others.size();
  fragment.matrixBits = std::min<unsigned>(others.size(), kMatrixBits);
  llvm::append_range(row, others.take_front(fragment.matrixBits));
  row.resize(kLaneBits, Basis(places.rank(), 0));
  LinearLayout::Bases bases = places.allBases();
  bases[static_cast<unsigned>(Dim::Lane)].assign(row.begin(), row.end());
  ArrayRef<Basis> further = others.drop_front(fragment.matrixBits);
  bases[static_cast<unsigned>(Dim::Register)].assign(further.begin(),
                                                     further.end());
  fragment.rows = LinearLayout::create(std::move(bases), places.shape());
  return fragment;
}

/// One instruction's words.
void load(OpBuilder &builder, Location loc, Value pointer,
          const Fragment &fragment, SmallVector<Value> &words) {
  Type word = builder.getI32Type();
  int64_t count = int64_t(1) << fragment.matrixBits;
  Type type = word;
  if (count > 1) {
    type = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                            SmallVector<Type>(count, word));
  }
  Value loaded = NVVM::LdMatrixOp::create(
      builder, loc, type, pointer, static_cast<uint32_t>(count),
      fragment.isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  if (count == 1) {
    words.push_back(loaded);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    words.push_back(LLVM::ExtractValueOp::create(builder, loc, loaded, i));
  }
}

} // namespace

FailureOr<Value> emitLoadMatrix(OpBuilder &builder, Location loc,
                                ThreadEmitter &emitter, Value pointer,
                                const LinearLayout &places, Type type) {
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8 != 0 ||
      type.getIntOrFloatBitWidth() > 32) {
    return failure();
  }
  int64_t bytes = type.getIntOrFloatBitWidth() / 8;
  auto fragment = matchFragment(places, bytes);
  if (!fragment || !fragment->rows) {
    return failure();
  }
  const LinearLayout &rows = *fragment->rows;
  int64_t bits = ThreadEmitter::getThreadBits(rows, kOffset);
  Value base = emitter.getBaseCoordinates(builder, loc, rows)[kOffset];
  SmallVector<Value> words;
  for (int64_t reg = 0; reg < rows.inSize(Dim::Register); ++reg) {
    Value offset = ThreadEmitter::emitWithOffset(
        builder, loc, base, rows.apply(reg)[kOffset], bits);
    Value row = ThreadEmitter::emitOffset(builder, loc, pointer, offset, type);
    load(builder, loc, row, *fragment, words);
  }
  Value packed = ThreadEmitter::pack(builder, loc, words, builder.getI32Type());
  auto result = VectorType::get({fragment->numWords * 4 / bytes}, type);
  return vector::BitCastOp::create(builder, loc, result, packed).getResult();
}

} // namespace tegula::cuda
