// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Subviews.h. Each level of a chain of subviews narrows the range of tile
// elements that exist; what is left at the array's level needs no more checks.

#include "passes/targets/cpu/Subviews.h"

#include "passes/targets/cpu/Generics.h"
#include "passes/targets/cpu/Passes.h"

using namespace mlir;

namespace tegula::cpu {
namespace {

/// One dimension of the tile while the chain is walked: element `i` is at
/// `start + i * step`, and exists for `low <= i < high`. Signed 64-bit values.
struct Range {
  Value start;
  int64_t step;
  Value low;
  Value high;
};

class PlaceBuilder {
public:
  PlaceBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// The range of a tile along a dimension of `size` elements. A tile index
  /// counts only between 0 and the number of tiles, so that nothing wraps.
  Range createRange(Value index, int64_t extent, Value size) {
    Value zero = constant(0);
    Value step = constant(extent);
    Value tiles = arith::CeilDivUIOp::create(builder, loc, size, step);
    Value inside = compare(arith::CmpIPredicate::ult, index, tiles);
    Value safe = arith::SelectOp::create(builder, loc, inside, index, zero);
    Value start = arith::MulIOp::create(builder, loc, safe, step);
    Value left = arith::SubIOp::create(builder, loc, size, start);
    Value within = arith::MinSIOp::create(builder, loc, left, step);
    Value high = arith::SelectOp::create(builder, loc, inside, within, zero);
    return {start, 1, zero, high};
  }

  /// The range one level further down, where there are `size` elements.
  Range descend(Range range, Value offset, int64_t step, Value size) {
    Value way =
        arith::MulIOp::create(builder, loc, range.start, constant(step));
    Value start = arith::AddIOp::create(builder, loc, offset, way);
    // Far outside stays outside, and no difference below wraps.
    start = arith::MaxSIOp::create(builder, loc, start, constant(-kFar));
    start = arith::MinSIOp::create(builder, loc, start, constant(kFar));
    Range next = {start, multiply(range.step, step), range.low, range.high};
    Value least = next.step > 0 ? negate(start) : subtract(start, size);
    Value most = next.step > 0 ? subtract(size, start) : start;
    if (next.step < 0) {
      // size > start + i * step, so i > (start - size) / |step|; and i <=
      // start / |step|.
      Value one = constant(1);
      least = arith::AddIOp::create(builder, loc, least, one);
      most = arith::AddIOp::create(builder, loc, most, one);
    }
    next.low = arith::MaxSIOp::create(builder, loc, range.low,
                                      divideUp(least, std::abs(next.step)));
    next.high = arith::MinSIOp::create(builder, loc, range.high,
                                       divideUp(most, std::abs(next.step)));
    return next;
  }

  Value isWithin(Value position, Value size) {
    return compare(arith::CmpIPredicate::ult, position, size);
  }

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(builder, loc, predicate, left, right);
  }

  Value subtract(Value left, Value right) {
    return arith::SubIOp::create(builder, loc, left, right);
  }

  Value toIndex(Value value) {
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      value);
  }

  OpBuilder &builder;
  Location loc;

private:
  static constexpr int64_t kFar = int64_t(1) << 61;

  /// A step beyond kFar leaves any array as kFar does.
  static int64_t multiply(int64_t left, int64_t right) {
    int64_t product;
    if (llvm::MulOverflow(left, right, product)) {
      product = (left < 0) == (right < 0) ? kFar : -kFar;
    }
    return std::clamp(product, -kFar, kFar);
  }

  Value negate(Value value) { return subtract(constant(0), value); }

  Value divideUp(Value value, int64_t divisor) {
    return divisor == 1 ? value
                        : arith::CeilDivSIOp::create(builder, loc, value,
                                                     constant(divisor))
                              .getResult();
  }
};

/// Walks from a part to its array.
class ChainWalk {
public:
  ChainWalk(OpBuilder &builder, Operation *op, tile::SubviewOp part,
            ValueRange index, ArrayRef<int64_t> extents)
      : places(builder, op->getLoc()), op(op), part(part) {
    for (auto [d, position] : llvm::enumerate(index)) {
      ranges.push_back(
          places.createRange(position, extents[d], getSize(part, d)));
      along.push_back(d);
    }
    fixed.resize(index.size());
  }

  FailureOr<TilePlace> run() {
    while (true) {
      Value source = part.getView();
      auto next = source.getDefiningOp<tile::SubviewOp>();
      UnrealizedConversionCastOp array;
      if (!next) {
        FailureOr<UnrealizedConversionCastOp> found = getArray(op, source);
        if (failed(found)) {
          return failure();
        }
        array = *found;
      }
      descend(cast<tile::ViewType>(source.getType()).getRank(), next, array);
      if (array) {
        return finish(array);
      }
      part = next;
    }
  }

private:
  Value getSize(tile::SubviewOp view, int64_t d) {
    return arith::MaxSIOp::create(places.builder, places.loc,
                                  view.getSizes()[d], places.constant(0));
  }

  Value getSourceSize(tile::SubviewOp next, UnrealizedConversionCastOp array,
                      int64_t dim) {
    if (next) {
      return getSize(next, dim);
    }
    Value size = memref::DimOp::create(places.builder, places.loc,
                                       array.getOperand(0), dim);
    return arith::IndexCastOp::create(places.builder, places.loc,
                                      places.builder.getI64Type(), size);
  }

  /// From positions in `part` to positions in its source.
  void descend(int64_t sourceRank, tile::SubviewOp next,
               UnrealizedConversionCastOp array) {
    SmallVector<int64_t> sourceAlong(ranges.size());
    SmallVector<Value> sourceFixed(part.getOffsets());
    for (auto [d, dim] : llvm::enumerate(part.getDims())) {
      int64_t step = part.getSteps()[d];
      Value offset = part.getOffsets()[dim];
      auto *walker = llvm::find(along, static_cast<int64_t>(d));
      if (walker == along.end()) {
        Value way = arith::MulIOp::create(places.builder, places.loc, fixed[d],
                                          places.constant(step));
        sourceFixed[dim] =
            arith::AddIOp::create(places.builder, places.loc, offset, way);
        continue;
      }
      auto axis = walker - along.begin();
      ranges[axis] = places.descend(ranges[axis], offset, step,
                                    getSourceSize(next, array, dim));
      sourceAlong[axis] = dim;
      sourceFixed[dim] = Value();
    }
    for (int64_t dim = 0; dim < sourceRank; ++dim) {
      if (sourceFixed[dim]) {
        Value within =
            places.isWithin(sourceFixed[dim], getSourceSize(next, array, dim));
        exists = exists ? arith::AndIOp::create(places.builder, places.loc,
                                                exists, within)
                              .getResult()
                        : within;
      }
    }
    along = sourceAlong;
    fixed = sourceFixed;
  }

  /// An empty range starts at 0, so that every address is in the array.
  TilePlace finish(UnrealizedConversionCastOp array) {
    TilePlace place;
    place.array = array;
    place.dims = along;
    OpBuilder &builder = places.builder;
    Location loc = places.loc;
    Value zero = places.constant(0);
    Value any = exists;
    for (Range &range : ranges) {
      Value some =
          places.compare(arith::CmpIPredicate::slt, range.low, range.high);
      any = any ? arith::AndIOp::create(builder, loc, any, some).getResult()
                : some;
    }
    auto orZero = [&](Value value) {
      return places.toIndex(
          arith::SelectOp::create(builder, loc, any, value, zero));
    };
    for (Range &range : ranges) {
      place.steps.push_back(range.step);
      place.first.push_back(orZero(range.start));
      place.low.push_back(orZero(range.low));
      place.count.push_back(orZero(places.subtract(range.high, range.low)));
    }
    for (Value position : fixed) {
      place.fixed.push_back(position ? orZero(position) : Value());
    }
    return place;
  }

  PlaceBuilder places;
  Operation *op;
  tile::SubviewOp part;
  SmallVector<Range> ranges;
  /// The dimension of the current level that each dimension of the tile walks
  /// along.
  SmallVector<int64_t> along;
  /// The position along each dimension of the current level that no dimension
  /// of the tile walks along.
  SmallVector<Value> fixed;
  /// i1: whether all fixed positions are inside; null if there are none.
  Value exists;
};

} // namespace

bool TilePlace::hasUnitInnerStride() {
  auto type = cast<MemRefType>(array.getOperand(0).getType());
  auto [strides, offset] = type.getStridesAndOffset();
  return strides[dims.back()] == 1 && steps.back() == 1;
}

Value TilePlace::createMemRef(OpBuilder &builder, Location loc,
                              ArrayRef<Value> start,
                              ArrayRef<OpFoldResult> sizes) {
  Value memref = array.getOperand(0);
  auto type = cast<MemRefType>(memref.getType());
  auto [known, knownOffset] = type.getStridesAndOffset();
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value offset = createIndex(builder, loc, 0);
  auto advance = [&](Value position, int64_t dim) {
    Value way = arith::MulIOp::create(builder, loc, position,
                                      metadata.getStrides()[dim]);
    offset = arith::AddIOp::create(builder, loc, offset, way);
  };
  SmallVector<int64_t> staticStrides, staticSizes;
  SmallVector<OpFoldResult> strides;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    Value step = createIndex(builder, loc, steps[d]);
    Value way = arith::MulIOp::create(builder, loc, start[d], step);
    advance(arith::AddIOp::create(builder, loc, first[d], way), dim);
    int64_t stride = known[dim];
    bool isKnown = !ShapedType::isDynamic(stride);
    staticStrides.push_back(isKnown ? stride * steps[d] : ShapedType::kDynamic);
    strides.push_back(
        isKnown
            ? OpFoldResult(builder.getIndexAttr(stride * steps[d]))
            : OpFoldResult(arith::MulIOp::create(
                               builder, loc, metadata.getStrides()[dim], step)
                               .getResult()));
    staticSizes.push_back(
        getConstantIntValue(sizes[d]).value_or(ShapedType::kDynamic));
  }
  for (auto [dim, position] : llvm::enumerate(fixed)) {
    if (position) {
      advance(position, dim);
    }
  }
  auto layout = StridedLayoutAttr::get(builder.getContext(),
                                       ShapedType::kDynamic, staticStrides);
  auto result = MemRefType::get(staticSizes, type.getElementType(), layout);
  return memref::ReinterpretCastOp::create(
      builder, loc, result, memref, OpFoldResult(offset), sizes, strides);
}

FailureOr<TilePlace> createTilePlace(OpBuilder &builder, Operation *op,
                                     tile::SubviewOp part, ValueRange index,
                                     ArrayRef<int64_t> extents) {
  return ChainWalk(builder, op, part, index, extents).run();
}

} // namespace tegula::cpu
