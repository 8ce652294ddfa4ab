// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-tile-to-linalg: moves of elements and matrix products in terms of linalg
// on tensors. Every move whose index map linalg can express is a generic, so
// that fusion can fold it into what reads it and no copy of the tile is ever
// made.

#include "passes/targets/cpu/Generics.h"
#include "passes/targets/cpu/Passes.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "cpu-tile-to-linalg"

using namespace mlir;

namespace tegula::cpu {
#define GEN_PASS_DEF_TILETOLINALGPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value yieldFirst(OpBuilder &, Location, ValueRange args) { return args[0]; }

struct LowerFull final : OpRewritePattern<tile::FullOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tile::FullOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, createFilled(rewriter, op.getLoc(), op.getType(), op.getValue()));
    return success();
  }
};

struct LowerIota final : OpRewritePattern<tile::IotaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tile::IotaOp op,
                                PatternRewriter &rewriter) const override {
    auto type = tensorType(op.getResult());
    Value result = createParallel(
        rewriter, op.getLoc(), type, {}, {},
        [&](OpBuilder &nested, Location loc, ValueRange) -> Value {
          Value index = linalg::IndexOp::create(nested, loc, 0);
          return arith::IndexCastOp::create(nested, loc, type.getElementType(),
                                            index);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Map from the result's dimensions to `shape`, whose dimensions of extent 1
/// read index 0.
AffineMap getStretchMap(MLIRContext *context, ArrayRef<int64_t> shape,
                        ArrayRef<int64_t> result) {
  SmallVector<AffineExpr> exprs;
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    exprs.push_back(extent == 1 && result[axis] != 1
                        ? getAffineConstantExpr(0, context)
                        : getAffineDimExpr(axis, context));
  }
  return AffineMap::get(result.size(), 0, exprs, context);
}

struct LowerBroadcast final : OpRewritePattern<tile::BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tile::BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    AffineMap map =
        getStretchMap(op.getContext(), op.getSource().getType().getShape(),
                      op.getType().getShape());
    rewriter.replaceOp(op, createParallel(rewriter, op.getLoc(), op.getType(),
                                          op.getSource(), map, yieldFirst));
    return success();
  }
};

struct LowerPermute final : OpRewritePattern<tile::PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tile::PermuteOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<unsigned> perm(op.getPerm().begin(), op.getPerm().end());
    AffineMap map =
        inversePermutation(AffineMap::getPermutationMap(perm, op.getContext()));
    rewriter.replaceOp(op, createParallel(rewriter, op.getLoc(), op.getType(),
                                          op.getSource(), map, yieldFirst));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// If the shapes differ by dimensions of extent 1 only: the map from the
/// result's dimensions to the source's.
std::optional<AffineMap> getUnitDimMap(MLIRContext *context,
                                       ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> to) {
  SmallVector<AffineExpr> exprs;
  size_t result = 0;
  for (int64_t extent : from) {
    if (extent == 1) {
      exprs.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    while (result < to.size() && to[result] == 1) {
      ++result;
    }
    if (result == to.size() || to[result] != extent) {
      return std::nullopt;
    }
    exprs.push_back(getAffineDimExpr(result++, context));
  }
  for (; result < to.size(); ++result) {
    if (to[result] != 1) {
      return std::nullopt;
    }
  }
  return AffineMap::get(to.size(), 0, exprs, context);
}

struct LowerReshape final : OpRewritePattern<tile::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tile::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = op.getSource();
    auto to = dyn_cast<RankedTensorType>(op.getType());
    auto from = dyn_cast<RankedTensorType>(source.getType());
    if (!from) {
      rewriter.replaceOp(op,
                         to ? createFilled(rewriter, loc, to, source) : source);
      return success();
    }
    if (!to) {
      SmallVector<Value> zeros(from.getRank(), createIndex(rewriter, loc, 0));
      rewriter.replaceOpWithNewOp<tensor::ExtractOp>(op, source, zeros);
      return success();
    }
    if (auto map =
            getUnitDimMap(op.getContext(), from.getShape(), to.getShape())) {
      rewriter.replaceOp(
          op, createParallel(rewriter, loc, to, source, *map, yieldFirst));
      return success();
    }
    rewriter.replaceOp(op, reshape(rewriter, loc, source, from, to));
    return success();
  }

  /// Expands or collapses where that is all there is to it, else goes through
  /// one dimension.
  static Value reshape(OpBuilder &builder, Location loc, Value source,
                       RankedTensorType from, RankedTensorType to) {
    auto groups = getReassociationIndicesForReshape(from, to);
    if (groups && from.getRank() > to.getRank()) {
      return tensor::CollapseShapeOp::create(builder, loc, to, source, *groups);
    }
    if (groups) {
      return tensor::ExpandShapeOp::create(builder, loc, to, source, *groups);
    }
    auto flat =
        RankedTensorType::get({from.getNumElements()}, from.getElementType());
    return reshape(builder, loc, reshape(builder, loc, source, from, flat),
                   flat, to);
  }
};

//===----------------------------------------------------------------------===//
// Join, split, concat
//===----------------------------------------------------------------------===//

struct LowerJoin final : OpRewritePattern<tile::JoinOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tile::JoinOp op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = op.getType().getRank();
    AffineMap map =
        rewriter.getMultiDimIdentityMap(rank).getMajorSubMap(rank - 1);
    Value result = createParallel(
        rewriter, op.getLoc(), op.getType(), {op.getLhs(), op.getRhs()},
        {map, map},
        [&](OpBuilder &nested, Location loc, ValueRange args) -> Value {
          Value index = linalg::IndexOp::create(nested, loc, rank - 1);
          Value first =
              arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::eq,
                                    index, createIndex(nested, loc, 0));
          return arith::SelectOp::create(nested, loc, first, args[0], args[1]);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LowerSplit final : OpRewritePattern<tile::SplitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tile::SplitOp op,
                                PatternRewriter &rewriter) const override {
    auto type = tensorType(op.getLhs());
    SmallVector<Value> halves;
    for (int64_t half : {0, 1}) {
      SmallVector<AffineExpr> exprs;
      for (int64_t axis = 0; axis < type.getRank(); ++axis) {
        exprs.push_back(rewriter.getAffineDimExpr(axis));
      }
      exprs.push_back(rewriter.getAffineConstantExpr(half));
      AffineMap map = AffineMap::get(type.getRank(), 0, exprs, op.getContext());
      halves.push_back(createParallel(rewriter, op.getLoc(), type,
                                      op.getSource(), map, yieldFirst));
    }
    rewriter.replaceOp(op, halves);
    return success();
  }
};

struct LowerConcat final : OpRewritePattern<tile::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tile::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    Value result = createEmpty(rewriter, op.getLoc(), type);
    int64_t start = 0;
    for (Value source : op.getSources()) {
      SmallVector<OpFoldResult> offsets(type.getRank(),
                                        rewriter.getIndexAttr(0));
      SmallVector<OpFoldResult> strides(type.getRank(),
                                        rewriter.getIndexAttr(1));
      offsets[op.getAxis()] = rewriter.getIndexAttr(start);
      ArrayRef<int64_t> shape = tensorType(source).getShape();
      result = tensor::InsertSliceOp::create(
          rewriter, op.getLoc(), source, result, offsets,
          getAsIndexOpFoldResult(op.getContext(), shape), strides);
      start += shape[op.getAxis()];
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Take
//===----------------------------------------------------------------------===//

/// Reads element 0 in place of one outside and chooses zero afterwards, so that
/// lanes need no branch.
struct LowerTake final : OpRewritePattern<tile::TakeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tile::TakeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    Value source = op.getSource();
    int64_t extent = tensorType(source).getDimSize(op.getAxis());
    Value zero =
        createConstant(rewriter, op.getLoc(), type.getElementType(), 0);
    Value result = createParallel(
        rewriter, op.getLoc(), type, op.getIndex(),
        rewriter.getMultiDimIdentityMap(type.getRank()),
        [&](OpBuilder &nested, Location loc, ValueRange args) -> Value {
          Type indexType = nested.getIndexType();
          Value position =
              arith::IndexCastOp::create(nested, loc, indexType, args[0]);
          // Unsigned, so that a negative index is out of range too.
          Value inside =
              arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::ult,
                                    position, createIndex(nested, loc, extent));
          Value safe = arith::SelectOp::create(nested, loc, inside, position,
                                               createIndex(nested, loc, 0));
          SmallVector<Value> at;
          for (int64_t axis = 0; axis < type.getRank(); ++axis) {
            at.push_back(
                axis == op.getAxis()
                    ? safe
                    : linalg::IndexOp::create(nested, loc, axis).getResult());
          }
          Value element = tensor::ExtractOp::create(nested, loc, source, at);
          return arith::SelectOp::create(nested, loc, inside, element, zero);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Dot
//===----------------------------------------------------------------------===//

struct LowerDot final : OpRewritePattern<tile::DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tile::DotOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    bool batched = op.getType().getRank() == 3;
    unsigned dims = batched ? 4 : 3;
    AffineExpr m = getAffineDimExpr(dims - 3, context);
    AffineExpr n = getAffineDimExpr(dims - 2, context);
    AffineExpr k = getAffineDimExpr(dims - 1, context);
    auto map = [&](AffineExpr row, AffineExpr column) {
      SmallVector<AffineExpr> exprs = {row, column};
      if (batched) {
        exprs.insert(exprs.begin(), getAffineDimExpr(0, context));
      }
      return AffineMap::get(dims, 0, exprs, context);
    };
    bool aTransposed = false;
    bool bTransposed = false;
    Value a = lookThroughTranspose(op.getA(), aTransposed);
    Value b = lookThroughTranspose(op.getB(), bTransposed);
    SmallVector<AffineMap> maps = {aTransposed ? map(k, m) : map(m, k),
                                   bTransposed ? map(n, k) : map(k, n),
                                   map(m, n)};
    auto contract = [&](Value left, Value right, Value acc,
                        bool isUnsigned) -> Value {
      auto sign = linalg::TypeFnAttr::get(
          context, isUnsigned ? linalg::TypeFn::cast_unsigned
                              : linalg::TypeFn::cast_signed);
      return linalg::ContractOp::create(
                 rewriter, op.getLoc(), TypeRange{op.getType()},
                 ValueRange{left, right}, ValueRange{acc},
                 rewriter.getAffineMapArrayAttr(maps),
                 rewriter.getNamedAttr("cast", sign))
          .getResult(0);
    };
    Value acc = op.getAcc();
    bool mixed = op.getAUnsigned() != op.getBUnsigned();
    if (mixed) {
      // linalg knows one signedness for both sides. Unsigned bits are the
      // signed value of the same bits and, if the top one is set, 256 more: sum
      // the 256s first.
      Value zeros =
          createFilled(rewriter, op.getLoc(), op.getType(),
                       createConstant(rewriter, op.getLoc(),
                                      op.getType().getElementType(), 0));
      Value tops =
          createTopBits(rewriter, op.getLoc(), op.getAUnsigned() ? a : b);
      Value extra = op.getAUnsigned() ? contract(tops, b, zeros, false)
                                      : contract(a, tops, zeros, false);
      acc = addScaled(rewriter, op.getLoc(), acc, extra);
    }
    rewriter.replaceOp(
        op, contract(a, b, acc, op.getAUnsigned() && op.getBUnsigned()));
    return success();
  }

  /// The source of a transposition of the last two dimensions: the contraction
  /// reads it in place.
  static Value lookThroughTranspose(Value value, bool &transposed) {
    auto permute = value.getDefiningOp<tile::PermuteOp>();
    if (!permute) {
      return value;
    }
    ArrayRef<int64_t> perm = permute.getPerm();
    bool swapsLast =
        perm == ArrayRef<int64_t>{1, 0} || perm == ArrayRef<int64_t>{0, 2, 1};
    if (!swapsLast) {
      return value;
    }
    transposed = true;
    return permute.getSource();
  }

  /// 1 where the top bit of an i8 is set, else 0.
  static Value createTopBits(OpBuilder &builder, Location loc, Value value) {
    RankedTensorType type = tensorType(value);
    return createParallel(
        builder, loc, type, value,
        builder.getMultiDimIdentityMap(type.getRank()),
        [](OpBuilder &nested, Location bodyLoc, ValueRange args) -> Value {
          Value seven = arith::ConstantIntOp::create(nested, bodyLoc, 7, 8);
          return arith::ShRUIOp::create(nested, bodyLoc, args[0], seven);
        });
  }

  /// acc + 256 * extra
  static Value addScaled(OpBuilder &builder, Location loc, Value acc,
                         Value extra) {
    RankedTensorType type = tensorType(acc);
    AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
    return createParallel(
        builder, loc, type, {acc, extra}, {identity, identity},
        [](OpBuilder &nested, Location bodyLoc, ValueRange args) -> Value {
          Value eight = arith::ConstantIntOp::create(nested, bodyLoc, 8, 32);
          Value scaled = arith::ShLIOp::create(nested, bodyLoc, args[1], eight);
          return arith::AddIOp::create(nested, bodyLoc, args[0], scaled);
        });
  }
};

/// A branchless choice of whole tiles: linalg's elementwise conversion wants
/// the condition to be a tile too.
struct SplatCondition final : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || isa<RankedTensorType>(op.getCondition().getType())) {
      return rewriter.notifyMatchFailure(op, "condition fits the result");
    }
    Value condition =
        createFilled(rewriter, op.getLoc(), type.clone(rewriter.getI1Type()),
                     op.getCondition());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, condition, op.getTrueValue(), op.getFalseValue());
    return success();
  }
};

/// A constant splat would become a global of the tile's size.
struct LowerSplatConstant final : OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!splat || !type) {
      return rewriter.notifyMatchFailure(op, "not a splat");
    }
    auto scalar = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        cast<TypedAttr>(splat.getSplatValue<Attribute>()));
    rewriter.replaceOp(op, createFilled(rewriter, op.getLoc(), type, scalar));
    return success();
  }
};

struct TileToLinalgPass final : impl::TileToLinalgPassBase<TileToLinalgPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<LowerFull, LowerIota, LowerBroadcast, LowerPermute, LowerReshape,
            LowerJoin, LowerSplit, LowerConcat, LowerTake, LowerDot,
            LowerSplatConstant, SplatCondition>(context);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    if (failed(refuseLayouts(getOperation()))) {
      return signalPassFailure();
    }
    // A dot looks through the permute that feeds it, so dots go first: the
    // driver walks from the top, and an op that was already lowered could not
    // be looked through.
    SmallVector<tile::DotOp> dots;
    getOperation()->walk([&](tile::DotOp op) { dots.push_back(op); });
    PatternRewriter rewriter(&getContext());
    LowerDot lowerDot(&getContext());
    for (tile::DotOp dot : dots) {
      rewriter.setInsertionPoint(dot);
      (void)lowerDot.matchAndRewrite(dot, rewriter);
    }
    if (failed(applyPatternsGreedily(getOperation(), patterns))) {
      return signalPassFailure();
    }
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace tegula::cpu
