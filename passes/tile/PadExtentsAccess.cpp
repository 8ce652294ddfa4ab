// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of `tile-pad-extents`: padding touches no memory. Whole tiles say
// what part of them is used, single elements get a mask, prints list the
// extents.

#include "passes/tile/PadExtents.h"

using namespace mlir;

namespace tegula::tile::padding {
namespace {

struct PadLoad final : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LoadOp>(
        op, padType(op.getType()), adaptor.getView(), adaptor.getIndex(),
        adaptor.getPad(), rewriter.getDenseI64ArrayAttr(op.getUsedShape()));
    return success();
  }
};

struct PadStore final : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<StoreOp>(
        op, adaptor.getValue(), adaptor.getView(), adaptor.getIndex(),
        rewriter.getDenseI64ArrayAttr(op.getUsedShape()));
    return success();
  }
};

/// gather, scatter and atomics.
template <typename OpTy> struct MaskPadding final : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ArrayRef<int64_t> used = getShape(op.getIndex().front().getType());
    Value mask = createMask(rewriter, loc, used, padShape(used));
    if (Value given = adaptor.getMask()) {
      mask = arith::AndIOp::create(rewriter, loc, mask, given);
    }
    replace(op, adaptor, mask, rewriter);
    return success();
  }

private:
  static void replace(GatherOp op, GatherOp::Adaptor adaptor, Value mask,
                      ConversionPatternRewriter &rewriter) {
    rewriter.replaceOpWithNewOp<GatherOp>(op, padType(op.getType()),
                                          adaptor.getView(), adaptor.getIndex(),
                                          mask, adaptor.getPad());
  }
  static void replace(ScatterOp op, ScatterOp::Adaptor adaptor, Value mask,
                      ConversionPatternRewriter &rewriter) {
    rewriter.replaceOpWithNewOp<ScatterOp>(
        op, adaptor.getValue(), adaptor.getView(), adaptor.getIndex(), mask);
  }
  static void replace(AtomicRMWOp op, AtomicRMWOp::Adaptor adaptor, Value mask,
                      ConversionPatternRewriter &rewriter) {
    rewriter.replaceOpWithNewOp<AtomicRMWOp>(
        op, padType(op.getType()), adaptor.getKind(), adaptor.getValue(),
        adaptor.getView(), adaptor.getIndex(), mask, adaptor.getPad());
  }
  static void replace(AtomicCASOp op, AtomicCASOp::Adaptor adaptor, Value mask,
                      ConversionPatternRewriter &rewriter) {
    rewriter.replaceOpWithNewOp<AtomicCASOp>(
        op, padType(op.getType()), adaptor.getCompare(), adaptor.getValue(),
        adaptor.getView(), adaptor.getIndex(), mask, adaptor.getPad());
  }
};

struct PadPrint final : OpConversionPattern<PrintOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PrintOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Attribute> extents;
    for (unsigned operand = 0; operand < op.getValues().size(); ++operand) {
      extents.push_back(
          rewriter.getDenseI64ArrayAttr(op.getUsedShape(operand)));
    }
    rewriter.replaceOpWithNewOp<PrintOp>(
        op, op.getFormatAttr(), adaptor.getValues(), op.getUnsignedMaskAttr(),
        rewriter.getArrayAttr(extents));
    return success();
  }
};

} // namespace

void populateAccesses(const TypeConverter &converter,
                      RewritePatternSet &patterns) {
  patterns.add<PadLoad, PadStore, PadPrint, MaskPadding<GatherOp>,
               MaskPadding<ScatterOp>, MaskPadding<AtomicRMWOp>,
               MaskPadding<AtomicCASOp>>(converter, patterns.getContext());
}

} // namespace tegula::tile::padding
