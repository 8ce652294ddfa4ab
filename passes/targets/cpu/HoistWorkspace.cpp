// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-hoist-workspace: the scratch buffers of a program become arguments that
// the entry provides, once for all the programs it runs. No allocation is left
// where time is spent, and each buffer is a `noalias` argument to LLVM.

#include "passes/targets/cpu/Abi.h"
#include "passes/targets/cpu/Generics.h"
#include "passes/targets/cpu/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "cpu-hoist-workspace"

using namespace mlir;

namespace tegula::cpu {
#define GEN_PASS_DEF_HOISTWORKSPACEPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

/// Buffers up to this many bytes in all lie on the worker's stack; more comes
/// from the runtime's allocator.
constexpr int64_t kStackBytes = 256 * 1024;
constexpr int64_t kAlignment = 64;
/// More than any host has.
constexpr int64_t kMaxBytes = int64_t(1) << 47;

int64_t getByteSize(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  // The data layout knows the sizes of vectors and indices too.
  auto element = static_cast<int64_t>(
      DataLayout::closest(alloc).getTypeSize(type.getElementType()));
  return llvm::alignTo(std::max<int64_t>(1, type.getNumElements()) * element,
                       kAlignment);
}

/// Whether getByteSize, and the sum of a few, is a number of bytes that a host
/// may have.
bool isOfPossibleSize(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  auto bytes = static_cast<int64_t>(
      DataLayout::closest(alloc).getTypeSize(type.getElementType()));
  return llvm::all_of(type.getShape(), [&](int64_t extent) {
    return !llvm::MulOverflow(bytes, std::max<int64_t>(extent, 1), bytes) &&
           bytes <= kMaxBytes;
  });
}

/// Memref of static shape and identity layout over `pointer`.
Value createBuffer(OpBuilder &builder, Location loc, MemRefType type,
                   Value pointer) {
  Value base = createBaseMemRef(builder, loc, pointer, type.getElementType());
  if (type.getRank() == 0) {
    return base;
  }
  auto [strides, offset] = type.getStridesAndOffset();
  return memref::ReinterpretCastOp::create(builder, loc, type, base, offset,
                                           type.getShape(), strides);
}

LLVM::LLVMFuncOp declareRuntime(ModuleOp module, StringRef name, Type result,
                                Type argument) {
  if (auto existing = module.lookupSymbol<LLVM::LLVMFuncOp>(name)) {
    return existing;
  }
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::LLVMFuncOp::create(
      builder, module.getLoc(), name,
      LLVM::LLVMFunctionType::get(result, {argument}));
}

struct HoistWorkspacePass final
    : impl::HoistWorkspacePassBase<HoistWorkspacePass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<func::FuncOp>()) {
      if (program->hasAttr(kProgramAttr) && failed(hoist(program))) {
        return signalPassFailure();
      }
    }
  }

  LogicalResult hoist(func::FuncOp program) {
    SmallVector<memref::AllocOp> allocs;
    WalkResult result = program.walk([&](memref::AllocOp alloc) {
      if (!alloc.getType().hasStaticShape() ||
          !alloc.getType().getLayout().isIdentity()) {
        alloc.emitOpError() << "scratch of type " << alloc.getType()
                            << " cannot be hoisted; it needs a static shape "
                               "and the default layout";
        return WalkResult::interrupt();
      }
      if (!isOfPossibleSize(alloc)) {
        alloc.emitOpError() << "scratch of type " << alloc.getType()
                            << " is larger than any host's memory";
        return WalkResult::interrupt();
      }
      allocs.push_back(alloc);
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      return failure();
    }
    program.walk([](memref::DeallocOp dealloc) { dealloc.erase(); });
    if (allocs.empty()) {
      return success();
    }
    func::CallOp call = findCall(program);
    if (!call) {
      return program.emitOpError() << "has no entry that calls it; run "
                                      "cpu-lower-abi first";
    }
    SmallVector<Value> pointers = createWorkspace(call, allocs);
    passBuffers(program, call, allocs, pointers);
    return success();
  }

  func::CallOp findCall(func::FuncOp program) {
    func::CallOp found;
    getOperation().walk([&](func::CallOp call) {
      if (call.getCallee() == program.getName()) {
        found = call;
      }
    });
    return found;
  }

  SmallVector<Value> createWorkspace(func::CallOp call,
                                     ArrayRef<memref::AllocOp> allocs) {
    auto entry = call->getParentOfType<func::FuncOp>();
    Block &block = entry.getBody().front();
    auto builder = OpBuilder::atBlockBegin(&block);
    Location loc = entry.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    int64_t total = 0;
    for (memref::AllocOp alloc : allocs) {
      total += getByteSize(alloc);
    }
    Value base;
    if (total > kStackBytes) {
      auto allocate = declareRuntime(getOperation(), "tegula_rt_alloc", pointer,
                                     builder.getI64Type());
      auto release = declareRuntime(
          getOperation(), "tegula_rt_free",
          LLVM::LLVMVoidType::get(builder.getContext()), pointer);
      Value size = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                            builder.getI64IntegerAttr(total));
      base = LLVM::CallOp::create(builder, loc, allocate, size).getResult();
      OpBuilder end(block.getTerminator());
      LLVM::CallOp::create(end, loc, release, base);
    }
    SmallVector<Value> pointers;
    int64_t offset = 0;
    for (memref::AllocOp alloc : allocs) {
      int64_t bytes = getByteSize(alloc);
      if (base) {
        // A value, since an index of the operation itself has 32 bits.
        Value position =
            LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                     builder.getI64IntegerAttr(offset));
        pointers.push_back(
            LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(),
                                base, ArrayRef<LLVM::GEPArg>{position}));
      } else {
        Value count =
            LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                     builder.getI64IntegerAttr(bytes));
        pointers.push_back(LLVM::AllocaOp::create(
            builder, loc, pointer, builder.getI8Type(), count, kAlignment));
      }
      offset += bytes;
    }
    return pointers;
  }

  void passBuffers(func::FuncOp program, func::CallOp call,
                   ArrayRef<memref::AllocOp> allocs, ArrayRef<Value> pointers) {
    OpBuilder builder(program);
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    auto attrs = builder.getDictionaryAttr(
        {builder.getNamedAttr("llvm.noalias", builder.getUnitAttr()),
         builder.getNamedAttr("llvm.align",
                              builder.getI64IntegerAttr(kAlignment))});
    builder.setInsertionPointToStart(&program.getBody().front());
    for (memref::AllocOp alloc : allocs) {
      // Buffers go first: the grid position stays at the end, where Abi.h says
      // it is.
      unsigned position = 0;
      (void)program.insertArgument(position, pointer, attrs, alloc.getLoc());
      Value buffer = createBuffer(builder, alloc.getLoc(), alloc.getType(),
                                  program.getArgument(position));
      alloc.replaceAllUsesWith(buffer);
    }
    // Not before: the builder may stand at one of them.
    llvm::for_each(allocs, [](memref::AllocOp alloc) { alloc.erase(); });
    // Each was inserted at the front, so the last is the first argument.
    SmallVector<Value> operands(llvm::reverse(pointers));
    operands.append(call.getOperands().begin(), call.getOperands().end());
    call->setOperands(operands);
  }
};

} // namespace
} // namespace tegula::cpu
