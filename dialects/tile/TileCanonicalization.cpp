// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonicalizations that hold on every target: one form for what can be said in
// several ways, and nothing kept that a constant decides.

#include "dialects/tile/Tile.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tegula::tile {

//===----------------------------------------------------------------------===//
// Moves of elements
//===----------------------------------------------------------------------===//

namespace {

/// op(op(x)) -> op(x) for moves whose composition is one of their own kind.
template <typename OpTy> struct MergeChain final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().template getDefiningOp<OpTy>();
    if (!inner) {
      return rewriter.notifyMatchFailure(op, "source is another operation");
    }
    rewriter.replaceOpWithNewOp<OpTy>(op, op.getType(), inner.getSource());
    return success();
  }
};

/// full(x) moved is full(x) of the new shape, or x.
template <typename OpTy> struct MoveOfFull final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto full = op.getSource().template getDefiningOp<FullOp>();
    if (!full) {
      return rewriter.notifyMatchFailure(op, "source is not tile.full");
    }
    if (!isa<RankedTensorType>(op.getType())) {
      rewriter.replaceOp(op, full.getValue());
    } else {
      rewriter.replaceOpWithNewOp<FullOp>(op, op.getType(), full.getValue());
    }
    return success();
  }
};

/// A scalar reshaped to a tile is spelled tile.full.
struct ReshapeOfScalar final : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<RankedTensorType>(op.getSource().getType()) ||
        !isa<RankedTensorType>(op.getType())) {
      return rewriter.notifyMatchFailure(op, "not from a scalar to a tile");
    }
    rewriter.replaceOpWithNewOp<FullOp>(op, op.getType(), op.getSource());
    return success();
  }
};

struct MergePermutes final : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<PermuteOp>();
    if (!inner) {
      return rewriter.notifyMatchFailure(op, "source is another operation");
    }
    SmallVector<int64_t> perm;
    for (int64_t axis : op.getPerm()) {
      perm.push_back(inner.getPerm()[axis]);
    }
    rewriter.replaceOpWithNewOp<PermuteOp>(op, op.getType(), inner.getSource(),
                                           perm);
    return success();
  }
};

} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                              MLIRContext *context) {
  results.add<MergeChain<BroadcastOp>, MoveOfFull<BroadcastOp>>(context);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                            MLIRContext *context) {
  results.add<MergeChain<ReshapeOp>, MoveOfFull<ReshapeOp>, ReshapeOfScalar>(
      context);
}

void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                            MLIRContext *context) {
  results.add<MergePermutes, MoveOfFull<PermuteOp>>(context);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

namespace {

/// f(full(x)) -> full(f(x)): one scalar instead of a tile.
template <typename OpTy> struct UnaryOfFull final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto full = op.getSource().template getDefiningOp<FullOp>();
    if (!full) {
      return rewriter.notifyMatchFailure(op, "source is not tile.full");
    }
    IRMapping mapping;
    mapping.map(op.getSource(), full.getValue());
    Operation *scalar = rewriter.clone(*op, mapping);
    rewriter.modifyOpInPlace(scalar, [&] {
      scalar->getResult(0).setType(getElementTypeOrSelf(op.getType()));
    });
    rewriter.replaceOpWithNewOp<FullOp>(op, op.getType(), scalar->getResult(0));
    return success();
  }
};

/// Whether every value of `from` is one of `to`.
bool isExact(Type from, Type to) {
  auto fromFloat = dyn_cast<FloatType>(from);
  auto toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat) {
    return APFloat::isRepresentableBy(fromFloat.getFloatSemantics(),
                                      toFloat.getFloatSemantics());
  }
  return from.isInteger() && to.isInteger() &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

/// cast(cast(x)) -> cast(x) where the inner cast loses nothing.
struct MergeCasts final : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<CastOp>();
    if (!inner) {
      return rewriter.notifyMatchFailure(op, "source is another operation");
    }
    Type from = getElementTypeOrSelf(inner.getSource().getType());
    Type middle = getElementTypeOrSelf(inner.getType());
    Type to = getElementTypeOrSelf(op.getType());
    if (!isExact(from, middle)) {
      return rewriter.notifyMatchFailure(op, "the inner cast loses something");
    }
    if (isa<Float8E5M2Type>(from) && from == to) {
      return rewriter.notifyMatchFailure(op, "the casts saturate infinity");
    }
    bool signs =
        from.isInteger() && !from.isInteger(1) && !inner.getFromUnsigned();
    bool readsSign = !to.isInteger() || to.getIntOrFloatBitWidth() >
                                            middle.getIntOrFloatBitWidth();
    if (signs && op.getFromUnsigned() && readsSign) {
      return rewriter.notifyMatchFailure(op, "the casts differ in sign");
    }
    rewriter.replaceOpWithNewOp<CastOp>(op, op.getType(), inner.getSource(),
                                        inner.getFromUnsigned(),
                                        op.getToUnsigned());
    return success();
  }
};

} // namespace

void CastOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                         MLIRContext *context) {
  results.add<MergeCasts, UnaryOfFull<CastOp>>(context);
}

void BitcastOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                            MLIRContext *context) {
  results.add<MergeChain<BitcastOp>, UnaryOfFull<BitcastOp>>(context);
}

void FPClassOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                            MLIRContext *context) {
  results.add<UnaryOfFull<FPClassOp>>(context);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {

/// Zero is what an absent pad value means. -0.0 is another value.
template <typename OpTy> struct DropZeroPad final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Value pad = op.getPad();
    if (!pad || (!matchPattern(pad, m_Zero()) &&
                 !matchPattern(pad, m_PosZeroFloat()))) {
      return rewriter.notifyMatchFailure(op, "no pad value, or not zero");
    }
    rewriter.modifyOpInPlace(op, [&] { op.getPadMutable().clear(); });
    return success();
  }
};

/// A mask that is true everywhere is no mask.
template <typename OpTy> struct DropTrueMask final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMask() || !matchPattern(op.getMask(), m_One())) {
      return rewriter.notifyMatchFailure(op, "no mask, or may be false");
    }
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
};

/// With a mask that is false everywhere only the pad value is left.
template <typename OpTy> struct DropMaskedOut final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMask() || !matchPattern(op.getMask(), m_Zero())) {
      return rewriter.notifyMatchFailure(op, "no mask, or may be true");
    }
    if constexpr (std::is_same_v<OpTy, ScatterOp>) {
      rewriter.eraseOp(op);
    } else {
      Value pad = op.getPad();
      if (!pad) {
        pad = arith::ConstantOp::create(
            rewriter, op.getLoc(),
            rewriter.getZeroAttr(getElementTypeOrSelf(op.getType())));
      }
      if (isa<RankedTensorType>(op.getType())) {
        pad = FullOp::create(rewriter, op.getLoc(), op.getType(), pad);
      }
      rewriter.replaceOp(op, pad);
    }
    return success();
  }
};

template <typename OpTy>
void addElementAccessPatterns(RewritePatternSet &results,
                              MLIRContext *context) {
  results.add<DropTrueMask<OpTy>, DropMaskedOut<OpTy>>(context);
  if constexpr (!std::is_same_v<OpTy, ScatterOp>) {
    results.add<DropZeroPad<OpTy>>(context);
  }
}

} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                         MLIRContext *context) {
  results.add<DropZeroPad<LoadOp>>(context);
}

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                           MLIRContext *context) {
  addElementAccessPatterns<GatherOp>(results, context);
}

void ScatterOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                            MLIRContext *context) {
  addElementAccessPatterns<ScatterOp>(results, context);
}

void AtomicRMWOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                              MLIRContext *context) {
  addElementAccessPatterns<AtomicRMWOp>(results, context);
}

void AtomicCASOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                              MLIRContext *context) {
  addElementAccessPatterns<AtomicCASOp>(results, context);
}

//===----------------------------------------------------------------------===//
// Reductions and messages
//===----------------------------------------------------------------------===//

namespace {

/// With one element along the axis there is nothing to combine.
struct ReduceOfOne final : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (getShape(op.getSources().front().getType())[op.getAxis()] != 1) {
      return rewriter.notifyMatchFailure(op, "several elements to combine");
    }
    if (op.getKind() == CombineKind::Add &&
        isa<FloatType>(getElementTypeOrSelf(op.getSources().front()))) {
      return rewriter.notifyMatchFailure(op, "a sum of -0.0 is 0.0");
    }
    SmallVector<Value> results;
    for (auto [source, type] :
         llvm::zip_equal(op.getSources(), op.getResultTypes())) {
      results.push_back(ReshapeOp::create(rewriter, op.getLoc(), type, source));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                           MLIRContext *context) {
  results.add<ReduceOfOne>(context);
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One())) {
    return rewriter.notifyMatchFailure(op, "condition may be false");
  }
  rewriter.eraseOp(op);
  return success();
}

} // namespace tegula::tile
