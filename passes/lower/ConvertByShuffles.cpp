// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions within a warp, as layout::planConversion plans them: registers
// are chosen by the thread's number, exchanged between lanes in rounds, and
// chosen again.

#include "passes/lower/ConvertRegisters.h"
#include "passes/lower/SharedAccess.h"

#include "dialects/layout/Conversion.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::lower {

using layout::ShufflePlan;

namespace {

/// Emits the rounds. Values of less than 32 bits that come from one lane travel
/// together.
class RoundEmitter {
public:
  RoundEmitter(OpBuilder &builder, Location loc, const ThreadEmitter &emitter,
               const ShufflePlan &plan)
      : builder(builder), loc(loc), emitter(emitter),
        isButterfly(plan.isButterfly()) {
    if (!isButterfly) {
      SmallVector<uint64_t> images(plan.laneByLane.begin(),
                                   plan.laneByLane.end());
      images.append(plan.laneByWarp.begin(), plan.laneByWarp.end());
      for (uint64_t image : images) {
        imageBits |= image;
      }
      partner = ThreadBits(builder, loc, emitter).getImage(images);
    }
  }

  /// Sets what the round receives.
  void run(const ShufflePlan::Round &round, RegisterChooser &sent,
           MutableArrayRef<Value> received) {
    size_t perWord = 1;
    for (size_t first = 0; first < round.moves.size(); first += perWord) {
      Values values = {sent.get(round.moves[first].first)};
      Type type = values.front().getType();
      perWord = std::max<size_t>(1, 4 / getElementBytes(type));
      auto moves = ArrayRef(round.moves).drop_front(first);
      moves = moves.take_front(std::min(perWord, moves.size()));
      for (auto [from, to] : moves.drop_front()) {
        values.push_back(sent.get(from));
      }
      if (!round.isLocal) {
        values = values.size() == 1
                     ? Values{shuffle(values.front(), round.laneXor)}
                     : shuffleTogether(values, round.laneXor, perWord);
      }
      for (auto [move, value] : llvm::zip_equal(moves, values)) {
        received[move.second] = value;
      }
    }
  }

private:
  Values shuffleTogether(Values values, int64_t lane, int64_t perWord) {
    Type type = values.front().getType();
    size_t count = values.size();
    values.resize(perWord, values.front());
    Type i32 = builder.getI32Type();
    auto word = VectorType::get({1}, i32);
    auto bytes = VectorType::get({perWord}, getMemoryType(type));
    Value packed = ThreadEmitter::pack(builder, loc, values, type);
    packed = vector::BitCastOp::create(builder, loc, word,
                                       toMemory(builder, loc, packed));
    Value moved =
        shuffle(ThreadEmitter::unpack(builder, loc, packed).front(), lane);
    packed = vector::BitCastOp::create(
        builder, loc, bytes, ThreadEmitter::pack(builder, loc, moved, i32));
    Values result = ThreadEmitter::unpack(
        builder, loc, fromMemory(builder, loc, packed, type));
    result.resize(count);
    return result;
  }

  Value shuffle(Value value, int64_t lane) {
    if (isButterfly) {
      return emitter.emitShuffleXor(builder, loc, value, lane);
    }
    Value source =
        ThreadEmitter::emitWithOffset(builder, loc, partner, lane, imageBits);
    return emitter.emitShuffleIndex(builder, loc, value, source);
  }

  OpBuilder &builder;
  Location loc;
  const ThreadEmitter &emitter;
  bool isButterfly;
  int64_t imageBits = 0;
  Value partner;
};

/// Whether shuffles beat shared memory, in cycles of a port that moves one word
/// of each lane at a time. Shared memory takes two for each word, and its
/// barriers; a select is a fourth.
bool isWorthwhile(const ShufflePlan &plan, int64_t numSource,
                  int64_t elementBytes) {
  int64_t words = llvm::divideCeil(
      static_cast<int64_t>(plan.kept.size()) * elementBytes, 4);
  return plan.numShuffles(8 * elementBytes) + plan.numSelects(numSource) / 4 <=
         2 * words + 30;
}

} // namespace

FailureOr<Values> convertByShuffles(OpBuilder &builder, Location loc,
                                    const ThreadEmitter &emitter,
                                    ArrayRef<Value> values, const Columns &from,
                                    const Columns &to, unsigned outBits) {
  auto conversion =
      layout::planConversion(from.toBuffer(outBits), to.toBuffer(outBits));
  if (!conversion || conversion->kind != layout::ConversionKind::Shuffle ||
      !isWorthwhile(conversion->shuffle, values.size(),
                    getElementBytes(values.front().getType()))) {
    return failure();
  }
  const ShufflePlan &plan = conversion->shuffle;
  unsigned numLaneBits = from.lanes.size();
  RegisterChooser sent(builder, loc, emitter, values);
  for (auto [bit, mask] : llvm::enumerate(plan.sendByLane)) {
    sent.add(bit, mask);
  }
  for (auto [bit, mask] : llvm::enumerate(plan.sendByWarp)) {
    sent.add(numLaneBits + bit, mask);
  }
  Values received(to.getNumRegisters());
  RoundEmitter rounds(builder, loc, emitter, plan);
  for (const ShufflePlan::Round &round : plan.rounds) {
    rounds.run(round, sent, received);
  }
  RegisterChooser held(builder, loc, emitter, received);
  for (auto [bit, mask] : llvm::enumerate(plan.receiveByLane)) {
    held.add(bit, mask);
  }
  Values result;
  for (int64_t reg : plan.copyOf) {
    result.push_back(held.get(reg));
  }
  return result;
}

} // namespace tegula::lower
