// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where to put the elements of a tile in shared memory so that one layout
// writes and another reads it in wide accesses without bank conflicts. The
// answer is computed for the pair of layouts, for any number of banks.

#ifndef TEGULA_DIALECTS_LAYOUT_SHAREDSWIZZLE_H
#define TEGULA_DIALECTS_LAYOUT_SHAREDSWIZZLE_H

#include "dialects/layout/LinearLayout.h"

namespace tegula::layout {

/// Shared memory of a device: each cycle serves every bank once, and one access
/// of a warp takes as many lanes a cycle as fill the banks (all, if fewer).
struct SharedMemory {
  int64_t banks = 32;
  int64_t bankBytes = 4;
  int64_t maxVectorBits = 128;
  /// Of reads, where they are narrower; 0: as wide as writes.
  int64_t maxReadBits = 0;
};

/// How one layout's threads go through a buffer. Registers are grouped into
/// vectors of 2^vectorBits.size() at consecutive, aligned offsets: for each sum
/// r of `restBits`, element i of the vector is register r xor the sum of the
/// vectorBits that i selects, at offset (of register r) + i. All registers but
/// copies are reached once.
struct SharedAccess {
  llvm::SmallVector<int64_t, 4> vectorBits;
  llvm::SmallVector<int64_t> restBits;
  /// Additional cycles that each group of lanes waits, by linear algebra.
  int64_t conflicts = 0;

  int64_t vectorSize() const { return int64_t(1) << vectorBits.size(); }
};

struct SharedBuffer {
  /// From offset (and block) to the tile's coordinates; bijective.
  LinearLayout layout;
  SharedAccess write;
  SharedAccess read;
  /// The highest bits of the offset that registers of both layouts step
  /// through. A scratch of 2^-repeatBits of the size can be used once for each
  /// value.
  unsigned repeatBits = 0;

  /// The offset of each (register, lane, warp) of `layout`, as first coordinate
  /// of a layout with one output.
  std::optional<LinearLayout> offsetsOf(const LinearLayout &layout) const;
};

/// The buffer that `source` writes and `destination` reads. Vectors are as wide
/// as both layouts allow, and one side's wider where that costs no conflicts.
/// Nothing and the reason in `error` for layouts of different shapes, that are
/// not surjective, whose blocks differ or hold different elements, or are of
/// buffers, for elements that are not 8 to 128 bits of a power of two, and for
/// memory whose banks are not powers of two.
std::optional<SharedBuffer> swizzledOffsets(const LinearLayout &source,
                                            const LinearLayout &destination,
                                            int64_t elementBits,
                                            const SharedMemory &memory = {},
                                            std::string *error = nullptr);

/// The same as SharedAccess::conflicts, counted by going through every access
/// of every warp. For tests, and for buffers made by hand.
int64_t bankConflicts(const LinearLayout &layout, const LinearLayout &buffer,
                      const SharedAccess &access, int64_t elementBits,
                      const SharedMemory &memory = {});

} // namespace tegula::layout

#endif // TEGULA_DIALECTS_LAYOUT_SHAREDSWIZZLE_H
