// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-narrow-comparisons: a mask of the elements inside an array compares
// positions, which are 64 bits wide for the array's sake. The tile's own
// positions are few, so that 32 bits are enough: half the registers, and half
// the instructions where 64 bits take two.

#include "passes/analysis/Explanation.h"
#include "passes/tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#define DEBUG_TYPE "tile-narrow-comparisons"

using namespace mlir;

namespace tegula::tile {
#define GEN_PASS_DEF_NARROWCOMPARISONSPASS
#include "passes/tile/Passes.h.inc"
namespace {

bool isWide(Value value) {
  return getElementTypeOrSelf(value.getType()).isInteger(64);
}

/// Unsigned predicates take a negative bound for a large one.
bool isSigned(arith::CmpIPredicate predicate) {
  return predicate < arith::CmpIPredicate::ult;
}

/// A power of two that divides `bound`, as far as is known: of an array's size
/// the part that its argument promises.
int64_t getDivisor(Value bound) {
  auto dim = bound.getDefiningOp<DimOp>();
  auto array = dim ? dyn_cast<BlockArgument>(dim.getView()) : BlockArgument();
  auto kernel = array ? dyn_cast<func::FuncOp>(array.getOwner()->getParentOp())
                      : func::FuncOp();
  auto divisors = kernel ? kernel.getArgAttrOfType<DenseI64ArrayAttr>(
                               array.getArgNumber(), kSizeDivAttr)
                         : DenseI64ArrayAttr();
  if (!divisors || divisors[dim.getAxis()] <= 0) {
    return 1;
  }
  return divisors[dim.getAxis()] & -divisors[dim.getAxis()];
}

/// Rewrites one comparison of `tile.iota` with `tile.full`.
class Narrowing {
public:
  explicit Narrowing(arith::CmpIOp op) : op(op), builder(op) {}

  void run() {
    bool swapped = op.getLhs().getDefiningOp<FullOp>() != nullptr;
    auto iota = (swapped ? op.getRhs() : op.getLhs()).getDefiningOp<IotaOp>();
    auto full = (swapped ? op.getLhs() : op.getRhs()).getDefiningOp<FullOp>();
    if (!isWide(op.getLhs()) || !isSigned(op.getPredicate())) {
      return;
    }
    if (!iota || !full) {
      return runSpread();
    }
    RankedTensorType type = iota.getType();
    int64_t extent = type.getShape()[0];
    if (!hasFewPositions(type)) {
      return;
    }
    auto narrow = type.clone(builder.getI32Type());
    Value positions = IotaOp::create(builder, op.getLoc(), narrow);
    positions = roundDown(positions, getDivisor(full.getValue()), swapped);
    Value bounds = FullOp::create(builder, op.getLoc(), narrow,
                                  clamp(full.getValue(), extent));
    op.setOperand(swapped ? 1 : 0, positions);
    op.setOperand(swapped ? 0 : 1, bounds);
  }

private:
  bool hasFewPositions(RankedTensorType iota) {
    if (iota.getShape()[0] <= std::numeric_limits<int32_t>::max()) {
      return true;
    }
    analysis::missed(DEBUG_TYPE, "arithmetic", op.getLoc())
        << "positions are compared in 64 bits: " << analysis::describeTile(iota)
        << " has too many for 32";
    return false;
  }

  /// What `tile` repeats the elements of.
  static Value getSpread(Value tile) {
    while (isa_and_nonnull<BroadcastOp, ReshapeOp>(tile.getDefiningOp())) {
      Value source = tile.getDefiningOp()->getOperand(0);
      if (!isa<RankedTensorType>(source.getType())) {
        break;
      }
      tile = source;
    }
    return tile;
  }

  /// `narrow` spread as `source` is in `tile`.
  Value spread(Value tile, Value source, Value narrow) {
    if (tile == source) {
      return narrow;
    }
    Operation *op = tile.getDefiningOp();
    Value inner = spread(op->getOperand(0), source, narrow);
    Operation *copy = builder.clone(*op);
    copy->setOperand(0, inner);
    Value result = copy->getResult(0);
    result.setType(
        cast<RankedTensorType>(result.getType()).clone(builder.getI32Type()));
    return result;
  }

  /// The same where positions, and bounds of which there are fewer than
  /// comparisons, are spread over the dimensions of a larger tile.
  void runSpread() {
    Value left = getSpread(op.getLhs()), right = getSpread(op.getRhs());
    bool swapped = right.getDefiningOp<IotaOp>() != nullptr;
    Value bound = swapped ? left : right;
    auto iota = (swapped ? right : left).getDefiningOp<IotaOp>();
    auto tile = dyn_cast<RankedTensorType>(op.getLhs().getType());
    if (!iota || !tile ||
        cast<RankedTensorType>(bound.getType()).getNumElements() >=
            tile.getNumElements() ||
        !hasFewPositions(iota.getType())) {
      return;
    }
    RankedTensorType type = iota.getType();
    Value positions =
        IotaOp::create(builder, op.getLoc(), type.clone(builder.getI32Type()));
    Value bounds = clamp(bound, type.getShape()[0]);
    unsigned position = swapped ? 1 : 0;
    op.setOperand(position, spread(op.getOperand(position), iota, positions));
    op.setOperand(1 - position,
                  spread(op.getOperand(1 - position), bound, bounds));
  }

  /// Whether positions are below a multiple of `divisor` is the same for all
  /// that share their multiple, and a thread finds it out once for its
  /// neighbours.
  Value roundDown(Value positions, int64_t divisor, bool swapped) {
    using arith::CmpIPredicate;
    CmpIPredicate predicate = op.getPredicate();
    bool asksBelow = swapped ? predicate == CmpIPredicate::sgt ||
                                   predicate == CmpIPredicate::sle
                             : predicate == CmpIPredicate::slt ||
                                   predicate == CmpIPredicate::sge;
    if (divisor == 1 || !asksBelow) {
      return positions;
    }
    auto type = cast<RankedTensorType>(positions.getType());
    auto mask = DenseElementsAttr::get(
        type,
        builder.getI32IntegerAttr(static_cast<int32_t>(-divisor)).getValue());
    Value multiple = arith::ConstantOp::create(builder, op.getLoc(), mask);
    return arith::AndIOp::create(builder, op.getLoc(), positions, multiple);
  }

  /// Positions are from 0 to extent - 1: below and above, every bound is like
  /// the next one.
  Value clamp(Value bound, int64_t extent) {
    Location loc = op.getLoc();
    auto tile = dyn_cast<RankedTensorType>(bound.getType());
    Type narrow = builder.getI32Type();
    auto constant = [&](int64_t value) -> Value {
      TypedAttr number = builder.getI64IntegerAttr(value);
      if (tile) {
        number = DenseElementsAttr::get(tile, Attribute(number));
      }
      return arith::ConstantOp::create(builder, loc, number);
    };
    Value low =
        arith::MaxSIOp::create(builder, loc, bound, constant(-1)).getResult();
    Value inside = arith::MinSIOp::create(builder, loc, low, constant(extent));
    return arith::TruncIOp::create(builder, loc,
                                   tile ? tile.clone(narrow) : narrow, inside);
  }

  arith::CmpIOp op;
  OpBuilder builder;
};

struct NarrowComparisonsPass final
    : impl::NarrowComparisonsPassBase<NarrowComparisonsPass> {
  void runOnOperation() override {
    getOperation()->walk([](arith::CmpIOp op) { Narrowing(op).run(); });
  }
};

} // namespace
} // namespace tegula::tile
