// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda-finish-kernel: what LLVM and ptxas need to know of a kernel and of its
// module. The number of threads is exact, so that ptxas knows how many
// registers each may have; where several programs are to share a processor it
// is told that too.

#include "passes/lower/KernelNumbers.h"
#include "passes/lower/OverlapProducts.h"
#include "passes/lower/TargetInfo.h"
#include "passes/targets/cuda/Arch.h"
#include "passes/targets/cuda/Occupancy.h"
#include "passes/targets/cuda/Passes.h"

#include "mlir/IR/BuiltinOps.h"

#define DEBUG_TYPE "cuda-finish-kernel"

using namespace mlir;

namespace tegula::cuda {
#define GEN_PASS_DEF_FINISHKERNELPASS
#include "passes/targets/cuda/Passes.h.inc"
namespace {

constexpr StringLiteral kTriple = "nvptx64-nvidia-cuda";
/// LLVM 22's.
constexpr StringLiteral kDataLayout =
    "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

struct FinishKernelPass final : impl::FinishKernelPassBase<FinishKernelPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Arch *arch = getArchOf(module);
    if (!arch) {
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
    if (kernel && failed(finish(kernel, *arch))) {
      return signalPassFailure();
    }
    Builder builder(&getContext());
    module->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(),
                    builder.getStringAttr(kTriple));
    module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                    builder.getStringAttr(kDataLayout));
  }

private:
  static LogicalResult finish(LLVM::LLVMFuncOp kernel, const Arch &arch) {
    int64_t warps = lower::getNumber(kernel, lower::kNumWarpsAttr).value_or(0);
    if (warps < 1 || warps > kMaxThreads / kNumLanes) {
      return kernel.emitOpError("has '")
             << lower::kNumWarpsAttr
             << "' = " << kernel->getAttr(lower::kNumWarpsAttr)
             << ", but a block has 1 to " << kMaxThreads / kNumLanes
             << " warps";
    }
    int64_t threads = warps * kNumLanes;
    auto bytes = lower::getNumberOrZero(kernel, lower::kSharedBytesAttr);
    if (failed(bytes)) {
      return failure();
    }
    if (*bytes < 0 || *bytes > arch.sharedBytes) {
      return kernel.emitOpError("needs ")
             << *bytes << " bytes of shared memory, but " << arch.name
             << " has " << arch.sharedBytes << " for a block";
    }
    auto registers = lower::getNumber(kernel, kRegistersAttr);
    if (kernel->hasAttr(kRegistersAttr) && registers.value_or(0) < 1) {
      return kernel.emitOpError("has '")
             << kRegistersAttr << "' = " << kernel->getAttr(kRegistersAttr)
             << ", but a thread has one or more";
    }
    Builder builder(kernel.getContext());
    kernel.setLinkage(LLVM::Linkage::External);
    kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
    kernel->setAttr(
        NVVM::NVVMDialect::getReqntidAttrName(),
        builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads)}));
    if (registers) {
      kernel->removeDiscardableAttr(kRegistersAttr);
      int64_t programs = getMostPrograms(threads, *registers);
      while (programs > 1 && getSharedBytes(arch, programs) < *bytes) {
        --programs;
      }
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(programs));
    }
    kernel->removeDiscardableAttr(lower::kTakesTurnsAttr);
    kernel->setAttr(lower::kNumLanesAttr, builder.getI32IntegerAttr(kNumLanes));
    // Structures are read where the launch put them, not copied to a stack.
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
      if (kernel.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName())) {
        kernel.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                          builder.getUnitAttr());
      }
    }
    return success();
  }
};

} // namespace
} // namespace tegula::cuda
