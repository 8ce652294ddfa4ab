// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a tile are, as one linear map over F2. One
// representation for every distribution over registers, lanes and warps and for
// every swizzled buffer lets conversions, vector widths and instruction matches
// be computed rather than written pair by pair.
//
// A layout maps the bits of (register, lane, warp, block), or of an offset into
// a buffer, to coordinates of a tile whose extents are powers of two. The image
// of each input bit is a *basis*; the image of a number is the xor of the bases
// of its set bits, coordinate by coordinate. Example: a 4x4 tile over 4 lanes
// with 4 registers each, a lane holding one row,
//
//   register = [[0, 1], [0, 2]]   register 1 is one column to the right,
//   register 2 two lane     = [[1, 0], [2, 0]]   lane 1 is one row down, lane 2
//   two
//
// so that register 3 of lane 2 is element (2, 3). A zero basis says that the
// bit makes no difference: both have a copy.
//
// *Flat* index: the row-major number of an element. Extents are powers of two,
// so it is the concatenation of the coordinates' bits, the last dimension
// lowest.

#ifndef TEGULA_DIALECTS_LAYOUT_LINEARLAYOUT_H
#define TEGULA_DIALECTS_LAYOUT_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tegula::layout {

/// What a layout takes. `Offset` is an element's place in a buffer of shared
/// memory.
enum class Dim : unsigned { Register, Lane, Warp, Block, Offset };
inline constexpr unsigned kNumDims = 5;
inline constexpr std::array<Dim, kNumDims> kDims = {
    Dim::Register, Dim::Lane, Dim::Warp, Dim::Block, Dim::Offset};
llvm::StringRef dimName(Dim dim);

class LinearLayout {
public:
  /// One coordinate for each dimension of the tile.
  using Basis = llvm::SmallVector<int32_t, 4>;
  /// bases[dim][bit], `dim` as a number.
  using Bases = std::array<llvm::SmallVector<Basis, 4>, kNumDims>;

  /// Bounds on input bits and on output bits, so that each fits a word.
  static constexpr unsigned kMaxBits = 31;

  /// Empty, with the reason in `error`, unless extents are powers of two and
  /// each basis has a coordinate in range for each of them. Need not be
  /// surjective.
  static std::optional<LinearLayout> create(Bases bases,
                                            llvm::ArrayRef<int64_t> shape,
                                            std::string *error = nullptr);

  /// Each thread has a box of `sizePerThread` elements, lanes and then warps
  /// repeat it, dimension order[0] fastest in each. Where the tile ends
  /// earlier, registers are left out and lanes and warps hold copies (zero
  /// bases); where it goes on, the whole repeats in further registers. Empty
  /// unless all are powers of two and `order` is a permutation.
  static std::optional<LinearLayout>
  blocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> sizePerThread,
          llvm::ArrayRef<int64_t> threadsPerWarp,
          llvm::ArrayRef<int64_t> warpsPerBlock, llvm::ArrayRef<int64_t> order);

  /// Number i of `dim` is flat index i of the tile.
  static std::optional<LinearLayout> identity(Dim dim,
                                              llvm::ArrayRef<int64_t> shape);

  unsigned rank() const { return outShape.size(); }
  llvm::ArrayRef<int64_t> shape() const { return outShape; }
  /// Bits of a flat index.
  unsigned outBits() const;
  int64_t numElements() const { return int64_t(1) << outBits(); }

  llvm::ArrayRef<Basis> bases(Dim dim) const {
    return inBases[static_cast<unsigned>(dim)];
  }
  const Bases &allBases() const { return inBases; }
  int64_t inBits(Dim dim) const { return bases(dim).size(); }
  int64_t inSize(Dim dim) const { return int64_t(1) << inBits(dim); }
  unsigned totalInBits() const;

  /// The bases of one input, or of all in the order of `Dim`, as flat indices.
  llvm::SmallVector<uint64_t> flatBases(Dim dim) const;
  llvm::SmallVector<uint64_t> flatBases() const;
  uint64_t flatten(llvm::ArrayRef<int32_t> coordinates) const;
  Basis unflatten(uint64_t flat) const;

  /// The element at an input; bits past an input's size are ignored.
  Basis apply(int64_t reg, int64_t lane = 0, int64_t warp = 0,
              int64_t block = 0, int64_t offset = 0) const;

  bool isSurjective() const;
  bool isInjective() const;

  /// Bits of `dim` whose basis is a sum of bases of earlier bits (registers
  /// first, then lanes, warps, blocks, low bits first): what they reach has a
  /// copy there.
  int64_t freeVariableMask(Dim dim) const;
  /// Without the register bits of freeVariableMask: no thread holds an element
  /// twice.
  LinearLayout removeFreeRegisters() const;
  /// How many registers from 0 up step through consecutive coordinates of
  /// `axis`: the width of a vector access.
  int64_t contiguousRegisters(unsigned axis) const;

  /// First this, then `outer`, whose one input is an offset: the flat index of
  /// this layout's tile. Empty if `outer` has another input or another number
  /// of elements.
  std::optional<LinearLayout> compose(const LinearLayout &outer) const;

  /// Right inverse: takes an offset, the flat index, to the place that holds
  /// the element, one output for each `Dim` in order. Of several copies it
  /// names the one whose free variables are 0. Empty if not surjective.
  std::optional<LinearLayout> pseudoInvert() const;
  /// As pseudoInvert, where each element has one place only.
  std::optional<LinearLayout> invert() const;

  /// C with this == other o C: where, in `other`, each (register, lane, warp,
  /// block) of this finds its element; outputs as of pseudoInvert. Among copies
  /// in `other` it prefers the same lane, warp and block, then the same warp
  /// and block, then the same block. Empty if shapes differ or an element of
  /// this is not in `other`.
  std::optional<LinearLayout> invertAndCompose(const LinearLayout &other) const;

  /// Block-diagonal product of layouts of one rank: this layout's bits are the
  /// low ones, and its tile repeats as `outer` says. Extents multiply.
  LinearLayout operator*(const LinearLayout &outer) const;
  /// Q with this == tile * Q, if there is one.
  std::optional<LinearLayout> divideLeft(const LinearLayout &tile) const;

  // What operations on tiles do to layouts. Arguments out of range give no
  // layout.

  /// Dimension d of the result is dimension perm[d].
  std::optional<LinearLayout> permute(llvm::ArrayRef<int64_t> perm) const;
  /// Same elements in row-major order.
  std::optional<LinearLayout> reshape(llvm::ArrayRef<int64_t> shape) const;
  /// Without `axis`, as a reduction leaves it. Register bits that moved along
  /// `axis` alone become zero bases, and are left out on request.
  std::optional<LinearLayout> dropDim(unsigned axis,
                                      bool dropZeroRegisters = false) const;
  /// Extent 1 along `axis`: what a broadcast to this layout takes.
  std::optional<LinearLayout> collapseDim(unsigned axis) const;
  /// A new dimension of extent 1 before `axis`.
  std::optional<LinearLayout> insertDim(unsigned axis) const;
  /// A new last dimension of extent 2 whose coordinate is register bit 0, as
  /// `tile.join` makes.
  LinearLayout appendRegisterDim() const;
  /// Without the last dimension of extent 2, where one register bit (given in
  /// `registerBit`) is all that moves along it, as `tile.split` needs.
  std::optional<LinearLayout> halves(unsigned *registerBit = nullptr) const;

  bool operator==(const LinearLayout &other) const {
    return outShape == other.outShape && inBases == other.inBases;
  }
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const LinearLayout &layout);

  /// `register = [[0, 1]], lane = [], warp = [], block = [], shape = [1, 2]`;
  /// `offset` only where there is one.
  void print(llvm::raw_ostream &stream) const;
  std::string str() const;

private:
  LinearLayout(Bases bases, llvm::ArrayRef<int64_t> shape)
      : inBases(std::move(bases)), outShape(shape) {}
  /// From flat images, bits of `Dim`s in order with this layout's counts.
  LinearLayout withFlat(llvm::ArrayRef<uint64_t> flat,
                        llvm::ArrayRef<int64_t> shape) const;
  /// With `change` applied to each basis.
  template <typename Fn>
  LinearLayout withBases(llvm::ArrayRef<int64_t> shape, Fn change) const;
  /// One output for each `Dim`, of the size of the input.
  llvm::SmallVector<int64_t> placeShape() const;
  /// An input of this layout, its bits concatenated with register bit 0 lowest,
  /// as coordinates of placeShape.
  Basis placeBasis(uint64_t input) const;

  Bases inBases;
  llvm::SmallVector<int64_t, 4> outShape;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &stream,
                              const LinearLayout &layout);

} // namespace tegula::layout

#endif // TEGULA_DIALECTS_LAYOUT_LINEARLAYOUT_H
