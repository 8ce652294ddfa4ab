// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rocm-finish-kernel: what a loader needs to know of a kernel is written into
// the code object by LLVM, from attributes that this pass puts on the function.

#include "passes/lower/InlineAssembly.h"
#include "passes/lower/KernelNumbers.h"
#include "passes/lower/TargetInfo.h"
#include "passes/targets/rocm/Chip.h"
#include "passes/targets/rocm/Passes.h"

#define DEBUG_TYPE "rocm-finish-kernel"

using namespace mlir;

namespace tegula::rocm {
#define GEN_PASS_DEF_FINISHKERNELPASS
#include "passes/targets/rocm/Passes.h.inc"
namespace {

constexpr StringLiteral kTriple = "amdgcn-amd-amdhsa";
/// LLVM 22's, which is the same for all of AMDGPU.
constexpr StringLiteral kDataLayout =
    "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:"
    "160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-"
    "v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-"
    "n32:64-S32-A5-G1-ni:7:8:9";
constexpr StringLiteral kSharedName = "tegula_shared";
constexpr int32_t kCodeObjectVersion = 500;
/// For the launcher: bytes of each parameter, which its own size aligns.
constexpr StringLiteral kArgumentBytesAttr = "tegula.argument_bytes";

/// LLVM's scheduler that looks for few registers first.
constexpr StringLiteral kFewRegisters = "iterative-minreg";

/// Inputs that LLVM provides for unless it is told that nothing reads them:
/// each costs scalar registers and space among the arguments.
constexpr StringLiteral kUnused[] = {
    "amdgpu-no-dispatch-ptr",     "amdgpu-no-queue-ptr",
    "amdgpu-no-dispatch-id",      "amdgpu-no-implicitarg-ptr",
    "amdgpu-no-workgroup-id-y",   "amdgpu-no-workgroup-id-z",
    "amdgpu-no-workitem-id-y",    "amdgpu-no-workitem-id-z",
    "amdgpu-no-lds-kernel-id",    "amdgpu-no-hostcall-ptr",
    "amdgpu-no-heap-ptr",         "amdgpu-no-multigrid-sync-arg",
    "amdgpu-no-default-queue",    "amdgpu-no-completion-action",
    "amdgpu-no-flat-scratch-init"};

bool isWmma(Operation *op) {
  return op->getName().getStringRef().starts_with("rocdl.wmma");
}

/// Whether an operation in another block uses what `product` gives or what is
/// computed from that beside it.
bool isUsedElsewhere(Operation *product) {
  SetVector<Operation *> computed;
  computed.insert(product);
  for (unsigned i = 0; i < computed.size(); ++i) {
    for (Operation *user : computed[i]->getUsers()) {
      if (user->getBlock() != product->getBlock()) {
        return true;
      }
      if (isPure(user) && !isWmma(user)) {
        computed.insert(user);
      }
    }
  }
  return false;
}

/// WMMA needs all lanes of a wave (RDNA3 ISA, 7.9), but LLVM moves it to where
/// its result is used, which may be a branch that some lanes take. An empty
/// instruction that reads and gives the result stays where it is.
void keepInPlace(LLVM::LLVMFuncOp kernel) {
  SmallVector<Operation *> products;
  kernel.walk([&](Operation *op) {
    if (isWmma(op) && isUsedElsewhere(op)) {
      products.push_back(op);
    }
  });
  for (Operation *product : products) {
    OpBuilder builder(product->getContext());
    builder.setInsertionPointAfter(product);
    Value result = product->getResult(0);
    Value kept = lower::emitOpaque(builder, product->getLoc(), result, "v");
    result.replaceAllUsesExcept(kept, kept.getDefiningOp());
  }
}

struct FinishKernelPass final : impl::FinishKernelPassBase<FinishKernelPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Chip *chip = getChipOf(module);
    if (!chip) {
      return signalPassFailure();
    }
    LLVM::LLVMFuncOp kernel;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (!function->hasAttr(lower::kNumWarpsAttr)) {
        continue;
      }
      if (kernel) {
        function.emitOpError("is a second kernel in the module")
                .attachNote(kernel.getLoc())
            << "this is the first";
        return signalPassFailure();
      }
      kernel = function;
    }
    if (kernel && failed(finish(kernel, *chip))) {
      return signalPassFailure();
    }
    describe(module);
  }

private:
  LogicalResult finish(LLVM::LLVMFuncOp kernel, const Chip &chip) {
    int64_t warps = lower::getNumber(kernel, lower::kNumWarpsAttr).value_or(0);
    if (warps < 1 || warps > 1024 / chip.lanes) {
      return kernel.emitOpError("has '")
             << lower::kNumWarpsAttr
             << "' = " << kernel->getAttr(lower::kNumWarpsAttr)
             << ", but a workgroup has 1 to " << 1024 / chip.lanes
             << " waves of " << chip.lanes << " lanes";
    }
    auto bytes = lower::getNumberOrZero(kernel, lower::kSharedBytesAttr);
    if (failed(bytes)) {
      return failure();
    }
    if (*bytes < 0 || *bytes > chip.ldsBytes) {
      return kernel.emitOpError("needs ")
             << *bytes << " bytes of shared memory, but " << chip.name
             << " has " << chip.ldsBytes;
    }
    keepInPlace(kernel);
    annotate(kernel, chip, static_cast<int32_t>(warps * chip.lanes));
    return sizeShared(kernel, *bytes);
  }

  void annotate(LLVM::LLVMFuncOp kernel, const Chip &chip, int32_t threads) {
    Builder builder(&getContext());
    std::string size = std::to_string(threads);
    kernel.setCConv(LLVM::cconv::CConv::AMDGPU_KERNEL);
    kernel.setLinkage(LLVM::Linkage::External);
    kernel->setAttr("rocdl.kernel", builder.getUnitAttr());
    kernel->setAttr("rocdl.flat_work_group_size",
                    builder.getStringAttr(size + "," + size));
    kernel->setAttr("rocdl.reqd_work_group_size",
                    builder.getDenseI32ArrayAttr({threads, 1, 1}));
    kernel->setAttr("rocdl.uniform_work_group_size", builder.getBoolAttr(true));
    kernel->setAttr(lower::kNumLanesAttr,
                    builder.getI32IntegerAttr(chip.lanes));
    SmallVector<Attribute> bytes;
    for (Type type : kernel.getArgumentTypes()) {
      unsigned bits =
          type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64; // a pointer
      bytes.push_back(builder.getI32IntegerAttr(llvm::divideCeil(bits, 8)));
    }
    kernel->setAttr(kArgumentBytesAttr, builder.getArrayAttr(bytes));
    SmallVector<Attribute> passthrough;
    if (ArrayAttr known = kernel.getPassthroughAttr()) {
      llvm::append_range(passthrough, known);
    }
    for (StringRef name : kUnused) {
      passthrough.push_back(builder.getStringAttr(name));
    }
    // Their matrix instructions take whole operands in every half of a wave: in
    // LLVM's usual order there are more than the registers hold.
    if (kernel
            .walk([](Operation *op) {
              return isWmma(op) ? WalkResult::interrupt()
                                : WalkResult::advance();
            })
            .wasInterrupted()) {
      passthrough.push_back(
          builder.getStrArrayAttr({"amdgpu-sched-strategy", kFewRegisters}));
    }
    kernel.setPassthroughAttr(builder.getArrayAttr(passthrough));
  }

  /// Replaces the declaration of shared memory by a definition of its size.
  LogicalResult sizeShared(LLVM::LLVMFuncOp kernel, int64_t bytes) {
    auto shared =
        SymbolTable(getOperation()).lookup<LLVM::GlobalOp>(kSharedName);
    if (!shared) {
      return success();
    }
    if (bytes == 0) {
      if (!SymbolTable::symbolKnownUseEmpty(shared, getOperation())) {
        return kernel.emitOpError("uses '") << kSharedName << "', but lacks '"
                                            << lower::kSharedBytesAttr << "'";
      }
      shared.erase();
      return success();
    }
    Type byte = IntegerType::get(&getContext(), 8);
    shared.setGlobalTypeAttr(
        TypeAttr::get(LLVM::LLVMArrayType::get(byte, bytes)));
    shared.setLinkage(LLVM::Linkage::Internal);
    // Shared memory cannot be initialized; the definition says so with poison.
    if (shared.getInitializerRegion().empty()) {
      OpBuilder builder(&getContext());
      builder.createBlock(&shared.getInitializerRegion());
      Value none = LLVM::PoisonOp::create(builder, shared.getLoc(),
                                          shared.getGlobalType());
      LLVM::ReturnOp::create(builder, shared.getLoc(), none);
    }
    return success();
  }

  void describe(ModuleOp module) {
    OpBuilder builder(&getContext());
    module->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(),
                    builder.getStringAttr(kTriple));
    module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                    builder.getStringAttr(kDataLayout));
    builder.setInsertionPointToStart(module.getBody());
    Attribute version = LLVM::ModuleFlagAttr::get(
        &getContext(), LLVM::ModFlagBehavior::Error,
        builder.getStringAttr("amdhsa_code_object_version"),
        builder.getI32IntegerAttr(kCodeObjectVersion));
    LLVM::ModuleFlagsOp::create(builder, module.getLoc(),
                                builder.getArrayAttr({version}));
  }
};

} // namespace
} // namespace tegula::rocm
