// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-threads, constants and elementwise operations. Operands and result
// share a layout, so a thread applies the operation to its vector of elements.

#include "passes/lower/ThreadEmitter.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tegula::lower {
namespace {

using layout::Dim;
using layout::LinearLayout;

/// Any operation that upstream says maps over elements, with its attributes.
class ElementwiseToThreads final : public ConversionPattern {
public:
  ElementwiseToThreads(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) ||
        isa<tile::TileDialect>(op->getDialect())) {
      return rewriter.notifyMatchFailure(op, "does not map over elements");
    }
    Attribute encoding;
    for (Type type :
         llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                  llvm::to_vector(op->getResultTypes()))) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && encoding && tensor.getEncoding() != encoding) {
        return op->emitOpError() << "has tiles of different layouts";
      }
      encoding = tensor ? tensor.getEncoding() : encoding;
    }
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types))) {
      return rewriter.notifyMatchFailure(op, "a result has no layout");
    }
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         op->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

class ConstantToThreads final : public OpConversionPattern<arith::ConstantOp> {
public:
  ConstantToThreads(const TypeConverter &types, MLIRContext *context,
                    ThreadEmitter &emitter)
      : OpConversionPattern(types, context), emitter(emitter) {}

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto data = dyn_cast<DenseElementsAttr>(op.getValue());
    auto tensor = dyn_cast<RankedTensorType>(op.getType());
    if (!data || !tensor) {
      return rewriter.notifyMatchFailure(op, "is no dense constant tile");
    }
    auto type = cast<VectorType>(getTypeConverter()->convertType(tensor));
    const LinearLayout &layout = getLayout(tensor);
    if (data.isSplat() || isSameInAllThreads(layout)) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, type, getRegisters(data, layout, type));
      return success();
    }
    rewriter.replaceOp(op, emitSelected(rewriter, op.getLoc(), data, layout));
    return success();
  }

private:
  static bool isSameInAllThreads(const LinearLayout &layout) {
    for (unsigned axis = 0; axis < layout.rank(); ++axis) {
      if (ThreadEmitter::getThreadBits(layout, axis) != 0) {
        return false;
      }
    }
    return true;
  }

  static DenseElementsAttr getRegisters(DenseElementsAttr data,
                                        const LinearLayout &layout,
                                        VectorType type) {
    if (data.isSplat()) {
      return data.resizeSplat(type);
    }
    SmallVector<Attribute> all(data.getValues<Attribute>());
    SmallVector<Attribute> elements;
    for (int64_t reg = 0; reg < type.getNumElements(); ++reg) {
      elements.push_back(all[layout.flatten(layout.apply(reg))]);
    }
    return DenseElementsAttr::get(type, elements);
  }

  /// Each thread reads its elements from a constant array.
  Value emitSelected(OpBuilder &builder, Location loc, DenseElementsAttr data,
                     const LinearLayout &layout) const {
    Type element = data.getElementType();
    Type memory = getMemoryType(element);
    Value array = emitter.emitConstantData(builder, loc, "data", data);
    std::optional<LinearLayout> flat = layout.reshape({layout.numElements()});
    SmallVector<Value> elements;
    for (ArrayRef<Value> at : emitter.getCoordinates(builder, loc, *flat)) {
      Value pointer =
          ThreadEmitter::emitOffset(builder, loc, array, at[0], element);
      Value value = LLVM::LoadOp::create(builder, loc, memory, pointer);
      elements.push_back(fromMemory(builder, loc, value, element));
    }
    return ThreadEmitter::pack(builder, loc, elements, element);
  }

  ThreadEmitter &emitter;
};

} // namespace

void populateElementwiseToThreads(const TypeConverter &types,
                                  RewritePatternSet &patterns,
                                  ThreadEmitter &emitter) {
  patterns.add<ElementwiseToThreads>(types, patterns.getContext());
  patterns.add<ConstantToThreads>(types, patterns.getContext(), emitter);
}

} // namespace tegula::lower
