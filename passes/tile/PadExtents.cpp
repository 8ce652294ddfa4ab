// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-pad-extents: everything after it sees powers of two only, which is what
// layouts as bit matrices need. What padding there is is masked where it could
// be seen (rule PADDING of the header), so that no answer changes.

#include "passes/tile/PadExtents.h"
#include "passes/analysis/Explanation.h"

#include "passes/tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "tile-pad-extents"

using namespace mlir;

namespace tegula::tile {
#define GEN_PASS_DEF_PADEXTENTSPASS
#include "passes/tile/Passes.h.inc"

//===----------------------------------------------------------------------===//
// Vocabulary
//===----------------------------------------------------------------------===//

namespace padding {

SmallVector<int64_t> padShape(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(shape, [](int64_t extent) -> int64_t {
    return llvm::PowerOf2Ceil(extent);
  });
}

bool needsPadding(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && isTileShape(tile.getShape()) &&
         !llvm::all_of(tile.getShape(), llvm::isPowerOf2_64);
}

Type padType(Type type) {
  if (!needsPadding(type)) {
    return type;
  }
  auto tile = cast<RankedTensorType>(type);
  return tile.clone(padShape(tile.getShape()));
}

SmallVector<int64_t> padBeside(ArrayRef<int64_t> shape, int64_t axis) {
  SmallVector<int64_t> used = padShape(shape);
  used[axis] = shape[axis];
  return used;
}

Value spreadAlong(OpBuilder &builder, Location loc, Value line,
                  ArrayRef<int64_t> shape, int64_t axis) {
  auto type = cast<RankedTensorType>(line.getType());
  if (type.getShape() == shape) {
    return line;
  }
  SmallVector<int64_t> placed(shape.size(), 1);
  placed[axis] = shape[axis];
  Value column = line;
  if (ArrayRef<int64_t>(placed) != type.getShape()) {
    column = ReshapeOp::create(builder, loc, type.clone(placed), line);
  }
  if (ArrayRef<int64_t>(placed) == shape) {
    return column;
  }
  return BroadcastOp::create(builder, loc, type.clone(shape), column);
}

Value createMask(OpBuilder &builder, Location loc, ArrayRef<int64_t> used,
                 ArrayRef<int64_t> shape) {
  Type i32 = builder.getI32Type();
  Value mask;
  for (auto [axis, extents] : llvm::enumerate(llvm::zip_equal(used, shape))) {
    auto [end, extent] = extents;
    if (end == extent) {
      continue;
    }
    auto line = RankedTensorType::get({extent}, i32);
    Value position = IotaOp::create(builder, loc, line);
    auto bound = DenseElementsAttr::get(
        line, builder.getI32IntegerAttr(static_cast<int32_t>(end)));
    Value limit = arith::ConstantOp::create(builder, loc, bound);
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, position, limit);
    inside = spreadAlong(builder, loc, inside, shape, axis);
    mask = mask ? arith::AndIOp::create(builder, loc, mask, inside) : inside;
  }
  return mask;
}

/// Whether a scalar is the constant `filler`, bit for bit.
static bool isConstant(Value scalar, TypedAttr filler) {
  Attribute known;
  return matchPattern(scalar, m_Constant(&known)) && known == filler;
}

/// Whether the elements of `value` at or past `used` are known to be `filler`.
static bool holds(Value value, ArrayRef<int64_t> used, TypedAttr filler) {
  Builder builder(value.getContext());
  bool isZero = filler == builder.getZeroAttr(filler.getType());
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat))) {
    return splat.getSplatValue<Attribute>() == filler;
  }
  if (auto full = value.getDefiningOp<FullOp>()) {
    return isConstant(full.getValue(), filler);
  }
  if (auto load = value.getDefiningOp<LoadOp>()) {
    bool pads = load.getPad() ? isConstant(load.getPad(), filler) : isZero;
    return pads && llvm::all_of(llvm::zip_equal(load.getUsedShape(), used),
                                [](auto extents) {
                                  auto [loaded, end] = extents;
                                  return loaded <= end;
                                });
  }
  if (auto permute = value.getDefiningOp<PermuteOp>()) {
    SmallVector<int64_t> before(used.size());
    for (auto [to, from] : llvm::enumerate(permute.getPerm())) {
      before[from] = used[to];
    }
    return holds(permute.getSource(), before, filler);
  }
  if (auto cast = value.getDefiningOp<CastOp>()) {
    // Zero is zero in every type.
    Type from = getElementTypeOrSelf(cast.getSource().getType());
    return isZero && holds(cast.getSource(), used, builder.getZeroAttr(from));
  }
  return false;
}

Value fillPadding(OpBuilder &builder, Value value, ArrayRef<int64_t> used,
                  TypedAttr filler) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == used || holds(value, used, filler)) {
    return value;
  }
  Location loc = value.getLoc();
  Value mask = createMask(builder, loc, used, type.getShape());
  Value fill = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, Attribute(filler)));
  return arith::SelectOp::create(builder, loc, mask, value, fill);
}

} // namespace padding

using namespace padding;

namespace {

//===----------------------------------------------------------------------===//
// Operations that only change their types
//===----------------------------------------------------------------------===//

/// Whether an element of the result depends only on elements at its own place,
/// or comes before all that could be padding.
bool keepsPlaces(Operation *op) {
  if (auto scan = dyn_cast<ScanOp>(op)) {
    // Padding comes last.
    return !scan.getReverse() ||
           llvm::isPowerOf2_64(
               getShape(scan.getSources().front().getType())[scan.getAxis()]);
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    return llvm::isPowerOf2_64(
        getShape(reduce.getSources().front().getType())[reduce.getAxis()]);
  }
  if (auto reduce = dyn_cast<ArgReduceOp>(op)) {
    return llvm::isPowerOf2_64(
        reduce.getSource().getType().getDimSize(reduce.getAxis()));
  }
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<BitcastOp, BroadcastOp, CastOp, FPClassOp, FloatModOp, FloorDivOp,
             FloorModOp, FullOp, IPowOp, IotaOp, JoinOp, PermuteOp, ShlOp,
             ShrOp, SplitOp, ub::PoisonOp>(op);
}

struct ConvertTypes final : ConversionPattern {
  ConvertTypes(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!keepsPlaces(op) || isa<arith::ConstantOp>(op)) {
      return rewriter.notifyMatchFailure(op, "moves elements, or is unknown");
    }
    SmallVector<Type> results;
    if (failed(
            getTypeConverter()->convertTypes(op->getResultTypes(), results))) {
      return rewriter.notifyMatchFailure(op, "has a type without carrier");
    }
    OperationState state(op->getLoc(), op->getName(), operands, results,
                         op->getAttrs());
    SmallVector<Value> safe(operands);
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op)) {
      // Dividing by zero is undefined even where nobody looks.
      Type element = getElementTypeOrSelf(op->getOperand(1).getType());
      safe[1] =
          fillPadding(rewriter, safe[1], getShape(op->getOperand(1).getType()),
                      rewriter.getIntegerAttr(element, 1));
      state.operands.assign(safe.begin(), safe.end());
    }
    for (Region &region : op->getRegions()) {
      Region *moved = state.addRegion();
      rewriter.inlineRegionBefore(region, *moved, moved->end());
    }
    rewriter.replaceOp(op, rewriter.create(state)->getResults());
    return success();
  }
};

struct PadConstant final : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto values = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!values) {
      return rewriter.notifyMatchFailure(op, "not a dense constant");
    }
    auto type = cast<RankedTensorType>(padType(op.getType()));
    if (values.isSplat()) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op,
                                                     values.resizeSplat(type));
      return success();
    }
    SmallVector<int64_t> strides = computeSuffixProduct(type.getShape());
    SmallVector<int64_t> places =
        computeSuffixProduct(values.getType().getShape());
    SmallVector<Attribute> padded(type.getNumElements(),
                                  rewriter.getZeroAttr(type.getElementType()));
    for (auto [place, value] : llvm::enumerate(values.getValues<Attribute>())) {
      padded[linearize(delinearize(place, places), strides)] = value;
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::get(type, padded));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Says what will be padded; fails, with an error, where that cannot be.
LogicalResult checkType(Location loc, Type type) {
  if (!needsPadding(type)) {
    return success();
  }
  auto tile = cast<RankedTensorType>(type);
  if (tile.getEncoding()) {
    return emitError(loc) << "cannot pad " << tile
                          << ": it has a layout already";
  }
  SmallVector<int64_t> shape = padShape(tile.getShape());
  if (!isTileShape(shape)) {
    return emitError(loc) << "cannot pad " << tile
                          << ": with extents of powers of two it would exceed "
                          << kMaxElements << " elements";
  }
  analysis::chosen(DEBUG_TYPE, "padding", loc)
      << "the tile " << analysis::describeTile(tile) << " is carried as "
      << analysis::describeTile(padType(tile));
  return success();
}

/// The types of all that an operation and the blocks in it define.
SmallVector<Type> getDefinedTypes(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      llvm::append_range(types, block.getArgumentTypes());
    }
  }
  return types;
}

LogicalResult checkTypes(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    for (Type type : getDefinedTypes(op)) {
      if (failed(checkType(op->getLoc(), type))) {
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

struct PadExtentsPass final : impl::PadExtentsPassBase<PadExtentsPass> {
  LogicalResult initialize(MLIRContext *context) override {
    converter = std::make_shared<TypeConverter>();
    converter->addConversion([](Type type) { return padType(type); });
    target = std::make_shared<ConversionTarget>(*context);
    RewritePatternSet set(context);
    set.add<ConvertTypes, PadConstant>(*converter, context);
    populateMoves(*converter, set);
    populateCombinations(*converter, set);
    populateAccesses(*converter, set);
    scf::populateSCFStructuralTypeConversionsAndLegality(*converter, set,
                                                         *target);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(set,
                                                                   *converter);
    populateReturnOpTypeConversionPattern(set, *converter);
    populateCallOpTypeConversionPattern(set, *converter);
    target->markUnknownOpDynamicallyLegal([this](Operation *op) {
      return converter->isLegal(op) &&
             llvm::all_of(op->getRegions(), [this](Region &region) {
               return converter->isLegal(&region);
             });
    });
    target->addDynamicallyLegalOp<func::FuncOp>([this](func::FuncOp op) {
      return converter->isSignatureLegal(op.getFunctionType()) &&
             converter->isLegal(&op.getBody());
    });
    target->addDynamicallyLegalOp<ConcatOp>([this](ConcatOp op) {
      return converter->isLegal(op.getOperation()) && isRegular(op);
    });
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    if (failed(checkTypes(getOperation())) ||
        failed(applyPartialConversion(getOperation(), *target, patterns))) {
      signalPassFailure();
    }
  }

  std::shared_ptr<TypeConverter> converter;
  std::shared_ptr<ConversionTarget> target;
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace tegula::tile
