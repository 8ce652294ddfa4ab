// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-threads, rings: slots become addresses, reads become accesses to
// shared memory. How copies are started and waited for is the device's.

#include "passes/lower/RingLowering.h"
#include "passes/lower/SharedAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::lower {

using layout::Dim;
using layout::LinearLayout;

namespace {

template <typename Op> class RingPattern : public OpConversionPattern<Op> {
public:
  RingPattern(const TypeConverter &types, MLIRContext *context,
              ThreadEmitter &emitter)
      : OpConversionPattern<Op>(types, context), emitter(emitter) {}

protected:
  RingContext getContext(OpBuilder &builder, Op op, Value ring,
                         Value base) const {
    return {builder,
            op.getLoc(),
            emitter,
            cast<simt::RingType>(ring.getType()),
            ring.getDefiningOp<simt::RingOp>().getMechanism(),
            base};
  }

  /// Erases an operation for which the target's code stands now.
  LogicalResult eraseIf(LogicalResult emitted, Op op, const RingContext &ring,
                        ConversionPatternRewriter &rewriter) const {
    if (failed(emitted)) {
      return refuse(op, ring);
    }
    rewriter.eraseOp(op);
    return success();
  }

  LogicalResult refuse(Op op, const RingContext &ring) const {
    return op.emitOpError()
           << "uses the mechanism '" << ring.mechanism << "', which "
           << emitter.getTarget().getName() << " does not have";
  }

  ThreadEmitter &emitter;
};

struct LowerRing : RingPattern<simt::RingOp> {
  using RingPattern::RingPattern;

  LogicalResult
  matchAndRewrite(simt::RingOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value base = emitter.emitShared(rewriter, op.getLoc(), op.getOffset());
    RingContext ring{rewriter,          op.getLoc(),
                     emitter,           op.getRing().getType(),
                     op.getMechanism(), base};
    if (failed(emitter.getTarget().emitRing(ring))) {
      return refuse(op, ring);
    }
    rewriter.replaceOp(op, base);
    return success();
  }
};

struct LowerIssue : RingPattern<simt::IssueOp> {
  using RingPattern::RingPattern;

  LogicalResult
  matchAndRewrite(simt::IssueOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RingContext ring =
        getContext(rewriter, op, op.getRing(), adaptor.getRing());
    return eraseIf(emitter.getTarget().emitIssue(ring, op), op, ring, rewriter);
  }
};

struct LowerAwait : RingPattern<simt::AwaitOp> {
  using RingPattern::RingPattern;

  LogicalResult
  matchAndRewrite(simt::AwaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RingContext ring =
        getContext(rewriter, op, op.getRing(), adaptor.getRing());
    return eraseIf(emitter.getTarget().emitAwait(ring, op.getNumber()), op,
                   ring, rewriter);
  }
};

struct LowerRelease : RingPattern<simt::ReleaseOp> {
  using RingPattern::RingPattern;

  LogicalResult
  matchAndRewrite(simt::ReleaseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RingContext ring =
        getContext(rewriter, op, op.getRing(), adaptor.getRing());
    return eraseIf(emitter.getTarget().emitRelease(ring, op.getNumber()), op,
                   ring, rewriter);
  }
};

struct LowerSlot : RingPattern<simt::SlotOp> {
  using RingPattern::RingPattern;

  LogicalResult
  matchAndRewrite(simt::SlotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RingContext ring =
        getContext(rewriter, op, op.getRing(), adaptor.getRing());
    rewriter.replaceOp(
        op, ring.getTile(ring.getSlot(op.getNumber()), op.getMember()));
    return success();
  }
};

struct LowerRead : RingPattern<simt::ReadOp> {
  using RingPattern::RingPattern;

  LogicalResult
  matchAndRewrite(simt::ReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    const LinearLayout &threads = getLayout(type);
    const LinearLayout &buffer = getLayout(op.getBuffer().getType().getTile());
    LinearLayout places = *threads.invertAndCompose(buffer);
    if (FailureOr<Value> read = emitter.getTarget().emitRead(
            rewriter, loc, emitter, adaptor.getBuffer(), places,
            type.getElementType());
        succeeded(read)) {
      rewriter.replaceOp(op, *read);
      return success();
    }
    rewriter.replaceOp(op, read(rewriter, loc, adaptor.getBuffer(), places,
                                type.getElementType()));
    return success();
  }

private:
  /// Accesses as wide as consecutive registers are consecutive in the buffer.
  Value read(OpBuilder &builder, Location loc, Value pointer,
             const LinearLayout &places, Type elementType) const {
    constexpr unsigned kOffset = static_cast<unsigned>(Dim::Offset);
    int64_t bytes = getElementBytes(elementType);
    int64_t vector = std::min(
        places.contiguousRegisters(kOffset),
        std::max<int64_t>(1, emitter.getTarget().getMaxAccessBytes() / bytes));
    int64_t bits = ThreadEmitter::getThreadBits(places, kOffset);
    // A thread's vectors are aligned only if no lane's part cuts them.
    while (vector > 1 && (bits & (vector - 1))) {
      vector /= 2;
    }
    Value base = emitter.getBaseCoordinates(builder, loc, places)[kOffset];
    Values elements;
    for (int64_t reg = 0; reg < places.inSize(Dim::Register); reg += vector) {
      Value offset = ThreadEmitter::emitWithOffset(
          builder, loc, base, places.apply(reg)[kOffset], bits);
      llvm::append_range(elements, loadShared(builder, loc, elementType, vector,
                                              pointer, offset));
    }
    return ThreadEmitter::pack(builder, loc, elements, elementType);
  }
};

/// Views of a buffer: nothing moves.
template <typename Op> struct LowerView : RingPattern<Op> {
  using RingPattern<Op>::RingPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getBuffer());
    return success();
  }
};

struct LowerMma : RingPattern<simt::MmaOp> {
  using RingPattern::RingPattern;

  LogicalResult
  matchAndRewrite(simt::MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<Value> result =
        emitter.getTarget().emitMma(rewriter, emitter, op, adaptor.getA(),
                                    adaptor.getB(), adaptor.getAcc());
    if (failed(result)) {
      return op.emitOpError()
             << "has no counterpart on " << emitter.getTarget().getName();
    }
    rewriter.replaceOp(op, *result);
    return success();
  }
};

struct LowerMmaWait : RingPattern<simt::MmaWaitOp> {
  using RingPattern::RingPattern;

  LogicalResult
  matchAndRewrite(simt::MmaWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<Value> result = emitter.getTarget().emitMmaWait(
        rewriter, op.getLoc(), op.getPending(), adaptor.getAcc(),
        getLeft(rewriter, op));
    if (failed(result)) {
      return op.emitOpError()
             << "has no counterpart on " << emitter.getTarget().getName();
    }
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  /// The registers that the product reads; null if it reads none.
  static Value getLeft(ConversionPatternRewriter &rewriter,
                       simt::MmaWaitOp op) {
    auto product = op.getAcc().getDefiningOp<simt::MmaOp>();
    if (!product || isa<simt::BufferType>(product.getA().getType())) {
      return nullptr;
    }
    return rewriter.getRemappedValue(product.getA());
  }
};

} // namespace

void populateRingsToThreads(TypeConverter &types, RewritePatternSet &patterns,
                            ThreadEmitter &emitter) {
  auto pointer = [](Type type) -> std::optional<Type> {
    return LLVM::LLVMPointerType::get(type.getContext(), kSharedSpace);
  };
  types.addConversion([pointer](simt::RingType type) { return pointer(type); });
  types.addConversion(
      [pointer](simt::BufferType type) { return pointer(type); });
  patterns.add<LowerRing, LowerIssue, LowerAwait, LowerRelease, LowerSlot,
               LowerRead, LowerView<simt::PermuteOp>,
               LowerView<simt::ReshapeOp>, LowerMma, LowerMmaWait>(
      types, patterns.getContext(), emitter);
}

} // namespace tegula::lower
