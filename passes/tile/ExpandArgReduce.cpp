// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-expand-arg-reduce: arg-reductions become reductions of (value, index)
// pairs, so that a target needs one lowering of reductions only. The combiner
// is the one place that says what NumPy's argmax and argmin do with ties and
// NaN.

#include "passes/tile/Passes.h"

#define DEBUG_TYPE "tile-expand-arg-reduce"

using namespace mlir;

namespace tegula::tile {
#define GEN_PASS_DEF_EXPANDARGREDUCEPASS
#include "passes/tile/Passes.h.inc"
namespace {

/// Whether `right`, which comes after `left`, is to be taken instead.
///
/// ARG_ORDER: floats are ordered with NaN beyond every number, all NaNs equal,
/// -0.0 equal to 0.0. The combination takes the right pair iff its value is
/// strictly further out in that order. "The first of those furthest out" is
/// associative, so any bracketing that keeps the order of the elements finds
/// the lowest index.
Value takesRight(OpBuilder &builder, Location loc, ArgKind kind, Value left,
                 Value right) {
  if (isa<FloatType>(left.getType())) {
    // True where the right one is further out and where either is NaN; a NaN on
    // the left is never replaced.
    auto beyond = kind == ArgKind::Max ? arith::CmpFPredicate::UGT
                                       : arith::CmpFPredicate::ULT;
    Value further = arith::CmpFOp::create(builder, loc, beyond, right, left);
    Value isNumber = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::ORD, left, left);
    return arith::AndIOp::create(builder, loc, further, isNumber);
  }
  arith::CmpIPredicate beyond;
  switch (kind) {
  case ArgKind::Max:
    beyond = arith::CmpIPredicate::sgt;
    break;
  case ArgKind::Min:
    beyond = arith::CmpIPredicate::slt;
    break;
  case ArgKind::UMax:
    beyond = arith::CmpIPredicate::ugt;
    break;
  case ArgKind::UMin:
    beyond = arith::CmpIPredicate::ult;
    break;
  }
  return arith::CmpIOp::create(builder, loc, beyond, right, left);
}

/// A tile of `shape` whose elements are their own positions along `axis`.
Value createPositions(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
                      int64_t axis) {
  Type i64 = builder.getI64Type();
  Value positions =
      IotaOp::create(builder, loc, RankedTensorType::get({shape[axis]}, i64));
  if (shape.size() == 1) {
    return positions;
  }
  SmallVector<int64_t> stretched(shape.size(), 1);
  stretched[axis] = shape[axis];
  positions = ReshapeOp::create(
      builder, loc, RankedTensorType::get(stretched, i64), positions);
  return BroadcastOp::create(builder, loc, RankedTensorType::get(shape, i64),
                             positions);
}

void buildCombiner(ReduceOp reduce, ArgKind kind, Type element) {
  Location loc = reduce.getLoc();
  OpBuilder builder(reduce.getContext());
  Type i64 = builder.getI64Type();
  Block *block = builder.createBlock(&reduce.getCombiner(), {},
                                     {element, i64, element, i64},
                                     SmallVector<Location>(4, loc));
  ValueRange args = block->getArguments();
  Value right = takesRight(builder, loc, kind, args[0], args[2]);
  Value value = arith::SelectOp::create(builder, loc, right, args[2], args[0]);
  Value index = arith::SelectOp::create(builder, loc, right, args[3], args[1]);
  YieldOp::create(builder, loc, ValueRange{value, index});
}

void expand(ArgReduceOp op) {
  OpBuilder builder(op);
  RankedTensorType type = op.getSource().getType();
  Type element = type.getElementType();
  Value positions =
      createPositions(builder, op.getLoc(), type.getShape(), op.getAxis());
  Type extreme = element;
  if (auto tile = dyn_cast<RankedTensorType>(op.getType())) {
    extreme = tile.clone(element);
  }
  auto reduce = ReduceOp::create(
      builder, op.getLoc(), TypeRange{extreme, op.getType()}, CombineKindAttr(),
      ValueRange{op.getSource(), positions}, op.getAxisAttr());
  buildCombiner(reduce, op.getKind(), element);
  op.replaceAllUsesWith(reduce.getResult(1));
  op.erase();
}

struct ExpandArgReducePass final
    : impl::ExpandArgReducePassBase<ExpandArgReducePass> {
  void runOnOperation() override { getOperation()->walk(expand); }
};

} // namespace
} // namespace tegula::tile
