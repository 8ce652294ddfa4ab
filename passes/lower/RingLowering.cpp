// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of rings, and copies made of single threads' accesses. A thread
// copies whole chunks of a buffer's rows: they stay together under any swizzle.

#include "passes/lower/RingLowering.h"

#include "passes/analysis/AccessFacts.h"
#include "passes/lower/MemoryLayouts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::lower {

using layout::Dim;
using layout::LinearLayout;

Value RingContext::getSlot(Value number) const {
  return arith::RemUIOp::create(
      builder, loc, number,
      ThreadEmitter::getI32(builder, loc, type.getSlots()));
}

Value RingContext::getParity(Value number) const {
  Value uses = arith::DivUIOp::create(
      builder, loc, number,
      ThreadEmitter::getI32(builder, loc, type.getSlots()));
  return arith::AndIOp::create(builder, loc, uses,
                               ThreadEmitter::getI32(builder, loc, 1));
}

Value RingContext::getTile(Value slot, unsigned member) const {
  Value bytes = arith::MulIOp::create(
      builder, loc, slot,
      ThreadEmitter::getI32(builder, loc, type.getSlotBytes()));
  Value offset = arith::AddIOp::create(
      builder, loc, bytes,
      ThreadEmitter::getI32(builder, loc, type.getTileOffset(member)));
  return ThreadEmitter::emitOffset(builder, loc, base, offset,
                                   builder.getI8Type());
}

namespace {

/// Copies of one tile by single threads.
class TileCopy {
public:
  TileCopy(const RingContext &ring, RankedTensorType tile, ValueRange index,
           const ArrayParts &array, const analysis::AccessFacts &facts)
      : builder(ring.builder), loc(ring.loc), emitter(ring.emitter), tile(tile),
        index(index), array(array), facts(facts),
        elementBytes(llvm::divideCeil(tile.getElementTypeBitWidth(), 8)) {}

  SmallVector<ThreadCopy> run(Value destination) {
    LinearLayout threads = getAccessLayout(facts, tile, emitter.getTarget(),
                                           emitter.getNumWarps());
    int64_t vector = facts.unitDim
                         ? std::min(threads.contiguousRegisters(*facts.unitDim),
                                    facts.alignedElements)
                         : 1;
    LinearLayout buffer = layout::getLayout(tile).getLayout();
    LinearLayout places = *threads.invertAndCompose(buffer);
    constexpr unsigned kOffset = static_cast<unsigned>(Dim::Offset);
    auto coordinates = emitter.getCoordinates(builder, loc, threads);
    Value base = emitter.getBaseCoordinates(builder, loc, places)[kOffset];
    int64_t baseBits = ThreadEmitter::getThreadBits(places, kOffset);
    Value first = emitter.getIsFirstCopy(builder, loc, threads);
    createLimits();
    SmallVector<ThreadCopy> copies;
    for (int64_t reg = 0; reg < threads.inSize(Dim::Register); reg += vector) {
      ThreadCopy copy;
      copy.bytes = vector * elementBytes;
      copy.source = getSource(coordinates[reg]);
      Value offset = ThreadEmitter::emitWithOffset(
          builder, loc, base, places.apply(reg)[kOffset], baseBits);
      copy.destination = ThreadEmitter::emitOffset(
          builder, loc, destination, offset, tile.getElementType());
      addValidBytes(copy, coordinates[reg]);
      copy.predicate = first;
      copies.push_back(copy);
    }
    return copies;
  }

private:
  Value getI64(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  /// For each dimension the elements of the tile that are inside the array
  /// (i32), and where the tile starts.
  void createLimits() {
    start = array.pointer;
    for (auto [d, extent] : llvm::enumerate(facts.extents)) {
      // An index before or past the array, whose product might wrap, leaves
      // nothing.
      Value last =
          arith::DivSIOp::create(builder, loc, array.sizes[d], getI64(extent));
      Value inside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ule, index[d], last);
      Value from =
          arith::MulIOp::create(builder, loc, index[d], getI64(extent));
      from =
          arith::SelectOp::create(builder, loc, inside, from, array.sizes[d]);
      Value left = arith::SubIOp::create(builder, loc, array.sizes[d], from);
      left = arith::MinSIOp::create(builder, loc, left, getI64(extent));
      limits.push_back(
          arith::TruncIOp::create(builder, loc, builder.getI32Type(), left));
      Value distance =
          arith::MulIOp::create(builder, loc, from, array.strides[d]);
      start = ThreadEmitter::emitOffset(builder, loc, start, distance,
                                        tile.getElementType());
    }
  }

  Value getSource(ArrayRef<Value> coordinates) {
    Value offset;
    for (auto [d, coordinate] : llvm::enumerate(coordinates)) {
      Value wide = arith::ExtUIOp::create(builder, loc, builder.getI64Type(),
                                          coordinate);
      Value part = arith::MulIOp::create(builder, loc, wide, array.strides[d]);
      offset =
          offset ? arith::AddIOp::create(builder, loc, offset, part).getResult()
                 : part;
    }
    return ThreadEmitter::emitOffset(builder, loc, start, offset,
                                     tile.getElementType());
  }

  /// How much of the access at `coordinates` is inside the array.
  void addValidBytes(ThreadCopy &copy, ArrayRef<Value> coordinates) {
    Value zero = ThreadEmitter::getI32(builder, loc, 0);
    Value valid = ThreadEmitter::getI32(builder, loc, copy.bytes);
    Value inside = arith::ConstantIntOp::create(builder, loc, 1, 1);
    bool isWhole = facts.wholeElements * elementBytes >= copy.bytes;
    for (auto [d, coordinate] : llvm::enumerate(coordinates)) {
      if (facts.unitDim == d && !isWhole) {
        Value left = arith::SubIOp::create(builder, loc, limits[d], coordinate);
        left = arith::MulIOp::create(
            builder, loc, left,
            ThreadEmitter::getI32(builder, loc, elementBytes));
        left = arith::MaxSIOp::create(builder, loc, left, zero);
        valid = arith::MinSIOp::create(builder, loc, valid, left);
        continue;
      }
      Value here = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt, coordinate, limits[d]);
      inside = arith::AndIOp::create(builder, loc, inside, here);
    }
    copy.validBytes =
        arith::SelectOp::create(builder, loc, inside, valid, zero);
    copy.whole = isWhole ? inside : Value();
  }

  OpBuilder &builder;
  Location loc;
  ThreadEmitter &emitter;
  RankedTensorType tile;
  ValueRange index;
  const ArrayParts &array;
  const analysis::AccessFacts &facts;
  int64_t elementBytes;
  Value start;
  SmallVector<Value> limits;
};

} // namespace

FailureOr<SmallVector<ThreadCopy>>
getThreadCopies(const RingContext &ring, simt::IssueOp issue, unsigned member,
                ValueRange index, Value destination) {
  Value view = issue.getViews()[member];
  FailureOr<ArrayParts> array = getArrayParts(issue, view);
  if (failed(array)) {
    return failure();
  }
  RankedTensorType tile = ring.type.getTiles()[member];
  analysis::AccessFacts facts =
      analysis::getAccessFacts(view, tile.getShape(), index);
  return TileCopy(ring, tile, index, *array, facts).run(destination);
}

void emitIf(const RingContext &ring, Value condition,
            function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(ring.builder);
  auto branch = scf::IfOp::create(ring.builder, ring.loc, condition,
                                  /*withElseRegion=*/false);
  ring.builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

OperandRange getIndex(simt::IssueOp op, unsigned member) {
  auto rankOf = [&](unsigned i) {
    return cast<tile::ViewType>(op.getViews()[i].getType()).getRank();
  };
  unsigned start = 0;
  for (unsigned i = 0; i < member; ++i) {
    start += rankOf(i);
  }
  return op.getIndices().slice(start, rankOf(member));
}

//===----------------------------------------------------------------------===//
// Rings without help from the device
//===----------------------------------------------------------------------===//

namespace {

/// Bytes one by one: the last access of a row may be cut anywhere.
void emitPlainCopy(const RingContext &ring, const ThreadCopy &copy) {
  OpBuilder &builder = ring.builder;
  const TargetInfo &target = ring.emitter.getTarget();
  Type byte = builder.getI8Type();
  for (int64_t i = 0; i < copy.bytes; ++i) {
    Value offset = ThreadEmitter::getI32(builder, ring.loc, i);
    Value valid = arith::CmpIOp::create(
        builder, ring.loc, arith::CmpIPredicate::slt, offset, copy.validBytes);
    Value value = target.emitLoad(
        builder, ring.loc, byte,
        ThreadEmitter::emitOffset(builder, ring.loc, copy.source, offset, byte),
        valid, 1);
    target.emitStore(builder, ring.loc, value,
                     ThreadEmitter::emitOffset(builder, ring.loc,
                                               copy.destination, offset, byte),
                     copy.predicate, 1);
  }
}

} // namespace

LogicalResult emitPlainRing(const RingContext &ring) {
  if (ring.mechanism != kPlainMechanism &&
      ring.mechanism != kRegisterMechanism) {
    return failure();
  }
  ring.emitter.emitBarrier(ring.builder, ring.loc);
  return success();
}

LogicalResult emitPlainIssue(const RingContext &ring, simt::IssueOp op) {
  if (ring.mechanism != kPlainMechanism) {
    return failure();
  }
  bool ok = true;
  emitIf(ring, op.getPredicate(), [&] {
    Value slot = ring.getSlot(op.getNumber());
    for (unsigned member = 0; member < op.getViews().size(); ++member) {
      auto copies = getThreadCopies(ring, op, member, getIndex(op, member),
                                    ring.getTile(slot, member));
      ok = ok && succeeded(copies);
      if (!ok) {
        return;
      }
      for (const ThreadCopy &copy : *copies) {
        emitPlainCopy(ring, copy);
      }
    }
  });
  return success(ok);
}

/// What the slot held before is no longer read either: its readers come to the
/// same barrier.
LogicalResult emitPlainAwait(const RingContext &ring) {
  ring.emitter.emitBarrier(ring.builder, ring.loc);
  return success();
}

/// With several slots a write comes after the await of a later copy than those
/// that its slot was read from.
LogicalResult emitPlainRelease(const RingContext &ring) {
  if (ring.mechanism == kRegisterMechanism && ring.type.getSlots() == 1) {
    ring.emitter.emitBarrier(ring.builder, ring.loc);
  }
  return success();
}

} // namespace tegula::lower
