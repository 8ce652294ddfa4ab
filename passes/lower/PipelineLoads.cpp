// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-pipeline-loads: the tiles that a loop feeds to its dots are fetched
// some iterations ahead, through a ring in shared memory, so that memory and
// matrix units work at the same time. What has to be known is all in the IR:
// which loads can be moved forward (their addresses depend on the loop's
// counter alone, nobody writes what they read), and how much shared memory
// there is. The device starts copies itself, or threads load into registers an
// iteration before they write to the ring.

#include "passes/lower/PipelineLoads.h"
#include "passes/lower/KernelNumbers.h"
#include "passes/lower/LayoutTransfer.h"
#include "passes/lower/Passes.h"
#include "passes/lower/RingLowering.h"

#include "dialects/simt/SimtWrite.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "lower-pipeline-loads"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_PIPELINELOADSPASS
#include "passes/lower/Passes.h.inc"
namespace {

using layout::LinearLayout;

class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, const TargetInfo &target)
      : loop(loop), target(target), builder(loop), loc(loop.getLoc()) {}

  /// Rewrites the loop if something in it can be fetched ahead.
  void run() {
    if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
        !step.isStrictlyPositive() || step.getSignificantBits() > 31) {
      return explainLoop(loop, "its step is no constant");
    }
    int64_t wantedSlots = getNumber(loop->getParentOfType<func::FuncOp>(),
                                    tile::kNumStagesHintAttr)
                              .value_or(0);
    if (wantedSlots == 1) {
      return explainLoop(loop, "the kernel asks for one stage");
    }
    groups = findFetched(loop, target.hasIndependentRings());
    if (groups.empty()) {
      return explainLoop(loop, "no load in it feeds dots alone");
    }
    if (target.hasIndependentRings()) {
      kept = findKept(loop);
    }
    createRings(loop, target, wantedSlots, groups, kept);
    if (groups.empty()) {
      return;
    }
    startKept();
    createPrologue();
    for (Group &group : kept) {
      readOnce(group);
    }
    for (Group &group : groups) {
      if (group.usesRegisters) {
        createPrologueInRegisters(group);
      }
    }
    addCounter();
    for (Group &group : groups) {
      rewriteBody(group);
    }
    eraseLoads();
  }

private:
  //===--------------------------------------------------------------------===//
  // What every iteration reads
  //===--------------------------------------------------------------------===//

  /// Starts the copies of what is kept: the first dot needs them first.
  void startKept() {
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    Value always = arith::ConstantIntOp::create(builder, loc, 1, 1);
    for (Group &group : kept) {
      issue(group, zero, loop.getLowerBound(), always);
    }
  }

  /// Waits for such a copy, and reads it where all iterations can.
  void readOnce(Group &group) {
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    simt::AwaitOp::create(builder, loc, group.ring, zero);
    for (Use &use : group.uses.front()) {
      read(group, use, 0, zero);
    }
  }

  //===--------------------------------------------------------------------===//
  // Fetching
  //===--------------------------------------------------------------------===//

  Value getStepTimes(int64_t count) {
    return arith::ConstantIntOp::create(builder, loc,
                                        loop.getInductionVar().getType(),
                                        step.getSExtValue() * count);
  }

  /// Whether an iteration `count` after the one at `position` exists.
  /// `position` is known to be below the end.
  Value isBefore(Value position, int64_t count) {
    // The difference is exact as an unsigned number.
    Value left =
        arith::SubIOp::create(builder, loc, loop.getUpperBound(), position);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, left,
                                 getStepTimes(count));
  }

  /// Starts copy `number`, for the iteration whose counter is `position`.
  void issue(Group &group, Value number, Value position, Value predicate) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), position);
    for (Operation &op : *loop.getBody()) {
      if (group.slice.contains(&op)) {
        builder.clone(op, mapping);
      }
    }
    SmallVector<Value> views, indices;
    for (tile::LoadOp load : group.loads) {
      views.push_back(load.getView());
      for (Value index : load.getIndex()) {
        indices.push_back(mapping.lookupOrDefault(index));
      }
    }
    simt::IssueOp::create(
        builder, loc, group.ring, number, predicate, views, indices,
        group.maps.empty() ? DenseI32ArrayAttr()
                           : builder.getDenseI32ArrayAttr(group.maps));
  }

  /// What comes first is asked for first.
  void createPrologue() {
    Value any =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    int64_t most = 0;
    for (const Group &group : groups) {
      most = std::max(most, group.usesRegisters ? 0 : group.slots);
    }
    for (int64_t i = 0; i + 1 < most; ++i) {
      Value position = arith::AddIOp::create(builder, loc, loop.getLowerBound(),
                                             getStepTimes(i));
      Value exists = arith::AndIOp::create(builder, loc, any,
                                           isBefore(loop.getLowerBound(), i));
      Value number = arith::ConstantIntOp::create(builder, loc, i, 32);
      for (Group &group : groups) {
        if (!group.usesRegisters && i + 1 < group.slots) {
          issue(group, number, position, exists);
        }
      }
    }
  }

  /// Loads member `member` for the iteration whose counter is `position`. Past
  /// the loop's end that is a tile that nobody reads.
  Value fetch(const Group &group, unsigned member, Value position) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), position);
    SetVector<Operation *> needed;
    tile::LoadOp load = group.loads[member];
    if (failed(getIndexSlice(loop, load->getOperands(), needed))) {
      llvm_unreachable("was possible when the load was chosen");
    }
    for (Operation *op : needed) {
      builder.clone(*op, mapping);
    }
    Operation *copy = builder.clone(*load, mapping);
    copy->getResult(0).setType(group.held[member]);
    return copy->getResult(0);
  }

  Value getBuffer(const Group &group, Value number, unsigned member) {
    auto type = simt::BufferType::get(
        cast<simt::RingType>(group.ring.getType()).getTiles()[member]);
    return simt::SlotOp::create(builder, loc, type, group.ring, number, member);
  }

  /// The first copy is in the ring and the second in registers.
  void createPrologueInRegisters(Group &group) {
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
    Value second = arith::AddIOp::create(builder, loc, loop.getLowerBound(),
                                         getStepTimes(1));
    for (unsigned member = 0; member < group.loads.size(); ++member) {
      Value first = fetch(group, member, loop.getLowerBound());
      simt::WriteOp::create(builder, group.loads[member].getLoc(), first,
                            getBuffer(group, zero, member));
      group.fetched.push_back(fetch(group, member, second));
    }
  }

  /// Gives the loop more carried values: the number of the iteration, and what
  /// is fetched in registers.
  void addCounter() {
    SmallVector<Value> added = {
        arith::ConstantIntOp::create(builder, loc, 0, 32)};
    for (const Group &group : groups) {
      llvm::append_range(added, group.fetched);
    }
    auto next = [&](OpBuilder &inner, Location loc,
                    ArrayRef<BlockArgument> carried) {
      SmallVector<Value> values(carried.begin(), carried.end());
      Value one = arith::ConstantIntOp::create(inner, loc, 1, 32);
      values[0] = arith::AddIOp::create(inner, loc, carried[0], one);
      return values;
    };
    IRRewriter rewriter(builder);
    auto replaced = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, added, /*replaceInitOperandUsesInLoop=*/false, next));
    loop = replaced;
    ValueRange carried = loop.getRegionIterArgs().take_back(added.size());
    number = carried.front();
    carried = carried.drop_front();
    for (Group &group : groups) {
      size_t count = group.fetched.size();
      group.fetched = llvm::to_vector_of<Value>(carried.take_front(count));
      carried = carried.drop_front(count);
    }
  }

  //===--------------------------------------------------------------------===//
  // The loop
  //===--------------------------------------------------------------------===//

  /// The first and the last operation of the loop's body with a dot of `group`.
  std::pair<Operation *, Operation *> getSpan(const Group &group) {
    Operation *first = nullptr, *last = nullptr;
    group.forEachDot([&](Operation *dot) {
      Operation *op = loop.getBody()->findAncestorOpInBlock(*dot);
      first = !first || op->isBeforeInBlock(first) ? op : first;
      last = !last || last->isBeforeInBlock(op) ? op : last;
    });
    return {first, last};
  }

  void rewriteBody(Group &group) {
    auto [first, last] = getSpan(group);
    builder.setInsertionPoint(first);
    if (group.usesRegisters) {
      builder.setInsertionPointToStart(loop.getBody());
    }
    simt::AwaitOp::create(builder, loc, group.ring, number);
    group.firstDot = first;
    if (!group.usesRegisters) {
      // Threads that copy compute addresses, which the first products hide if
      // there is time.
      if (group.threadsCopy && group.slots >= kFairSlots) {
        builder.setInsertionPointAfter(first);
      }
      Value ahead = getNumberAhead(group.slots - 1);
      Value position = arith::AddIOp::create(
          builder, loc, loop.getInductionVar(), getStepTimes(group.slots - 1));
      Value exists = isBefore(loop.getInductionVar(), group.slots - 1);
      issue(group, ahead, position, exists);
    }
    for (auto [member, ways] : llvm::enumerate(group.uses)) {
      for (Use &use : ways) {
        readFor(group, use, member);
      }
    }
    if (group.usesRegisters && !group.readsLate) {
      builder.setInsertionPoint(first);
    } else {
      builder.setInsertionPointAfter(last);
    }
    simt::ReleaseOp::create(builder, loc, group.ring, number);
    if (group.usesRegisters) {
      writeAndFetch(group);
    }
  }

  void eraseLoads() {
    // Users come after what they use.
    SetVector<Operation *> erased;
    groups.append(std::make_move_iterator(kept.begin()),
                  std::make_move_iterator(kept.end()));
    for (Group &group : groups) {
      for (SmallVector<Use> &ways : group.uses) {
        for (Use &use : ways) {
          erased.insert(use.path.begin(), use.path.end());
        }
      }
    }
    for (Group &group : groups) {
      erased.insert(group.loads.begin(), group.loads.end());
    }
    for (Operation *op : erased) {
      op->dropAllReferences();
    }
    for (Operation *op : erased) {
      op->erase();
    }
  }

  Value getNumberAhead(int64_t count) {
    return arith::AddIOp::create(
        builder, loc, number,
        arith::ConstantIntOp::create(builder, loc, count, 32));
  }

  /// Each tile's registers are written, then loaded anew: while one tile is
  /// waited for, the loads of the others go on.
  void writeAndFetch(Group &group) {
    Value ahead = getNumberAhead(1);
    Value position = arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                           getStepTimes(2));
    for (unsigned member = 0; member < group.loads.size(); ++member) {
      Value carried = group.fetched[member];
      simt::WriteOp::create(builder, group.loads[member].getLoc(), carried,
                            getBuffer(group, ahead, member));
      loop.getTiedLoopYieldedValue(cast<BlockArgument>(carried))
          ->set(fetch(group, member, position));
    }
  }

  /// Reads member `member` of the slot right in the layout that the dot needs.
  void readFor(Group &group, Use &use, unsigned member) {
    // With one slot everything is read before the next copy is written.
    bool isEarly = group.usesRegisters && group.slots == 1 && !group.readsLate;
    builder.setInsertionPoint(isEarly ? group.firstDot
                                      : use.operand->getOwner());
    read(group, use, member, number);
  }

  /// The same, of copy `number`, where the builder is.
  void read(Group &group, Use &use, unsigned member, Value number) {
    LinearLayout layout = *getReadLayout(use);
    tile::LoadOp load = group.loads[member];
    auto tile = cast<RankedTensorType>(load.getType());
    Value buffer = getBuffer(group, number, member);
    Value value = simt::ReadOp::create(
        builder, load.getLoc(), layout::withLayout(tile, layout), buffer);
    for (Operation *op : use.path) {
      if (isa<layout::ConvertOp>(op)) {
        continue;
      }
      IRMapping mapping;
      mapping.map(op->getOperand(0), value);
      Operation *copy = builder.clone(*op, mapping);
      LinearLayout moved = *inferResultLayout(
          op, 0, layout::getLayout(value.getType()).getLayout());
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      copy->getResult(0).setType(layout::withLayout(type, moved));
      value = copy->getResult(0);
    }
    use.operand->set(value);
  }

  scf::ForOp loop;
  const TargetInfo &target;
  OpBuilder builder;
  Location loc;
  APInt step;
  SmallVector<Group, 2> groups;
  /// What is copied once, for all iterations.
  SmallVector<Group, 1> kept;
  Value number;
};

class PipelineLoads : public impl::PipelineLoadsPassBase<PipelineLoads> {
public:
  using PipelineLoadsPassBase::PipelineLoadsPassBase;

  void runOnOperation() override {
    const TargetInfo *target = TargetInfo::of(getOperation());
    if (!target) {
      return signalPassFailure();
    }
    // What has layouts says how many warps they are for; all else stays.
    SmallVector<scf::ForOp> loops;
    if (getNumber(getOperation(), kNumWarpsAttr)) {
      getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    }
    for (scf::ForOp loop : loops) {
      LoopPipeliner(loop, *target).run();
    }
  }
};

} // namespace
} // namespace tegula::lower
