// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-scalarize-vectors: a thread that holds one element of a tile has it in
// a vector of one. Code generators are used to scalars: one of LLVM 22's never
// ends on some vectors of one 16-bit integer, which its combiner turns into
// scalars and back.

#include "passes/lower/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/DialectConversion.h"

#define DEBUG_TYPE "lower-scalarize-vectors"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_SCALARIZEVECTORSPASS
#include "passes/lower/Passes.h.inc"
namespace {

bool isOfOne(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         vector.getNumElements() == 1;
}

/// Whether it is about vectors as such, or has types that its types say nothing
/// of: a callee's, a name's, an assembly's.
bool needsVectors(Operation *op) {
  return isa<LLVM::CallOp, LLVM::InvokeOp, LLVM::CallIntrinsicOp,
             LLVM::InlineAsmOp, LLVM::ReturnOp, LLVM::MaskedLoadOp,
             LLVM::MaskedStoreOp, LLVM::masked_gather, LLVM::masked_scatter,
             LLVM::masked_expandload, LLVM::masked_compressstore>(op) ||
         op->getName().getStringRef().starts_with("llvm.intr.vector.") ||
         op->getNumRegions() != 0;
}

/// The element of a vector of one, and members of a structure likewise (what
/// some intrinsics give).
class ScalarTypes : public TypeConverter {
public:
  ScalarTypes() {
    addConversion([](Type type) { return type; });
    addConversion([](VectorType type) -> std::optional<Type> {
      return isOfOne(type) ? std::optional(type.getElementType())
                           : std::nullopt;
    });
    addConversion([](LLVM::LLVMStructType type) -> std::optional<Type> {
      if (type.isIdentified() || llvm::none_of(type.getBody(), isOfOne)) {
        return std::nullopt;
      }
      SmallVector<Type> members;
      for (Type member : type.getBody()) {
        members.push_back(isOfOne(member)
                              ? cast<VectorType>(member).getElementType()
                              : member);
      }
      return LLVM::LLVMStructType::getLiteral(type.getContext(), members,
                                              type.isPacked());
    });
    addSourceMaterialization([](OpBuilder &builder, VectorType type,
                                ValueRange inputs, Location loc) -> Value {
      Value rest = LLVM::PoisonOp::create(builder, loc, type);
      Value zero = getIndex(builder, loc, 0);
      return LLVM::InsertElementOp::create(builder, loc, rest, inputs[0], zero);
    });
    addTargetMaterialization([](OpBuilder &builder, Type, ValueRange inputs,
                                Location loc) -> Value {
      Value zero = getIndex(builder, loc, 0);
      return isOfOne(inputs[0].getType())
                 ? LLVM::ExtractElementOp::create(builder, loc, inputs[0], zero)
                 : Value();
    });
  }

  static Value getIndex(OpBuilder &builder, Location loc, int64_t index) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), index);
  }
};

/// What works on numbers as on vectors of them: the same operation.
struct ScalarizeOperation : ConversionPattern {
  ScalarizeOperation(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (needsVectors(op)) {
      return rewriter.notifyMatchFailure(op, "is about vectors");
    }
    if (op->getNumResults() == 0) {
      rewriter.modifyOpInPlace(op, [&] { op->setOperands(operands); });
      return success();
    }
    // A copy, which has all of its flags.
    IRMapping mapping;
    mapping.map(op->getOperands(), operands);
    Operation *scalar = rewriter.clone(*op, mapping);
    for (OpResult result : scalar->getResults()) {
      result.setType(getTypeConverter()->convertType(result.getType()));
    }
    rewriter.replaceOp(op, scalar->getResults());
    return success();
  }
};

/// The blocks of a function whose arguments are not its own.
auto getOwnBlocks(LLVM::LLVMFuncOp function) {
  Region &body = function.getBody();
  return llvm::drop_begin(body, body.empty() ? 0 : 1);
}

struct ScalarizeBlocks : OpConversionPattern<LLVM::LLVMFuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LLVM::LLVMFuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const TypeConverter *types = getTypeConverter();
    rewriter.startOpModification(op);
    for (Block &block : llvm::make_early_inc_range(getOwnBlocks(op))) {
      auto signature = types->convertBlockSignature(&block);
      assert(signature && "every type is converted");
      rewriter.applySignatureConversion(&block, *signature, types);
    }
    rewriter.finalizeOpModification(op);
    return success();
  }
};

struct ScalarizeConstant : OpConversionPattern<LLVM::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LLVM::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto values = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!values || !isOfOne(op.getType())) {
      return rewriter.notifyMatchFailure(op, "is no vector of one");
    }
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(
        op, cast<VectorType>(op.getType()).getElementType(),
        cast<TypedAttr>(values.getValues<Attribute>()[0]));
    return success();
  }
};

struct ScalarizeExtract : OpConversionPattern<LLVM::ExtractElementOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LLVM::ExtractElementOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getVector());
    return success();
  }
};

struct ScalarizeInsert : OpConversionPattern<LLVM::InsertElementOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LLVM::InsertElementOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getValue());
    return success();
  }
};

/// The casts of a type to itself that come of it.
struct ScalarizeBitcast : OpConversionPattern<LLVM::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LLVM::BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (adaptor.getArg().getType() == type) {
      rewriter.replaceOp(op, adaptor.getArg());
    } else {
      rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, type, adaptor.getArg());
    }
    return success();
  }
};

struct ScalarizeShuffle : OpConversionPattern<LLVM::ShuffleVectorOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LLVM::ShuffleVectorOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value sides[] = {adaptor.getV1(), adaptor.getV2()};
    auto source = cast<VectorType>(op.getV1().getType());
    int32_t size = static_cast<int32_t>(source.getNumElements());
    auto pick = [&](int32_t from) -> Value {
      Value side = sides[from >= size];
      return isOfOne(source)
                 ? side
                 : LLVM::ExtractElementOp::create(
                       rewriter, loc, side,
                       ScalarTypes::getIndex(rewriter, loc, from % size));
    };
    Type type = getTypeConverter()->convertType(op.getType());
    Value result = LLVM::PoisonOp::create(rewriter, loc, type);
    for (auto [at, from] : llvm::enumerate(op.getMask())) {
      if (from < 0) {
        continue;
      }
      result = isOfOne(op.getType())
                   ? pick(from)
                   : LLVM::InsertElementOp::create(
                         rewriter, loc, result, pick(from),
                         ScalarTypes::getIndex(rewriter, loc, at));
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ScalarizeVectorsPass final
    : impl::ScalarizeVectorsPassBase<ScalarizeVectorsPass> {
  void runOnOperation() override {
    ScalarTypes types;
    auto isIllegal = [&](Operation *op) {
      if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op)) {
        return llvm::any_of(getOwnBlocks(function), [&](Block &block) {
          return !types.isLegal(block.getArgumentTypes());
        });
      }
      return !needsVectors(op) && !types.isLegal(op);
    };
    WalkResult found = getOperation()->walk([&](Operation *op) {
      return isIllegal(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!found.wasInterrupted()) {
      return;
    }
    MLIRContext *context = &getContext();
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return !isIllegal(op); });
    RewritePatternSet patterns(context);
    patterns.add<ScalarizeOperation>(types, context);
    patterns.add<ScalarizeBitcast, ScalarizeBlocks, ScalarizeConstant,
                 ScalarizeExtract, ScalarizeInsert, ScalarizeShuffle>(
        types, context,
        /*benefit=*/2);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace tegula::lower
