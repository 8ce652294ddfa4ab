// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions for lower-to-threads. Each thread combines what it holds, then
// lanes and warps exchange totals, so that every copy of a result is the same.

#include "passes/lower/AxisCombine.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "lower-to-threads"

using namespace mlir;

namespace tegula::lower {
namespace {

/// A float sum starts from 0.0, so that a sum of -0.0 is 0.0.
void addZero(OpBuilder &builder, Location loc, MutableArrayRef<Value> values) {
  Type type = values.front().getType();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getFloatAttr(type, 0.0));
  for (Value &value : values) {
    value = arith::AddFOp::create(builder, loc, value, zero);
  }
}

class ReduceLowering final : public OpConversionPattern<tile::ReduceOp> {
public:
  ReduceLowering(const TypeConverter &types, MLIRContext *context,
                 ThreadEmitter &emitter)
      : OpConversionPattern(types, context), emitter(emitter) {}

  LogicalResult
  matchAndRewrite(tile::ReduceOp op, OpAdaptor adaptor,
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
    unsigned numBits = llvm::Log2_64(layout.shape()[op.getAxis()]);
    Combiner combiner = kind ? Combiner(*kind) : Combiner(op.getCombiner());
    AxisCombine axis(rewriter, loc, emitter, combiner, Columns::of(layout),
                     layout.outBits(), firstBit, numBits, operands);
    axis.reduce();
    Columns held = axis.getColumns().map([&](uint64_t flat) {
      uint64_t low = flat & ((uint64_t(1) << firstBit) - 1);
      return flat >> (firstBit + numBits) << firstBit | low;
    });
    Values results;
    for (auto [index, totals] : llvm::enumerate(axis.getTotals())) {
      FailureOr<Value> result = finish(rewriter, op, index, held, totals);
      if (failed(result)) {
        return failure();
      }
      results.push_back(*result);
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// Result number `index` from its totals, which `held` says where to find.
  FailureOr<Value> finish(OpBuilder &builder, tile::ReduceOp op, unsigned index,
                          const Columns &held, Values totals) const {
    Location loc = op.getLoc();
    Type type = op.getResult(index).getType();
    Type element = getElementTypeOrSelf(type);
    if (op.getKind() == tile::CombineKind::Add && isa<FloatType>(element)) {
      addZero(builder, loc, totals);
    }
    if (!isa<RankedTensorType>(type)) {
      return convertFloats(builder, loc, totals.front(), element);
    }
    FailureOr<Values> renamed = renameRegisters(
        builder, loc, emitter, totals, held, Columns::of(getLayout(type)));
    if (failed(renamed)) {
      return op.emitOpError("has a result layout that is not the source's "
                            "without axis ")
             << op.getAxis();
    }
    Value packed =
        ThreadEmitter::pack(builder, loc, *renamed, renamed->front().getType());
    return convertFloats(builder, loc, packed, element);
  }

  ThreadEmitter &emitter;
};

} // namespace

void populateReductionsToThreads(const TypeConverter &types,
                                 RewritePatternSet &patterns,
                                 ThreadEmitter &emitter) {
  patterns.add<ReduceLowering>(types, patterns.getContext(), emitter);
  populateScansToThreads(types, patterns, emitter);
}

} // namespace tegula::lower
