// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders and canonicalizations that hold on every target: identities, compositions of moves, and constants.

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/CommonFolders.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tegula::tile {

OpFoldResult StrideOp::fold(FoldAdaptor) {
  int64_t stride = getView().getType().getStrides()[getAxis()];
  if (ShapedType::isDynamic(stride)) {
    return {};
  }
  return IntegerAttr::get(getType(), stride);
}

OpFoldResult FullOp::fold(FoldAdaptor adaptor) {
  if (Attribute value = adaptor.getValue()) {
    return DenseElementsAttr::get(cast<ShapedType>(getType()), value);
  }
  return {};
}

/// Constant splats keep being splats under any move of elements.
static OpFoldResult foldSplat(Attribute source, Type result) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(source);
  if (!splat) {
    return {};
  }
  if (auto shaped = dyn_cast<ShapedType>(result)) {
    return splat.resizeSplat(shaped);
  }
  return splat.getSplatValue<Attribute>();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  return foldSplat(adaptor.getSource(), getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  return foldSplat(adaptor.getSource(), getType());
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  bool identity = llvm::all_of(llvm::enumerate(getPerm()), [](auto entry) {
    return static_cast<int64_t>(entry.index()) == entry.value();
  });
  if (identity) {
    return getSource();
  }
  return foldSplat(adaptor.getSource(), getType());
}

LogicalResult SplitOp::fold(FoldAdaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSource().getDefiningOp<JoinOp>();
  if (!join) {
    return failure();
  }
  results.assign({join.getLhs(), join.getRhs()});
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getSources().size() == 1 ? getSources().front() : Value();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  auto inner = getSource().getDefiningOp<BitcastOp>();
  return inner && inner.getSource().getType() == getType() ? inner.getSource()
                                                           : Value();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? getSource() : Value();
}

//===----------------------------------------------------------------------===//
// Integer division
//===----------------------------------------------------------------------===//

/// Quotient and remainder with the contract's rules: floor, zero divisor gives zero, overflow wraps.
static std::pair<APInt, APInt> floorDivMod(const APInt &lhs, const APInt &rhs,
                                           bool isUnsigned) {
  unsigned width = lhs.getBitWidth();
  if (rhs.isZero()) {
    return {APInt::getZero(width), APInt::getZero(width)};
  }
  if (isUnsigned) {
    return {lhs.udiv(rhs), lhs.urem(rhs)};
  }
  APInt quotient = lhs.sdiv(rhs);
  APInt remainder = lhs.srem(rhs);
  if (!remainder.isZero() && remainder.isNegative() != rhs.isNegative()) {
    quotient -= 1;
    remainder += rhs;
  }
  return {quotient, remainder};
}

OpFoldResult FloorDivOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(getRhs(), m_One()) &&
      !getElementTypeOrSelf(getType()).isInteger(1)) {
    return getLhs();
  }
  return constFoldBinaryOp<IntegerAttr>(
      adaptor.getOperands(), [&](const APInt &lhs, const APInt &rhs) {
        return floorDivMod(lhs, rhs, getIsUnsigned()).first;
      });
}

OpFoldResult FloorModOp::fold(FoldAdaptor adaptor) {
  return constFoldBinaryOp<IntegerAttr>(
      adaptor.getOperands(), [&](const APInt &lhs, const APInt &rhs) {
        return floorDivMod(lhs, rhs, getIsUnsigned()).second;
      });
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

namespace {

/// op(op(x)) -> op(x) for moves whose composition is one of their own kind.
template <typename OpTy>
struct MergeChain final : OpRewritePattern<OpTy> {
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

/// full(x) moved is full(x) of the new shape.
template <typename OpTy>
struct MoveOfFull final : OpRewritePattern<OpTy> {
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
  results.add<MergeChain<ReshapeOp>, MoveOfFull<ReshapeOp>>(context);
}

void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                            MLIRContext *context) {
  results.add<MergePermutes, MoveOfFull<PermuteOp>>(context);
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One())) {
    return rewriter.notifyMatchFailure(op, "condition may be false");
  }
  rewriter.eraseOp(op);
  return success();
}

} // namespace tegula::tile
