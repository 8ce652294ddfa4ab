// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-pipeline-loads: the tiles that a loop feeds to its dots are fetched
// some iterations ahead, through a ring in shared memory, so that memory and
// matrix units work at the same time. What has to be known is all in the IR:
// which loads can be moved forward (their addresses depend on the loop's
// counter alone, nobody writes what they read), and how much shared memory
// there is. The device starts copies itself, or threads load into registers an
// iteration before they write to the ring.

#include "passes/analysis/Explanation.h"
#include "passes/analysis/Overlaps.h"
#include "passes/lower/BufferLayouts.h"
#include "passes/lower/DotLoads.h"
#include "passes/lower/LayoutTransfer.h"
#include "passes/lower/MemoryLayouts.h"
#include "passes/lower/Passes.h"
#include "passes/lower/RingLowering.h"

#include "dialects/layout/SharedSwizzle.h"
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

/// Where products have rings of their own, a copy has the time of the other
/// ones too, and fewer slots than kFairSlots hide the latency of memory.
constexpr int64_t kFairSlotsOfSeveral = 2;

class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, const TargetInfo &target)
      : loop(loop), target(target), builder(loop), loc(loop.getLoc()) {}

  /// Rewrites the loop if something in it can be fetched ahead.
  void run() {
    if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
        !step.isStrictlyPositive() || step.getSignificantBits() > 31) {
      return explain("its step is no constant");
    }
    auto hint =
        loop->getParentOfType<func::FuncOp>()->getAttrOfType<IntegerAttr>(
            tile::kNumStagesHintAttr);
    wantedSlots = hint ? hint.getInt() : 0;
    if (wantedSlots == 1) {
      return explain("the kernel asks for one stage");
    }
    collect();
    if (groups.empty()) {
      return explain("no load in it feeds dots alone");
    }
    if (target.hasIndependentRings()) {
      collectKept();
    }
    createRings();
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
  void explain(const Twine &reason) {
    analysis::missed(DEBUG_TYPE, "pipelining", loc)
        << "this loop is not pipelined: " << reason;
  }

  //===--------------------------------------------------------------------===//
  // What can be fetched ahead
  //===--------------------------------------------------------------------===//

  void collect() {
    auto kernel = loop->getParentOfType<func::FuncOp>();
    for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
      SmallVector<Use> found;
      SetVector<Operation *> needed;
      StringRef reason;
      if (load->use_empty() || failed(findUses(load.getResult(), {}, found))) {
        reason = "it feeds other operations than dots";
      } else if (load.getPad() &&
                 !matchPattern(load.getPad(), m_AnyZeroFloat()) &&
                 !matchPattern(load.getPad(), m_Zero())) {
        reason = "its pad value is not zero";
      } else if (load->hasAttr("extents")) {
        reason = "its tile is padded";
      } else if (!llvm::all_of(found, [](const Use &use) {
                   return getReadLayout(use).has_value();
                 })) {
        reason = "no layout says how it is read";
      } else if (analysis::isWritten(kernel, load.getView())) {
        reason = "the kernel writes the array";
      } else if (failed(getIndexSlice(loop, load->getOperands(), needed))) {
        reason = "its index depends on more than the loop's counter";
      } else {
        add({{load}, {std::move(found)}, std::move(needed), 0, {}, nullptr});
        continue;
      }
      analysis::missed(DEBUG_TYPE, "pipelining", load.getLoc())
          << "this tile is not fetched ahead: " << reason;
    }
  }

  /// Tiles that one dot needs arrive together. Those of another dot need not
  /// wait for them, nor stay for as long, if the device's rings are
  /// independent.
  void add(Group added) {
    SmallVector<Group, 2> others;
    Group merged;
    for (Group &group : groups) {
      if (!target.hasIndependentRings() || group.sharesDots(added)) {
        merged.append(group);
      } else {
        others.push_back(std::move(group));
      }
    }
    merged.append(added);
    others.push_back(std::move(merged));
    groups = std::move(others);
  }

  //===--------------------------------------------------------------------===//
  // What every iteration reads
  //===--------------------------------------------------------------------===//

  /// Why the tile of `load`, from before the loop, is no operand of its dots
  /// alone; empty if it is.
  StringRef getObstacle(tile::LoadOp load, SmallVector<Use> &found) {
    if (failed(findUses(load.getResult(), {}, found))) {
      return "it feeds other operations than dots";
    }
    bool isInside = llvm::all_of(found, [&](const Use &use) {
      return loop->isProperAncestor(use.operand->getOwner());
    });
    if (!isInside) {
      return "it is used outside of the loop";
    }
    if (!llvm::all_of(found, [](const Use &use) {
          return getReadLayout(use).has_value();
        })) {
      return "no layout says how it is read";
    }
    if (load.getPad() && !matchPattern(load.getPad(), m_AnyZeroFloat()) &&
        !matchPattern(load.getPad(), m_Zero())) {
      return "its pad value is not zero";
    }
    if (load->hasAttr("extents")) {
      return "its tile is padded";
    }
    return analysis::isWritten(loop->getParentOfType<func::FuncOp>(),
                               load.getView())
               ? "the kernel writes the array"
               : "";
  }

  /// Finds the loads from before the loop that its dots read in each iteration.
  void collectKept() {
    SetVector<Operation *> loads;
    loop.getBody()->walk([&](tile::DotOp dot) {
      for (Value operand : {dot.getA(), dot.getB()}) {
        Operation *op = operand.getDefiningOp();
        while (op && isPassThrough(op)) {
          op = op->getOperand(0).getDefiningOp();
        }
        if (isa_and_nonnull<tile::LoadOp>(op) && !loop->isAncestor(op)) {
          loads.insert(op);
        }
      }
    });
    for (Operation *op : loads) {
      auto load = cast<tile::LoadOp>(op);
      SmallVector<Use> found;
      if (StringRef reason = getObstacle(load, found); !reason.empty()) {
        analysis::missed(DEBUG_TYPE, "pipelining", load.getLoc())
            << "this tile is loaded to registers: " << reason;
        continue;
      }
      kept.push_back({{load}, {std::move(found)}, {}, 1, {}, nullptr});
    }
  }

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

  RankedTensorType getBufferTile(tile::LoadOp load) {
    auto type = cast<RankedTensorType>(load.getType());
    auto view = cast<tile::ViewType>(load.getView().getType());
    LinearLayout buffer = getSwizzledBufferLayout(
        type.getShape(),
        getAccessOrder(analysis::getAccessFacts(load), type.getRank()),
        view.getElementByteWidth());
    return layout::withLayout(type, buffer);
  }

  SmallVector<RankedTensorType> getTiles(const Group &group) {
    return llvm::map_to_vector(
        group.loads, [&](tile::LoadOp load) { return getBufferTile(load); });
  }

  void createRings() {
    int64_t laterSlots = 0;
    for (const Group &group : groups) {
      laterSlots += getSlotBytes(getTiles(group));
    }
    for (Group &group : kept) {
      if (hasRoomFor(group, laterSlots)) {
        createRing(group, getTiles(group), 0);
      }
    }
    llvm::erase_if(kept, [](const Group &group) { return !group.ring; });
    for (Group &group : groups) {
      SmallVector<RankedTensorType> tiles = getTiles(group);
      laterSlots -= getSlotBytes(tiles);
      createRing(group, tiles, laterSlots);
    }
    llvm::erase_if(groups, [](const Group &group) { return !group.ring; });
  }

  /// Whether the loop's rings, a slot of each of which has `slotBytes`, keep
  /// enough slots beside a tile that is kept.
  bool hasRoomFor(const Group &group, int64_t slotBytes) {
    SmallVector<RankedTensorType> tiles = getTiles(groups.front());
    int64_t later = slotBytes - getSlotBytes(tiles);
    int64_t used = getUsedBytes();
    int64_t kept =
        llvm::alignTo(getSlotBytes(getTiles(group)) + 1, simt::kTileAlignment);
    auto without = target.planRing(groups.front().loads, tiles,
                                   {used, later, wantedSlots});
    auto with = target.planRing(groups.front().loads, tiles,
                                {used + kept, later, wantedSlots});
    int64_t fair = groups.size() > 1 ? kFairSlotsOfSeveral : kFairSlots;
    bool fits = with && with->slots >= std::min(without->slots, fair);
    if (!fits) {
      tile::LoadOp load = group.loads.front();
      analysis::missed(DEBUG_TYPE, "pipelining", load.getLoc())
          << "this tile is loaded to registers: the loop's rings need the room";
    }
    return fits;
  }

  /// Shared memory that is taken.
  int64_t getUsedBytes() {
    auto bytes =
        loop->getParentOfType<func::FuncOp>()->getAttrOfType<IntegerAttr>(
            kSharedBytesAttr);
    return bytes ? llvm::alignTo(bytes.getInt(), simt::kTileAlignment) : 0;
  }

  int64_t getSlotBytes(ArrayRef<RankedTensorType> tiles) {
    return simt::RingType::get(builder.getContext(), 1, tiles).getSlotBytes();
  }

  void createRing(Group &group, SmallVector<RankedTensorType> tiles,
                  int64_t laterSlots) {
    auto kernel = loop->getParentOfType<func::FuncOp>();
    int64_t used = getUsedBytes();
    std::optional<RingPlan> plan =
        target.planRing(group.loads, tiles, {used, laterSlots, wantedSlots});
    if (!plan) {
      return explain(
          "the device cannot copy its tiles, or has no room for two of each");
    }
    if (group.slots == 1) {
      // Copied once: one slot, if the device copies it by itself.
      if (!target.tracksReaders(plan->mechanism)) {
        return explain("the device does not copy what it keeps by itself");
      }
      plan->bytes -= (plan->slots - 1) * getSlotBytes(tiles);
      plan->slots = 1;
    }
    group.slots = plan->slots;
    group.threadsCopy = !target.tracksReaders(plan->mechanism);
    group.usesRegisters = plan->mechanism == kRegisterMechanism;
    if (group.usesRegisters && !chooseRegisters(group, tiles)) {
      return explain("its tiles have no buffer that both sides can use");
    }
    auto type = simt::RingType::get(builder.getContext(), plan->slots, tiles);
    for (const TensorMap &map : plan->maps) {
      group.maps.push_back(addTensorMap(kernel, map));
    }
    kernel->setAttr(kSharedBytesAttr,
                    builder.getI32IntegerAttr(used + plan->bytes));
    group.ring =
        simt::RingOp::create(builder, loc, type, plan->mechanism, used);
    if (group.slots == 1 && !group.usesRegisters) {
      analysis::chosen(DEBUG_TYPE, "pipelining", group.loads.front().getLoc())
          << "this tile is copied once to shared memory, for all iterations";
      return;
    }
    analysis::chosen(DEBUG_TYPE, "pipelining", loc)
        << (tiles.size() == 1 ? "a tile is fetched " : "tiles are fetched ")
        << plan->slots - 1 << " iterations ahead: a ring of " << plan->slots
        << " slots, " << plan->bytes << " bytes of shared memory, filled by \""
        << plan->mechanism << "\"";
  }

  /// Sets the types of the tiles of `group` as they are loaded, and `tiles`,
  /// the buffers between these and the first use of each.
  bool chooseRegisters(Group &group, SmallVector<RankedTensorType> &tiles) {
    int64_t warps = loop->getParentOfType<func::FuncOp>()
                        ->getAttrOfType<IntegerAttr>(kNumWarpsAttr)
                        .getInt();
    int64_t readBytes = 0;
    for (auto [member, load] : llvm::enumerate(group.loads)) {
      layout::SharedMemory memory{target.getNumSharedBanks(), 4,
                                  8 * target.getMaxAccessBytes()};
      auto type = cast<RankedTensorType>(load.getType());
      int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      LinearLayout read = *getReadLayout(group.uses[member].front());
      readBytes += read.inSize(layout::Dim::Register) * bytes;
      analysis::AccessFacts facts = analysis::getAccessFacts(load);
      LinearLayout threads = getAccessLayout(facts, type, target, warps);
      // What readers take together, writers should have together, but not at
      // the price of loads that are further apart.
      ArrayRef<LinearLayout::Basis> registers =
          read.bases(layout::Dim::Register);
      std::optional<LinearLayout> named =
          facts.unitDim ? target.getNamedElements(read, *facts.unitDim, bytes)
                        : std::nullopt;
      if (named) {
        read = *named;
        // One read takes no more than what a lane names.
        memory.maxReadBits =
            8 * bytes * named->contiguousRegisters(*facts.unitDim);
      } else if (!registers.empty()) {
        auto along = llvm::find_if(registers.front(),
                                   [](int32_t step) { return step != 0; });
        unsigned dim = along - registers.front().begin();
        if (along != registers.front().end() && facts.unitDim != dim) {
          threads = gatherAlong(threads, dim);
        }
      }
      std::string error;
      auto buffer =
          layout::swizzledOffsets(threads, read, 8 * bytes, memory, &error);
      if (!buffer) {
        analysis::missed(DEBUG_TYPE, "pipelining", load.getLoc()) << error;
        return false;
      }
      analysis::chosen(DEBUG_TYPE, "pipelining", load.getLoc())
          << "its buffer is written by " << buffer->write.vectorSize()
          << " elements with " << buffer->write.conflicts
          << " conflicts and read by " << buffer->read.vectorSize() << " with "
          << buffer->read.conflicts;
      tiles[member] = layout::withLayout(type, buffer->layout);
      group.held.push_back(layout::withLayout(type, threads));
    }
    group.readsLate = readBytes / 4 > target.getRegisterBudget() / 2;
    return true;
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

  /// The layout in which the tile of a load is read for a use, if there is one.
  static std::optional<LinearLayout> getReadLayout(const Use &use) {
    auto wanted = layout::getLayout(use.operand->get().getType());
    if (!wanted) {
      return std::nullopt;
    }
    std::optional<LinearLayout> layout = wanted.getLayout();
    for (Operation *op : llvm::reverse(use.path)) {
      if (layout && !isa<layout::ConvertOp>(op)) {
        layout = inferOperandLayout(op, 0, *layout);
      }
    }
    return layout;
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
  /// See RingRoom.
  int64_t wantedSlots = 0;
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
    if (getOperation()->getAttrOfType<IntegerAttr>(kNumWarpsAttr)) {
      getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    }
    for (scf::ForOp loop : loops) {
      LoopPipeliner(loop, *target).run();
    }
  }
};

} // namespace
} // namespace tegula::lower
