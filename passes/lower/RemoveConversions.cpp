// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-remove-conversions: a conversion between layouts may cost a trip
// through shared memory and two barriers. Where what it converts is computed
// from next to nothing (indices, masks, constants), or from much smaller tiles,
// it is cheaper to compute it anew in the layout that is wanted.

#include "passes/analysis/Explanation.h"
#include "passes/lower/KernelNumbers.h"
#include "passes/lower/LayoutTransfer.h"
#include "passes/lower/Passes.h"
#include "passes/lower/TargetInfo.h"

#include "dialects/layout/Layout.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "lower-remove-conversions"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_REMOVECONVERSIONSPASS
#include "passes/lower/Passes.h.inc"
namespace {

using layout::LinearLayout;

/// Operations that recomputing one tile may take.
constexpr int64_t kMaxSlice = 32;
/// A conversion of a tile is worth moving to its sources if they are together
/// this many times smaller.
constexpr int64_t kShrink = 4;
/// A load of at most this many elements for each thread is redone in another
/// layout rather than converted.
constexpr int64_t kSmallLoad = 4;

RankedTensorType getTileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether an element costs about one instruction.
bool isCheap(Operation *op) {
  if (isFreeSource(op) ||
      isa<tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp, tile::JoinOp,
          tile::SplitOp>(op)) {
    return true;
  }
  return isElementwise(op) && isPure(op) &&
         op->getDialect()->getNamespace() == "arith" &&
         !isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
              arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
              arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

/// Plans, then builds, a tile in another layout.
class Recomputation {
public:
  using Key = std::pair<Value, Attribute>;

  /// Whether `value` can be had in `encoding` at a lower cost than converting
  /// it.
  bool plan(Value value, Attribute encoding) {
    budget = getTileType(value).getNumElements() / kShrink;
    return visit(value, encoding);
  }

  /// Builds it before `anchor`.
  Value build(OpBuilder &builder, Value value, Attribute encoding) {
    if (getTileType(value).getEncoding() == encoding) {
      return value;
    }
    Value &made = built[{value, encoding}];
    if (made) {
      return made;
    }
    Value result;
    if (auto convert = value.getDefiningOp<layout::ConvertOp>();
        convert && !converted.contains({value, encoding})) {
      result = build(builder, convert.getSource(), encoding);
    } else if (converted.contains({value, encoding})) {
      result = layout::ConvertOp::create(
          builder, value.getLoc(),
          getTileType(value).cloneWithEncoding(encoding), value);
    } else {
      result = clone(builder, cast<OpResult>(value), encoding);
    }
    return built[{value, encoding}] = result;
  }

private:
  static LinearLayout getLayout(Attribute encoding) {
    return cast<layout::LinearAttr>(encoding).getLayout();
  }

  bool visit(Value value, Attribute encoding) {
    if (getTileType(value).getEncoding() == encoding ||
        !seen.insert({value, encoding}).second) {
      return true;
    }
    if (auto convert = value.getDefiningOp<layout::ConvertOp>()) {
      return visit(convert.getSource(), encoding);
    }
    Operation *op = value.getDefiningOp();
    if (!op || !isCheap(op) || op->getNumResults() != 1 || ++size > kMaxSlice) {
      return visitLeaf(value, encoding);
    }
    if (isFreeSource(op)) {
      return true;
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType())) {
        continue;
      }
      auto layout = inferOperandLayout(op, operand.getOperandNumber(),
                                       getLayout(encoding));
      if (!layout) {
        return visitLeaf(value, encoding);
      }
      if (!visit(operand.get(),
                 layout::LinearAttr::get(op->getContext(), *layout))) {
        return false;
      }
    }
    return true;
  }

  /// A value that has to be converted after all.
  bool visitLeaf(Value value, Attribute encoding) {
    budget -= getTileType(value).getNumElements();
    converted.insert({value, encoding});
    return budget >= 0;
  }

  Value clone(OpBuilder &builder, OpResult value, Attribute encoding) {
    Operation *op = value.getOwner();
    IRMapping mapping;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType())) {
        continue;
      }
      auto layout = inferOperandLayout(op, operand.getOperandNumber(),
                                       getLayout(encoding));
      mapping.map(operand.get(),
                  build(builder, operand.get(),
                        layout::LinearAttr::get(op->getContext(), *layout)));
    }
    Operation *copy = builder.clone(*op, mapping);
    RankedTensorType type = getTileType(value).cloneWithEncoding(encoding);
    copy->getResult(0).setType(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(copy)) {
      constant.setValueAttr(
          cast<DenseElementsAttr>(constant.getValue()).reshape(type));
    }
    return copy->getResult(0);
  }

  int64_t budget = 0;
  int64_t size = 0;
  DenseSet<Key> seen;
  DenseSet<Key> converted;
  DenseMap<Key, Value> built;
};

class RemoveConversions
    : public impl::RemoveConversionsPassBase<RemoveConversions> {
public:
  using RemoveConversionsPassBase::RemoveConversionsPassBase;

  void runOnOperation() override {
    const TargetInfo *target = TargetInfo::of(getOperation());
    if (!target) {
      return signalPassFailure();
    }
    retargetSmallLoads(*target);
    SmallVector<layout::ConvertOp> converts;
    getOperation()->walk([&](layout::ConvertOp op) { converts.push_back(op); });
    // Later ones first: an earlier one may then have lost its use.
    for (layout::ConvertOp convert : llvm::reverse(converts)) {
      simplify(convert);
    }
    // What was computed only to be converted.
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op)) {
            op->erase();
          }
        });
  }

private:
  /// Loads that every user wants in one other layout are made in it.
  void retargetSmallLoads(const TargetInfo &target) {
    int64_t threads = target.getNumLanes() *
                      getNumber(getOperation(), kNumWarpsAttr).value_or(1);
    SmallVector<tile::LoadOp> loads;
    getOperation()->walk([&](tile::LoadOp load) { loads.push_back(load); });
    for (tile::LoadOp load : loads) {
      RankedTensorType type = getTileType(load.getResult());
      if (type.getNumElements() > kSmallLoad * threads || load->use_empty()) {
        continue;
      }
      auto first = dyn_cast<layout::ConvertOp>(*load->user_begin());
      if (!first || !llvm::all_of(load->getUsers(), [&](Operation *user) {
            return isa<layout::ConvertOp>(user) &&
                   user->getResultTypes() == first->getResultTypes();
          })) {
        continue;
      }
      load.getResult().setType(first.getType());
      for (Operation *user : llvm::make_early_inc_range(load->getUsers())) {
        user->replaceAllUsesWith(load);
        user->erase();
      }
    }
  }

  void simplify(layout::ConvertOp convert) {
    if (convert->use_empty()) {
      return convert.erase();
    }
    Attribute encoding = getTileType(convert.getResult()).getEncoding();
    Recomputation recomputation;
    if (!recomputation.plan(convert.getSource(), encoding)) {
      analysis::missed(DEBUG_TYPE, "layout", convert.getLoc())
          << "the tile " << analysis::describeTile(convert.getType())
          << " changes its layout: it is not cheaper to compute anew";
      return;
    }
    OpBuilder builder(convert);
    convert.replaceAllUsesWith(
        recomputation.build(builder, convert.getSource(), encoding));
    convert.erase();
  }
};

} // namespace
} // namespace tegula::lower
