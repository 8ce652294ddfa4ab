// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combinations of `tile-pad-extents`: before elements meet, padding becomes
// what changes nothing, or, where a combiner region has no such value, takes no
// part.

#include "passes/tile/PadExtents.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tegula::tile::padding {
namespace {

//===----------------------------------------------------------------------===//
// Named kinds
//===----------------------------------------------------------------------===//

FloatAttr getFloatIdentity(CombineKind kind, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  switch (kind) {
  case CombineKind::Mul:
    return FloatAttr::get(type, 1.0);
  case CombineKind::Max:
  case CombineKind::Min: {
    bool isMax = kind == CombineKind::Max;
    return FloatAttr::get(type, APFloat::semanticsHasInf(semantics)
                                    ? APFloat::getInf(semantics, isMax)
                                    : APFloat::getLargest(semantics, isMax));
  }
  default:
    // 0.0 would turn -0.0 into 0.0.
    return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true));
  }
}

/// The value that changes nothing: `combine(identity, x) == x`, bit for bit
/// unless NaN.
TypedAttr getIdentity(CombineKind kind, Type type) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    return getFloatIdentity(kind, floating);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  switch (kind) {
  case CombineKind::Mul:
    return IntegerAttr::get(type, APInt(width, 1));
  case CombineKind::Max:
    return IntegerAttr::get(type, APInt::getSignedMinValue(width));
  case CombineKind::Min:
    return IntegerAttr::get(type, APInt::getSignedMaxValue(width));
  case CombineKind::UMin:
  case CombineKind::And:
    return IntegerAttr::get(type, APInt::getAllOnes(width));
  default:
    return IntegerAttr::get(type, APInt::getZero(width));
  }
}

/// `value`, which carries `source`, with the identity in the padding along
/// `axis`.
Value fillAlong(OpBuilder &builder, Value value, Value source, int64_t axis,
                CombineKind kind) {
  auto type = cast<RankedTensorType>(source.getType());
  return fillPadding(builder, value, padBeside(type.getShape(), axis),
                     getIdentity(kind, type.getElementType()));
}

/// Padding comes last and ties go to the lowest index: where all elements equal
/// the identity, the first one still wins.
struct PadArgReduce final : OpConversionPattern<ArgReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ArgReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CombineKind kind = *symbolizeCombineKind(stringifyArgKind(op.getKind()));
    Value source = fillAlong(rewriter, adaptor.getSource(), op.getSource(),
                             op.getAxis(), kind);
    rewriter.replaceOpWithNewOp<ArgReduceOp>(
        op, padType(op.getType()), op.getKind(), source, op.getAxis());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Combiner regions
//===----------------------------------------------------------------------===//

/// Whether the combiner may run on any values, even where its result is not
/// used.
bool onlyComputes(Region &combiner) {
  return llvm::all_of(combiner.front().without_terminator(),
                      [](Operation &op) { return isPure(&op); });
}

/// Clones the combiner's body; its results.
SmallVector<Value> cloneCombiner(OpBuilder &builder, Block &body,
                                 ValueRange sides) {
  IRMapping mapping;
  mapping.map(body.getArguments(), sides);
  for (Operation &op : body.without_terminator()) {
    builder.clone(op, mapping);
  }
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// VALID: the combiner of (elements, whether they are any) gives what the given
/// one gives for two that are, the one that is for one, and nothing for none.
/// It is associative if the given one is.
void buildValidCombiner(OpBuilder &builder, Location loc, Region &given,
                        Region &region) {
  OpBuilder::InsertionGuard guard(builder);
  Block &body = given.front();
  unsigned width = body.getNumArguments() / 2;
  SmallVector<Type> side =
      llvm::to_vector(TypeRange(body.getArgumentTypes()).take_front(width));
  side.push_back(builder.getI1Type());
  SmallVector<Type> types(side);
  types.append(side);
  Block *block = builder.createBlock(&region, {}, types,
                                     SmallVector<Location>(types.size(), loc));
  ValueRange left = ValueRange(block->getArguments()).take_front(width);
  ValueRange right = ValueRange(block->getArguments()).slice(width + 1, width);
  Value isLeft = block->getArgument(width);
  Value isRight = block->getArguments().back();
  SmallVector<Value> sides(left);
  sides.append(right.begin(), right.end());
  Value isBoth = arith::AndIOp::create(builder, loc, isLeft, isRight);
  auto pickOne = [&](OpBuilder &nested) {
    SmallVector<Value> picked;
    for (auto [first, second] : llvm::zip_equal(left, right)) {
      picked.push_back(
          arith::SelectOp::create(nested, loc, isLeft, first, second));
    }
    return picked;
  };
  SmallVector<Value> results;
  if (onlyComputes(given)) {
    SmallVector<Value> combined = cloneCombiner(builder, body, sides);
    for (auto [both, one] : llvm::zip_equal(combined, pickOne(builder))) {
      results.push_back(
          arith::SelectOp::create(builder, loc, isBoth, both, one));
    }
  } else {
    auto branch = scf::IfOp::create(
        builder, loc, isBoth,
        [&](OpBuilder &nested, Location) {
          scf::YieldOp::create(nested, loc, cloneCombiner(nested, body, sides));
        },
        [&](OpBuilder &nested, Location) {
          scf::YieldOp::create(nested, loc, pickOne(nested));
        });
    results.assign(branch.getResults().begin(), branch.getResults().end());
  }
  results.push_back(arith::OrIOp::create(builder, loc, isLeft, isRight));
  YieldOp::create(builder, loc, results);
}

/// Reductions, and scans from the end, over an extent that is padded.
template <typename OpTy> struct PadCombine final : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto first = cast<RankedTensorType>(op.getSources().front().getType());
    SmallVector<int64_t> used = padBeside(first.getShape(), op.getAxis());
    SmallVector<int64_t> shape = padShape(first.getShape());
    if (ArrayRef<int64_t>(used) == ArrayRef<int64_t>(shape)) {
      return rewriter.notifyMatchFailure(op, "no padding along the axis");
    }
    if constexpr (std::is_same_v<OpTy, ScanOp>) {
      if (!op.getReverse()) {
        return rewriter.notifyMatchFailure(op, "padding comes last");
      }
    }
    SmallVector<Type> results;
    for (Type type : op.getResultTypes()) {
      results.push_back(padType(type));
    }
    SmallVector<Value> sources(adaptor.getSources());
    if (op.getKind()) {
      sources[0] = fillAlong(rewriter, sources[0], op.getSources().front(),
                             op.getAxis(), *op.getKind());
      rewriter.replaceOp(op, create(rewriter, op, results, sources));
      return success();
    }
    sources.push_back(createMask(rewriter, op.getLoc(), used, shape));
    Type valid = rewriter.getI1Type();
    auto tile = dyn_cast<RankedTensorType>(results.front());
    results.push_back(tile ? tile.clone(valid) : valid);
    OpTy combined = create(rewriter, op, results, sources);
    buildValidCombiner(rewriter, op.getLoc(), op.getCombiner(),
                       combined.getCombiner());
    rewriter.replaceOp(op, combined.getResults().drop_back());
    return success();
  }

private:
  static OpTy create(ConversionPatternRewriter &rewriter, OpTy op,
                     TypeRange results, ValueRange sources) {
    if constexpr (std::is_same_v<OpTy, ScanOp>) {
      return ScanOp::create(rewriter, op.getLoc(), results, op.getKindAttr(),
                            sources, op.getAxisAttr(), op.getReverseAttr());
    } else {
      return ReduceOp::create(rewriter, op.getLoc(), results, op.getKindAttr(),
                              sources, op.getAxisAttr());
    }
  }
};

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

/// Only what is summed matters: padding of the other dimensions stays in the
/// padding of the result.
struct PadDot final : OpConversionPattern<DotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    int64_t rank = op.getType().getRank();
    Value a = fill(rewriter, adaptor.getA(), op.getA(), rank - 1);
    Value b = fill(rewriter, adaptor.getB(), op.getB(), rank - 2);
    rewriter.replaceOpWithNewOp<DotOp>(
        op, padType(op.getType()), a, b, adaptor.getAcc(),
        op.getPrecisionAttr(), op.getAUnsignedAttr(), op.getBUnsignedAttr());
    return success();
  }

private:
  /// Zeros on both sides: zero times infinity is none.
  static Value fill(OpBuilder &builder, Value value, Value source,
                    int64_t axis) {
    auto type = cast<RankedTensorType>(source.getType());
    return fillPadding(builder, value, padBeside(type.getShape(), axis),
                       builder.getZeroAttr(type.getElementType()));
  }
};

} // namespace

void populateCombinations(const TypeConverter &converter,
                          RewritePatternSet &patterns) {
  patterns.add<PadArgReduce, PadCombine<ReduceOp>, PadCombine<ScanOp>, PadDot>(
      converter, patterns.getContext(), /*benefit=*/2);
}

} // namespace tegula::tile::padding
