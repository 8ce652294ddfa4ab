// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-lower-debug: prints and assertions become calls of the runtime, with the
// text in constants of the module. Tiles are copied to contiguous scratch
// first, so that the runtime sees plain row-major data.

#include "passes/targets/cpu/Abi.h"
#include "passes/targets/cpu/Generics.h"
#include "passes/targets/cpu/Passes.h"

#include "mlir/IR/TypeUtilities.h"

#define DEBUG_TYPE "cpu-lower-debug"

using namespace mlir;

namespace tegula::cpu {
#define GEN_PASS_DEF_LOWERDEBUGPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

/// The runtime's code of an element type; the order is that of the launcher's
/// dtype table.
int64_t getDTypeCode(Type type, bool isUnsigned) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1) {
      return 0;
    }
    int64_t log = llvm::Log2_32(width / 8);
    return log + (isUnsigned ? 5 : 1);
  }
  return llvm::TypeSwitch<Type, int64_t>(type)
      .Case([](Float16Type) { return 9; })
      .Case([](BFloat16Type) { return 10; })
      .Case([](Float32Type) { return 11; })
      .Case([](Float64Type) { return 12; })
      .Case([](Float8E4M3FNType) { return 13; })
      .Default([](Type) { return 14; });
}

/// File, line and column of the innermost frame of a location.
FileLineColLoc findFileLoc(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location inner) {
    if (auto callSite = dyn_cast<CallSiteLoc>(inner)) {
      found = findFileLoc(callSite.getCallee());
      return WalkResult::interrupt();
    }
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      found = file;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

class DebugLowering {
public:
  DebugLowering(Operation *op, func::FuncOp program, unsigned &counter)
      : op(op), program(program), counter(counter), builder(op),
        loc(op->getLoc()) {}

  void lower(tile::PrintOp print) {
    SmallVector<std::string> texts = print.getTexts();
    std::optional<ArrayRef<bool>> mask = print.getUnsignedMask();
    for (auto [position, value] : llvm::enumerate(print.getValues())) {
      printText(texts[position]);
      printValue(takeUsed(value, print.getUsedShape(position)),
                 mask && (*mask)[position]);
    }
    printText(texts.back());
    call("tegula_rt_print_end", {getContext(program)});
    op->erase();
  }

  void lower(tile::AssertOp check) {
    Value one = arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value failed =
        arith::XOrIOp::create(builder, loc, check.getCondition(), one);
    auto branch = scf::IfOp::create(builder, loc, failed,
                                    /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    FileLineColLoc place = findFileLoc(loc);
    SmallVector<Value> arguments = {getContext(program),
                                    createText(check.getMessage())};
    arguments.push_back(
        createText(place ? place.getFilename().getValue() : ""));
    arguments.push_back(createInt(place ? place.getLine() : 0));
    arguments.push_back(createInt(place ? place.getColumn() : 0));
    for (unsigned axis = 0; axis < 3; ++axis) {
      arguments.push_back(getProgramId(program, axis));
    }
    call("tegula_rt_assert_fail", arguments);
    op->erase();
  }

private:
  Value createInt(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  Value createGlobal(StringRef stem, Type type, Attribute value) {
    auto module = program->getParentOfType<ModuleOp>();
    std::string name =
        (program.getName() + "." + stem + Twine(counter++)).str();
    auto top = OpBuilder::atBlockBegin(module.getBody());
    auto global = LLVM::GlobalOp::create(top, loc, type, /*isConstant=*/true,
                                         LLVM::Linkage::Internal, name, value);
    return LLVM::AddressOfOp::create(builder, loc, global);
  }

  Value createText(StringRef text) {
    std::string terminated = text.str();
    terminated.push_back('\0');
    auto type =
        LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size());
    return createGlobal("text", type, builder.getStringAttr(terminated));
  }

  Value createShape(ArrayRef<int64_t> shape) {
    if (shape.empty()) {
      return LLVM::ZeroOp::create(
          builder, loc, LLVM::LLVMPointerType::get(builder.getContext()));
    }
    auto type = LLVM::LLVMArrayType::get(builder.getI64Type(), shape.size());
    return createGlobal("shape", type, builder.getI64TensorAttr(shape));
  }

  void printText(StringRef text) {
    if (!text.empty()) {
      call("tegula_rt_print_text", {getContext(program), createText(text)});
    }
  }

  /// The first elements of a tile, as many as `shape` says.
  Value takeUsed(Value value, ArrayRef<int64_t> shape) {
    if (shape == tile::getShape(value.getType())) {
      return value;
    }
    SmallVector<OpFoldResult> zeros(shape.size(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> ones(shape.size(), builder.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(
        builder, loc, value, zeros,
        getAsIndexOpFoldResult(builder.getContext(), shape), ones);
  }

  void printValue(Value value, bool isUnsigned) {
    Type element = getElementTypeOrSelf(value.getType());
    ArrayRef<int64_t> shape = tile::getShape(value.getType());
    Value buffer = copyToScratch(value, getMemoryElementType(element), shape);
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
    Value bits =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
    Value data = LLVM::IntToPtrOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), bits);
    call("tegula_rt_print_value",
         {getContext(program), data,
          createInt(getDTypeCode(element, isUnsigned)), createInt(shape.size()),
          createShape(shape)});
  }

  Value copyToScratch(Value value, Type element, ArrayRef<int64_t> shape) {
    auto toByte = [&](OpBuilder &nested, Location bodyLoc, Value scalar) {
      return scalar.getType() == element
                 ? scalar
                 : arith::ExtUIOp::create(nested, bodyLoc, element, scalar)
                       .getResult();
    };
    Value scratch =
        memref::AllocOp::create(builder, loc, MemRefType::get(shape, element),
                                builder.getI64IntegerAttr(64));
    if (shape.empty()) {
      memref::StoreOp::create(builder, loc, toByte(builder, loc, value),
                              scratch);
      return scratch;
    }
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
    auto layout = StridedLayoutAttr::get(builder.getContext(),
                                         ShapedType::kDynamic, strides);
    Value source = bufferization::ToBufferOp::create(
        builder, loc, MemRefType::get(shape, type.getElementType(), layout),
        value, /*read_only=*/true);
    createCopy(builder, loc, source, scratch, toByte);
    return scratch;
  }

  void call(StringRef name, ValueRange arguments) {
    auto module = program->getParentOfType<ModuleOp>();
    auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
    if (!callee) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(module.getBody());
      auto type = LLVM::LLVMFunctionType::get(
          LLVM::LLVMVoidType::get(builder.getContext()),
          SmallVector<Type>(arguments.getTypes()));
      callee = LLVM::LLVMFuncOp::create(builder, loc, name, type);
    }
    LLVM::CallOp::create(builder, loc, callee, arguments);
  }

  Operation *op;
  func::FuncOp program;
  unsigned &counter;
  OpBuilder builder;
  Location loc;
};

struct LowerDebugPass final : impl::LowerDebugPassBase<LowerDebugPass> {
  void runOnOperation() override {
    unsigned counter = 0;
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (!isa<tile::PrintOp, tile::AssertOp>(op)) {
        return WalkResult::advance();
      }
      auto program = op->getParentOfType<func::FuncOp>();
      if (!program || !program->hasAttr(kProgramAttr)) {
        op->emitOpError() << "is not in a program; run cpu-lower-abi first";
        return WalkResult::interrupt();
      }
      DebugLowering lowering(op, program, counter);
      if (auto print = dyn_cast<tile::PrintOp>(op)) {
        lowering.lower(print);
      } else {
        lowering.lower(cast<tile::AssertOp>(op));
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace tegula::cpu
