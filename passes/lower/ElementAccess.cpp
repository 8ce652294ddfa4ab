// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ElementAccess.h. Offsets are compared rather than indices: strides may
// map several indices to one place.

#include "passes/lower/ElementAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::lower {

using layout::Dim;
using layout::LinearLayout;

namespace {

/// Bytes of scratch that a comparison or an exchange uses at once.
constexpr int64_t kScratchBytes = 16 * 1024;

/// The offset of elements that are not active, which no array can have.
constexpr int64_t kNowhere = std::numeric_limits<int64_t>::min();

/// Of a scalar: one element, of which all threads have a copy.
LinearLayout getScalarLayout(const ThreadEmitter &emitter) {
  LinearLayout::Bases bases;
  LinearLayout::Basis zero(1, 0);
  bases[static_cast<unsigned>(Dim::Lane)].assign(
      llvm::Log2_64(emitter.getNumLanes()), zero);
  bases[static_cast<unsigned>(Dim::Warp)].assign(
      llvm::Log2_64(emitter.getNumWarps()), zero);
  return *LinearLayout::create(bases, {1});
}

LinearLayout getFlatLayout(const ThreadEmitter &emitter, Type type) {
  if (!isa<RankedTensorType>(type)) {
    return getScalarLayout(emitter);
  }
  const LinearLayout &layout = getLayout(type);
  return *layout.reshape({layout.numElements()});
}

Value createI64(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

} // namespace

ElementAccess::ElementAccess(OpBuilder &builder, Location loc,
                             ThreadEmitter &emitter, const ArrayParts &array,
                             Type elementType, Type type, ValueRange index,
                             Value mask)
    : loc(loc), emitter(emitter), elementType(elementType),
      pointer(array.pointer), layout(getFlatLayout(emitter, type)),
      flatBase(emitter.getBaseCoordinates(builder, loc, layout).front()),
      isFirstCopy(emitter.getIsFirstCopy(builder, loc, layout)) {
  offsets.resize(layout.inSize(Dim::Register));
  active.resize(offsets.size());
  if (mask) {
    llvm::copy(ThreadEmitter::unpack(builder, loc, mask), active.begin());
  }
  for (auto [axis, positions] : llvm::enumerate(index)) {
    SmallVector<Value> elements =
        ThreadEmitter::unpack(builder, loc, positions);
    for (auto [reg, position] : llvm::enumerate(elements)) {
      // Unsigned, so that a negative index is outside too.
      Value inside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, position, array.sizes[axis]);
      active[reg] =
          active[reg] ? arith::AndIOp::create(builder, loc, active[reg], inside)
                      : inside;
      Value step =
          arith::MulIOp::create(builder, loc, position, array.strides[axis]);
      offsets[reg] =
          offsets[reg] ? arith::AddIOp::create(builder, loc, offsets[reg], step)
                       : step;
    }
  }
  for (auto [reg, first] :
       llvm::enumerate(ThreadEmitter::getFirstRegisters(layout))) {
    if (static_cast<int64_t>(reg) == first) {
      firstRegisters.push_back(reg);
    }
    active[reg] = active[first];
    offsets[reg] = offsets[first];
  }
}

Value ElementAccess::emitOwned(OpBuilder &builder, int64_t reg) const {
  return isFirstCopy
             ? arith::AndIOp::create(builder, loc, active[reg], isFirstCopy)
             : active[reg];
}

Value ElementAccess::emitPointer(OpBuilder &builder, int64_t reg) const {
  return ThreadEmitter::emitOffset(builder, loc, pointer, offsets[reg],
                                   elementType);
}

Value ElementAccess::emitFlat(OpBuilder &builder, int64_t reg) const {
  return ThreadEmitter::emitWithOffset(builder, loc, flatBase,
                                       layout.apply(reg).front(),
                                       ThreadEmitter::getThreadBits(layout, 0));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

namespace {

/// Runs `body` on consecutive parts of [0, total), each of `part` elements,
/// with the start of the part (i32).
SmallVector<Value>
emitParts(OpBuilder &builder, Location loc, int64_t total, int64_t part,
          ValueRange inits,
          llvm::function_ref<SmallVector<Value>(OpBuilder &, Value, ValueRange)>
              body) {
  if (part == total) {
    return body(builder, ThreadEmitter::getI32(builder, loc, 0), inits);
  }
  auto loop = scf::ForOp::create(
      builder, loc, ThreadEmitter::getI32(builder, loc, 0),
      ThreadEmitter::getI32(builder, loc, total),
      ThreadEmitter::getI32(builder, loc, part), inits,
      [&](OpBuilder &nested, Location, Value start, ValueRange carried) {
        scf::YieldOp::create(nested, loc, body(nested, start, carried));
      });
  return SmallVector<Value>(loop.getResults());
}

/// Whether `flat` is in the part of `part` elements from `start` on.
Value emitIsInPart(OpBuilder &builder, Location loc, Value flat, Value start,
                   int64_t part, int64_t total) {
  if (part == total) {
    return Value();
  }
  Value distance = arith::SubIOp::create(builder, loc, flat, start);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                               distance,
                               ThreadEmitter::getI32(builder, loc, part));
}

Value emitAnd(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  if (!lhs || !rhs) {
    return lhs ? lhs : rhs;
  }
  return arith::AndIOp::create(builder, loc, lhs, rhs);
}

} // namespace

SmallVector<Value> ElementAccess::emitRivals(OpBuilder &builder,
                                             bool later) const {
  int64_t total = layout.numElements();
  int64_t part = std::min<int64_t>(total, kScratchBytes / 8);
  Type i64 = builder.getI64Type();
  SmallVector<Value> flats, places;
  for (int64_t reg : firstRegisters) {
    flats.push_back(emitFlat(builder, reg));
    places.push_back(
        arith::SelectOp::create(builder, loc, active[reg], offsets[reg],
                                createI64(builder, loc, kNowhere)));
  }
  SmallVector<Value> none(firstRegisters.size(),
                          ThreadEmitter::getI32(builder, loc, 0));
  auto comparePart = [&](OpBuilder &outer, Value start, ValueRange carried) {
    Value scratch = emitter.emitScratch(outer, loc, part * 8);
    for (auto [flat, place] : llvm::zip(flats, places)) {
      Value mine = emitIsInPart(outer, loc, flat, start, part, total);
      Value at = arith::SubIOp::create(outer, loc, flat, start);
      emitter.getTarget().emitStore(
          outer, loc, place,
          ThreadEmitter::emitOffset(outer, loc, scratch, at, i64),
          emitAnd(outer, loc, mine, isFirstCopy), 8);
    }
    emitter.emitBarrier(outer, loc);
    auto loop = scf::ForOp::create(
        outer, loc, ThreadEmitter::getI32(outer, loc, 0),
        ThreadEmitter::getI32(outer, loc, part),
        ThreadEmitter::getI32(outer, loc, 1), carried,
        [&](OpBuilder &nested, Location, Value at, ValueRange counts) {
          Value other = LLVM::LoadOp::create(
              nested, loc, i64,
              ThreadEmitter::emitOffset(nested, loc, scratch, at, i64));
          Value number = arith::AddIOp::create(nested, loc, start, at);
          SmallVector<Value> next;
          for (auto [flat, place, count] : llvm::zip(flats, places, counts)) {
            Value same = arith::CmpIOp::create(
                nested, loc, arith::CmpIPredicate::eq, other, place);
            Value ordered = arith::CmpIOp::create(
                nested, loc,
                later ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::ult,
                number, flat);
            Value rival = arith::AndIOp::create(nested, loc, same, ordered);
            Value one =
                arith::ExtUIOp::create(nested, loc, nested.getI32Type(), rival);
            next.push_back(arith::AddIOp::create(nested, loc, count, one));
          }
          scf::YieldOp::create(nested, loc, next);
        });
    return SmallVector<Value>(loop.getResults());
  };
  SmallVector<Value> counts =
      emitParts(builder, loc, total, part, none, comparePart);
  SmallVector<Value> rivals(getNumRegisters());
  for (auto [reg, count] : llvm::zip(firstRegisters, counts)) {
    rivals[reg] = count;
  }
  return rivals;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

SmallVector<Value> ElementAccess::emitShare(OpBuilder &builder,
                                            ArrayRef<Value> values) const {
  if (!isFirstCopy) {
    return emitRepeat(values);
  }
  Type memory = getMemoryType(elementType);
  int64_t bytes = memory.getIntOrFloatBitWidth() / 8;
  int64_t total = layout.numElements();
  int64_t part = std::min(total, kScratchBytes / bytes);
  SmallVector<Value> own;
  for (int64_t reg : firstRegisters) {
    own.push_back(toMemory(builder, loc, values[reg]));
  }
  auto sharePart = [&](OpBuilder &outer, Value start, ValueRange carried) {
    Value scratch = emitter.emitScratch(outer, loc, part * bytes);
    SmallVector<Value> mine, pointers, next;
    for (auto [reg, value] : llvm::zip(firstRegisters, own)) {
      Value flat = emitFlat(outer, reg);
      mine.push_back(emitIsInPart(outer, loc, flat, start, part, total));
      Value at = arith::SubIOp::create(outer, loc, flat, start);
      pointers.push_back(
          ThreadEmitter::emitOffset(outer, loc, scratch, at, memory));
      emitter.getTarget().emitStore(
          outer, loc, value, pointers.back(),
          emitAnd(outer, loc, mine.back(), isFirstCopy), bytes);
    }
    emitter.emitBarrier(outer, loc);
    for (auto [isMine, from, before] : llvm::zip(mine, pointers, carried)) {
      Value shared =
          emitter.getTarget().emitLoad(outer, loc, memory, from, isMine, bytes);
      next.push_back(
          isMine ? arith::SelectOp::create(outer, loc, isMine, shared, before)
                 : shared);
    }
    return next;
  };
  SmallVector<Value> shared =
      emitParts(builder, loc, total, part, own, sharePart);
  SmallVector<Value> results(values);
  for (auto [reg, value] : llvm::zip(firstRegisters, shared)) {
    results[reg] = fromMemory(builder, loc, value, elementType);
  }
  return emitRepeat(results);
}

SmallVector<Value> ElementAccess::emitRepeat(ArrayRef<Value> values) const {
  SmallVector<Value> results(values);
  for (auto [reg, first] :
       llvm::enumerate(ThreadEmitter::getFirstRegisters(layout))) {
    results[reg] = values[first];
  }
  return results;
}

} // namespace tegula::lower
