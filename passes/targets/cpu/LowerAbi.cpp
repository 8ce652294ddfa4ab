// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-lower-abi: turns a kernel into a function of one program, whose arguments
// are plain pointers and numbers, and an entry that walks a range of the grid.
// It comes first so that everything after it works on ordinary memrefs, and so
// that pointers carry `noalias` as function arguments, the one place where LLVM
// trusts it.

#include "passes/analysis/MemoryOrder.h"
#include "passes/targets/cpu/Abi.h"
#include "passes/targets/cpu/Passes.h"

#define DEBUG_TYPE "cpu-lower-abi"

using namespace mlir;

namespace tegula::cpu {
#define GEN_PASS_DEF_LOWERABIPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

using tile::ViewType;

MemRefType getMemRefType(ViewType view) {
  SmallVector<int64_t> sizes(view.getRank(), ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(view.getContext(), 0, view.getStrides());
  return MemRefType::get(sizes, getMemoryElementType(view.getElementType()),
                         layout);
}

/// Types of the arguments that one kernel argument becomes.
SmallVector<Type> getExpandedTypes(Type type) {
  MLIRContext *context = type.getContext();
  auto view = dyn_cast<ViewType>(type);
  if (!view) {
    return {type};
  }
  SmallVector<Type> types = {LLVM::LLVMPointerType::get(context)};
  types.append(2 * view.getRank(), IntegerType::get(context, 64));
  return types;
}

/// Builds the memref of a view from its pointer, sizes and strides.
Value createMemRef(OpBuilder &builder, Location loc, ViewType view,
                   ValueRange parts) {
  MemRefType type = getMemRefType(view);
  Value base = createBaseMemRef(builder, loc, parts[0], type.getElementType());
  SmallVector<OpFoldResult> sizes, strides;
  for (int64_t d = 0; d < view.getRank(); ++d) {
    Value size = parts[1 + d];
    sizes.push_back(
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), size)
            .getResult());
    int64_t stride = view.getStrides()[d];
    if (ShapedType::isDynamic(stride)) {
      strides.push_back(
          arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                     parts[1 + view.getRank() + d])
              .getResult());
    } else {
      strides.push_back(builder.getIndexAttr(stride));
    }
  }
  return memref::ReinterpretCastOp::create(
      builder, loc, type, base, builder.getIndexAttr(0), sizes, strides);
}

/// Reads one scalar argument from its slot.
Value loadScalar(OpBuilder &builder, Location loc, Type type, Value slot) {
  if (type.isInteger(1)) {
    Value byte = LLVM::LoadOp::create(builder, loc, builder.getI8Type(), slot);
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 8);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, byte,
                                 zero);
  }
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8) {
    Value byte = LLVM::LoadOp::create(builder, loc, builder.getI8Type(), slot);
    return arith::BitcastOp::create(builder, loc, type, byte);
  }
  return LLVM::LoadOp::create(builder, loc, type, slot);
}

class KernelLowering {
public:
  explicit KernelLowering(func::FuncOp kernel)
      : kernel(kernel), builder(kernel), loc(kernel.getLoc()), overlaps(kernel),
        isShared(analysis::MemoryOrder(kernel).isObserved()) {}

  void run() {
    createProgram();
    moveBody();
    createEntry();
    kernel.erase();
  }

private:
  void createProgram() {
    SmallVector<Type> types;
    for (Type type : kernel.getArgumentTypes()) {
      types.append(getExpandedTypes(type));
    }
    types.append(6, builder.getI64Type());
    types.push_back(LLVM::LLVMPointerType::get(builder.getContext()));
    program = func::FuncOp::create(builder, loc,
                                   (kernel.getName() + kProgramSuffix).str(),
                                   builder.getFunctionType(types, {}));
    program.setPrivate();
    program->setAttr(kProgramAttr, builder.getUnitAttr());
    program.addEntryBlock();
  }

  void moveBody() {
    Block &source = kernel.getBody().front();
    Block &target = program.getBody().front();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&target);
    for (BlockArgument arg : source.getArguments()) {
      collectUsers(arg, users.emplace_back());
    }
    unsigned next = 0;
    for (auto [number, arg] : llvm::enumerate(source.getArguments())) {
      unsigned count = getExpandedTypes(arg.getType()).size();
      ValueRange parts = target.getArguments().slice(next, count);
      if (auto view = dyn_cast<ViewType>(arg.getType())) {
        arg.replaceAllUsesWith(createView(view, number, next, parts));
      } else {
        arg.replaceAllUsesWith(parts.front());
      }
      next += count;
    }
    target.getOperations().splice(target.end(), source.getOperations());
    replaceGridOps();
    if (kernel->hasAttr(tile::kFastMathAttr)) {
      allowContraction();
    }
  }

  /// Accesses to an array or a part of it; other views than parts are expanded.
  static void collectUsers(Value view, SmallVector<Operation *> &found) {
    for (Operation *user : view.getUsers()) {
      if (auto part = dyn_cast<tile::SubviewOp>(user)) {
        collectUsers(part.getResult(), found);
      } else if (analysis::getAccessed(user)) {
        found.push_back(user);
      }
    }
  }

  /// fast_math: a multiplication and an addition may become one fma, and sums
  /// may be reordered.
  void allowContraction() {
    auto flags = arith::FastMathFlagsAttr::get(
        builder.getContext(),
        arith::FastMathFlags::contract | arith::FastMathFlags::reassoc);
    program.walk([&](arith::ArithFastMathInterface op) {
      op->setAttr(op.getFastMathAttrName(), flags);
    });
  }

  Value createView(ViewType view, int64_t number, unsigned position,
                   ValueRange parts) {
    SmallVector<int64_t> same = overlaps.getOthers(number);
    bool isAlone = same.empty();
    same.push_back(number);
    Value memref = createMemRef(builder, loc, view, parts);
    auto cast = UnrealizedConversionCastOp::create(builder, loc, view, memref);
    markAccesses(cast, same);
    // Other programs access what atomics guard: by no pointer of this one.
    if (isAlone && !(isShared && cast->hasAttr(kWrittenAttr))) {
      program.setArgAttr(position, "llvm.noalias", builder.getUnitAttr());
    }
    if (view.getAlign() > 1) {
      program.setArgAttr(position, "llvm.align",
                         builder.getI64IntegerAttr(view.getAlign()));
    }
    return cast.getResult(0);
  }

  /// Records how arrays that are or overlap one are used, while every access
  /// can still be seen.
  void markAccesses(Operation *cast, ArrayRef<int64_t> arrays) {
    bool read = false;
    unsigned writers = 0;
    for (int64_t array : arrays) {
      for (Operation *user : users[array]) {
        bool isWrite = analysis::isWrite(user);
        read |= !isWrite || analysis::isAtomic(user);
        writers += isWrite;
      }
    }
    auto mark = [&](StringRef name, bool holds) {
      if (holds) {
        cast->setAttr(name, builder.getUnitAttr());
      }
    };
    mark(kReadAttr, read);
    mark(kWrittenAttr, writers > 0);
    mark(kOneWriterAttr, writers <= 1);
  }

  void replaceGridOps() {
    program.walk([&](Operation *op) {
      if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
        id.replaceAllUsesWith(getProgramId(program, id.getAxis()));
        id.erase();
      } else if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
        count.replaceAllUsesWith(getGridSize(program, count.getAxis()));
        count.erase();
      }
    });
  }

  void createEntry() {
    Type i64 = builder.getI64Type();
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
    auto entry = func::FuncOp::create(
        builder, loc, (kernel.getName() + kEntrySuffix).str(),
        builder.getFunctionType({pointer, i64, i64, i64, i64, i64, pointer},
                                {}));
    entry->setAttr(kEntryAttr, builder.getUnitAttr());
    Block *body = entry.addEntryBlock();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(body);
    SmallVector<Value> operands = loadArguments(body->getArgument(0));
    ValueRange grid = body->getArguments().slice(3, 3);
    Value one = arith::ConstantIntOp::create(builder, loc, 1, 64);
    auto loop = scf::ForOp::create(builder, loc, body->getArgument(1),
                                   body->getArgument(2), one);
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPointToStart(loop.getBody());
    Value linear = loop.getInductionVar();
    Value rest = arith::DivUIOp::create(builder, loc, linear, grid[0]);
    operands.push_back(arith::RemUIOp::create(builder, loc, linear, grid[0]));
    operands.push_back(arith::RemUIOp::create(builder, loc, rest, grid[1]));
    operands.push_back(arith::DivUIOp::create(builder, loc, rest, grid[1]));
    operands.append(grid.begin(), grid.end());
    operands.push_back(body->getArgument(6));
    func::CallOp::create(builder, loc, program, operands);
  }

  SmallVector<Value> loadArguments(Value slots) {
    SmallVector<Value> operands;
    int32_t next = 0;
    for (Type type : kernel.getArgumentTypes()) {
      for (Type part : getExpandedTypes(type)) {
        Value slot = LLVM::GEPOp::create(
            builder, loc, slots.getType(), builder.getI64Type(), slots,
            ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(next++)});
        operands.push_back(loadScalar(builder, loc, part, slot));
      }
    }
    return operands;
  }

  func::FuncOp kernel;
  func::FuncOp program;
  SmallVector<SmallVector<Operation *>> users;
  OpBuilder builder;
  Location loc;
  analysis::Overlaps overlaps;
  bool isShared;
};

struct LowerAbiPass final : impl::LowerAbiPassBase<LowerAbiPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func->hasAttr(tile::kKernelAttr)) {
        kernels.push_back(func);
      }
    }
    for (func::FuncOp kernel : kernels) {
      if (failed(check(kernel))) {
        return signalPassFailure();
      }
      KernelLowering(kernel).run();
    }
  }

  static LogicalResult check(func::FuncOp kernel) {
    if (kernel.isExternal() || !kernel.getBody().hasOneBlock()) {
      return kernel.emitOpError()
             << "a kernel must have a body of one block; use scf for control "
                "flow";
    }
    if (kernel.getNumResults() != 0) {
      return kernel.emitOpError() << "a kernel returns nothing; store results "
                                     "to an array";
    }
    for (Type type : kernel.getArgumentTypes()) {
      if (!isa<ViewType>(type) && !ViewType::isValidElementType(type)) {
        return kernel.emitOpError() << "argument type " << type
                                    << " is neither an array view nor a scalar";
      }
    }
    return success();
  }
};

} // namespace
} // namespace tegula::cpu
