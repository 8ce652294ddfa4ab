// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ways to fill a ring. In groups every thread copies its part and waits for
// its own groups, then a barrier of the program makes all parts visible; the
// same barrier says that the slot before is no longer read. In bulk one thread
// starts copies that count their bytes into the slot's `full` barrier; each
// warp says at its `empty` barrier that it has read the slot.

#include "passes/targets/cuda/Rings.h"

#include "passes/analysis/AccessFacts.h"
#include "passes/lower/BufferLayouts.h"
#include "passes/lower/InlineAssembly.h"
#include "passes/lower/KernelNumbers.h"
#include "passes/lower/MemoryLayouts.h"
#include "passes/lower/OverlapProducts.h"
#include "passes/lower/TensorMaps.h"
#include "passes/targets/cuda/Hopper.h"
#include "passes/targets/cuda/Occupancy.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tegula::cuda {

using lower::emitIf;
using lower::getIndex;
using lower::RingContext;
using lower::ThreadCopy;
using lower::ThreadEmitter;

namespace {

constexpr int64_t kBarrierBytes = 8;

/// The barrier of a slot: `full` for which = 0, `empty` for 1.
Value getBarrier(const RingContext &ring, Value slot, int64_t which) {
  OpBuilder &builder = ring.builder;
  int64_t start =
      ring.type.getSlots() * (ring.type.getSlotBytes() + which * kBarrierBytes);
  Value scaled = arith::MulIOp::create(
      builder, ring.loc, slot,
      ThreadEmitter::getI32(builder, ring.loc, kBarrierBytes));
  Value offset =
      arith::AddIOp::create(builder, ring.loc, scaled,
                            ThreadEmitter::getI32(builder, ring.loc, start));
  return ThreadEmitter::emitOffset(builder, ring.loc, ring.base, offset,
                                   builder.getI8Type());
}

Value isZero(const RingContext &ring, Value value) {
  return arith::CmpIOp::create(
      ring.builder, ring.loc, arith::CmpIPredicate::eq, value,
      ThreadEmitter::getI32(ring.builder, ring.loc, 0));
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Starts a copy if `predicate` (i1) and what `copy` says hold (PTX ISA
/// 9.7.9.25.3.1, cp.async). An instruction with a predicate stays among the
/// products, a branch would not: no operation of MLIR has one.
void emitCopy(const RingContext &ring, const ThreadCopy &copy,
              Value predicate) {
  OpBuilder &builder = ring.builder;
  if (copy.predicate) {
    predicate =
        arith::AndIOp::create(builder, ring.loc, predicate, copy.predicate);
  }
  // Zeros instead of all of the source, or instead of what is past a count.
  Value filled = copy.validBytes;
  if (copy.whole) {
    Value yes = arith::ConstantIntOp::create(builder, ring.loc, 1, 1);
    filled = arith::XOrIOp::create(builder, ring.loc, copy.whole, yes);
  }
  Value destination = LLVM::PtrToIntOp::create(
      builder, ring.loc, builder.getI32Type(), copy.destination);
  std::string text =
      llvm::formatv("@$3 cp.async.{0}.shared.global [$0], [$1], {1}, $2;",
                    copy.bytes == 16 ? "cg" : "ca", copy.bytes);
  lower::emitAssembly(builder, ring.loc, {},
                      {destination, copy.source, filled, predicate}, text,
                      copy.whole ? "r,l,b,b,~{memory}" : "r,l,r,b,~{memory}");
}

LogicalResult issueGroup(const RingContext &ring, simt::IssueOp op) {
  Value slot = ring.getSlot(op.getNumber());
  for (unsigned member = 0; member < op.getViews().size(); ++member) {
    auto copies = lower::getThreadCopies(ring, op, member, getIndex(op, member),
                                         ring.getTile(slot, member));
    if (failed(copies)) {
      return failure();
    }
    for (const ThreadCopy &copy : *copies) {
      emitCopy(ring, copy, op.getPredicate());
    }
  }
  NVVM::CpAsyncCommitGroupOp::create(ring.builder, ring.loc);
  return success();
}

/// Of the groups that were committed before copy `number` is awaited, the last
/// `slots - 2` may still run.
void awaitGroup(const RingContext &ring) {
  NVVM::CpAsyncWaitGroupOp::create(ring.builder, ring.loc,
                                   ring.type.getSlots() - 2);
  ring.emitter.emitBarrier(ring.builder, ring.loc);
}

//===----------------------------------------------------------------------===//
// Bulk
//===----------------------------------------------------------------------===//

/// Whether another ring is made right after this one: threads then wait once,
/// for the barriers of both.
bool isFollowedByRing(simt::RingOp op) {
  Operation *next = op->getNextNode();
  while (next && isPure(next) && next->getNumRegions() == 0) {
    next = next->getNextNode();
  }
  auto ring = dyn_cast_or_null<simt::RingOp>(next);
  return ring && ring.getMechanism() == kBulk;
}

void createBarriers(const RingContext &ring) {
  // A loop that comes here again must have left its barriers with all threads.
  if (!isa<func::FuncOp>(ring.op->getParentOp())) {
    ring.emitter.emitBarrier(ring.builder, ring.loc);
  }
  bool isLast = !isFollowedByRing(ring.op);
  emitIf(ring, isZero(ring, ring.emitter.getThread()), [&] {
    for (int64_t slot = 0; slot < ring.type.getSlots(); ++slot) {
      Value number = ThreadEmitter::getI32(ring.builder, ring.loc, slot);
      emitBarrierInit(ring.builder, ring.loc, getBarrier(ring, number, 0), 1);
      emitBarrierInit(ring.builder, ring.loc, getBarrier(ring, number, 1),
                      ring.emitter.getNumWarps());
    }
    if (isLast) {
      emitBarrierInitFence(ring.builder, ring.loc);
    }
  });
  if (isLast) {
    ring.emitter.emitBarrier(ring.builder, ring.loc);
  }
}

/// Whether this thread starts the ring's copies. The rings of a kernel are
/// different warps' work: the others would wait for one that had all of it.
Value isStarter(const RingContext &ring) {
  int64_t before = 0;
  ring.op->getParentOfType<func::FuncOp>().walk([&](simt::RingOp other) {
    if (other == ring.op) {
      return WalkResult::interrupt();
    }
    ++before;
    return WalkResult::advance();
  });
  int64_t warp = before % ring.emitter.getNumWarps();
  return arith::CmpIOp::create(
      ring.builder, ring.loc, arith::CmpIPredicate::eq,
      ring.emitter.getThread(),
      ThreadEmitter::getI32(ring.builder, ring.loc, warp * kNumLanes));
}

/// Starts the boxes of one tile.
LogicalResult issueBoxes(const RingContext &ring, simt::IssueOp op,
                         unsigned member, Value slot, Value barrier) {
  OpBuilder &builder = ring.builder;
  lower::TensorMap map = lower::getTensorMap(op, (*op.getMaps())[member]);
  Value pointer = lower::getTensorMapArgument(op, (*op.getMaps())[member]);
  RankedTensorType tile = ring.type.getTiles()[member];
  OperandRange index = getIndex(op, member);
  Value destination = ring.getTile(slot, member);
  SmallVector<Value> coordinates;
  for (int64_t dim : map.order) {
    coordinates.push_back(lower::emitBoxCoordinate(
        builder, ring.loc, index[dim], tile.getDimSize(dim)));
  }
  int64_t columns = tile.getDimSize(map.order[0]);
  int64_t boxBytes = map.getBoxBytes();
  for (int64_t column = 0; column < columns; column += map.box[0]) {
    Value first =
        arith::AddIOp::create(builder, ring.loc, coordinates[0],
                              ThreadEmitter::getI32(builder, ring.loc, column));
    SmallVector<Value> box = coordinates;
    box[0] = first;
    Value offset = ThreadEmitter::getI32(builder, ring.loc,
                                         column / map.box[0] * boxBytes);
    emitTensorCopy(builder, ring.loc,
                   ThreadEmitter::emitOffset(builder, ring.loc, destination,
                                             offset, builder.getI8Type()),
                   pointer, box, barrier);
  }
  return success();
}

LogicalResult issueBulk(const RingContext &ring, simt::IssueOp op) {
  OpBuilder &builder = ring.builder;
  Value mine = arith::AndIOp::create(builder, ring.loc, op.getPredicate(),
                                     isStarter(ring));
  APInt constant;
  bool isFirstRound = matchPattern(op.getNumber(), m_ConstantInt(&constant)) &&
                      constant.ult(ring.type.getSlots());
  bool ok = true;
  emitIf(ring, mine, [&] {
    Value slot = ring.getSlot(op.getNumber());
    // The first round finds the slots empty: the phase before the first counts
    // as complete.
    if (!isFirstRound) {
      Value parity = arith::XOrIOp::create(
          builder, ring.loc, ring.getParity(op.getNumber()),
          ThreadEmitter::getI32(builder, ring.loc, 1));
      emitBarrierWait(builder, ring.loc, getBarrier(ring, slot, 1), parity);
    }
    Value full = getBarrier(ring, slot, 0);
    int64_t bytes = 0;
    for (unsigned i = 0; i < ring.type.getTiles().size(); ++i) {
      bytes += ring.type.getTileBytes(i);
    }
    emitBarrierExpect(builder, ring.loc, full, bytes);
    for (unsigned member = 0; member < op.getViews().size(); ++member) {
      ok = ok && succeeded(issueBoxes(ring, op, member, slot, full));
    }
  });
  return success(ok);
}

void releaseBulk(const RingContext &ring, Value number) {
  NVVM::SyncWarpOp::create(ring.builder, ring.loc,
                           ThreadEmitter::getI32(ring.builder, ring.loc, -1));
  emitIf(ring, isZero(ring, ring.emitter.getLane()), [&] {
    emitBarrierArrive(ring.builder, ring.loc,
                      getBarrier(ring, ring.getSlot(number), 1));
  });
}

} // namespace

//===----------------------------------------------------------------------===//
// Which one
//===----------------------------------------------------------------------===//

namespace {

/// Memory answers after about a microsecond, in which it could fill this much
/// for each processor: small tiles need more copies under way.
constexpr int64_t kBytesUnderWay = 96 * 1024;
constexpr int64_t kUsualSlots = 4;
constexpr int64_t kMaxSlots = 8;
constexpr int64_t kMinSlots = 2;
/// Less makes exchanges between threads go in many rounds.
constexpr int64_t kLeastScratch = 16 * 1024;
constexpr int64_t kMaxBoxExtent = 256;
constexpr int64_t kMinAsyncBytes = 4;

/// The map with which the tile of `load` is copied in bulk, where the array is
/// known to allow it (CUDA driver API, cuTensorMapEncodeTiled): 16-byte aligned
/// start and strides, one contiguous dimension.
std::optional<lower::TensorMap> getTensorMap(tile::LoadOp load,
                                             RankedTensorType tile) {
  analysis::ArrayFacts array = analysis::getArrayFacts(load.getView());
  analysis::AccessFacts facts = analysis::getAccessFacts(load);
  auto argument = dyn_cast<BlockArgument>(load.getView());
  if (!argument || !array.unitDim || array.alignment % 16 != 0 ||
      tile.getRank() > 5) {
    return std::nullopt;
  }
  lower::TensorMap map;
  map.argument = argument.getArgNumber();
  map.order = lower::getAccessOrder(facts, tile.getRank());
  map.elementBytes = array.elementBytes;
  for (int64_t dim : map.order) {
    map.box.push_back(tile.getDimSize(dim));
    bool isStrideAligned =
        array.strideDivisors[dim] * array.elementBytes % 16 == 0;
    if (map.box.size() > 1 && !isStrideAligned) {
      return std::nullopt;
    }
  }
  map.box[0] =
      std::min(map.box[0], lower::kBufferRowBytes / array.elementBytes);
  int64_t rowBytes = map.box[0] * array.elementBytes;
  map.swizzle = rowBytes >= 32 ? rowBytes : 0;
  bool fits = llvm::all_of(
      map.box, [](int64_t extent) { return extent <= kMaxBoxExtent; });
  if (rowBytes < 16 || !fits) {
    return std::nullopt;
  }
  return map;
}

std::optional<lower::RingPlan> makePlan(StringRef mechanism, int64_t slots,
                                        simt::RingType one, int64_t extra,
                                        int64_t hint) {
  if (slots < kMinSlots) {
    return std::nullopt;
  }
  // Each copy by threads is code of its own before the loop.
  int64_t wanted = mechanism == kBulk ? kBytesUnderWay / one.getSlotBytes() : 0;
  wanted = hint ? std::min(hint, kMaxSlots)
                : std::clamp(wanted, kUsualSlots, kMaxSlots);
  slots = std::min(slots, wanted);
  int64_t bytes = slots * one.getSlotBytes() + extra;
  return lower::RingPlan{mechanism, slots, bytes, {}};
}

/// Slots for which there is room, of `slotBytes` each beside what is `taken`,
/// where several programs share a processor; none if they cannot. `overlaps` is
/// whether two iterations' products overlap in a program.
std::optional<int64_t> shareProcessor(const Arch &arch, func::FuncOp kernel,
                                      int64_t taken, int64_t slotBytes,
                                      bool overlaps) {
  Builder builder(kernel.getContext());
  int64_t registers = estimateRegisters(kernel, overlaps);
  kernel->setAttr(kRegistersAttr, builder.getI32IntegerAttr(registers));
  kernel->removeAttr(lower::kTakesTurnsAttr);
  int64_t warps = lower::getNumber(kernel, lower::kNumWarpsAttr).value_or(1);
  int64_t programs = getMostPrograms(warps * kNumLanes, registers);
  for (; programs > 1; --programs) {
    int64_t slots = (getSharedBytes(arch, programs) - taken) / slotBytes;
    if (slots >= kMinSlots) {
      if (!overlaps) {
        kernel->setAttr(lower::kTakesTurnsAttr, builder.getUnitAttr());
      }
      return slots;
    }
  }
  return std::nullopt;
}

/// Slots for which there is room, of `slotBytes` in all of the `rings` of a
/// loop that are still to come. Where products wait for each other a processor
/// is to hold several programs, so each gets its share: one alone would have
/// nobody to compute while it starts and ends.
int64_t getRoom(const Arch &arch, func::FuncOp kernel, int64_t used,
                int64_t slotBytes, int64_t rings) {
  int64_t extra = getBarrierBytes(kMaxSlots);
  if (arch.hasWarpgroups() && hasChainedProducts(kernel)) {
    int64_t taken =
        used + estimateScratch(kernel) + rings * simt::kTileAlignment;
    // Overlapping last: its registers stand if neither fits.
    for (bool overlaps : {true, false, true}) {
      if (auto slots =
              shareProcessor(arch, kernel, taken, slotBytes, overlaps)) {
        return *slots;
      }
    }
  }
  // An eighth is for what threads exchange, or less where that costs a slot
  // which hides the latency of memory.
  int64_t slots = (arch.sharedBytes / 8 * 7 - used - extra) / slotBytes;
  int64_t most = (arch.sharedBytes - kLeastScratch - used - extra) / slotBytes;
  return std::max(slots, std::min(most, lower::kFairSlots));
}

} // namespace

std::optional<lower::RingPlan> planRing(const Arch &arch,
                                        ArrayRef<tile::LoadOp> loads,
                                        ArrayRef<RankedTensorType> tiles,
                                        lower::RingRoom room) {
  auto one = simt::RingType::get(tiles[0].getContext(), 1, tiles);
  int64_t extra = getBarrierBytes(kMaxSlots);
  int64_t slots = getRoom(arch, loads[0]->getParentOfType<func::FuncOp>(),
                          room.used, one.getSlotBytes() + room.laterSlots,
                          room.laterSlots > 0 ? 2 : 1);
  if (arch.hasBulkCopies()) {
    SmallVector<lower::TensorMap> maps;
    for (auto [load, tile] : llvm::zip_equal(loads, tiles)) {
      if (auto map = getTensorMap(load, tile)) {
        maps.push_back(*map);
      }
    }
    if (maps.size() == loads.size()) {
      auto plan = makePlan(kBulk, slots, one, extra, room.wantedSlots);
      if (plan) {
        plan->maps = maps;
      }
      return plan;
    }
  }
  for (tile::LoadOp load : loads) {
    analysis::AccessFacts facts = analysis::getAccessFacts(load);
    int64_t bytes = analysis::getArrayFacts(load.getView()).elementBytes;
    if (!facts.unitDim || facts.alignedElements * bytes < kMinAsyncBytes) {
      return std::nullopt;
    }
  }
  return makePlan(kAsync, slots, one, 0, room.wantedSlots);
}

int64_t getBarrierBytes(int64_t slots) { return 2 * slots * kBarrierBytes; }

LogicalResult emitRing(const RingContext &ring) {
  if (ring.mechanism == kBulk) {
    createBarriers(ring);
    return success();
  }
  if (ring.mechanism == kAsync) {
    // Readers of a ring that was here before must be done.
    ring.emitter.emitBarrier(ring.builder, ring.loc);
    return success();
  }
  return failure();
}

LogicalResult emitIssue(const RingContext &ring, simt::IssueOp op) {
  return ring.mechanism == kBulk ? issueBulk(ring, op) : issueGroup(ring, op);
}

LogicalResult emitAwait(const RingContext &ring, Value number) {
  if (ring.mechanism == kBulk) {
    emitBarrierWait(ring.builder, ring.loc,
                    getBarrier(ring, ring.getSlot(number), 0),
                    ring.getParity(number));
  } else {
    awaitGroup(ring);
  }
  return success();
}

LogicalResult emitRelease(const RingContext &ring, Value number) {
  if (ring.mechanism == kBulk) {
    releaseBulk(ring, number);
  }
  return success();
}

bool tracksReaders(StringRef mechanism) { return mechanism == kBulk; }

} // namespace tegula::cuda
