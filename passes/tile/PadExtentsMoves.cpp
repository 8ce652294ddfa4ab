// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves of `tile-pad-extents`. With padding inside a tile, row-major order is
// no longer the order of its elements, and tiles no longer meet end to end:
// such reshapes and concatenations compute where each element comes from.

#include "passes/tile/PadExtents.h"

#include "passes/tile/Expr.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tile::padding {
namespace {

int64_t count(ArrayRef<int64_t> shape) {
  return ShapedType::getNumElements(shape);
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// Dimensions of the source and of the result that hold the same elements, in
/// the same order, and cannot be divided further. Extents of 1 are left out.
struct Group {
  SmallVector<int64_t> from;
  SmallVector<int64_t> to;

  /// Whether padding comes after all elements on both sides, so that both
  /// number them alike: padding in the first dimension does.
  bool isOrdered() const {
    auto isPowerOf2 = [](int64_t extent) {
      return llvm::isPowerOf2_64(extent);
    };
    return llvm::all_of(ArrayRef(from).drop_front(), isPowerOf2) &&
           llvm::all_of(ArrayRef(to).drop_front(), isPowerOf2);
  }
};

SmallVector<Group> getGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto isUnit = [](int64_t extent) { return extent == 1; };
  SmallVector<int64_t> sources(from), results(to);
  llvm::erase_if(sources, isUnit);
  llvm::erase_if(results, isUnit);
  SmallVector<Group> groups;
  size_t source = 0, result = 0;
  while (source < sources.size()) {
    Group group{{sources[source++]}, {results[result++]}};
    // Ends at the latest where both sides do, as their counts are equal.
    while (count(group.from) != count(group.to)) {
      if (count(group.from) < count(group.to)) {
        group.from.push_back(sources[source++]);
      } else {
        group.to.push_back(results[result++]);
      }
    }
    groups.push_back(group);
  }
  return groups;
}

/// For each element of the padded result of a group, in row-major order, its
/// row-major place in the padded source. Of padding, some place.
Value createPlaces(OpBuilder &builder, Location loc, const Group &group) {
  SmallVector<int64_t> paddedFrom = padShape(group.from);
  SmallVector<int64_t> paddedTo = padShape(group.to);
  auto type = RankedTensorType::get({count(paddedTo)}, builder.getI32Type());
  Expr rest(builder, loc, IotaOp::create(builder, loc, type));
  // The number of the element among those that are no padding: the result's
  // last dimension varies fastest.
  Expr number = rest.constant(0);
  int64_t stride = 1;
  for (size_t axis = group.to.size(); axis-- > 1;) {
    number = (rest & (paddedTo[axis] - 1)) * stride + number;
    rest = rest.lshr(llvm::Log2_64(paddedTo[axis]));
    stride *= group.to[axis];
  }
  number = rest * stride + number;
  Expr place = rest.constant(0);
  stride = 1;
  for (size_t axis = group.from.size(); axis-- > 1;) {
    Expr extent = number.constant(group.from[axis]);
    Expr outer = number.emit<arith::DivUIOp>(number, extent);
    place = (number - outer * extent) * stride + place;
    number = outer;
    stride *= paddedFrom[axis];
  }
  return number * stride + place;
}

/// Reorders the elements of one group; `before` and `after` are the counts of
/// those around it.
Value reorder(OpBuilder &builder, Location loc, Value value, const Group &group,
              int64_t before, int64_t after) {
  auto element = getElementTypeOrSelf(value.getType());
  int64_t axis = before > 1 ? 1 : 0;
  auto shapeWith = [&](int64_t extent) {
    SmallVector<int64_t> shape;
    if (before > 1) {
      shape.push_back(before);
    }
    shape.push_back(extent);
    if (after > 1) {
      shape.push_back(after);
    }
    return shape;
  };
  auto source =
      RankedTensorType::get(shapeWith(count(padShape(group.from))), element);
  auto result =
      RankedTensorType::get(shapeWith(count(padShape(group.to))), element);
  if (value.getType() != source) {
    value = ReshapeOp::create(builder, loc, source, value);
  }
  Value places = spreadAlong(builder, loc, createPlaces(builder, loc, group),
                             result.getShape(), axis);
  return TakeOp::create(builder, loc, result, value, places,
                        builder.getI32IntegerAttr(axis));
}

/// Whether a tile may have this shape.
bool fits(ArrayRef<int64_t> shape) {
  uint64_t elements = 1;
  for (int64_t extent : shape) {
    elements = llvm::SaturatingMultiply<uint64_t>(elements, extent);
  }
  return elements <= uint64_t(kMaxElements);
}

struct PadReshape final : OpConversionPattern<ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Group> groups =
        getGroups(getShape(op.getSource().getType()), getShape(op.getType()));
    int64_t before = 1;
    int64_t after = count(getShape(adaptor.getSource().getType()));
    Value value = adaptor.getSource();
    for (const Group &group : groups) {
      int64_t from = count(padShape(group.from));
      int64_t to = count(padShape(group.to));
      after /= from;
      if (!group.isOrdered()) {
        if (!fits({before, std::max(from, to), after})) {
          return op.emitOpError() << "cannot pad: on the way it would exceed "
                                  << kMaxElements << " elements";
        }
        value = reorder(rewriter, loc, value, group, before, after);
      }
      before *= to;
    }
    if (value.getType() != padType(op.getType())) {
      value = ReshapeOp::create(rewriter, loc, padType(op.getType()), value);
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

int64_t getExtent(Value tile, int64_t axis) {
  return getShape(tile.getType())[axis];
}

Value join(OpBuilder &builder, Location loc, ArrayRef<Value> parts,
           int64_t axis) {
  auto type = cast<RankedTensorType>(parts.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] *= parts.size();
  return parts.size() == 1
             ? parts.front()
             : ConcatOp::create(builder, loc, type.clone(shape), parts,
                                builder.getI32IntegerAttr(axis))
                   .getResult();
}

/// Repeats a tile until it has `extent` along `axis`.
Value repeat(OpBuilder &builder, Location loc, Value tile, int64_t extent,
             int64_t axis) {
  SmallVector<Value> copies(extent / getExtent(tile, axis), tile);
  return join(builder, loc, copies, axis);
}

/// Joins neighbours of one extent while there are some: what is left is one
/// tile if the extents nest.
SmallVector<Value> joinNeighbours(OpBuilder &builder, Location loc,
                                  ValueRange parts, int64_t axis) {
  SmallVector<Value> joined;
  for (Value part : parts) {
    joined.push_back(part);
    while (joined.size() > 1 &&
           getExtent(joined.back(), axis) ==
               getExtent(*std::prev(joined.end(), 2), axis)) {
      Value right = joined.pop_back_val();
      Value left = joined.pop_back_val();
      joined.push_back(join(builder, loc, {left, right}, axis));
    }
  }
  return joined;
}

struct PadConcat final : OpConversionPattern<ConcatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ConcatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t axis = op.getAxis();
    auto result = cast<RankedTensorType>(padType(op.getType()));
    bool isAligned = llvm::all_of(op.getSources(), [&](Value source) {
      return llvm::isPowerOf2_64(getExtent(source, axis));
    });
    if (isAligned && isRegular(op)) {
      rewriter.replaceOp(
          op,
          join(rewriter, loc, SmallVector<Value>(adaptor.getSources()), axis));
      return success();
    }
    if (isAligned && nests(op)) {
      rewriter.replaceOp(
          op,
          joinNeighbours(rewriter, loc, adaptor.getSources(), axis).front());
      return success();
    }
    int64_t beside = count(result.getShape()) / result.getDimSize(axis);
    int64_t slot = getSlotExtent(adaptor.getSources(), axis);
    if (!fits(
            {beside, slot, int64_t(llvm::PowerOf2Ceil(op.getNumOperands()))})) {
      return op.emitOpError() << "cannot pad: on the way it would exceed "
                              << kMaxElements << " elements";
    }
    Value slots = createSlots(rewriter, loc, adaptor.getSources(), axis);
    if (slots.getType() == result && areFull(op, adaptor.getSources())) {
      rewriter.replaceOp(op, slots);
      return success();
    }
    Value places = createPlaces(rewriter, op, adaptor.getSources(), result);
    rewriter.replaceOpWithNewOp<TakeOp>(op, result, slots, places,
                                        op.getAxisAttr());
    return success();
  }

private:
  /// Whether joining equal neighbours leaves one tile; see joinNeighbours.
  static bool nests(ConcatOp op) {
    SmallVector<int64_t> extents;
    for (Value source : op.getSources()) {
      extents.push_back(getExtent(source, op.getAxis()));
      while (extents.size() > 1 &&
             extents.back() == extents[extents.size() - 2]) {
        extents.pop_back();
        extents.back() *= 2;
      }
    }
    return extents.size() == 1;
  }

  /// Extent along `axis` that holds any of the tiles.
  static int64_t getSlotExtent(ValueRange parts, int64_t axis) {
    int64_t extent = 1;
    for (Value part : parts) {
      extent = std::max(extent, getExtent(part, axis));
    }
    return extent;
  }

  /// Each tile in a slot of one extent, a power of two of slots in all. What
  /// fills them up does not matter.
  static Value createSlots(OpBuilder &builder, Location loc, ValueRange parts,
                           int64_t axis) {
    int64_t extent = getSlotExtent(parts, axis);
    SmallVector<Value> slots;
    for (Value part : parts) {
      slots.push_back(repeat(builder, loc, part, extent, axis));
    }
    slots.resize(llvm::PowerOf2Ceil(slots.size()), slots.back());
    return join(builder, loc, slots, axis);
  }

  /// Whether slots follow one another without a gap.
  static bool areFull(ConcatOp op, ValueRange parts) {
    int64_t extent = getSlotExtent(parts, op.getAxis());
    return llvm::all_of(op.getSources().drop_back(), [&](Value source) {
      return getExtent(source, op.getAxis()) == extent;
    });
  }

  /// Where in the slots each element of the result is: as far past its slot's
  /// start as it is past its part's.
  static Value createPlaces(OpBuilder &builder, ConcatOp op, ValueRange parts,
                            RankedTensorType result) {
    int64_t axis = op.getAxis();
    int64_t extent = getSlotExtent(parts, axis);
    auto type =
        RankedTensorType::get({result.getDimSize(axis)}, builder.getI32Type());
    Expr position(builder, op.getLoc(),
                  IotaOp::create(builder, op.getLoc(), type));
    Expr place = position;
    int64_t end = 0;
    for (Value source : op.getSources().drop_back()) {
      end += getExtent(source, axis);
      int64_t gap = extent - getExtent(source, axis);
      if (gap > 0) {
        Expr isPast = position.cmp(arith::CmpIPredicate::uge, end);
        place = place + isPast.select(place.constant(gap), place.constant(0));
      }
    }
    return spreadAlong(builder, op.getLoc(), place, result.getShape(), axis);
  }
};

//===----------------------------------------------------------------------===//
// Take
//===----------------------------------------------------------------------===//

/// An index at or past the source's extent gives zero, so that is what its
/// padding holds.
struct PadTake final : OpConversionPattern<TakeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TakeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getSource().getType();
    Value source = fillPadding(rewriter, adaptor.getSource(),
                               padBeside(type.getShape(), op.getAxis()),
                               rewriter.getZeroAttr(type.getElementType()));
    rewriter.replaceOpWithNewOp<TakeOp>(op, padType(op.getType()), source,
                                        adaptor.getIndex(), op.getAxisAttr());
    return success();
  }
};

} // namespace

bool isRegular(ConcatOp op) {
  int64_t extent = getExtent(op.getSources().front(), op.getAxis());
  return llvm::isPowerOf2_64(op.getSources().size()) &&
         llvm::all_of(op.getSources(), [&](Value source) {
           return getExtent(source, op.getAxis()) == extent;
         });
}

void populateMoves(const TypeConverter &converter,
                   RewritePatternSet &patterns) {
  patterns.add<PadReshape, PadConcat, PadTake>(converter,
                                               patterns.getContext());
}

} // namespace tegula::tile::padding
