// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda-lower-float8: written out, a conversion to 8 bits costs a dozen integer
// operations; the hardware takes two at a time.

#include "passes/targets/cuda/Arch.h"
#include "passes/targets/cuda/Passes.h"

#define DEBUG_TYPE "cuda-lower-float8"

using namespace mlir;

namespace tegula::cuda {
#define GEN_PASS_DEF_LOWERFLOAT8PASS
#include "passes/targets/cuda/Passes.h.inc"
namespace {

/// How the intrinsics name a format; empty for others.
StringRef getFormat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<Float8E4M3FNType>(element) ? "e4m3x2"
         : isa<Float8E5M2Type>(element) ? "e5m2x2"
                                        : "";
}

/// A scalar, or a vector of one dimension.
bool isFlat(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return !vector || (vector.getRank() == 1 && !vector.isScalable());
}

class Converter {
public:
  Converter(Operation *op) : builder(op), loc(op->getLoc()) {}

  /// f32 to 8 bits.
  Value narrow(Value value, Type result) {
    std::string name = ("llvm.nvvm.ff.to." + getFormat(result) + ".rn").str();
    SmallVector<Value> elements = unpack(value);
    bool isOdd = elements.size() % 2 != 0;
    if (isOdd) {
      elements.push_back(arith::ConstantOp::create(
          builder, loc, builder.getF32FloatAttr(0.0)));
    }
    SmallVector<Value> pairs;
    for (size_t i = 0; i < elements.size(); i += 2) {
      pairs.push_back(
          call(name, builder.getI16Type(), {elements[i + 1], elements[i]}));
    }
    Value bytes = bitcast(pack(pairs), builder.getI8Type(), elements.size());
    return narrowTo(bytes, result, isOdd);
  }

  /// 8 bits to f32.
  Value widen(Value value, Type result) {
    StringRef format = getFormat(value.getType());
    std::string name = ("llvm.nvvm." + format + ".to.f16x2.rn").str();
    auto half = VectorType::get(2, builder.getF16Type());
    SmallVector<Value> bytes = unpack(asBytes(value));
    size_t count = bytes.size();
    if (count % 2 != 0) {
      bytes.push_back(bytes.back());
    }
    Value pairs = bitcast(pack(bytes), builder.getI16Type(), bytes.size() / 2);
    SmallVector<Value> elements;
    for (Value pair : unpack(pairs)) {
      Value halves = call(name, half, {pair});
      Value wide = arith::ExtFOp::create(
          builder, loc, VectorType::get(2, builder.getF32Type()), halves);
      llvm::append_range(elements, unpack(wide));
    }
    elements.resize(count);
    return isa<VectorType>(result) ? pack(elements) : elements.front();
  }

private:
  Value call(StringRef name, Type result, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(builder, loc, result,
                                         builder.getStringAttr(name), operands)
        .getResult(0);
  }

  SmallVector<Value> unpack(Value value) {
    if (!isa<VectorType>(value.getType())) {
      return {value};
    }
    return SmallVector<Value>(
        vector::ToElementsOp::create(builder, loc, value).getResults());
  }

  Value pack(ArrayRef<Value> elements) {
    auto type = VectorType::get(static_cast<int64_t>(elements.size()),
                                elements.front().getType());
    return vector::FromElementsOp::create(builder, loc, type, elements);
  }

  Value bitcast(Value value, Type element, size_t count) {
    return vector::BitCastOp::create(
        builder, loc, VectorType::get(static_cast<int64_t>(count), element),
        value);
  }

  /// 8-bit floats as integers.
  Value asBytes(Value value) {
    Type type = builder.getI8Type();
    if (auto vector = dyn_cast<VectorType>(value.getType())) {
      type = VectorType::get(vector.getShape(), type);
    }
    return arith::BitcastOp::create(builder, loc, type, value);
  }

  Value narrowTo(Value bytes, Type result, bool dropLast) {
    if (dropLast) {
      SmallVector<Value> elements = unpack(bytes);
      elements.pop_back();
      bytes = isa<VectorType>(result) ? pack(elements) : elements.front();
    }
    return arith::BitcastOp::create(builder, loc, result, bytes);
  }

  OpBuilder builder;
  Location loc;
};

struct LowerFloat8Pass final : impl::LowerFloat8PassBase<LowerFloat8Pass> {
  void runOnOperation() override {
    const Arch *arch = getArchOf(getOperation());
    if (!arch) {
      return signalPassFailure();
    }
    if (!arch->convertsFP8()) {
      return;
    }
    getOperation().walk([](Operation *op) {
      if (!isa<arith::ExtFOp, arith::TruncFOp>(op)) {
        return;
      }
      Value operand = op->getOperand(0);
      Type from = operand.getType(), to = op->getResult(0).getType();
      if (!isFlat(from)) {
        return;
      }
      Value result;
      if (getElementTypeOrSelf(from).isF32() && !getFormat(to).empty()) {
        result = Converter(op).narrow(operand, to);
      } else if (getElementTypeOrSelf(to).isF32() && !getFormat(from).empty()) {
        result = Converter(op).widen(operand, to);
      } else {
        return;
      }
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    });
  }
};

} // namespace
} // namespace tegula::cuda
