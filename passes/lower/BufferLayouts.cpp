// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets are built bit by bit from the lowest: elements of a chunk, chunks of
// a row, rows, panels.

#include "passes/lower/BufferLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tegula::lower {

using layout::Dim;
using layout::LinearLayout;

LinearLayout getSwizzledBufferLayout(llvm::ArrayRef<int64_t> shape,
                                     llvm::ArrayRef<int64_t> order,
                                     int64_t elementBytes) {
  int64_t columns = shape[order[0]];
  int64_t panel =
      std::min(columns, std::max<int64_t>(1, kBufferRowBytes / elementBytes));
  int64_t chunk =
      std::min(panel, std::max<int64_t>(1, kBufferChunkBytes / elementBytes));
  LinearLayout::Bases bases;
  auto &offsets = bases[static_cast<unsigned>(Dim::Offset)];
  auto append = [&](int64_t dim, int64_t coordinate, int64_t column) {
    LinearLayout::Basis basis(shape.size(), 0);
    basis[dim] = coordinate;
    basis[order[0]] ^= column;
    offsets.push_back(basis);
  };
  for (int64_t column = 1; column < panel; column *= 2) {
    append(order[0], column, 0);
  }
  // Rows per 128 bytes share a swizzle: 1, 2 or 4.
  int64_t rowsPerLine =
      kBufferRowBytes / std::max<int64_t>(1, panel * elementBytes);
  int64_t row = 1;
  for (int64_t dim : order.drop_front()) {
    for (int64_t coordinate = 1; coordinate < shape[dim]; coordinate *= 2) {
      int64_t column = row >= rowsPerLine ? chunk * (row / rowsPerLine) : 0;
      append(dim, coordinate, column < panel ? column : 0);
      row *= 2;
    }
  }
  for (int64_t column = panel; column < columns; column *= 2) {
    append(order[0], column, 0);
  }
  return *LinearLayout::create(std::move(bases), shape);
}

LinearLayout gatherAlong(const LinearLayout &layout, unsigned dim) {
  LinearLayout::Bases bases = layout.allBases();
  llvm::SmallVector<int32_t> steps;
  auto forEach = [&](auto visit) {
    for (Dim input : {Dim::Register, Dim::Lane, Dim::Warp}) {
      for (LinearLayout::Basis &basis : bases[static_cast<unsigned>(input)]) {
        if (basis[dim] != 0) {
          visit(basis[dim]);
        }
      }
    }
  };
  forEach([&](int32_t step) { steps.push_back(step); });
  llvm::sort(steps);
  auto next = steps.begin();
  forEach([&](int32_t &step) { step = *next++; });
  return *LinearLayout::create(std::move(bases), layout.shape());
}

} // namespace tegula::lower
