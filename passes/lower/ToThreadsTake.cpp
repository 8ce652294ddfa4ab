// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile.take for lower-to-threads. The source's elements that an index can name
// are in the thread's own registers, in other lanes, or anywhere: then they go
// through shared memory.

#include "passes/lower/ConvertRegisters.h"
#include "passes/lower/SharedAccess.h"

#include "dialects/layout/BitSpan.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "lower-to-threads"

using namespace mlir;

namespace tegula::lower {

using layout::BitSpan;

namespace {

/// Most registers that are looked through for one element, if they are the
/// thread's own and if each costs a shuffle.
constexpr unsigned kMaxOwnBits = 3;
constexpr unsigned kMaxShuffledBits = 1;

class Taker {
public:
  Taker(OpBuilder &builder, tile::TakeOp op, Value source,
        ThreadEmitter &emitter)
      : builder(builder), loc(op.getLoc()), emitter(emitter),
        bits(builder, loc, emitter),
        held(Columns::of(getLayout(op.getSource().getType()))),
        wanted(Columns::of(getLayout(op.getType()))),
        outBits(getLayout(op.getSource().getType()).outBits()) {
    ArrayRef<int64_t> shape = op.getSource().getType().getShape();
    firstBit = 0;
    for (int64_t extent : shape.drop_front(op.getAxis() + 1)) {
      firstBit += llvm::Log2_64(extent);
    }
    extent = shape[op.getAxis()];
    numBits = llvm::Log2_64(extent);
    unsigned indexBits = llvm::Log2_64(op.getType().getDimSize(op.getAxis()));
    // Where an element of the result comes from, at index 0.
    uint64_t low = (uint64_t(1) << firstBit) - 1;
    wanted = wanted.map([&](uint64_t flat) {
      return flat >> (firstBit + indexBits) << (firstBit + numBits) |
             (flat & low);
    });
    SmallVector<Values> lists = {ThreadEmitter::unpack(builder, loc, source)};
    held.dropFreeRegisters(lists);
    values = std::move(lists.front());
  }

  /// An element for each register of the result. Indices out of range give
  /// zeros.
  Values run(ArrayRef<Value> indices) {
    Values valid, safe;
    Value zero = ThreadEmitter::getI32(builder, loc, 0);
    for (Value index : indices) {
      Value end =
          arith::ConstantIntOp::create(builder, loc, index.getType(), extent);
      valid.push_back(arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, index, end));
      Value narrow = index;
      if (!index.getType().isInteger(32)) {
        narrow =
            arith::TruncIOp::create(builder, loc, builder.getI32Type(), index);
      }
      safe.push_back(
          arith::SelectOp::create(builder, loc, valid.back(), narrow, zero));
    }
    FailureOr<Values> taken = takeInWarp(safe);
    if (failed(taken)) {
      taken = takeInShared(safe);
    }
    Type type = values.front().getType();
    Value nothing = arith::ConstantOp::create(builder, loc, type,
                                              builder.getZeroAttr(type));
    for (auto [value, isValid] : llvm::zip_equal(*taken, valid)) {
      value = arith::SelectOp::create(builder, loc, isValid, value, nothing);
    }
    return *taken;
  }

private:
  Value getBit(Value index, unsigned bit) {
    Value mask = ThreadEmitter::getI32(builder, loc, int64_t(1) << bit);
    return arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(builder, loc, index, mask),
        ThreadEmitter::getI32(builder, loc, 0));
  }

  //===--------------------------------------------------------------------===//
  // Registers and lanes
  //===--------------------------------------------------------------------===//

  /// Where a flat index is, relative to the thread's warp.
  struct Place {
    uint64_t reg, lane;
  };

  /// Which register the source lane gives must not depend on the receiving
  /// thread, and each bit of the index must say either lane or register.
  struct Plan {
    SmallVector<Place> registers;      // Of the result.
    SmallVector<uint64_t> threadLanes; // Source lane by the thread's number.
    SmallVector<Place> index;          // By the bits of the index.
    SmallVector<unsigned> registerBits;
  };

  std::optional<Plan> planInWarp() const {
    BitSpan span;
    llvm::for_each(held.registers,
                   [&](uint64_t column) { span.insert(column); });
    llvm::for_each(held.lanes, [&](uint64_t column) { span.insert(column); });
    size_t count = held.registers.size();
    auto getPlace = [&](uint64_t flat) -> std::optional<Place> {
      auto parts = span.solve(flat);
      if (!parts) {
        return std::nullopt;
      }
      return Place{*parts & ((uint64_t(1) << count) - 1), *parts >> count};
    };
    Plan plan;
    for (int64_t reg = 0; reg < wanted.getNumRegisters(); ++reg) {
      auto place = getPlace(wanted.getRegisterPart(reg));
      if (!place) {
        return std::nullopt;
      }
      plan.registers.push_back(*place);
    }
    for (auto [bit, column] : llvm::enumerate(wanted.getThreads())) {
      bool isLane = bit < wanted.lanes.size();
      uint64_t base = isLane ? 0 : held.warps[bit - wanted.lanes.size()];
      auto place = getPlace(column ^ base);
      if (!place || place->reg) {
        return std::nullopt;
      }
      // Among copies, the nearest.
      bool isCopy = isLane && held.lanes[bit] == 0;
      plan.threadLanes.push_back(place->lane |
                                 (isCopy ? uint64_t(1) << bit : 0));
    }
    for (unsigned bit = 0; bit < numBits; ++bit) {
      auto place = getPlace(uint64_t(1) << (firstBit + bit));
      if (!place || (place->reg && place->lane)) {
        return std::nullopt;
      }
      plan.index.push_back(*place);
      if (place->reg) {
        plan.registerBits.push_back(bit);
      }
    }
    return plan;
  }

  static bool staysInThread(const Plan &plan, size_t numLaneBits) {
    for (auto [bit, lane] : llvm::enumerate(plan.threadLanes)) {
      if (lane != (bit < numLaneBits ? uint64_t(1) << bit : 0)) {
        return false;
      }
    }
    auto isHere = [](const Place &place) { return place.lane == 0; };
    return llvm::all_of(plan.registers, isHere) &&
           llvm::all_of(plan.index, isHere);
  }

  FailureOr<Values> takeInWarp(ArrayRef<Value> indices) {
    auto plan = planInWarp();
    if (!plan) {
      return failure();
    }
    bool stays = staysInThread(*plan, held.lanes.size());
    if (plan->registerBits.size() > (stays ? kMaxOwnBits : kMaxShuffledBits)) {
      return failure();
    }
    Value threadLane = stays ? Value() : bits.getImage(plan->threadLanes);
    Values taken;
    for (auto [index, place] : llvm::zip_equal(indices, plan->registers)) {
      Value lane;
      if (!stays) {
        lane = getSourceLane(*plan, index, threadLane, place.lane);
      }
      // All registers that the index may mean, then halves by its bits.
      Values candidates = {Value()};
      SmallVector<uint64_t> registers = {place.reg};
      for (unsigned bit : plan->registerBits) {
        for (size_t at = 0, end = registers.size(); at < end; ++at) {
          registers.push_back(registers[at] ^ plan->index[bit].reg);
        }
      }
      candidates.clear();
      for (uint64_t reg : registers) {
        candidates.push_back(
            lane ? emitter.emitShuffleIndex(builder, loc, values[reg], lane)
                 : values[reg]);
      }
      for (unsigned bit : llvm::reverse(plan->registerBits)) {
        size_t half = candidates.size() / 2;
        Value isSet = getBit(index, bit);
        for (size_t at = 0; at < half; ++at) {
          candidates[at] = arith::SelectOp::create(
              builder, loc, isSet, candidates[half + at], candidates[at]);
        }
        candidates.resize(half);
      }
      taken.push_back(candidates.front());
    }
    return taken;
  }

  Value getSourceLane(const Plan &plan, Value index, Value threadLane,
                      uint64_t registerLane) {
    Value lane = arith::XOrIOp::create(
        builder, loc, threadLane,
        ThreadEmitter::getI32(builder, loc, registerLane));
    Value zero = ThreadEmitter::getI32(builder, loc, 0);
    for (auto [bit, place] : llvm::enumerate(plan.index)) {
      if (place.lane) {
        Value moved = arith::SelectOp::create(
            builder, loc, getBit(index, bit),
            ThreadEmitter::getI32(builder, loc, place.lane), zero);
        lane = arith::XOrIOp::create(builder, loc, lane, moved);
      }
    }
    return lane;
  }

  //===--------------------------------------------------------------------===//
  // Shared memory
  //===--------------------------------------------------------------------===//

  /// Row-major, in rounds of as much as the scratch takes; each thread takes
  /// from each round what is there.
  Values takeInShared(ArrayRef<Value> indices) {
    Type type = values.front().getType();
    int64_t bytes = getElementBytes(type);
    unsigned sizeBits = outBits;
    while (sizeBits > 0 && bytes << sizeBits > getScratchLimit(emitter)) {
      --sizeBits;
    }
    Value mask =
        ThreadEmitter::getI32(builder, loc, (int64_t(1) << sizeBits) - 1);
    Value shift = ThreadEmitter::getI32(builder, loc, sizeBits);
    Values stored = getOffsets(held), loaded = getOffsets(wanted);
    for (auto [offset, index] : llvm::zip_equal(loaded, indices)) {
      Value moved = arith::ShLIOp::create(
          builder, loc, index, ThreadEmitter::getI32(builder, loc, firstBit));
      offset = arith::AddIOp::create(builder, loc, offset, moved);
    }
    Value isFirst =
        emitter.getIsFirstCopy(builder, loc, held.toBuffer(outBits));
    bool isWhole = sizeBits == outBits;
    auto isInRound = [&](Value offset, int64_t round) -> Value {
      return arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq,
          arith::ShRUIOp::create(builder, loc, offset, shift),
          ThreadEmitter::getI32(builder, loc, round));
    };
    auto getPlace = [&](Value offset) -> Value {
      return isWhole ? offset
                     : arith::AndIOp::create(builder, loc, offset, mask);
    };
    Values taken(indices.size());
    for (int64_t round = 0; round < int64_t(1) << (outBits - sizeBits);
         ++round) {
      Value scratch = emitter.emitScratch(builder, loc, bytes << sizeBits);
      for (auto [value, offset] : llvm::zip_equal(values, stored)) {
        Value predicate = isFirst;
        if (!isWhole) {
          Value here = isInRound(offset, round);
          predicate = isFirst
                          ? arith::AndIOp::create(builder, loc, here, isFirst)
                          : here;
        }
        storeShared(builder, loc, value, scratch, getPlace(offset), predicate);
      }
      emitter.emitBarrier(builder, loc);
      for (auto [result, offset] : llvm::zip_equal(taken, loaded)) {
        Value value =
            loadShared(builder, loc, type, 1, scratch, getPlace(offset))
                .front();
        result = result ? arith::SelectOp::create(builder, loc,
                                                  isInRound(offset, round),
                                                  value, result)
                        : value;
      }
    }
    return taken;
  }

  /// Of each register, the flat index (i32).
  Values getOffsets(const Columns &columns) {
    uint64_t threadBits = 0;
    for (uint64_t column : columns.getThreads()) {
      threadBits |= column;
    }
    Value base = bits.getImage(columns.getThreads());
    Values offsets;
    for (int64_t reg = 0; reg < columns.getNumRegisters(); ++reg) {
      offsets.push_back(ThreadEmitter::emitWithOffset(
          builder, loc, base, columns.getRegisterPart(reg), threadBits));
    }
    return offsets;
  }

  OpBuilder &builder;
  Location loc;
  ThreadEmitter &emitter;
  ThreadBits bits;
  Columns held, wanted;
  unsigned outBits, firstBit, numBits;
  int64_t extent;
  Values values;
};

class TakeLowering final : public OpConversionPattern<tile::TakeOp> {
public:
  TakeLowering(const TypeConverter &types, MLIRContext *context,
               ThreadEmitter &emitter)
      : OpConversionPattern(types, context), emitter(emitter) {}

  LogicalResult
  matchAndRewrite(tile::TakeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto indices = renameRegisters(
        rewriter, loc, emitter,
        ThreadEmitter::unpack(rewriter, loc, adaptor.getIndex()),
        Columns::of(getLayout(op.getIndex().getType())),
        Columns::of(getLayout(op.getType())));
    if (failed(indices)) {
      return op.emitOpError("has a result layout that is not the index's");
    }
    Taker taker(rewriter, op, adaptor.getSource(), emitter);
    Values taken = taker.run(*indices);
    rewriter.replaceOp(
        op, ThreadEmitter::pack(rewriter, loc, taken, taken.front().getType()));
    return success();
  }

private:
  ThreadEmitter &emitter;
};

} // namespace

void populateTakeToThreads(const TypeConverter &types,
                           RewritePatternSet &patterns,
                           ThreadEmitter &emitter) {
  patterns.add<TakeLowering>(types, patterns.getContext(), emitter);
}

} // namespace tegula::lower
