// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TileAccess.h. Nothing wraps: a tile index is compared with the number of
// tiles before it is multiplied, and what a wrong index would address is never
// accessed.

#include "passes/lower/TileAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::lower {

using layout::Dim;
using layout::LinearLayout;

/// Whether a basis other than those of the first registers has one of the bits
/// of `mask` in coordinate `axis`.
static bool moves(const LinearLayout &layout, unsigned axis, int64_t mask,
                  unsigned firstRegisterBits) {
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp}) {
    unsigned skipped = dim == Dim::Register ? firstRegisterBits : 0;
    for (const LinearLayout::Basis &basis :
         layout.bases(dim).drop_front(skipped)) {
      if (basis[axis] & mask) {
        return true;
      }
    }
  }
  return false;
}

int64_t getAccessWidth(const LinearLayout &layout, unsigned axis,
                       int64_t most) {
  int64_t width = llvm::bit_floor(
      static_cast<uint64_t>(std::min(most, layout.contiguousRegisters(axis))));
  while (width > 1 && moves(layout, axis, width - 1, llvm::Log2_64(width))) {
    width /= 2;
  }
  return width;
}

TileAccess::TileAccess(OpBuilder &builder, Location loc,
                       const ThreadEmitter &emitter, const ArrayParts &array,
                       tile::ViewType view, const analysis::AccessFacts &facts,
                       const LinearLayout &layout, ValueRange index)
    : loc(loc), view(view), facts(facts), layout(layout),
      coordinates(emitter.getBaseCoordinates(builder, loc, layout)),
      strides(array.strides.begin(), array.strides.end()) {
  if (facts.unitDim) {
    int64_t most =
        emitter.getTarget().getMaxAccessBytes() / view.getElementByteWidth();
    unsigned unit = *facts.unitDim;
    int64_t extent = facts.extents[unit];
    width = getAccessWidth(layout, unit, std::min(most, facts.wholeElements));
    interiorWidth = getAccessWidth(
        layout, unit,
        std::min({most, facts.alignedElements, extent & -extent}));
    if (facts.isInside[unit]) {
      width = interiorWidth;
    }
  }
  createLimits(builder, array, index);
  createBase(builder, array, index);
}

/// Along each dimension: how many coordinates from 0 on are inside the array.
void TileAccess::createLimits(OpBuilder &builder, const ArrayParts &array,
                              ValueRange index) {
  Type i32 = builder.getI32Type();
  for (auto [axis, position] : llvm::enumerate(index)) {
    int64_t extent = facts.extents[axis];
    Value padding = extent < layout.shape()[axis]
                        ? ThreadEmitter::getI32(builder, loc, extent)
                        : Value();
    if (facts.isInside[axis]) {
      limits.push_back(padding);
      continue;
    }
    Value size = array.sizes[axis];
    Value step = arith::ConstantIntOp::create(builder, loc, extent, 64);
    Value tiles = arith::DivUIOp::create(builder, loc, size, step);
    if (facts.isWhole[axis]) {
      // Unsigned, so that a negative index is outside too.
      Value within = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, position, tiles);
      inside =
          inside ? arith::AndIOp::create(builder, loc, inside, within) : within;
      limits.push_back(padding);
      continue;
    }
    Value outside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ugt, position, tiles);
    Value start = arith::MulIOp::create(builder, loc, position, step);
    Value left = arith::SubIOp::create(builder, loc, size, start);
    Value count = arith::MinUIOp::create(builder, loc, left, step);
    count = arith::TruncIOp::create(builder, loc, i32, count);
    limits.push_back(arith::SelectOp::create(
        builder, loc, outside, ThreadEmitter::getI32(builder, loc, 0), count));
  }
}

bool TileAccess::isStatic(unsigned axis) const {
  return !ShapedType::isDynamic(view.getStrides()[axis]);
}

bool TileAccess::isSum(unsigned axis) const {
  int64_t bits = 0;
  for (const LinearLayout::Basis &basis : layout.bases(Dim::Register)) {
    bits |= basis[axis];
  }
  return (bits & ThreadEmitter::getThreadBits(layout, axis)) == 0;
}

/// The address of register 0's element: the array, then the tile (the same for
/// all threads), then the thread. Dimensions that are no sums come later.
void TileAccess::createBase(OpBuilder &builder, const ArrayParts &array,
                            ValueRange index) {
  Type i64 = builder.getI64Type();
  Value tileOffset, threadOffset, smallOffset;
  auto add = [&](Value &sum, Value lhs, Value rhs) {
    Value product = arith::MulIOp::create(builder, loc, lhs, rhs);
    sum = sum ? arith::AddIOp::create(builder, loc, sum, product).getResult()
              : product;
  };
  int64_t reach = 0; // The largest value that smallOffset can have.
  for (auto [axis, position] : llvm::enumerate(index)) {
    Value extent =
        arith::ConstantIntOp::create(builder, loc, facts.extents[axis], 64);
    Value start = arith::MulIOp::create(builder, loc, position, extent);
    add(tileOffset, start, strides[axis]);
    if (ThreadEmitter::getThreadBits(layout, axis) == 0 || !isSum(axis)) {
      continue;
    }
    int64_t stride = view.getStrides()[axis];
    int64_t far;
    bool fits = isStatic(axis) && stride >= 0 &&
                !llvm::MulOverflow(layout.shape()[axis], stride, far) &&
                !llvm::AddOverflow(reach, far, far) &&
                far <= std::numeric_limits<int32_t>::max();
    if (fits) {
      reach = far;
      add(smallOffset, coordinates[axis],
          ThreadEmitter::getI32(builder, loc, stride));
    } else {
      Value wide = arith::ExtUIOp::create(builder, loc, i64, coordinates[axis]);
      add(threadOffset, wide, strides[axis]);
    }
  }
  Type element = view.getElementType();
  start = ThreadEmitter::emitOffset(builder, loc, array.pointer, tileOffset,
                                    element);
  base = start;
  if (smallOffset) {
    Value wide = arith::ExtUIOp::create(builder, loc, i64, smallOffset);
    threadOffset = threadOffset
                       ? arith::AddIOp::create(builder, loc, threadOffset, wide)
                       : wide;
  }
  if (threadOffset) {
    base = ThreadEmitter::emitOffset(builder, loc, base, threadOffset, element);
    fromStart = threadOffset;
  }
}

Value TileAccess::emitIsInterior(OpBuilder &builder) const {
  unsigned unit = *facts.unitDim;
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, limits[unit],
      ThreadEmitter::getI32(builder, loc, facts.extents[unit]));
}

Value TileAccess::emitIsWhole(OpBuilder &builder) const {
  Value whole = inside;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    int64_t extent = facts.extents[axis];
    if (extent < layout.shape()[axis]) {
      return Value();
    }
    if (!limits[axis]) {
      continue;
    }
    Value within = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, limits[axis],
        ThreadEmitter::getI32(builder, loc, extent));
    whole = whole ? arith::AndIOp::create(builder, loc, whole, within) : within;
  }
  return whole;
}

Value TileAccess::emitCoordinate(OpBuilder &builder, unsigned axis,
                                 int64_t offset) const {
  return ThreadEmitter::emitWithOffset(
      builder, loc, coordinates[axis], offset,
      ThreadEmitter::getThreadBits(layout, axis));
}

Value TileAccess::emitPredicate(OpBuilder &builder, int64_t reg,
                                bool interior) const {
  LinearLayout::Basis offset = layout.apply(reg);
  Value predicate = inside;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    Value limit = limits[axis];
    if (interior && axis == facts.unitDim) {
      int64_t extent = facts.extents[axis];
      limit = extent < layout.shape()[axis]
                  ? ThreadEmitter::getI32(builder, loc, extent)
                  : Value();
    }
    if (!limit) {
      continue;
    }
    Value within = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt,
        emitCoordinate(builder, axis, offset[axis]), limit);
    predicate = predicate
                    ? arith::AndIOp::create(builder, loc, predicate, within)
                    : within;
  }
  return predicate;
}

std::pair<Value, int64_t> TileAccess::emitDistance(OpBuilder &builder,
                                                   int64_t reg) const {
  LinearLayout::Basis offset = layout.apply(reg);
  Type i64 = builder.getI64Type();
  int64_t constant = 0;
  Value sum;
  auto add = [&](Value term) {
    sum = sum ? arith::AddIOp::create(builder, loc, sum, term) : term;
  };
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    if (!isSum(axis)) {
      Value wide = arith::ExtUIOp::create(
          builder, loc, i64, emitCoordinate(builder, axis, offset[axis]));
      add(arith::MulIOp::create(builder, loc, wide, strides[axis]));
    } else if (isStatic(axis)) {
      // Wraps as the same arithmetic in the program does.
      constant += static_cast<uint64_t>(offset[axis]) *
                  static_cast<uint64_t>(view.getStrides()[axis]);
    } else if (offset[axis] != 0) {
      Value steps =
          arith::ConstantIntOp::create(builder, loc, offset[axis], 64);
      add(arith::MulIOp::create(builder, loc, steps, strides[axis]));
    }
  }
  return {sum, constant};
}

Value TileAccess::emitPointer(OpBuilder &builder, int64_t reg) const {
  auto [sum, constant] = emitDistance(builder, reg);
  Type element = view.getElementType();
  Value pointer = base;
  if (sum) {
    pointer = ThreadEmitter::emitOffset(builder, loc, pointer, sum, element);
  }
  if (constant != 0) {
    Value steps = arith::ConstantIntOp::create(builder, loc, constant, 64);
    pointer = ThreadEmitter::emitOffset(builder, loc, pointer, steps, element);
  }
  return pointer;
}

} // namespace tegula::lower
