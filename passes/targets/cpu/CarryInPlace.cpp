// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-carry-in-place: says, before bufferization, that each tile carried by a
// loop lives in one buffer which every iteration updates. Bufferization then
// needs no allocation inside the loop, and an accumulator is updated where it
// is.

#include "passes/targets/cpu/Generics.h"
#include "passes/targets/cpu/Passes.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

#define DEBUG_TYPE "cpu-carry-in-place"

using namespace mlir;

namespace tegula::cpu {
#define GEN_PASS_DEF_CARRYINPLACEPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

using Roots = llvm::SmallPtrSet<void *, 8>;

/// Loop-carried tiles whose buffer `value` may share. `exact` turns false where
/// only a part or another view of one is shared.
void collectRoots(Value value, Roots &roots, bool &exact) {
  if (isa<BlockArgument>(value)) {
    roots.insert(value.getAsOpaquePointer());
    return;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::IfOp branch) {
        collectRoots(branch.thenYield().getOperand(number), roots, exact);
        collectRoots(branch.elseYield().getOperand(number), roots, exact);
      })
      .Case([&](scf::ForOp loop) {
        collectRoots(loop.getInitArgs()[number], roots, exact);
      })
      .Case([&](scf::WhileOp loop) {
        collectRoots(loop.getInits()[number], roots, exact);
      })
      .Case<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
            tensor::ExpandShapeOp, tensor::CastOp>([&](auto view) {
        exact = false;
        collectRoots(view->getOperand(0), roots, exact);
      })
      .Case([&](tensor::InsertOp insert) {
        collectRoots(insert.getDest(), roots, exact);
      })
      .Case([&](bufferization::MaterializeInDestinationOp copy) {
        collectRoots(copy.getDest(), roots, exact);
      })
      .Case([&](DestinationStyleOpInterface destination) {
        collectRoots(destination.getDpsInits()[number], roots, exact);
      });
}

/// True if `value` is new or an update of `carried` itself, so that writing it
/// to `carried`'s buffer disturbs no other carried tile.
bool isOwnUpdate(Value value, Value carried) {
  Roots roots;
  bool exact = true;
  collectRoots(value, roots, exact);
  return exact &&
         (roots.empty() ||
          (roots.size() == 1 && roots.contains(carried.getAsOpaquePointer())));
}

/// True if `value` is what an inner loop has made of `carried`: that loop
/// carries it in the same buffer. Said again, it would be a write, which the
/// reads between the loops would seem to come too late for.
bool isCarriedOn(Value value, Value carried) {
  while (value != carried) {
    Operation *op = value.getDefiningOp();
    if (auto loop = dyn_cast_if_present<scf::ForOp>(op)) {
      value = loop.getInitArgs()[cast<OpResult>(value).getResultNumber()];
    } else if (auto loop = dyn_cast_if_present<scf::WhileOp>(op)) {
      value = loop.getInits()[cast<OpResult>(value).getResultNumber()];
    } else {
      return false;
    }
  }
  return true;
}

/// Makes each operand of `terminator` the new content of the buffer of what it
/// replaces. Values that share another carried tile's buffer are copied first,
/// all of them before any buffer is overwritten.
void carryAll(Operation *terminator, MutableArrayRef<OpOperand> operands,
              ValueRange carried) {
  OpBuilder builder(terminator);
  Location loc = terminator->getLoc();
  SmallVector<std::pair<OpOperand *, Value>> updates;
  for (auto [operand, value] : llvm::zip(operands, carried)) {
    if (isa<RankedTensorType>(value.getType()) &&
        !isCarriedOn(operand.get(), value)) {
      updates.emplace_back(&operand, value);
    }
  }
  for (auto [operand, value] : updates) {
    if (!isOwnUpdate(operand->get(), value)) {
      operand->set(bufferization::AllocTensorOp::create(
          builder, loc, cast<RankedTensorType>(value.getType()), ValueRange{},
          operand->get()));
    }
  }
  for (auto [operand, value] : updates) {
    operand->set(bufferization::MaterializeInDestinationOp::create(
                     builder, loc, value.getType(), operand->get(), value)
                     .getResult());
  }
}

/// True for a tile of which a branch or loop must pass on a copy. As it lies in
/// an array it has a layout that other values which take its place cannot have.
/// And where an `if` in a loop yields a tile of outside from one branch and an
/// update of the carried tile from the other, bufferization may refuse to do
/// the update in place, or not, as pointers compare.
bool needsOwnBuffer(Operation *passer, Operation *producer) {
  if (auto inArray = dyn_cast<bufferization::ToTensorOp>(producer)) {
    if (!cast<MemRefType>(inArray.getBuffer().getType())
             .getLayout()
             .isIdentity()) {
      return true;
    }
  }
  if (isa<tensor::ExtractSliceOp>(producer)) {
    return true;
  }
  Region *region = passer->getParentRegion();
  return isa<scf::IfOp>(region->getParentOp()) &&
         passer->getParentOfType<LoopLikeOpInterface>() &&
         !region->isAncestor(producer->getParentRegion());
}

/// A generic makes the copies, since bufferization.alloc_tensor would take over
/// the layout.
void passOwnBuffers(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    Operation *producer = operand.get().getDefiningOp();
    if (type && producer && needsOwnBuffer(op, producer)) {
      operand.set(createParallel(
          builder, op->getLoc(), type, operand.get(),
          builder.getMultiDimIdentityMap(type.getRank()),
          [](OpBuilder &, Location, ValueRange args) { return args[0]; }));
    }
  }
}

struct CarryInPlacePass final : impl::CarryInPlacePassBase<CarryInPlacePass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (op->hasAttr(kInPlaceAttr)) {
        return WalkResult::advance();
      }
      if (isa<scf::ForOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp>(op)) {
        passOwnBuffers(op);
      }
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        Operation *yield = loop.getBody()->getTerminator();
        carryAll(yield, yield->getOpOperands(), loop.getRegionIterArgs());
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        if (failed(carryWhile(loop))) {
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      signalPassFailure();
    }
  }

  static LogicalResult carryWhile(scf::WhileOp loop) {
    scf::ConditionOp condition = loop.getConditionOp();
    if (condition.getArgs().getTypes() !=
        ValueRange(loop.getBeforeArguments()).getTypes()) {
      bool hasTile = llvm::any_of(condition.getArgs().getTypes(), [](Type t) {
        return isa<RankedTensorType>(t);
      });
      if (hasTile) {
        return loop.emitOpError()
               << "passes other values to its body than it carries; a loop "
                  "that carries tiles must pass on all it carries";
      }
      return success();
    }
    carryAll(condition, condition->getOpOperands().drop_front(),
             loop.getBeforeArguments());
    scf::YieldOp yield = loop.getYieldOp();
    carryAll(yield, yield->getOpOperands(), loop.getAfterArguments());
    return success();
  }
};

} // namespace
} // namespace tegula::cpu
