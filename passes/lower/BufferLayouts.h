// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a tile are in shared memory, for tiles that arrive by
// copies of whole rows.

#ifndef TEGULA_PASSES_LOWER_BUFFERLAYOUTS_H
#define TEGULA_PASSES_LOWER_BUFFERLAYOUTS_H

#include "dialects/layout/LinearLayout.h"

namespace tegula::lower {

/// Bytes of a row of the buffer: what all banks deliver at once.
inline constexpr int64_t kBufferRowBytes = 128;
/// Bytes that stay together: the widest access of one thread.
inline constexpr int64_t kBufferChunkBytes = 16;

/// The buffer layout for a tile of which dimension order[0] is contiguous in
/// the array, order[1] the next, and so on.
///
/// The tile is cut along order[0] into panels of `kBufferRowBytes` (or of its
/// extent, if that is smaller); a panel is row after row, and panel after
/// panel. Within 8 rows of 128 bytes the chunks of row r are permuted by an
/// exclusive or with r, of 64-byte rows with r / 2 and of 32-byte rows with r /
/// 4, so that the same chunk of 8 rows is in 8 different groups of banks. This
/// is also what hardware that copies boxes does where it swizzles; it is free
/// of conflicts for 8 rows of one chunk and for one row of 8 chunks.
layout::LinearLayout getSwizzledBufferLayout(llvm::ArrayRef<int64_t> shape,
                                             llvm::ArrayRef<int64_t> order,
                                             int64_t elementBytes);

/// `layout`, which unit bases make up, with what it steps through along
/// dimension `dim` in another order: threads have neighbours in registers
/// first, then in lanes. Threads that transpose in registers then write wide.
layout::LinearLayout gatherAlong(const layout::LinearLayout &layout,
                                 unsigned dim);

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_BUFFERLAYOUTS_H
