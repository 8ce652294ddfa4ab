// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-pipeline-loads, rings: how many slots there is room for, and, where
// tiles travel through registers, buffers that both those who write and those
// who read can use.

#include "passes/lower/PipelineLoads.h"

#include "passes/analysis/Explanation.h"
#include "passes/lower/BufferLayouts.h"
#include "passes/lower/KernelNumbers.h"
#include "passes/lower/MemoryLayouts.h"
#include "passes/lower/RingLowering.h"

#include "dialects/layout/SharedSwizzle.h"

#define DEBUG_TYPE "lower-pipeline-loads"

using namespace mlir;

namespace tegula::lower {
namespace {

using layout::LinearLayout;

/// Where products have rings of their own, a copy has the time of the other
/// ones too, and fewer slots than kFairSlots hide the latency of memory.
constexpr int64_t kFairSlotsOfSeveral = 2;

class RingMaker {
public:
  RingMaker(scf::ForOp loop, const TargetInfo &target, int64_t wantedSlots)
      : loop(loop), kernel(loop->getParentOfType<func::FuncOp>()),
        target(target), wantedSlots(wantedSlots), builder(loop),
        loc(loop.getLoc()) {}

  /// See createRings below.
  void run(SmallVector<Group, 2> &groups, SmallVector<Group, 1> &kept) {
    int64_t laterSlots = 0;
    for (const Group &group : groups) {
      laterSlots += getSlotBytes(getTiles(group));
    }
    for (Group &group : kept) {
      if (hasRoomFor(group, groups, laterSlots)) {
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

private:
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

  /// Whether the loop's rings, a slot of each of which has `slotBytes`, keep
  /// enough slots beside a tile that is kept.
  bool hasRoomFor(const Group &group, ArrayRef<Group> groups,
                  int64_t slotBytes) {
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
    int64_t bytes = getNumber(kernel, kSharedBytesAttr).value_or(0);
    return llvm::alignTo(bytes, simt::kTileAlignment);
  }

  int64_t getSlotBytes(ArrayRef<RankedTensorType> tiles) {
    return simt::RingType::get(builder.getContext(), 1, tiles).getSlotBytes();
  }

  void createRing(Group &group, SmallVector<RankedTensorType> tiles,
                  int64_t laterSlots) {
    int64_t used = getUsedBytes();
    std::optional<RingPlan> plan =
        target.planRing(group.loads, tiles, {used, laterSlots, wantedSlots});
    if (!plan) {
      return explainLoop(
          loop,
          "the device cannot copy its tiles, or has no room for two of each");
    }
    if (group.slots == 1) {
      // Copied once: one slot, if the device copies it by itself.
      if (!target.tracksReaders(plan->mechanism)) {
        return explainLoop(loop,
                           "the device does not copy what it keeps by itself");
      }
      plan->bytes -= (plan->slots - 1) * getSlotBytes(tiles);
      plan->slots = 1;
    }
    group.slots = plan->slots;
    group.threadsCopy = !target.tracksReaders(plan->mechanism);
    group.usesRegisters = plan->mechanism == kRegisterMechanism;
    if (group.usesRegisters && !chooseRegisters(group, tiles)) {
      return explainLoop(loop,
                         "its tiles have no buffer that both sides can use");
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
    int64_t warps = getNumber(kernel, kNumWarpsAttr).value_or(1);
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

  scf::ForOp loop;
  func::FuncOp kernel;
  const TargetInfo &target;
  int64_t wantedSlots;
  OpBuilder builder;
  Location loc;
};

} // namespace

void createRings(scf::ForOp loop, const TargetInfo &target, int64_t wantedSlots,
                 SmallVector<Group, 2> &groups, SmallVector<Group, 1> &kept) {
  RingMaker(loop, target, wantedSlots).run(groups, kept);
}

} // namespace tegula::lower
