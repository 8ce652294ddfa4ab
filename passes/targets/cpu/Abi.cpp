// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes after cpu-lower-abi find an array through the cast that it leaves.
// A pipeline that runs them without it is a mistake that deserves a located
// error rather than a crash.

#include "passes/targets/cpu/Abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tegula::cpu {

FailureOr<UnrealizedConversionCastOp> getArray(Operation *op, Value view) {
  auto cast = view.getDefiningOp<UnrealizedConversionCastOp>();
  if (!cast || cast.getNumOperands() != 1 ||
      !isa<MemRefType>(cast.getOperand(0).getType())) {
    return op->emitOpError()
           << "the array is not an argument of a kernel; run cpu-lower-abi "
              "first";
  }
  return cast;
}

Value createBaseMemRef(OpBuilder &builder, Location loc, Value pointer,
                       Type element) {
  Type i64 = builder.getI64Type();
  auto structType = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {pointer.getType(), pointer.getType(), i64});
  Value descriptor = LLVM::PoisonOp::create(builder, loc, structType);
  Value zero =
      LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(0));
  SmallVector<Value> parts = {pointer, pointer, zero};
  for (auto [position, part] : llvm::enumerate(parts)) {
    descriptor = LLVM::InsertValueOp::create(builder, loc, descriptor, part,
                                             static_cast<int64_t>(position));
  }
  // The final conversion to LLVM gives memrefs of rank 0 this very struct.
  return UnrealizedConversionCastOp::create(
             builder, loc, MemRefType::get({}, element), descriptor)
      .getResult(0);
}

} // namespace tegula::cpu
