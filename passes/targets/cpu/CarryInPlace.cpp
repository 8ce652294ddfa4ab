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

/// The tile that an inner loop starts with, of which it returns `result`; null
/// if `op` is no loop.
OpOperand *getStart(Operation *op, unsigned result) {
  if (auto loop = dyn_cast_if_present<scf::ForOp>(op)) {
    return &loop.getInitArgsMutable()[result];
  }
  if (auto loop = dyn_cast_if_present<scf::WhileOp>(op)) {
    return &loop.getInitsMutable()[result];
  }
  return nullptr;
}

/// True if `value` is what inner loops have made of `carried`: they carry it in
/// the same buffer. Said again, it would be a write, which the reads between
/// the loops would seem to come too late for.
bool isCarriedOn(Value value, Value carried) {
  if (value == carried) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op) {
    return false;
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    return isCarriedOn(branch.thenYield().getOperand(number), carried) &&
           isCarriedOn(branch.elseYield().getOperand(number), carried);
  }
  OpOperand *start = getStart(op, number);
  return start && isCarriedOn(start->get(), carried);
}

/// Gives the loops that make some cases of `value` of `carried` a copy of it to
/// start with. In the other cases it is no loop's, and bufferization refuses
/// that both write one buffer.
void detachLoops(Value value, Value carried) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    return;
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    detachLoops(branch.thenYield().getOperand(number), carried);
    detachLoops(branch.elseYield().getOperand(number), carried);
  } else if (OpOperand *start = getStart(op, number)) {
    if (start->get() != carried) {
      return detachLoops(start->get(), carried);
    }
    OpBuilder builder(op);
    start->set(bufferization::AllocTensorOp::create(
        builder, op->getLoc(), cast<RankedTensorType>(carried.getType()),
        ValueRange{}, carried));
  } else if (auto destination = dyn_cast<DestinationStyleOpInterface>(op)) {
    detachLoops(destination.getDpsInits()[number], carried);
  }
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
      detachLoops(operand.get(), value);
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

/// The same loop, which passes on all that it carries, in order, and then what
/// else it passed: bufferization goes by position, but canonicalization drops
/// what neither the body nor the loop's users need.
FailureOr<scf::WhileOp> passOnAll(scf::WhileOp loop) {
  Block *before = loop.getBeforeBody();
  scf::ConditionOp condition = loop.getConditionOp();
  SmallVector<Value> passed(before->getArguments());
  SmallVector<unsigned> places;
  for (Value value : condition.getArgs()) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == before) {
      places.push_back(argument.getArgNumber());
      continue;
    }
    if (isa<RankedTensorType>(value.getType())) {
      return loop.emitOpError()
             << "passes a tile to its body that it does not carry";
    }
    places.push_back(passed.size());
    passed.push_back(value);
  }
  OpBuilder builder(loop);
  auto full = scf::WhileOp::create(
      builder, loop.getLoc(), ValueRange(passed).getTypes(), loop.getInits());
  full->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  full.getBefore().takeBody(loop.getBefore());
  full.getAfter().takeBody(loop.getAfter());
  condition.getArgsMutable().assign(passed);
  Block *after = full.getAfterBody();
  for (Value value : passed) {
    after->addArgument(value.getType(), value.getLoc());
  }
  for (auto [number, place] : llvm::enumerate(places)) {
    after->getArgument(number).replaceAllUsesWith(
        after->getArgument(places.size() + place));
    loop.getResult(number).replaceAllUsesWith(full.getResult(place));
  }
  after->eraseArguments(0, places.size());
  loop.erase();
  return full;
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
    auto hasTile = [](ValueRange values) {
      return llvm::any_of(values.getTypes(), llvm::IsaPred<RankedTensorType>);
    };
    if (!hasTile(loop.getInits()) && !hasTile(loop.getResults())) {
      return success();
    }
    if (loop.getConditionOp().getArgs().getTypes() !=
        ValueRange(loop.getBeforeArguments()).getTypes()) {
      FailureOr<scf::WhileOp> full = passOnAll(loop);
      if (failed(full)) {
        return failure();
      }
      loop = *full;
    }
    scf::ConditionOp condition = loop.getConditionOp();
    carryAll(condition, condition->getOpOperands().drop_front(),
             loop.getBeforeArguments());
    scf::YieldOp yield = loop.getYieldOp();
    carryAll(yield, yield->getOpOperands(), loop.getAfterArguments());
    return success();
  }
};

} // namespace
} // namespace tegula::cpu
