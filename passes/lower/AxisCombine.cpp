// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits of the axis are combined from the lowest up, so that what meets are
// always two neighbouring blocks and the order of operands can be kept. Named
// kinds take the cheap bits first instead: registers, then lanes, then warps.
//
// For a bit of the axis there is a register, lane and warp number whose image
// is that bit: its xor leads from each element to the one that differs there.

#include "passes/lower/AxisCombine.h"
#include "passes/lower/SharedAccess.h"

#include "dialects/layout/BitSpan.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace tegula::lower {

using layout::BitSpan;

/// From 2^4 parts on, combining them takes a thread longer than shuffles do.
static constexpr unsigned kManyBits = 4;
/// Parts that a thread loads at once.
static constexpr unsigned kVectorBits = 2;

AxisCombine::AxisCombine(OpBuilder &builder, Location loc,
                         ThreadEmitter &emitter, const Combiner &combiner,
                         Columns startColumns, unsigned outBits,
                         unsigned firstBit, unsigned numBits,
                         SmallVector<Values> operands)
    : builder(builder), loc(loc), emitter(emitter), combiner(combiner),
      threadBits(builder, loc, emitter), columns(std::move(startColumns)),
      outBits(outBits), totals(std::move(operands)) {
  for (unsigned bit = 0; bit < numBits; ++bit) {
    remaining.push_back(firstBit + bit);
  }
  columns.dropFreeRegisters(totals);
}

void AxisCombine::reduce() { run(); }

void AxisCombine::scan(bool reverse) {
  isScan = true;
  isReverse = reverse;
  elementColumns = columns;
  elements = totals;
  run();
}

void AxisCombine::run() {
  while (!remaining.empty()) {
    unsigned bit = pickBit();
    Place place = getPlace(bit);
    if (place.warp == 0) {
      combineInWarp(bit, place);
      finish(bit);
    } else {
      combineInShared(pickGroup(bit));
    }
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

AxisCombine::Place AxisCombine::getPlace(unsigned bit) const {
  BitSpan span;
  for (const auto *list :
       {&columns.registers, &columns.lanes, &columns.warps}) {
    for (uint64_t column : *list) {
      span.insert(column);
    }
  }
  // Layouts are surjective, and what is left of the axis keeps its bits.
  uint64_t parts = *span.solve(uint64_t(1) << bit);
  size_t registers = columns.registers.size(), lanes = columns.lanes.size();
  auto low = [](uint64_t word, size_t count) {
    return word & ((uint64_t(1) << count) - 1);
  };
  return {low(parts, registers), low(parts >> registers, lanes),
          parts >> (registers + lanes)};
}

unsigned AxisCombine::pickBit() const {
  if (isScan || !combiner.isCommutative()) {
    return remaining.front();
  }
  auto cost = [&](unsigned bit) {
    Place place = getPlace(bit);
    return place.warp ? 2 : place.lane ? 1 : 0;
  };
  return *llvm::min_element(remaining, [&](unsigned left, unsigned right) {
    return cost(left) < cost(right);
  });
}

/// The bits that go through shared memory together with `bit`.
SmallVector<unsigned> AxisCombine::pickGroup(unsigned bit) const {
  if (!isScan && combiner.isCommutative()) {
    return remaining; // All cheaper ones are done.
  }
  auto stays = [&](unsigned other) { return getPlace(other).warp == 0; };
  return SmallVector<unsigned>(remaining.begin(),
                               llvm::find_if(remaining, stays));
}

void AxisCombine::finish(ArrayRef<unsigned> bits) {
  for (unsigned bit : bits) {
    done |= uint64_t(1) << bit;
    llvm::erase(remaining, bit);
  }
  columns = columns.map([&](uint64_t flat) { return flat & ~done; });
  columns.dropFreeRegisters(totals);
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Values AxisCombine::at(ArrayRef<Values> lists, uint64_t reg) const {
  return llvm::map_to_vector(lists,
                             [&](const Values &list) { return list[reg]; });
}

Values AxisCombine::select(Value condition, ValueRange yes, ValueRange no) {
  Values chosen;
  for (auto [left, right] : llvm::zip_equal(yes, no)) {
    chosen.push_back(
        arith::SelectOp::create(builder, loc, condition, left, right));
  }
  return chosen;
}

Values AxisCombine::combineAll(ArrayRef<Values> parts) {
  if (parts.size() == 1) {
    return parts.front();
  }
  size_t half = parts.size() / 2;
  Values left = combineAll(parts.take_front(half));
  Values right = combineAll(parts.drop_front(half));
  return combine(left, right);
}

uint64_t AxisCombine::getThreadMask(unsigned bit) const {
  uint64_t mask = 0;
  for (auto [index, column] : llvm::enumerate(columns.getThreads())) {
    mask |= (column >> bit & 1) << index;
  }
  return mask;
}

uint64_t AxisCombine::getTotalRegister(uint64_t reg) const {
  BitSpan span(columns.registers);
  return *span.solve(elementColumns.getRegisterPart(reg) & ~done);
}

//===----------------------------------------------------------------------===//
// Registers and lanes
//===----------------------------------------------------------------------===//

void AxisCombine::combineInWarp(unsigned bit, const Place &place) {
  SmallVector<Values> others = totals;
  for (auto [list, total] : llvm::zip_equal(others, totals)) {
    for (size_t reg = 0; reg < list.size(); ++reg) {
      Value other = total[reg ^ place.reg];
      list[reg] = place.lane
                      ? emitter.emitShuffleXor(builder, loc, other, place.lane)
                      : other;
    }
  }
  if (isScan) {
    scanInWarp(bit, others);
    if (remaining.size() == 1) {
      return; // Nobody needs the totals of everything.
    }
  }
  uint64_t flatBit = uint64_t(1) << bit;
  // Registers that hold the same after this step are computed once.
  uint64_t dropped = columns.map([&](uint64_t flat) { return flat & ~flatBit; })
                         .getFreeRegisterMask();
  uint64_t mask = getThreadMask(bit);
  bool ordered = !combiner.isCommutative();
  Value isUpper = ordered ? threadBits.getParity(mask) : Value();
  for (int64_t reg = 0; reg < columns.getNumRegisters(); ++reg) {
    if (reg & dropped) {
      continue;
    }
    bool upper = columns.getRegisterPart(reg) & flatBit;
    Values own = at(totals, reg), other = at(others, reg);
    Values left = upper ? other : own, right = upper ? own : other;
    if (isUpper) {
      Values swapped = left;
      left = select(isUpper, right, left);
      right = select(isUpper, swapped, right);
    }
    for (auto [list, value] : llvm::zip_equal(totals, combine(left, right))) {
      // Registers that are read later are not written before: a pair's other
      // register is dropped, or the values come from `others`.
      list[reg] = value;
    }
  }
}

void AxisCombine::scanInWarp(unsigned bit, ArrayRef<Values> others) {
  Value isUpper = threadBits.getParity(getThreadMask(bit));
  for (int64_t reg = 0; reg < elementColumns.getNumRegisters(); ++reg) {
    bool upper = elementColumns.getRegisterPart(reg) >> bit & 1;
    bool takes = upper != isReverse;
    if (!takes && !isUpper) {
      continue;
    }
    Values own = at(elements, reg), other = at(others, getTotalRegister(reg));
    Values both = isReverse ? combine(own, other) : combine(other, own);
    if (isUpper) {
      both = takes ? select(isUpper, own, both) : select(isUpper, both, own);
    }
    for (auto [list, value] : llvm::zip_equal(elements, both)) {
      list[reg] = value;
    }
  }
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// Offsets: the exchanged bits lowest, so that a thread reads what it combines
/// as vectors; then lanes, then warps; what only registers tell apart is
/// highest and divides the exchange into rounds.
AxisCombine::Exchange AxisCombine::planExchange(ArrayRef<unsigned> bits) const {
  BitSpan span;
  SmallVector<unsigned> position;
  unsigned used = 0;
  auto add = [&](uint64_t vector) {
    position.push_back(used);
    used += span.insert(vector);
  };
  uint64_t exchanged = 0;
  for (unsigned bit : bits) {
    add(uint64_t(1) << bit);
    exchanged |= uint64_t(1) << bit;
  }
  // The other vectors without those bits, so that the lowest bits of an offset
  // are the element's coordinate.
  auto addRest = [&](uint64_t vector) { add(vector & ~exchanged); };
  llvm::for_each(columns.lanes, addRest);
  llvm::for_each(columns.warps, addRest);
  unsigned threads = used;
  llvm::for_each(columns.registers, addRest);

  Exchange plan;
  plan.buffer = columns.map([&](uint64_t flat) {
    uint64_t offset = 0;
    uint64_t parts = *span.solve(flat);
    for (size_t index = 0; parts >> index; ++index) {
      offset |= (parts >> index & 1) << position[index];
    }
    return offset;
  });
  plan.offsetBits = used;
  plan.registerBits = used - threads;
  auto bytesOf = [&](unsigned roundBits) {
    int64_t bytes = 0;
    for (const Values &list : totals) {
      int64_t size = getElementBytes(list.front().getType());
      bytes += llvm::alignTo(size << (used - roundBits), 16);
    }
    return bytes;
  };
  while (plan.roundBits < plan.registerBits &&
         bytesOf(plan.roundBits) > getScratchLimit(emitter)) {
    ++plan.roundBits;
  }
  plan.bytes = bytesOf(plan.roundBits);
  plan.loadedBits = bits.size();
  if (bits.size() < kManyBits || isScan || !combiner.isCommutative()) {
    return plan;
  }
  // Lanes that hold copies by now each take a share.
  for (auto [lane, column] : llvm::enumerate(columns.lanes)) {
    if (column == 0 && plan.loadedBits > kVectorBits) {
      plan.lanes.push_back(lane);
      --plan.loadedBits;
    }
  }
  return plan;
}

/// The lowest of the offsets that a thread combines (i32).
Value AxisCombine::getFirstPart(const Exchange &plan, Value threadPart) {
  unsigned numBits = plan.loadedBits + plan.lanes.size();
  int64_t mask = (int64_t(1) << numBits) - 1;
  Value group = arith::AndIOp::create(
      builder, loc, threadPart, ThreadEmitter::getI32(builder, loc, ~mask));
  if (plan.lanes.empty()) {
    return group;
  }
  SmallVector<uint64_t> images(columns.lanes.size() + columns.warps.size());
  for (auto [index, lane] : llvm::enumerate(plan.lanes)) {
    images[lane] = uint64_t(1) << (plan.loadedBits + index);
  }
  return arith::OrIOp::create(builder, loc, group, threadBits.getImage(images));
}

/// What the lanes of a group hold, combined. Each ends with the same, for the
/// combination is commutative.
Values AxisCombine::combineLanes(ArrayRef<unsigned> lanes, Values values) {
  for (unsigned lane : lanes) {
    Values others = llvm::map_to_vector(values, [&](Value value) {
      return emitter.emitShuffleXor(builder, loc, value, int64_t(1) << lane);
    });
    values = combine(values, others);
  }
  return values;
}

/// Stores the round's totals and gives, for each register that stays (others
/// are empty), the values to combine: 2^loadedBits for each operand, in order.
/// The result is indexed by operand; register r's are at r << loadedBits.
SmallVector<Values> AxisCombine::exchangeRound(const Exchange &plan,
                                               uint64_t round, uint64_t dropped,
                                               Value threadPart,
                                               Value predicate) {
  unsigned sizeBits = plan.offsetBits - plan.roundBits;
  uint64_t sizeMask = (uint64_t(1) << sizeBits) - 1;
  unsigned numBits = plan.loadedBits;
  int64_t numParts = int64_t(1) << numBits;
  // The offset's bits that say which of the parts: all lanes' shares.
  uint64_t partMask = (uint64_t(1) << (numBits + plan.lanes.size())) - 1;
  auto isInRound = [&](int64_t reg) {
    return plan.buffer.getRegisterPart(reg) >> sizeBits == round;
  };
  uint64_t threadBits = 0;
  for (uint64_t column : plan.buffer.getThreads()) {
    threadBits |= column;
  }
  auto getOffset = [&](Value base, uint64_t part) {
    return ThreadEmitter::emitWithOffset(builder, loc, base, part, threadBits);
  };

  Value scratch = emitter.emitScratch(builder, loc, plan.bytes);
  Values areas;
  int64_t start = 0;
  for (const Values &list : totals) {
    Type element = list.front().getType();
    areas.push_back(ThreadEmitter::emitOffset(
        builder, loc, scratch, ThreadEmitter::getI32(builder, loc, start),
        builder.getI8Type()));
    start += llvm::alignTo(getElementBytes(element) << sizeBits, 16);
    for (int64_t reg = 0; reg < columns.getNumRegisters(); ++reg) {
      if (isInRound(reg)) {
        uint64_t part = plan.buffer.getRegisterPart(reg) & sizeMask;
        storeShared(builder, loc, list[reg], areas.back(),
                    getOffset(threadPart, part), predicate);
      }
    }
  }
  emitter.emitBarrier(builder, loc);

  Value group = getFirstPart(plan, threadPart);
  SmallVector<Values> parts;
  for (auto [list, area] : llvm::zip_equal(totals, areas)) {
    Type element = list.front().getType();
    int64_t width = std::min(numParts, 16 / getElementBytes(element));
    Values &loaded = parts.emplace_back();
    loaded.resize(columns.getNumRegisters() << numBits);
    for (int64_t reg = 0; reg < columns.getNumRegisters(); ++reg) {
      if ((reg & dropped) || !isInRound(reg)) {
        continue;
      }
      uint64_t part = plan.buffer.getRegisterPart(reg) & sizeMask;
      for (int64_t i = 0; i < numParts; i += width) {
        uint64_t at = (part & ~partMask) + i;
        Values some = loadShared(builder, loc, element, width, area,
                                 getOffset(group, at));
        llvm::copy(some, loaded.begin() + (reg << numBits) + i);
      }
    }
  }
  return parts;
}

void AxisCombine::combineInShared(ArrayRef<unsigned> bits) {
  Exchange plan = planExchange(bits);
  unsigned numBits = plan.loadedBits;
  uint64_t flatBits = 0;
  for (unsigned bit : bits) {
    flatBits |= uint64_t(1) << bit;
  }
  Columns after = columns.map([&](uint64_t flat) { return flat & ~flatBits; });
  uint64_t dropped = after.getFreeRegisterMask();

  Value threadPart = threadBits.getImage(plan.buffer.getThreads());
  Value predicate = emitter.getIsFirstCopy(
      builder, loc, plan.buffer.toBuffer(plan.offsetBits));

  SmallVector<Values> parts;
  for (const Values &list : totals) {
    parts.emplace_back(list.size() << numBits);
  }
  for (uint64_t round = 0; round < uint64_t(1) << plan.roundBits; ++round) {
    auto some = exchangeRound(plan, round, dropped, threadPart, predicate);
    for (auto [all, list] : llvm::zip_equal(parts, some)) {
      for (auto [value, loaded] : llvm::zip_equal(all, list)) {
        value = loaded ? loaded : value;
      }
    }
  }
  // Register by register, the values to combine, each for all operands.
  auto getParts = [&](uint64_t reg) {
    SmallVector<Values> list;
    for (uint64_t i = 0; i < uint64_t(1) << numBits; ++i) {
      list.push_back(at(parts, (reg << numBits) + i));
    }
    return list;
  };
  SmallVector<SmallVector<Values>> kept;
  for (int64_t reg = 0; reg < columns.getNumRegisters(); ++reg) {
    if ((reg & dropped) == 0) {
      kept.push_back(getParts(reg));
      Values total = combineLanes(plan.lanes, combineAll(kept.back()));
      for (auto [list, value] : llvm::zip_equal(totals, total)) {
        list[reg] = value;
      }
    }
  }
  finish(SmallVector<unsigned>(bits));
  if (isScan) {
    for (int64_t reg = 0; reg < elementColumns.getNumRegisters(); ++reg) {
      scanRegister(reg, bits, kept[getTotalRegister(reg)]);
    }
  }
}

/// `parts` are the totals of all blocks along `bits`; the element combines with
/// those before its own.
void AxisCombine::scanRegister(uint64_t reg, ArrayRef<unsigned> bits,
                               ArrayRef<Values> parts) {
  auto getIndex = [&](uint64_t flat) {
    uint64_t index = 0;
    for (auto [at, bit] : llvm::enumerate(bits)) {
      index |= (flat >> bit & 1) << at;
    }
    return index;
  };
  Columns indices = elementColumns.map(getIndex);
  Value own = arith::XOrIOp::create(
      builder, loc, threadBits.getImage(indices.getThreads()),
      ThreadEmitter::getI32(builder, loc, indices.getRegisterPart(reg)));
  auto isOwn = [&](int64_t index) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, own,
                                 ThreadEmitter::getI32(builder, loc, index));
  };
  // From the block next to the first (or last) on, running totals before it.
  int64_t last = parts.size() - 1;
  Values running = isReverse ? parts[last] : parts[0];
  Values before = running;
  for (int64_t step = 2; step <= last; ++step) {
    int64_t index = isReverse ? last - step : step;
    running = isReverse ? combine(parts[index + 1], running)
                        : combine(running, parts[index - 1]);
    before = select(isOwn(index), running, before);
  }
  Values element = at(elements, reg);
  Values both = isReverse ? combine(element, before) : combine(before, element);
  Values result = select(isOwn(isReverse ? last : 0), element, both);
  for (auto [list, value] : llvm::zip_equal(elements, result)) {
    list[reg] = value;
  }
}

} // namespace tegula::lower
