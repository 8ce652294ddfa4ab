// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-threads, rings: slots become addresses, reads become accesses to
// shared memory. How copies are started and waited for is the device's.

#include "passes/lower/RingLowering.h"
#include "passes/lower/SharedAccess.h"

#include "dialects/layout/BitSpan.h"
#include "dialects/simt/SimtWrite.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::lower {

using layout::BitSpan;
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
    auto made = ring.getDefiningOp<simt::RingOp>();
    return {builder,
            op.getLoc(),
            emitter,
            made,
            cast<simt::RingType>(ring.getType()),
            made.getMechanism(),
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
    RingContext ring{
        rewriter,          op.getLoc(), emitter, op, op.getRing().getType(),
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

/// How threads that hold a tile of `type` reach its places in a buffer: by
/// accesses as wide as registers, in any order, are side by side.
struct BufferAccess {
  BufferAccess(const ThreadEmitter &emitter, RankedTensorType type,
               const LinearLayout &buffer)
      : emitter(emitter) {
    BitSpan places(buffer.flatBases(Dim::Offset));
    offsets = Columns::of(getLayout(type)).map([&](uint64_t flat) {
      return *places.solve(flat);
    });
    for (auto [reg, first] :
         llvm::enumerate(ThreadEmitter::getFirstRegisters(getLayout(type)))) {
      if (static_cast<int64_t>(reg) == first) {
        registers.push_back(first);
      }
    }
    BitSpan span(offsets.registers);
    uint64_t threadBits = 0;
    for (uint64_t column : offsets.getThreads()) {
      threadBits |= column;
    }
    int64_t bytes = getElementBytes(type.getElementType());
    int64_t most = emitter.getTarget().getMaxAccessBytes();
    while ((bytes << (vectorBits + 1)) <= most &&
           span.contains(uint64_t(1) << vectorBits) &&
           !(threadBits >> vectorBits & 1)) {
      ++vectorBits;
    }
  }

  SharedAccess get(OpBuilder &builder, Location loc) const {
    return SharedAccess(builder, loc, emitter, offsets, vectorBits);
  }

  const ThreadEmitter &emitter;
  Columns offsets;
  /// Those of which no earlier register is a copy.
  SmallVector<int64_t> registers;
  unsigned vectorBits = 0;
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
    BufferAccess access(emitter, type, buffer);
    Values elements(threads.inSize(Dim::Register));
    access.get(rewriter, loc)
        .load(adaptor.getBuffer(), access.registers, type.getElementType(),
              elements);
    for (auto [reg, first] :
         llvm::enumerate(ThreadEmitter::getFirstRegisters(threads))) {
      elements[reg] = elements[first];
    }
    rewriter.replaceOp(op, ThreadEmitter::pack(rewriter, loc, elements,
                                               type.getElementType()));
    return success();
  }
};

struct LowerReserve : RingPattern<simt::ReserveOp> {
  using RingPattern::RingPattern;

  LogicalResult
  matchAndRewrite(simt::ReserveOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, emitter.emitShared(rewriter, op.getLoc(), op.getOffset()));
    return success();
  }
};

struct LowerRenew : RingPattern<simt::RenewOp> {
  using RingPattern::RingPattern;

  LogicalResult
  matchAndRewrite(simt::RenewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, ThreadEmitter::emitOpaque(rewriter, op.getLoc(),
                                                     adaptor.getTile(), "r"));
    return success();
  }
};

struct LowerWrite : RingPattern<simt::WriteOp> {
  using RingPattern::RingPattern;

  LogicalResult
  matchAndRewrite(simt::WriteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getValue().getType());
    const LinearLayout &buffer = getLayout(op.getBuffer().getType().getTile());
    BufferAccess access(emitter, type, buffer);
    Values elements = ThreadEmitter::unpack(rewriter, loc, adaptor.getValue());
    access.get(rewriter, loc)
        .store(adaptor.getBuffer(), access.registers, elements,
               emitter.getIsFirstCopy(rewriter, loc, getLayout(type)));
    rewriter.eraseOp(op);
    return success();
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
               LowerRead, LowerReserve, LowerRenew, LowerWrite,
               LowerView<simt::PermuteOp>, LowerView<simt::ReshapeOp>, LowerMma,
               LowerMmaWait>(types, patterns.getContext(), emitter);
}

} // namespace tegula::lower
