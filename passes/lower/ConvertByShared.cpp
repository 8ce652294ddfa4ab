// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions through shared memory. Elements go through in rounds where all
// together would take too much of it: a round is a coset of a space W which,
// with the registers before and also with those after, spans the tile. Then
// each thread has the same number of registers in every round, and which ones
// is known when compiling.

#include "passes/analysis/Explanation.h"
#include "passes/lower/ConvertRegisters.h"
#include "passes/lower/SharedAccess.h"

#include "dialects/layout/BitSpan.h"
#include "dialects/layout/SharedSwizzle.h"

#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "lower-to-threads"

using namespace mlir;

namespace tegula::lower {

using layout::BitSpan;

namespace {

/// How a tile is divided into rounds.
struct Rounds {
  SmallVector<uint64_t> space; // A basis of W.
  BitSpan span;                // The basis, then `bits` more vectors.
  unsigned bits;

  uint64_t getRound(uint64_t flat) const {
    return *span.solve(flat) >> space.size();
  }
  /// Coordinates in the space.
  uint64_t getPlace(uint64_t flat) const {
    return *span.solve(flat) & ((uint64_t(1) << space.size()) - 1);
  }
};

/// As many rounds (or fewer, where threads have too few registers) as `bits`
/// asks for.
Rounds planRounds(const Columns &from, const Columns &to, unsigned outBits,
                  unsigned bits) {
  SmallVector<uint64_t> common =
      layout::intersect(from.registers, to.registers);
  BitSpan known(common);
  SmallVector<uint64_t> before, after, rest;
  auto extend = [&](ArrayRef<uint64_t> vectors, auto &list) {
    for (uint64_t vector : vectors) {
      if (known.insert(vector)) {
        list.push_back(vector);
      }
    }
  };
  extend(from.registers, before);
  extend(to.registers, after);
  extend(from.getThreads(), rest);
  // Registers of both first: none of the two then chooses by thread. High
  // columns first: low ones make vectors.
  llvm::sort(common);
  SmallVector<uint64_t> space(rest), numbers;
  while (!common.empty() && numbers.size() < bits) {
    numbers.push_back(common.pop_back_val());
  }
  llvm::append_range(space, common);
  size_t pairs = std::min(before.size(), after.size());
  for (size_t index = 0; index < std::max(before.size(), after.size());
       ++index) {
    if (index < pairs && numbers.size() < bits) {
      numbers.push_back(before[index]);
      space.push_back(before[index] ^ after[index]);
      continue;
    }
    if (index < before.size()) {
      space.push_back(before[index]);
    }
    if (index < after.size()) {
      space.push_back(after[index]);
    }
  }
  Rounds rounds{space, BitSpan(space), static_cast<unsigned>(numbers.size())};
  for (uint64_t number : numbers) {
    rounds.span.insert(number);
  }
  assert(rounds.span.dimension() == outBits && "columns span the tile");
  return rounds;
}

/// `columns` with register vectors added to those of threads, so that register
/// r is in one round in all threads.
Columns alignThreads(Columns columns, const Rounds &rounds) {
  BitSpan numbers;
  for (uint64_t column : columns.registers) {
    numbers.insert(rounds.getRound(column));
  }
  for (auto *list : {&columns.lanes, &columns.warps}) {
    for (uint64_t &column : *list) {
      column ^= layout::apply(columns.registers,
                              *numbers.solve(rounds.getRound(column)));
    }
  }
  return columns;
}

/// Registers by round.
SmallVector<SmallVector<int64_t>> getByRound(const Columns &columns,
                                             const Rounds &rounds) {
  SmallVector<SmallVector<int64_t>> byRound(int64_t(1) << rounds.bits);
  for (int64_t reg = 0; reg < columns.getNumRegisters(); ++reg) {
    byRound[rounds.getRound(columns.getRegisterPart(reg))].push_back(reg);
  }
  return byRound;
}

/// Columns within the space of a round: registers that are in round 0.
Columns getRoundColumns(const Columns &columns, const Rounds &rounds) {
  SmallVector<uint64_t> numbers;
  for (uint64_t column : columns.registers) {
    numbers.push_back(rounds.getRound(column));
  }
  Columns result = columns;
  result.registers.clear();
  for (uint64_t bits : layout::kernel(numbers)) {
    result.registers.push_back(layout::apply(columns.registers, bits));
  }
  return result.map([&](uint64_t flat) { return rounds.getPlace(flat); });
}

} // namespace

FailureOr<Values> convertByShared(OpBuilder &builder, Location loc,
                                  ThreadEmitter &emitter,
                                  ArrayRef<Value> values, const Columns &from,
                                  const Columns &to, unsigned outBits,
                                  std::string &error) {
  Type type = values.front().getType();
  int64_t elementBytes = getElementBytes(type);
  int64_t limit = getScratchLimit(emitter);
  unsigned wanted = 0;
  while ((elementBytes << outBits >> wanted) > limit && wanted < outBits) {
    ++wanted;
  }
  Rounds rounds = planRounds(from, to, outBits, wanted);
  Columns source = alignThreads(from, rounds);
  Columns target = alignThreads(to, rounds);
  const TargetInfo &info = emitter.getTarget();
  unsigned spaceBits = rounds.space.size();
  auto buffer = layout::swizzledOffsets(
      getRoundColumns(source, rounds).toBuffer(spaceBits),
      getRoundColumns(target, rounds).toBuffer(spaceBits), 8 * elementBytes,
      {info.getNumSharedBanks(), 4,
       std::min<int64_t>(128, 8 * info.getMaxAccessBytes())},
      &error);
  if (!buffer) {
    return failure();
  }
  BitSpan places(buffer->layout.flatBases(layout::Dim::Offset));
  auto getOffset = [&](uint64_t flat) {
    return *places.solve(rounds.getPlace(flat));
  };
  // Both renamings stay within threads: the columns differ by sums of
  // registers.
  Values sent = *renameRegisters(builder, loc, emitter, values, from, source);
  Values received(target.getNumRegisters());
  SharedAccess storing(builder, loc, emitter, source.map(getOffset),
                       buffer->write.vectorBits.size());
  SharedAccess loading(builder, loc, emitter, target.map(getOffset),
                       buffer->read.vectorBits.size());
  auto stored = getByRound(source, rounds), loaded = getByRound(target, rounds);
  Value isFirst =
      emitter.getIsFirstCopy(builder, loc, source.toBuffer(outBits));
  for (uint64_t round = 0; round < uint64_t(1) << rounds.bits; ++round) {
    Value scratch =
        emitter.emitScratch(builder, loc, elementBytes << spaceBits);
    storing.store(scratch, stored[round], sent, isFirst);
    emitter.emitBarrier(builder, loc);
    loading.load(scratch, loaded[round], type, received);
  }
  return *renameRegisters(builder, loc, emitter, received, target, to);
}

FailureOr<Values> convertRegisters(OpBuilder &builder, Location loc,
                                   ThreadEmitter &emitter,
                                   ArrayRef<Value> values, const Columns &from,
                                   const Columns &to, unsigned outBits,
                                   std::string &error) {
  auto renamed = renameRegisters(builder, loc, emitter, values, from, to);
  if (succeeded(renamed)) {
    return renamed;
  }
  SmallVector<Values> held = {Values(values)};
  Columns source = from, target = to;
  source.dropFreeRegisters(held);
  target.dropFreeRegisters({});
  auto converted = convertByShuffles(builder, loc, emitter, held.front(),
                                     source, target, outBits);
  if (failed(converted)) {
    analysis::chosen(DEBUG_TYPE, "layout", loc)
        << (uint64_t(1) << outBits) << " elements of "
        << values.front().getType() << " change threads through shared memory";
    converted = convertByShared(builder, loc, emitter, held.front(), source,
                                target, outBits, error);
  }
  if (failed(converted)) {
    return failure();
  }
  return renameRegisters(builder, loc, emitter, *converted, target, to);
}

} // namespace tegula::lower
