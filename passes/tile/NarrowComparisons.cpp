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
    if (!iota || !full || !isWide(iota) || !isSigned(op.getPredicate())) {
      return;
    }
    RankedTensorType type = iota.getType();
    int64_t extent = type.getShape()[0];
    if (extent > std::numeric_limits<int32_t>::max()) {
      analysis::missed(DEBUG_TYPE, "arithmetic", op.getLoc())
          << "positions are compared in 64 bits: "
          << analysis::describeTile(type) << " has too many for 32";
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
    Type i64 = builder.getI64Type();
    auto constant = [&](int64_t value) {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getIntegerAttr(i64, value));
    };
    Value low =
        arith::MaxSIOp::create(builder, loc, bound, constant(-1)).getResult();
    Value inside = arith::MinSIOp::create(builder, loc, low, constant(extent));
    return arith::TruncIOp::create(builder, loc, builder.getI32Type(), inside);
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
