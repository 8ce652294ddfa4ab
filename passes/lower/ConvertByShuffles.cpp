// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions within a warp. In each round every lane sends one register and
// receives one. The elements of a round are a coset of a space W that meets
// what a thread holds before, and what it holds after, in one element only:
// then no lane has to send or receive two.
//
// With R and S the spans of register columns before and after, W is a
// complement of S and disjoint from R: vectors outside of R + S, and sums of
// one vector of R and one of S where neither has the other's.

#include "passes/lower/ConvertRegisters.h"
#include "passes/lower/SharedAccess.h"

#include "dialects/layout/BitSpan.h"

#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace tegula::lower {

using layout::BitSpan;

namespace {

/// What one round moves: a register of the sender, and how the sender's lane
/// differs from the receiver's image under ShufflePlan::laneImages.
struct Round {
  uint64_t reg, lane;
};

struct ShufflePlan {
  /// Registers as they are sent and received: in round k, all lanes send the
  /// same register of `send` and receive register k of `receive`.
  Columns send, receive;
  /// Lane that each bit of the receiver's number adds to the sender's.
  SmallVector<uint64_t> laneImages;
  SmallVector<Round> rounds;
};

uint64_t lowBits(uint64_t word, size_t count) {
  return word & ((uint64_t(1) << count) - 1);
}

SmallVector<uint64_t> differences(ArrayRef<uint64_t> left,
                                  ArrayRef<uint64_t> right) {
  SmallVector<uint64_t> result;
  for (auto [one, other] : llvm::zip_equal(left, right)) {
    result.push_back(one ^ other);
  }
  return result;
}

/// Whether each warp of `to` finds its elements in the same warp of `from`.
bool staysInWarp(const Columns &from, const Columns &to) {
  BitSpan held(from.registers);
  llvm::for_each(from.lanes, [&](uint64_t lane) { held.insert(lane); });
  auto has = [&](uint64_t vector) { return held.contains(vector); };
  return llvm::all_of(to.registers, has) && llvm::all_of(to.lanes, has) &&
         llvm::all_of(differences(to.warps, from.warps), has);
}

/// Where lanes hold copies and `to` has fewer registers, lets the copies stand
/// for different registers.
Columns useCopies(Columns from, const Columns &to) {
  BitSpan wanted(to.registers);
  for (size_t bit = 0;
       bit < from.lanes.size() && from.registers.size() > to.registers.size();
       ++bit) {
    uint64_t &lane = from.lanes[bit];
    size_t count = from.registers.size();
    BitSpan registers(from.registers), held(from.registers);
    for (uint64_t earlier : ArrayRef(from.lanes).take_front(bit)) {
      held.insert(earlier);
    }
    auto parts = held.solve(lane);
    if (!parts) {
      continue; // Not a copy.
    }
    // A lane that can be where `to` wants it then stays there. In any case a
    // register that the lane's column has a part in is not needed any more.
    uint64_t target = lowBits(held.solve(to.lanes[bit]).value_or(0), count);
    size_t reg = 0;
    if (target != 0 && registers.contains(lane ^ to.lanes[bit])) {
      lane = to.lanes[bit];
      reg = llvm::countr_zero(target);
    } else {
      while (reg < count && wanted.contains(from.registers[reg])) {
        ++reg;
      }
      if (!(*parts >> reg & 1)) {
        lane ^= from.registers[reg];
      }
    }
    from.registers.erase(from.registers.begin() + reg);
  }
  return from;
}

/// A basis of W.
SmallVector<uint64_t> getRoundSpace(const Columns &from, const Columns &to,
                                    ArrayRef<uint64_t> toThreads) {
  BitSpan span(layout::intersect(from.registers, to.registers));
  SmallVector<uint64_t> before, after, basis;
  auto extend = [&](ArrayRef<uint64_t> vectors, auto &list) {
    for (uint64_t vector : vectors) {
      if (span.insert(vector)) {
        list.push_back(vector);
      }
    }
  };
  extend(from.registers, before);
  extend(to.registers, after);
  // Lanes that stay what they are come first.
  for (auto [one, other] : llvm::zip_equal(from.lanes, to.lanes)) {
    if (one == other) {
      extend(one, basis);
    }
  }
  extend(toThreads, basis);
  extend(from.lanes, basis);
  for (auto [one, other] : llvm::zip(before, after)) {
    basis.push_back(one ^ other);
  }
  return basis;
}

/// Needs no free registers, no more registers in `from` than in `to`, and all
/// elements in their warps.
ShufflePlan planShuffles(const Columns &from, const Columns &to) {
  // Relative to where `from` has the warp's elements.
  SmallVector<uint64_t> toThreads(to.lanes);
  llvm::append_range(toThreads, differences(to.warps, from.warps));
  SmallVector<uint64_t> space = getRoundSpace(from, to, toThreads);
  size_t spaceSize = space.size(), registers = from.registers.size();

  auto spanOf = [](std::initializer_list<ArrayRef<uint64_t>> lists) {
    BitSpan span;
    for (ArrayRef<uint64_t> list : lists) {
      for (uint64_t vector : list) {
        span.insert(vector);
      }
    }
    return span;
  };
  BitSpan receiving = spanOf({space, to.registers});
  BitSpan sending = spanOf({space, from.registers, from.lanes});
  BitSpan holding = spanOf({from.registers, from.lanes});
  auto getReceived = [&](uint64_t flat) {
    return *receiving.solve(flat) >> spaceSize;
  };
  auto getSpacePart = [&](uint64_t flat) {
    return layout::apply(space, lowBits(*receiving.solve(flat), spaceSize));
  };
  auto getSent = [&](uint64_t flat) {
    return lowBits(*sending.solve(flat) >> spaceSize, registers);
  };
  auto getLane = [&](uint64_t flat) {
    return *holding.solve(flat) >> registers;
  };

  ShufflePlan plan{from, to, {}, {}};
  for (uint64_t &lane : plan.send.lanes) {
    lane ^= layout::apply(from.registers, getSent(lane));
  }
  for (auto [bit, vector] : llvm::enumerate(toThreads)) {
    bool isLane = bit < to.lanes.size();
    uint64_t &column = isLane ? plan.receive.lanes[bit]
                              : plan.receive.warps[bit - to.lanes.size()];
    column ^= layout::apply(to.registers, getReceived(vector));
    uint64_t image = getLane(getSpacePart(vector));
    if (isLane && from.lanes[bit] == 0) {
      image |= uint64_t(1) << bit; // Copies: the nearest one.
    }
    plan.laneImages.push_back(image);
  }
  for (int64_t reg = 0; reg < to.getNumRegisters(); ++reg) {
    uint64_t flat = to.getRegisterPart(reg);
    plan.rounds.push_back({getSent(flat), getLane(flat)});
  }
  return plan;
}

/// Emits the rounds. Values of less than 32 bits that come from one lane travel
/// together.
class RoundEmitter {
public:
  RoundEmitter(OpBuilder &builder, Location loc, const ThreadEmitter &emitter,
               const ShufflePlan &plan)
      : builder(builder), loc(loc), emitter(emitter), plan(plan),
        bits(builder, loc, emitter) {
    for (auto [bit, image] : llvm::enumerate(plan.laneImages)) {
      bool isLane = bit < plan.send.lanes.size();
      isIdentity &= image == (isLane ? uint64_t(1) << bit : 0);
      imageBits |= image;
    }
  }

  Values run(ArrayRef<Value> values) {
    std::map<uint64_t, SmallVector<size_t>> byLane;
    for (auto [reg, round] : llvm::enumerate(plan.rounds)) {
      byLane[round.lane].push_back(reg);
    }
    Type type = values.front().getType();
    size_t perWord = std::max<size_t>(1, 4 / getElementBytes(type));
    Values received(plan.rounds.size());
    for (auto &[lane, registers] : byLane) {
      for (size_t first = 0; first < registers.size(); first += perWord) {
        ArrayRef<size_t> group(registers);
        group = group.slice(first, std::min(perWord, group.size() - first));
        Values sent;
        for (size_t reg : group) {
          sent.push_back(values[plan.rounds[reg].reg]);
        }
        for (auto [reg, value] : llvm::zip(group, move(sent, lane, perWord))) {
          received[reg] = value;
        }
      }
    }
    return received;
  }

  /// Words that run() exchanges.
  int64_t countWords(Type type) const {
    std::map<uint64_t, int64_t> byLane;
    for (const Round &round : plan.rounds) {
      ++byLane[round.lane];
    }
    int64_t words = 0;
    for (auto [lane, count] : byLane) {
      bool isFree = isIdentity && lane == 0;
      words += isFree ? 0 : llvm::divideCeil(count * getElementBytes(type), 4);
    }
    return words;
  }

private:
  Values move(Values values, uint64_t lane, size_t perWord) {
    if (isIdentity && lane == 0) {
      return values;
    }
    if (values.size() == 1) {
      return {shuffle(values.front(), lane)};
    }
    Type type = values.front().getType();
    size_t count = values.size();
    values.resize(perWord, values.front());
    Value packed =
        toMemory(builder, loc, ThreadEmitter::pack(builder, loc, values, type));
    Type i32 = builder.getI32Type();
    packed = vector::BitCastOp::create(builder, loc, VectorType::get({1}, i32),
                                       packed);
    Value word =
        shuffle(ThreadEmitter::unpack(builder, loc, packed).front(), lane);
    auto memory =
        VectorType::get({static_cast<int64_t>(perWord)}, getMemoryType(type));
    packed = vector::BitCastOp::create(
        builder, loc, memory, ThreadEmitter::pack(builder, loc, word, i32));
    Values result = ThreadEmitter::unpack(
        builder, loc, fromMemory(builder, loc, packed, type));
    result.resize(count);
    return result;
  }

  Value shuffle(Value value, uint64_t lane) {
    if (isIdentity) {
      return emitter.emitShuffleXor(builder, loc, value, lane);
    }
    if (!image) {
      image = bits.getImage(plan.laneImages);
    }
    Value source =
        ThreadEmitter::emitWithOffset(builder, loc, image, lane, imageBits);
    return emitter.emitShuffleIndex(builder, loc, value, source);
  }

  OpBuilder &builder;
  Location loc;
  const ThreadEmitter &emitter;
  const ShufflePlan &plan;
  ThreadBits bits;
  bool isIdentity = true;
  uint64_t imageBits = 0;
  Value image;
};

/// Selects that choosing registers by the thread's number takes.
int64_t countSelects(ArrayRef<uint64_t> one, ArrayRef<uint64_t> other,
                     int64_t registers) {
  int64_t bits = 0;
  for (uint64_t difference : differences(one, other)) {
    bits += difference != 0;
  }
  return bits * registers;
}

} // namespace

FailureOr<Values> convertByShuffles(OpBuilder &builder, Location loc,
                                    const ThreadEmitter &emitter,
                                    ArrayRef<Value> values, const Columns &from,
                                    const Columns &to) {
  if (!staysInWarp(from, to)) {
    return failure();
  }
  Columns start = useCopies(from, to);
  if (start.registers.size() > to.registers.size()) {
    return failure();
  }
  ShufflePlan plan = planShuffles(start, to);
  RoundEmitter rounds(builder, loc, emitter, plan);
  // In cycles of a port that moves one word of each lane at a time. Shared
  // memory takes two for each word, and its barriers; a select is a fourth.
  Type type = values.front().getType();
  int64_t selects =
      countSelects(start.lanes, plan.send.lanes, start.getNumRegisters()) +
      countSelects(to.getThreads(), plan.receive.getThreads(),
                   to.getNumRegisters());
  int64_t words =
      llvm::divideCeil(to.getNumRegisters() * getElementBytes(type), 4);
  if (rounds.countWords(type) + selects / 4 > 2 * words + 30) {
    return failure();
  }
  // Each of these renames only: the columns differ by sums of registers.
  Values sent = *renameRegisters(builder, loc, emitter, values, from, start);
  sent = *renameRegisters(builder, loc, emitter, sent, start, plan.send);
  Values received = rounds.run(sent);
  return renameRegisters(builder, loc, emitter, received, plan.receive, to);
}

} // namespace tegula::lower
