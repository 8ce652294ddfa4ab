// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps as attributes, so that the launcher reads them off the compiled kernel.

#include "passes/lower/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tegula::lower {

int64_t TensorMap::getBoxBytes() const {
  int64_t bytes = elementBytes;
  for (int64_t extent : box) {
    bytes *= extent;
  }
  return bytes;
}

static ArrayAttr getMaps(func::FuncOp kernel) {
  auto maps = kernel->getAttrOfType<ArrayAttr>(kTensorMapsAttr);
  return maps ? maps : ArrayAttr::get(kernel.getContext(), {});
}

static DictionaryAttr toAttribute(MLIRContext *context, const TensorMap &map) {
  Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("argument",
                            builder.getI64IntegerAttr(map.argument)),
       builder.getNamedAttr("order", builder.getDenseI64ArrayAttr(map.order)),
       builder.getNamedAttr("box", builder.getDenseI64ArrayAttr(map.box)),
       builder.getNamedAttr("swizzle", builder.getI64IntegerAttr(map.swizzle)),
       builder.getNamedAttr("element_bytes",
                            builder.getI64IntegerAttr(map.elementBytes))});
}

int32_t addTensorMap(func::FuncOp kernel, const TensorMap &map) {
  DictionaryAttr attribute = toAttribute(kernel.getContext(), map);
  SmallVector<Attribute> maps(getMaps(kernel).getValue());
  auto found = llvm::find(maps, attribute);
  int32_t number = found - maps.begin();
  if (found == maps.end()) {
    maps.push_back(attribute);
    kernel->setAttr(kTensorMapsAttr, ArrayAttr::get(kernel.getContext(), maps));
  }
  return number;
}

TensorMap getTensorMap(Operation *op, int32_t number) {
  auto map = cast<DictionaryAttr>(
      getMaps(op->getParentOfType<func::FuncOp>())[number]);
  return {map.getAs<IntegerAttr>("argument").getInt(),
          llvm::to_vector(map.getAs<DenseI64ArrayAttr>("order").asArrayRef()),
          llvm::to_vector(map.getAs<DenseI64ArrayAttr>("box").asArrayRef()),
          map.getAs<IntegerAttr>("swizzle").getInt(),
          map.getAs<IntegerAttr>("element_bytes").getInt()};
}

void addTensorMapArguments(func::FuncOp kernel) {
  Builder builder(kernel.getContext());
  Type structure =
      LLVM::LLVMArrayType::get(builder.getI8Type(), kTensorMapBytes);
  DictionaryAttr attributes = builder.getDictionaryAttr(
      {builder.getNamedAttr("llvm.byval", TypeAttr::get(structure)),
       builder.getNamedAttr("llvm.align",
                            builder.getI64IntegerAttr(kTensorMapAlignment))});
  for (size_t i = 0; i < getMaps(kernel).size(); ++i) {
    (void)kernel.insertArgument(kernel.getNumArguments(),
                                LLVM::LLVMPointerType::get(kernel.getContext()),
                                attributes, kernel.getLoc());
  }
}

Value getTensorMapArgument(Operation *op, int32_t number) {
  auto kernel = op->getParentOfType<func::FuncOp>();
  return kernel.getArgument(kernel.getNumArguments() - getMaps(kernel).size() +
                            number);
}

Value emitBoxCoordinate(OpBuilder &builder, Location loc, Value index,
                        int64_t extent) {
  constexpr int64_t kLimit = int64_t(1) << 30;
  auto constant = [&](int64_t value, unsigned width) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, width);
  };
  // Both bounds at once: negative numbers are large as unsigned ones.
  Value shifted =
      arith::AddIOp::create(builder, loc, index, constant(kLimit / extent, 64));
  Value fits =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, shifted,
                            constant(2 * (kLimit / extent), 64));
  Value narrow =
      arith::TruncIOp::create(builder, loc, builder.getI32Type(), index);
  Value product =
      arith::MulIOp::create(builder, loc, narrow, constant(extent, 32));
  return arith::SelectOp::create(builder, loc, fits, product,
                                 constant(kLimit, 32));
}

} // namespace tegula::lower
