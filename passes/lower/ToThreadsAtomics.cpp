// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-threads, atomics. One thread does each; where order can be seen,
// those that name one place take turns in row-major order, a barrier after each
// turn.

#include "passes/lower/AtomicElement.h"
#include "passes/lower/ElementAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tegula::lower {
namespace {

/// Whether the order of atomics on one place changes what is left there. That
/// of a float sum does too, but only in its rounding, which other programs
/// change as well.
bool isOrdered(tile::AtomicRMWOp op) {
  return op.getKind() == tile::AtomicKind::Xchg;
}
bool isOrdered(tile::AtomicCASOp) { return true; }

/// Emits the atomic on the element at a pointer and gives what was there.
using AtomicFn = llvm::function_ref<Value(OpBuilder &, Value pointer,
                                          ArrayRef<Value> operands)>;

class AtomicAccess {
public:
  AtomicAccess(const ElementAccess &access, AtomicFn atomic, Value pad)
      : access(access), loc(access.loc), atomic(atomic), pad(pad) {}

  /// All at once. `operands`: for each operand of the atomic, its registers.
  SmallVector<Value> emitUnordered(OpBuilder &builder,
                                   ArrayRef<SmallVector<Value>> operands) {
    SmallVector<Value> results(access.getNumRegisters());
    for (int64_t reg : access.getFirstRegisters()) {
      results[reg] =
          emitIf(builder, access.emitOwned(builder, reg), reg, operands, pad);
    }
    return results;
  }

  /// Those with no rival before them first, then those with one, and so on.
  SmallVector<Value> emitOrdered(OpBuilder &builder,
                                 ArrayRef<SmallVector<Value>> operands) {
    SmallVector<Value> turns = access.emitRivals(builder, /*later=*/false);
    Value last = emitLastTurn(builder, turns);
    Value zero = ThreadEmitter::getI32(builder, loc, 0);
    Value one = ThreadEmitter::getI32(builder, loc, 1);
    Value count = arith::AddIOp::create(builder, loc, last, one);
    SmallVector<Value> inits(access.getFirstRegisters().size(), pad);
    auto loop = scf::ForOp::create(
        builder, loc, zero, count, one, inits,
        [&](OpBuilder &nested, Location, Value turn, ValueRange carried) {
          SmallVector<Value> next;
          for (auto [reg, before] :
               llvm::zip(access.getFirstRegisters(), carried)) {
            Value now = arith::CmpIOp::create(
                nested, loc, arith::CmpIPredicate::eq, turns[reg], turn);
            now = arith::AndIOp::create(nested, loc, now,
                                        access.emitOwned(nested, reg));
            next.push_back(emitIf(nested, now, reg, operands, before));
          }
          access.emitter.emitBarrier(nested, loc);
          scf::YieldOp::create(nested, loc, next);
        });
    SmallVector<Value> results(access.getNumRegisters());
    for (auto [reg, result] :
         llvm::zip(access.getFirstRegisters(), loop.getResults())) {
      results[reg] = result;
    }
    return results;
  }

private:
  Value emitIf(OpBuilder &builder, Value condition, int64_t reg,
               ArrayRef<SmallVector<Value>> operands, Value otherwise) {
    auto branch = scf::IfOp::create(builder, loc, access.elementType, condition,
                                    /*withElseRegion=*/true);
    OpBuilder inner = branch.getThenBodyBuilder(builder.getListener());
    SmallVector<Value> elements;
    for (const SmallVector<Value> &operand : operands) {
      elements.push_back(operand[reg]);
    }
    Value old = atomic(inner, access.emitPointer(inner, reg), elements);
    scf::YieldOp::create(inner, loc, old);
    OpBuilder other = branch.getElseBodyBuilder(builder.getListener());
    scf::YieldOp::create(other, loc, otherwise);
    return branch.getResult(0);
  }

  /// The largest number of rivals that an active element has, in all threads.
  Value emitLastTurn(OpBuilder &builder, ArrayRef<Value> turns) {
    ThreadEmitter &emitter = access.emitter;
    Value zero = ThreadEmitter::getI32(builder, loc, 0);
    Value most = zero;
    for (int64_t reg : access.getFirstRegisters()) {
      Value turn = arith::SelectOp::create(builder, loc, access.getActive(reg),
                                           turns[reg], zero);
      most = arith::MaxUIOp::create(builder, loc, most, turn);
    }
    Value scratch = emitter.emitScratch(builder, loc, 4);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, emitter.getThread(), zero);
    emitter.getTarget().emitStore(builder, loc, zero, scratch, isFirst, 4);
    emitter.emitBarrier(builder, loc);
    LLVM::AtomicRMWOp::create(builder, loc, LLVM::AtomicBinOp::umax, scratch,
                              most, LLVM::AtomicOrdering::monotonic,
                              emitter.getTarget().getDeviceScope());
    emitter.emitBarrier(builder, loc);
    return LLVM::LoadOp::create(builder, loc, builder.getI32Type(), scratch, 4);
  }

  const ElementAccess &access;
  Location loc;
  AtomicFn atomic;
  Value pad;
};

template <typename OpTy>
class AtomicPattern : public OpConversionPattern<OpTy> {
public:
  AtomicPattern(const TypeConverter &types, MLIRContext *context,
                ThreadEmitter &emitter)
      : OpConversionPattern<OpTy>(types, context), emitter(emitter) {}

protected:
  template <typename Adaptor>
  LogicalResult lower(OpTy op, Adaptor adaptor, ValueRange operands,
                      AtomicFn atomic,
                      ConversionPatternRewriter &rewriter) const {
    FailureOr<ArrayParts> array = getArrayParts(op, adaptor.getView());
    if (failed(array)) {
      return failure();
    }
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType());
    ElementAccess access(rewriter, loc, emitter, *array, element,
                         op.getIndex().front().getType(), adaptor.getIndex(),
                         adaptor.getMask());
    Value pad = adaptor.getPad();
    if (!pad) {
      pad = arith::ConstantOp::create(rewriter, loc, element,
                                      rewriter.getZeroAttr(element));
    }
    SmallVector<SmallVector<Value>> elements;
    for (Value operand : operands) {
      elements.push_back(ThreadEmitter::unpack(rewriter, loc, operand));
    }
    bool isUsed = !op->use_empty();
    bool takesTurns = !op->hasAttr(kDistinctAttr) && (isUsed || isOrdered(op));
    AtomicAccess atomics(access, atomic, pad);
    SmallVector<Value> results =
        takesTurns ? atomics.emitOrdered(rewriter, elements)
                   : atomics.emitUnordered(rewriter, elements);
    results = isUsed ? access.emitShare(rewriter, results)
                     : access.emitRepeat(results);
    rewriter.replaceOp(
        op, isa<RankedTensorType>(op.getType())
                ? ThreadEmitter::pack(rewriter, loc, results, element)
                : results.front());
    return success();
  }

  ThreadEmitter &emitter;
};

struct AtomicRMWToThreads final : AtomicPattern<tile::AtomicRMWOp> {
  using AtomicPattern::AtomicPattern;
  LogicalResult
  matchAndRewrite(tile::AtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AtomicElement element(emitter.getTarget(), op.getLoc(),
                          getElementTypeOrSelf(op.getType()));
    return lower(
        op, adaptor, {adaptor.getValue()},
        [&](OpBuilder &builder, Value pointer, ArrayRef<Value> operands) {
          return element.emitRMW(builder, op.getKind(), pointer, operands[0]);
        },
        rewriter);
  }
};

struct AtomicCASToThreads final : AtomicPattern<tile::AtomicCASOp> {
  using AtomicPattern::AtomicPattern;
  LogicalResult
  matchAndRewrite(tile::AtomicCASOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AtomicElement element(emitter.getTarget(), op.getLoc(),
                          getElementTypeOrSelf(op.getType()));
    return lower(
        op, adaptor, {adaptor.getCompare(), adaptor.getValue()},
        [&](OpBuilder &builder, Value pointer, ArrayRef<Value> operands) {
          return element.emitCAS(builder, pointer, operands[0], operands[1]);
        },
        rewriter);
  }
};

} // namespace

void populateAtomicsToThreads(const TypeConverter &types,
                              RewritePatternSet &patterns,
                              ThreadEmitter &emitter) {
  patterns.add<AtomicCASToThreads, AtomicRMWToThreads>(
      types, patterns.getContext(), emitter);
}

} // namespace tegula::lower
