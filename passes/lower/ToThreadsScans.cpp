// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans for lower-to-threads, by doubling: blocks of 1, 2, 4, ... elements have
// their running results, and each block then takes its neighbour's total.

#include "passes/lower/AxisCombine.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "lower-to-threads"

using namespace mlir;

namespace tegula::lower {
namespace {

class ScanLowering final : public OpConversionPattern<tile::ScanOp> {
public:
  ScanLowering(const TypeConverter &types, MLIRContext *context,
               ThreadEmitter &emitter)
      : OpConversionPattern(types, context), emitter(emitter) {}

  LogicalResult
  matchAndRewrite(tile::ScanOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    std::optional<tile::CombineKind> kind = op.getKind();
    const auto &layout = getLayout(op.getSources().front().getType());
    SmallVector<Values> operands;
    for (Value source : adaptor.getSources()) {
      Type type = getCombineType(kind, getElementTypeOrSelf(source.getType()));
      operands.push_back(ThreadEmitter::unpack(
          rewriter, loc, convertFloats(rewriter, loc, source, type)));
    }
    unsigned firstBit = 0;
    for (int64_t extent : layout.shape().drop_front(op.getAxis() + 1)) {
      firstBit += llvm::Log2_64(extent);
    }
    Combiner combiner = kind ? Combiner(*kind) : Combiner(op.getCombiner());
    AxisCombine axis(rewriter, loc, emitter, combiner, Columns::of(layout),
                     layout.outBits(), firstBit,
                     llvm::Log2_64(layout.shape()[op.getAxis()]), operands);
    axis.scan(op.getReverse());
    Values results;
    for (auto [index, elements] : llvm::enumerate(axis.getElements())) {
      Type type = op.getResult(index).getType();
      FailureOr<Values> renamed = renameRegisters(
          rewriter, loc, emitter, elements, axis.getElementColumns(),
          Columns::of(getLayout(type)));
      if (failed(renamed)) {
        return op.emitOpError("has a result layout that is not the source's");
      }
      Value packed = ThreadEmitter::pack(rewriter, loc, *renamed,
                                         renamed->front().getType());
      results.push_back(
          convertFloats(rewriter, loc, packed, getElementTypeOrSelf(type)));
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  ThreadEmitter &emitter;
};

} // namespace

void populateScansToThreads(const TypeConverter &types,
                            RewritePatternSet &patterns,
                            ThreadEmitter &emitter) {
  patterns.add<ScanLowering>(types, patterns.getContext(), emitter);
}

} // namespace tegula::lower
