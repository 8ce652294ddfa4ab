// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-expand-subviews: accesses of parts of an array, and of arrays with other
// sizes, become accesses of the array itself, so that a target needs to know
// nothing of them. What a part does not have is masked out; what the array does
// not have it refuses itself.

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

/// The number of elements along a dimension of a part or a reshaped view.
template <typename ViewOp>
Value getSize(LaneBuilder &lanes, ViewOp part, int64_t d) {
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

/// The same for other sizes: row-major positions are what both have in common.
SmallVector<Value> translate(LaneBuilder &lanes, ReshapeViewOp reshaped,
                             ValueRange index, Value &mask) {
  OpBuilder &builder = lanes.builder;
  Location loc = lanes.loc;
  Value position;
  for (auto [d, along] : llvm::enumerate(index)) {
    Value size = lanes.spread(getSize(lanes, reshaped, d));
    mask = lanes.both(mask, lanes.less(along, size));
    if (!position) {
      position = along;
      continue;
    }
    position = arith::MulIOp::create(builder, loc, position, size);
    position = arith::AddIOp::create(builder, loc, position, along);
  }
  int64_t rank = reshaped.getView().getType().getRank();
  SmallVector<Value> result(rank);
  for (int64_t dim = rank - 1; dim > 0; --dim) {
    Value size = DimOp::create(builder, loc, reshaped.getView(), dim);
    // An array without elements has no position to divide.
    size = arith::MaxUIOp::create(builder, loc, size, lanes.constant(1));
    Value divisor = lanes.spread(size);
    result[dim] = arith::RemUIOp::create(builder, loc, position, divisor);
    position = arith::DivUIOp::create(builder, loc, position, divisor);
  }
  // Positions past the last element are past this dimension's size.
  result[0] = position;
  return result;
}

template <typename ViewOp> void expand(GatherOp op, ViewOp part) {
  LaneBuilder lanes(op, getShape(op.getType()));
  Value mask = op.getMask();
  SmallVector<Value> index = translate(lanes, part, op.getIndex(), mask);
  op.replaceAllUsesWith(GatherOp::create(lanes.builder, lanes.loc, op.getType(),
                                         part.getView(), index, mask,
                                         op.getPad())
                            .getResult());
  op.erase();
}

template <typename ViewOp> void expand(ScatterOp op, ViewOp part) {
  LaneBuilder lanes(op, getShape(op.getValue().getType()));
  Value mask = op.getMask();
  SmallVector<Value> index = translate(lanes, part, op.getIndex(), mask);
  ScatterOp::create(lanes.builder, lanes.loc, op.getValue(), part.getView(),
                    index, mask);
  op.erase();
}

template <typename ViewOp> void expand(AtomicRMWOp op, ViewOp part) {
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

template <typename ViewOp> void expand(AtomicCASOp op, ViewOp part) {
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

template <typename ViewOp> void expand(DimOp op, ViewOp part) {
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

void expand(StrideOp op, ReshapeViewOp reshaped) {
  op.replaceAllUsesWith(reshaped.getStrides()[op.getAxis()]);
  op.erase();
}

/// The indices of all elements of the tile at a tile index. A tile index that
/// is not among the part's tiles, whose product could wrap, clears the mask,
/// and so do elements beyond the extents that are used.
template <typename ViewOp>
SmallVector<Value> createIndices(LaneBuilder &lanes, ViewOp part,
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

template <typename ViewOp> void expand(LoadOp op, ViewOp part) {
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

template <typename ViewOp> void expand(StoreOp op, ViewOp part) {
  LaneBuilder lanes(op, op.getValue().getType().getShape());
  Value mask;
  SmallVector<Value> inPart =
      createIndices(lanes, part, op.getIndex(), op.getUsedShape(), mask);
  SmallVector<Value> index = translate(lanes, part, inPart, mask);
  ScatterOp::create(lanes.builder, lanes.loc, op.getValue(), part.getView(),
                    index, mask);
  op.erase();
}

/// Whether a view is a part of a reshaped one, or reshaped itself.
bool isReshaped(Value view) {
  while (auto part = view.getDefiningOp<SubviewOp>()) {
    view = part.getView();
  }
  return view.getDefiningOp<ReshapeViewOp>() != nullptr;
}

struct ExpandSubviewsPass final
    : impl::ExpandSubviewsPassBase<ExpandSubviewsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> views;
    getOperation()->walk([&](Operation *op) {
      if (isa<SubviewOp, ReshapeViewOp>(op)) {
        views.push_back(op);
      }
    });
    // Parts of parts first: what they leave accesses the part that they are of.
    for (Operation *view : llvm::reverse(views)) {
      llvm::TypeSwitch<Operation *>(view).Case<SubviewOp, ReshapeViewOp>(
          [&](auto op) { expandUsers(op); });
      if (view->use_empty()) {
        view->erase();
      }
    }
  }

private:
  template <typename ViewOp> void expandUsers(ViewOp view) {
    bool keep = keepTileAccesses && !isReshaped(view.getResult());
    for (Operation *user : llvm::make_early_inc_range(view->getUsers())) {
      llvm::TypeSwitch<Operation *>(user)
          .template Case<GatherOp, ScatterOp, AtomicRMWOp, AtomicCASOp, DimOp,
                         StrideOp>([&](auto op) { expand(op, view); })
          .template Case<LoadOp, StoreOp>([&](auto op) {
            if (!keep) {
              expand(op, view);
            }
          });
    }
  }
};

} // namespace
} // namespace tegula::tile
