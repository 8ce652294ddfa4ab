// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-threads, gather and scatter. A lane that is masked off or outside
// the array touches no memory; where several elements name one place, all
// threads compare them and the last in row-major order stores.

#include "passes/analysis/IndexFacts.h"
#include "passes/lower/ElementAccess.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::lower {
namespace {

template <typename OpTy>
class ElementPattern : public OpConversionPattern<OpTy> {
public:
  ElementPattern(const TypeConverter &types, MLIRContext *context,
                 ThreadEmitter &emitter)
      : OpConversionPattern<OpTy>(types, context), emitter(emitter) {}

protected:
  ThreadEmitter &emitter;
};

/// Whether the kernel and everything that may overlap the array leave it as it
/// is: threads that read the same place then read the same value.
bool isReadOnly(Value pointer) {
  auto arg = dyn_cast<BlockArgument>(pointer);
  auto func =
      arg ? dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp()) : nullptr;
  return func && func.getArgAttr(arg.getArgNumber(), "llvm.readonly");
}

struct GatherToThreads final : ElementPattern<tile::GatherOp> {
  using ElementPattern::ElementPattern;
  LogicalResult
  matchAndRewrite(tile::GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<ArrayParts> array = getArrayParts(op, adaptor.getView());
    if (failed(array)) {
      return failure();
    }
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType());
    bool isTile = isa<RankedTensorType>(op.getType());
    ElementAccess access(rewriter, loc, emitter, *array, element,
                         op.getIndex().front().getType(), adaptor.getIndex(),
                         adaptor.getMask());
    // A scalar decides control flow, so all threads must see the same one.
    bool once = !isTile && !isReadOnly(array->pointer);
    SmallVector<Value> values(access.getNumRegisters());
    for (int64_t reg : access.getFirstRegisters()) {
      values[reg] = emitOne(rewriter, access, reg, once, adaptor.getPad());
    }
    values =
        once ? access.emitShare(rewriter, values) : access.emitRepeat(values);
    rewriter.replaceOp(
        op, isTile ? ThreadEmitter::pack(rewriter, loc, values, element)
                   : values.front());
    return success();
  }

private:
  Value emitOne(OpBuilder &builder, const ElementAccess &access, int64_t reg,
                bool once, Value pad) const {
    Location loc = access.loc;
    Type memory = getMemoryType(access.elementType);
    Value predicate =
        once ? access.emitOwned(builder, reg) : access.getActive(reg);
    Value loaded = emitter.getTarget().emitLoad(
        builder, loc, memory, access.emitPointer(builder, reg), predicate,
        memory.getIntOrFloatBitWidth() / 8);
    if (pad) {
      loaded = arith::SelectOp::create(builder, loc, access.getActive(reg),
                                       loaded, toMemory(builder, loc, pad));
    }
    return fromMemory(builder, loc, loaded, access.elementType);
  }
};

struct ScatterToThreads final : ElementPattern<tile::ScatterOp> {
  using ElementPattern::ElementPattern;
  LogicalResult
  matchAndRewrite(tile::ScatterOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<ArrayParts> array = getArrayParts(op, adaptor.getView());
    if (failed(array)) {
      return failure();
    }
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getValue().getType());
    ElementAccess access(rewriter, loc, emitter, *array, element,
                         op.getIndex().front().getType(), adaptor.getIndex(),
                         adaptor.getMask());
    SmallVector<Value> rivals(access.getNumRegisters());
    if (!op->hasAttr(kDistinctAttr)) {
      rivals = access.emitRivals(rewriter, /*later=*/true);
    }
    SmallVector<Value> values =
        ThreadEmitter::unpack(rewriter, loc, adaptor.getValue());
    for (int64_t reg : access.getFirstRegisters()) {
      Value predicate = access.emitOwned(rewriter, reg);
      if (rivals[reg]) {
        Value isLast = arith::CmpIOp::create(
            rewriter, loc, arith::CmpIPredicate::eq, rivals[reg],
            ThreadEmitter::getI32(rewriter, loc, 0));
        predicate = arith::AndIOp::create(rewriter, loc, predicate, isLast);
      }
      Value value = toMemory(rewriter, loc, values[reg]);
      emitter.getTarget().emitStore(
          rewriter, loc, value, access.emitPointer(rewriter, reg), predicate,
          value.getType().getIntOrFloatBitWidth() / 8);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void markDistinct(func::FuncOp kernel) {
  kernel.walk([](Operation *op) {
    bool isDistinct =
        llvm::TypeSwitch<Operation *, bool>(op)
            .Case<tile::ScatterOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
                [](auto access) {
                  return analysis::areDistinct(access.getIndex());
                })
            .Default([](Operation *) { return false; });
    if (isDistinct) {
      op->setAttr(kDistinctAttr, UnitAttr::get(op->getContext()));
    }
  });
}

void populateElementsToThreads(const TypeConverter &types,
                               RewritePatternSet &patterns,
                               ThreadEmitter &emitter) {
  patterns.add<GatherToThreads, ScatterToThreads>(types, patterns.getContext(),
                                                  emitter);
}

} // namespace tegula::lower
