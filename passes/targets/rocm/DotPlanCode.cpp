// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a planned dot: operands in the types that ROCDL's operations
// want, and the order of the instructions.

#include "passes/targets/rocm/DotPlan.h"

#include "passes/lower/ThreadEmitter.h"
#include "passes/targets/rocm/Rocdl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tegula::rocm {

static Value slice(OpBuilder &builder, Location loc, Value vector,
                   int64_t offset, int64_t size) {
  return vector::ExtractStridedSliceOp::create(builder, loc, vector, offset,
                                               size, 1);
}

int64_t DotPlan::getRowRepeats() const {
  return std::max<int64_t>(1, m >> (kSideBits + warpsM));
}

int64_t DotPlan::getColumnRepeats() const {
  return std::max<int64_t>(1, n >> (kSideBits + warpsN));
}

/// An operand in elements that instructions take: bytes for fp8, or fp16 where
/// there is no instruction for fp8.
Value DotPlan::prepareOperand(OpBuilder &builder, Location loc,
                              Value operand) const {
  auto type = cast<VectorType>(operand.getType());
  if (!isF8(type.getElementType())) {
    return operand;
  }
  if (instruction.element == Element::F16) {
    return arith::ExtFOp::create(builder, loc, type.clone(builder.getF16Type()),
                                 operand);
  }
  return arith::BitcastOp::create(builder, loc, type.clone(builder.getI8Type()),
                                  operand);
}

/// One instruction's operand in the type that its intrinsic wants.
Value DotPlan::packOperand(OpBuilder &builder, Location loc,
                           Value elements) const {
  auto type = cast<VectorType>(elements.getType());
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  switch (instruction.element) {
  case Element::F32:
  case Element::F64:
    return vector::ExtractOp::create(builder, loc, elements, 0);
  case Element::I8:
  case Element::F8: {
    Type packed = VectorType::get(bits / 32, builder.getI32Type());
    if (chip.hasMfma() && bits <= 64) {
      packed = builder.getIntegerType(bits);
    }
    return LLVM::BitcastOp::create(builder, loc, packed, elements);
  }
  case Element::BF16:
    // Older intrinsics take bf16 as integers.
    if (chip.hasMfma() && instruction.since == Matrix::MfmaGfx950) {
      return elements;
    }
    return LLVM::BitcastOp::create(builder, loc,
                                   type.clone(builder.getI16Type()), elements);
  case Element::F16:
    return elements;
  }
  llvm_unreachable("all elements are handled");
}

Value DotPlan::emitInstruction(OpBuilder &builder, Location loc, Value a,
                               Value b, Value acc) const {
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc,
                                    builder.getI32IntegerAttr(value));
  };
  bool isF8Pair = instruction.element == Element::F8;
  bool isMixed = instruction.name.ends_with("f8f6f4");
  auto f8Name = [](Type type) {
    return isa<Float8E5M2Type>(type) ? "bf8" : "fp8";
  };
  std::string name = instruction.name.str();
  if (isF8Pair && !isMixed) {
    name += std::string(".") + f8Name(elementB) + (chip.hasMfma() ? "." : "_") +
            f8Name(elementA);
  }
  SmallVector<Value> operands = {b, a, acc};
  SmallVector<NamedAttribute> attributes;
  auto addFlag = [&](StringRef flag, bool value) {
    attributes.push_back(
        builder.getNamedAttr(flag, builder.getBoolAttr(value)));
  };
  if (isMixed) {
    // Formats of b and a, then selector and value of their scales: none.
    operands.append({constant(isa<Float8E5M2Type>(elementB)),
                     constant(isa<Float8E5M2Type>(elementA)), constant(0),
                     constant(0), constant(0), constant(0)});
  } else if (chip.hasMfma()) {
    // No broadcasts and no permutation.
    operands.append({constant(0), constant(0), constant(0)});
  } else if (instruction.element == Element::I8) {
    addFlag("signA", !bUnsigned);
    addFlag("signB", !aUnsigned);
    addFlag("clamp", false);
  }
  return createRocdl(builder, loc, name, acc.getType(), operands, attributes)
      ->getResult(0);
}

/// The innermost loops go over independent results, so that no instruction
/// waits for the one before it.
Value DotPlan::emit(OpBuilder &builder, Location loc, Value a, Value b,
                    Value acc) const {
  int64_t rows = getRowRepeats(), columns = getColumnRepeats();
  int64_t perLane = kRows * kColumns / chip.lanes;
  int64_t kRegisters = k / (instruction.k / instruction.kPerLane);
  int64_t batches = batch >> warpsBatch;
  // Element by element, so that an operand depends on what it holds alone.
  SmallVector<Value> fromA = lower::ThreadEmitter::unpack(builder, loc, a);
  SmallVector<Value> fromB = lower::ThreadEmitter::unpack(builder, loc, b);
  auto operand = [&](ArrayRef<Value> from, int64_t side, int64_t step) {
    ArrayRef<Value> held =
        from.slice(side * kRegisters + step, instruction.kPerLane);
    Value packed =
        lower::ThreadEmitter::pack(builder, loc, held, held.front().getType());
    return packOperand(builder, loc, prepareOperand(builder, loc, packed));
  };
  Value result = acc;
  for (int64_t matrix = 0; matrix < batches; ++matrix) {
    SmallVector<Value> sums;
    int64_t first = matrix * rows * columns;
    for (int64_t tile = 0; tile < rows * columns; ++tile) {
      sums.push_back(
          slice(builder, loc, acc, (first + tile) * perLane, perLane));
    }
    for (int64_t step = 0; step < kRegisters; step += instruction.kPerLane) {
      SmallVector<Value> right;
      for (int64_t column = 0; column < columns; ++column) {
        right.push_back(operand(fromB, matrix * columns + column, step));
      }
      for (int64_t row = 0; row < rows; ++row) {
        Value left = operand(fromA, matrix * rows + row, step);
        for (int64_t column = 0; column < columns; ++column) {
          Value &sum = sums[row * columns + column];
          sum = emitInstruction(builder, loc, left, right[column], sum);
        }
      }
    }
    for (auto [tile, sum] : llvm::enumerate(sums)) {
      result = vector::InsertStridedSliceOp::create(
          builder, loc, sum, result,
          static_cast<int64_t>(first + tile) * perLane, int64_t(1));
    }
  }
  return result;
}

} // namespace tegula::rocm
