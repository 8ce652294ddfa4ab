// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX text of sm_90a's asynchronous instructions. All of them are volatile:
// their order among each other matters, and what they write is not among their
// results.

#include "passes/targets/cuda/Hopper.h"

#include "passes/lower/InlineAssembly.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tegula::cuda {

using lower::emitAssembly;

namespace {

Value getI32(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                  builder.getI32IntegerAttr(value));
}

Value getI64(OpBuilder &builder, Location loc, uint64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  builder.getI64IntegerAttr(value));
}

/// Inline PTX names pointers to shared memory by 32-bit numbers.
Value getAddress(OpBuilder &builder, Location loc, Value pointer) {
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
}

constexpr StringLiteral kMemory = ",~{memory}";

} // namespace

void emitBarrierInit(OpBuilder &builder, Location loc, Value barrier,
                     int64_t arrivals) {
  emitAssembly(
      builder, loc, {},
      {getAddress(builder, loc, barrier), getI32(builder, loc, arrivals)},
      "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}");
}

void emitBarrierInvalidate(OpBuilder &builder, Location loc, Value barrier) {
  emitAssembly(builder, loc, {}, {getAddress(builder, loc, barrier)},
               "mbarrier.inval.shared::cta.b64 [$0];", "r,~{memory}");
}

void emitBarrierInitFence(OpBuilder &builder, Location loc) {
  emitAssembly(
      builder, loc, {}, {},
      "fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;",
      "~{memory}");
}

void emitBarrierExpect(OpBuilder &builder, Location loc, Value barrier,
                       int64_t bytes) {
  emitAssembly(builder, loc, {},
               {getAddress(builder, loc, barrier), getI32(builder, loc, bytes)},
               "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
               "r,r,~{memory}");
}

void emitBarrierArrive(OpBuilder &builder, Location loc, Value barrier) {
  emitAssembly(builder, loc, {}, {getAddress(builder, loc, barrier)},
               "mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}");
}

void emitBarrierWait(OpBuilder &builder, Location loc, Value barrier,
                     Value parity) {
  emitAssembly(builder, loc, {}, {getAddress(builder, loc, barrier), parity},
               "{\n"
               ".reg .pred done;\n"
               "wait_${:uid}:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
               "@!done bra.uni wait_${:uid};\n"
               "}",
               "r,r,~{memory}");
}

void emitTensorCopy(OpBuilder &builder, Location loc, Value destination,
                    Value tensorMap, ValueRange coordinates, Value barrier) {
  SmallVector<Value> operands = {getAddress(builder, loc, destination),
                                 tensorMap};
  llvm::append_range(operands, coordinates);
  operands.push_back(getAddress(builder, loc, barrier));
  std::string list, constraints = "r,l";
  for (size_t i = 0; i < coordinates.size(); ++i) {
    list += (i ? ", $" : "$") + std::to_string(2 + i);
    constraints += ",r";
  }
  std::string text =
      "cp.async.bulk.tensor." + std::to_string(coordinates.size()) +
      "d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {" +
      list + "}], [$" + std::to_string(2 + coordinates.size()) + "];";
  emitAssembly(builder, loc, {}, operands, text,
               constraints + ",r" + kMemory.str());
}

uint64_t getConstantFields(const MatrixDescriptor &fields) {
  return uint64_t(fields.leadingBytes >> 4) << 16 |
         uint64_t(fields.strideBytes >> 4) << 32 |
         uint64_t(fields.swizzle) << 62;
}

Value emitDescriptor(OpBuilder &builder, Location loc, Value pointer,
                     const MatrixDescriptor &fields) {
  // The address takes 14 bits, in units of 16 bytes.
  Value address = getAddress(builder, loc, pointer);
  Value units =
      LLVM::LShrOp::create(builder, loc, address, getI32(builder, loc, 4));
  Value masked =
      LLVM::AndOp::create(builder, loc, units, getI32(builder, loc, 0x3fff));
  Value wide = LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), masked);
  return LLVM::OrOp::create(builder, loc, wide,
                            getI64(builder, loc, getConstantFields(fields)));
}

void emitWarpgroupFence(OpBuilder &builder, Location loc) {
  emitAssembly(builder, loc, {}, {}, "wgmma.fence.sync.aligned;", "~{memory}");
}

void emitWarpgroupCommit(OpBuilder &builder, Location loc) {
  emitAssembly(builder, loc, {}, {}, "wgmma.commit_group.sync.aligned;",
               "~{memory}");
}

void emitScheduleBoundary(OpBuilder &builder, Location loc) {
  // A branch that is never taken, for grids have one dimension: it ends the
  // block that instructions are ordered in.
  emitAssembly(builder, loc, {}, {},
               "{\n"
               ".reg .pred never;\n"
               ".reg .b32 height;\n"
               "mov.u32 height, %nctaid.y;\n"
               "setp.gt.u32 never, height, 1;\n"
               "@never trap;\n"
               "}",
               "~{memory}");
}

namespace {

/// Passes `values` through an instruction that updates them in place: results
/// are tied to operands.
class InPlace {
public:
  InPlace(OpBuilder &builder, Location loc, ValueRange values)
      : builder(builder), loc(loc), values(values) {
    StringRef letter = values[0].getType().isF32() ? "f" : "r";
    for (size_t i = 0; i < values.size(); ++i) {
      outputs.push_back(("=" + letter).str());
      inputs.push_back(std::to_string(i));
    }
  }

  /// "$first, $(first + 1), ..." for `count` operands.
  static std::string list(size_t first, size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      text += (i ? ", $" : "$") + std::to_string(first + i);
    }
    return text;
  }

  SmallVector<Value> emit(StringRef text, ValueRange more,
                          ArrayRef<std::string> constraints) {
    SmallVector<std::string> all = outputs;
    llvm::append_range(all, inputs);
    llvm::append_range(all, constraints);
    all.push_back("~{memory}");
    SmallVector<Value> operands(values);
    llvm::append_range(operands, more);
    SmallVector<Type> types(ValueRange(values).getTypes());
    Type type =
        types.size() == 1
            ? types[0]
            : LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
    auto op =
        emitAssembly(builder, loc, type, operands, text, llvm::join(all, ","));
    if (types.size() == 1) {
      return {op.getResult(0)};
    }
    SmallVector<Value> results;
    for (size_t i = 0; i < types.size(); ++i) {
      results.push_back(
          LLVM::ExtractValueOp::create(builder, loc, op.getResult(0), i));
    }
    return results;
  }

private:
  OpBuilder &builder;
  Location loc;
  SmallVector<Value> values;
  SmallVector<std::string> outputs, inputs;
};

} // namespace

SmallVector<Value> emitWarpgroupMma(OpBuilder &builder, Location loc,
                                    const WarpgroupMma &shape, ValueRange a,
                                    Value b, ValueRange acc) {
  // Operand numbers in the text: results, then the tied operands, then the
  // rest.
  size_t first = 2 * acc.size();
  bool inRegisters = a.size() > 1;
  std::string text = "wgmma.mma_async.sync.aligned.m64n" +
                     std::to_string(shape.n) + "k" + std::to_string(shape.k) +
                     "." + shape.accType.str() + "." + shape.aType.str() + "." +
                     shape.bType.str() + " {" + InPlace::list(0, acc.size()) +
                     "}, ";
  text += inRegisters ? "{" + InPlace::list(first, a.size()) + "}"
                      : InPlace::list(first, 1);
  text += ", " + InPlace::list(first + a.size(), 1);
  bool isInteger = shape.accType == "s32";
  bool isHalf = shape.aType == "bf16" || shape.aType == "f16";
  text += shape.accumulates ? ", 1" : ", 0";
  text += isInteger ? "" : ", 1, 1";
  if (isHalf) {
    text += inRegisters ? "" : (shape.aTransposed ? ", 1" : ", 0");
    text += shape.bTransposed ? ", 1" : ", 0";
  }
  text += ";";
  SmallVector<Value> more(a);
  more.push_back(b);
  SmallVector<std::string> constraints(a.size(), inRegisters ? "r" : "l");
  constraints.push_back("l");
  return InPlace(builder, loc, acc).emit(text, more, constraints);
}

SmallVector<Value> emitWarpgroupWait(OpBuilder &builder, Location loc,
                                     int64_t pending, ValueRange values,
                                     ValueRange kept) {
  std::string text =
      "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";";
  SmallVector<std::string> constraints(kept.size(), "r");
  return InPlace(builder, loc, values).emit(text, kept, constraints);
}

} // namespace tegula::cuda
