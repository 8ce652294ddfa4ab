// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-expand-subviews: accesses of parts of an array become accesses of the
// array itself, so that a target needs to know nothing of parts. What a part
// does not have is masked out; what the array does not have it refuses itself.

#include "passes/tile/Passes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#define DEBUG_TYPE "tile-expand-subviews"

using namespace mlir;

namespace tegula::tile {
#define GEN_PASS_DEF_EXPANDSUBVIEWSPASS
#include "passes/tile/Passes.h.inc"
namespace {

/// Builds scalars and tiles of the shape that one access has.
class LaneBuilder {
public:
  LaneBuilder(Operation *op, ArrayRef<int64_t> shape)
      : builder(op), loc(op->getLoc()), shape(shape) {}

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  /// A scalar in every lane.
  Value spread(Value scalar) {
    if (shape.empty()) {
      return scalar;
    }
    return FullOp::create(
        builder, loc, RankedTensorType::get(shape, scalar.getType()), scalar);
  }

  /// Positions 0, 1, ... along a dimension of the lanes.
  Value positions(int64_t axis) {
    Type i64 = builder.getI64Type();
    SmallVector<int64_t> stretched(shape.size(), 1);
    stretched[axis] = shape[axis];
    Value line =
        IotaOp::create(builder, loc, RankedTensorType::get({shape[axis]}, i64));
    Value placed = ReshapeOp::create(
        builder, loc, RankedTensorType::get(stretched, i64), line);
    return BroadcastOp::create(builder, loc, RankedTensorType::get(shape, i64),
                               placed);
  }

  Value both(Value mask, Value other) {
    return mask ? arith::AndIOp::create(builder, loc, mask, other).getResult()
                : other;
  }

  Value less(Value position, Value limit) {
    // Unsigned, so that a negative position is outside too.
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                 position, limit);
  }

  OpBuilder builder;
  Location loc;
  ArrayRef<int64_t> shape;
};

/// The number of elements along a dimension of a subview.
Value getSize(LaneBuilder &lanes, SubviewOp part, int64_t d) {
  return arith::MaxSIOp::create(lanes.builder, lanes.loc, part.getSizes()[d],
                                lanes.constant(0));
}

/// Indices into the source of `part` for indices into it, one for each
/// dimension of the source; what the part does not have leaves the mask.
SmallVector<Value> translate(LaneBuilder &lanes, SubviewOp part,
                             ValueRange index, Value &mask) {
  SmallVector<Value> result;
  for (Value offset : part.getOffsets()) {
    result.push_back(lanes.spread(offset));
  }
  for (auto [d, dim] : llvm::enumerate(part.getDims())) {
    Value size = lanes.spread(getSize(lanes, part, d));
    mask = lanes.both(mask, lanes.less(index[d], size));
    Value step = lanes.spread(lanes.constant(part.getSteps()[d]));
    Value way = arith::MulIOp::create(lanes.builder, lanes.loc, index[d], step);
    result[dim] =
        arith::AddIOp::create(lanes.builder, lanes.loc, way, result[dim]);
  }
  return result;
}

void expand(GatherOp op, SubviewOp part) {
  LaneBuilder lanes(op, getShape(op.getType()));
  Value mask = op.getMask();
  SmallVector<Value> index = translate(lanes, part, op.getIndex(), mask);
  op.replaceAllUsesWith(GatherOp::create(lanes.builder, lanes.loc, op.getType(),
                                         part.getView(), index, mask,
                                         op.getPad())
                            .getResult());
  op.erase();
}

void expand(ScatterOp op, SubviewOp part) {
  LaneBuilder lanes(op, getShape(op.getValue().getType()));
  Value mask = op.getMask();
  SmallVector<Value> index = translate(lanes, part, op.getIndex(), mask);
  ScatterOp::create(lanes.builder, lanes.loc, op.getValue(), part.getView(),
                    index, mask);
  op.erase();
}

void expand(AtomicRMWOp op, SubviewOp part) {
  LaneBuilder lanes(op, getShape(op.getType()));
  Value mask = op.getMask();
  SmallVector<Value> index = translate(lanes, part, op.getIndex(), mask);
  op.replaceAllUsesWith(AtomicRMWOp::create(lanes.builder, lanes.loc,
                                            op.getType(), op.getKind(),
                                            op.getValue(), part.getView(),
                                            index, mask, op.getPad())
                            .getResult());
  op.erase();
}

void expand(AtomicCASOp op, SubviewOp part) {
  LaneBuilder lanes(op, getShape(op.getType()));
  Value mask = op.getMask();
  SmallVector<Value> index = translate(lanes, part, op.getIndex(), mask);
  op.replaceAllUsesWith(AtomicCASOp::create(lanes.builder, lanes.loc,
                                            op.getType(), op.getCompare(),
                                            op.getValue(), part.getView(),
                                            index, mask, op.getPad())
                            .getResult());
  op.erase();
}

void expand(DimOp op, SubviewOp part) {
  LaneBuilder lanes(op, {});
  op.replaceAllUsesWith(getSize(lanes, part, op.getAxis()));
  op.erase();
}

void expand(StrideOp op, SubviewOp part) {
  LaneBuilder lanes(op, {});
  Value stride = StrideOp::create(lanes.builder, lanes.loc, part.getView(),
                                  part.getDims()[op.getAxis()]);
  Value step = lanes.constant(part.getSteps()[op.getAxis()]);
  op.replaceAllUsesWith(
      arith::MulIOp::create(lanes.builder, lanes.loc, stride, step)
          .getResult());
  op.erase();
}

/// The indices of all elements of the tile at a tile index. A tile index that
/// is not among the part's tiles, whose product could wrap, clears the mask,
/// and so do elements beyond the extents that are used.
SmallVector<Value> createIndices(LaneBuilder &lanes, SubviewOp part,
                                 ValueRange tileIndex, ArrayRef<int64_t> used,
                                 Value &mask) {
  SmallVector<Value> result;
  OpBuilder &builder = lanes.builder;
  Value isTile;
  for (auto [d, position] : llvm::enumerate(tileIndex)) {
    Value extent = lanes.constant(used[d]);
    Value tiles = arith::CeilDivUIOp::create(builder, lanes.loc,
                                             getSize(lanes, part, d), extent);
    isTile = lanes.both(isTile, lanes.less(position, tiles));
    Value start = arith::MulIOp::create(builder, lanes.loc, position, extent);
    Value inTile = lanes.positions(d);
    if (used[d] != lanes.shape[d]) {
      mask = lanes.both(mask, lanes.less(inTile, lanes.spread(extent)));
    }
    result.push_back(
        arith::AddIOp::create(builder, lanes.loc, lanes.spread(start), inTile));
  }
  mask = lanes.both(mask, lanes.spread(isTile));
  return result;
}

void expand(LoadOp op, SubviewOp part) {
  LaneBuilder lanes(op, op.getType().getShape());
  Value mask;
  SmallVector<Value> inPart =
      createIndices(lanes, part, op.getIndex(), op.getUsedShape(), mask);
  SmallVector<Value> index = translate(lanes, part, inPart, mask);
  op.replaceAllUsesWith(GatherOp::create(lanes.builder, lanes.loc, op.getType(),
                                         part.getView(), index, mask,
                                         op.getPad())
                            .getResult());
  op.erase();
}

void expand(StoreOp op, SubviewOp part) {
  LaneBuilder lanes(op, op.getValue().getType().getShape());
  Value mask;
  SmallVector<Value> inPart =
      createIndices(lanes, part, op.getIndex(), op.getUsedShape(), mask);
  SmallVector<Value> index = translate(lanes, part, inPart, mask);
  ScatterOp::create(lanes.builder, lanes.loc, op.getValue(), part.getView(),
                    index, mask);
  op.erase();
}

struct ExpandSubviewsPass final
    : impl::ExpandSubviewsPassBase<ExpandSubviewsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<SubviewOp> parts;
    getOperation()->walk([&](SubviewOp part) { parts.push_back(part); });
    // Parts of parts first: what they leave accesses the part that they are of.
    for (SubviewOp part : llvm::reverse(parts)) {
      for (Operation *user : llvm::make_early_inc_range(part->getUsers())) {
        llvm::TypeSwitch<Operation *>(user)
            .Case<GatherOp, ScatterOp, AtomicRMWOp, AtomicCASOp, DimOp,
                  StrideOp>([&](auto op) { expand(op, part); })
            .Case<LoadOp, StoreOp>([&](auto op) {
              if (!keepTileAccesses) {
                expand(op, part);
              }
            });
      }
      if (part.use_empty()) {
        part.erase();
      }
    }
  }
};

} // namespace
} // namespace tegula::tile
