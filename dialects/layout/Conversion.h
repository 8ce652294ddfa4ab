// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How to get a tile from one layout into another with the least traffic, as a
// plan that a lowering emits step by step. Nothing of it depends on a device.

#ifndef TEGULA_DIALECTS_LAYOUT_CONVERSION_H
#define TEGULA_DIALECTS_LAYOUT_CONVERSION_H

#include "dialects/layout/LinearLayout.h"

#include <utility>

namespace tegula::layout {

/// From cheap to dear. Each kind keeps what the dearer ones move across.
enum class ConversionKind {
  Rename,       // Each thread has all it needs; registers get other numbers.
  Shuffle,      // Elements move between lanes of a warp.
  SharedMemory, // Elements move between warps of a block, or lanes of a source
                // with copies in several warps would send two at a time.
  Blocks        // Elements move between blocks.
};

/// Exchange between lanes. Let `x[bits]` below mean the xor of the entries of
/// the list x at the set bits of a number. In lane l of warp w and block b:
///
///   1. sent[i] = source[i ^ sendByLane[l] ^ sendByWarp[w] ^ sendByBlock[b]]
///   2. for each round and each of its moves (from, to):
///        received[to] = sent[from] of lane
///          (laneByLane[l] ^ laneByWarp[w] ^ laneByBlock[b] ^ laneXor)
///   3. held[i] = received[i ^ receiveByLane[l]] for each i of `kept`
///   4. destination[i] = held[copyOf[i]]
///
/// A local round reads the lane's own value. Moves of one round have the same
/// partner, so that narrow elements may share a word. Steps 1 and 3 are selects
/// over pairs of registers, one for each bit whose entry is not 0.
struct ShufflePlan {
  struct Round {
    int64_t laneXor;
    bool isLocal;
    llvm::SmallVector<std::pair<int64_t, int64_t>, 4> moves;
  };
  llvm::SmallVector<int64_t, 8> sendByLane, sendByWarp, sendByBlock;
  llvm::SmallVector<int64_t, 8> laneByLane, laneByWarp, laneByBlock;
  llvm::SmallVector<Round, 4> rounds;
  llvm::SmallVector<int64_t, 8> receiveByLane;
  llvm::SmallVector<int64_t> kept;
  llvm::SmallVector<int64_t> copyOf;

  /// The partner is the lane's own number xor a round's laneXor.
  bool isButterfly() const;
  /// Exchanged words of `wordBits`, for elements of `elementBits`.
  int64_t numShuffles(unsigned elementBits, unsigned wordBits = 32) const;
  /// Selects of steps 1 and 3, where the source has `numSource` registers.
  int64_t numSelects(int64_t numSource) const;
};

struct Conversion {
  ConversionKind kind;
  /// Where each place of the destination finds its element in the source:
  /// destination.invertAndCompose(source).
  LinearLayout map;
  /// Rename: the source's register for each of the destination's.
  llvm::SmallVector<int64_t> registerOf;
  /// Shuffle.
  ShufflePlan shuffle;
};

/// Most register bits that a plan spells out.
inline constexpr int64_t kMaxPlannedRegisterBits = 16;

/// The plan, or nothing and the reason in `error`: layouts of different shapes
/// or numbers of lanes, warps or blocks, a source that lacks elements, or a
/// buffer.
std::optional<Conversion> planConversion(const LinearLayout &source,
                                         const LinearLayout &destination,
                                         std::string *error = nullptr);

} // namespace tegula::layout

#endif // TEGULA_DIALECTS_LAYOUT_CONVERSION_H
