// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA GPUs' pipeline as one straight list, with the reason for each ordering
// constraint beside it. Each phase is also a pipeline of its own name, so that
// it can be run and tested alone.

#include "passes/lower/Passes.h"
#include "passes/targets/cuda/Arch.h"
#include "passes/targets/cuda/Passes.h"
#include "passes/tile/Passes.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tegula::cuda {
namespace {

struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> arch{*this, "arch",
                           llvm::cl::desc("architecture, such as sm_90a"),
                           llvm::cl::init("sm_90a")};
};

/// Tiles to tiles with layouts.
void buildLayoutPhase(OpPassManager &pm, const PipelineOptions &options) {
  // All that follows relies on it.
  pm.addPass(tile::createCheckInputPass());
  // Before everything: what follows knows accesses of whole arrays only.
  pm.addPass(tile::createExpandSubviewsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  lower::SetTargetPassOptions target;
  target.arch = options.arch;
  pm.addPass(lower::createSetTargetPass(target));
  // Before passes that would take as long as the code generator.
  pm.addPass(lower::createLimitCodePass());
  pm.addPass(tile::createExpandArgReducePass());
  // Before layouts, which go by the sizes of elements.
  pm.addPass(tile::createNarrowComparisonsPass());
  // Layouts are of powers of two.
  pm.addPass(tile::createPadExtentsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  OpPassManager &kernels = pm.nest<func::FuncOp>();
  // Before layouts: it decides the number of warps.
  kernels.addPass(createSplitRowsPass());
  kernels.addPass(lower::createAssignLayoutsPass());
  // When the number of warps is known.
  kernels.addPass(createLimitRegistersPass());
  // When it is known whether programs share a processor, and while loads are
  // of tiles.
  kernels.addPass(createPlanPrefetchesPass());
  kernels.addPass(lower::createRemoveConversionsPass());
  // A conversion stands beside its use: out of loops whose every trip would
  // repeat it.
  kernels.addPass(createLoopInvariantCodeMotionPass());
  // When layouts say how many registers a tile takes.
  kernels.addPass(createHoldTilesPass());
  // While loads are still operations, and after conversions that stand between
  // them and dots are gone.
  kernels.addPass(lower::createPipelineLoadsPass());
  kernels.addPass(lower::createUseSharedOperandsPass());
  // When tiles are held as they will be: both copies hold the same.
  kernels.addPass(lower::createVersionBoundsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // When products are known, and reads that they made needless are gone.
  pm.addNestedPass<func::FuncOp>(lower::createOverlapProductsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // After canonicalization, which drops carried values that nobody needs.
  pm.addNestedPass<func::FuncOp>(lower::createDeferMmaWaitsPass());
}

/// Tiles with layouts to the code of one thread.
void buildThreadPhase(OpPassManager &pm) {
  // Elementwise operations keep layouts, so what they expand to has them too.
  pm.addPass(tile::createExpandElementwisePass());
  pm.addPass(createCSEPass());
  // Before barriers, which loads do not pass.
  pm.addNestedPass<func::FuncOp>(lower::createHoistLoadsPass());
  // When layouts are final: threads meet their own elements without waiting.
  pm.addNestedPass<func::FuncOp>(lower::createInsertBarriersPass());
  pm.addPass(lower::createToThreadsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // When it is known which positions a thread has.
  pm.addPass(lower::createCompareOffsetsPass());
}

/// One thread's code to the LLVM dialect.
void buildLLVMPhase(OpPassManager &pm, const PipelineOptions &options) {
  const Arch *arch = getArch(options.arch);
  pm.addPass(createEmitPrefetchesPass());
  // Before the general expansion, which takes every function.
  pm.addPass(createLowerExpPass());
  pm.addPass(lower::createExpandMathPass());
  // After math, which computes 16-bit functions in fp32.
  lower::LegalizeSmallFloatsPassOptions floats;
  floats.nativeBF16 = true;
  floats.nativeFP8 = arch && arch->convertsFP8();
  pm.addPass(lower::createLegalizeSmallFloatsPass(floats));
  // After legalization, which leaves only conversions from and to f32.
  pm.addPass(createLowerFloat8Pass());
  // Where most of the code is written out, and before what takes long.
  pm.addPass(lower::createLimitCodePass());
  pm.addPass(createWidenBF16Pass());
  pm.addPass(createLowerGpuPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  // The pass rather than convert-to-llvm's patterns: it lowers step by step.
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createFinishKernelPass());
  pm.addPass(createCanonicalizerPass());
  // Last, for it looks at the functions of the LLVM dialect: lines of the
  // kernel reach PTX. Directives only: line tables would ask for debugging,
  // which ptxas refuses to optimize.
  LLVM::DIScopeForLLVMFuncOpPassOptions lines;
  lines.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(lines));
}

} // namespace

void registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "tegula-nvvm-layout-phase", "tile kernels to tiles with layouts",
      buildLayoutPhase);
  PassPipelineRegistration<>("tegula-nvvm-thread-phase",
                             "tiles with layouts to the code of one thread",
                             buildThreadPhase);
  PassPipelineRegistration<PipelineOptions>(
      "tegula-nvvm-llvm-phase",
      "one thread's code to the LLVM dialect for NVIDIA GPUs", buildLLVMPhase);
  PassPipelineRegistration<PipelineOptions>(
      "tegula-nvvm-pipeline",
      "tile kernels to the LLVM dialect for NVIDIA GPUs",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildLayoutPhase(pm, options);
        buildThreadPhase(pm);
        buildLLVMPhase(pm, options);
      });
}

} // namespace tegula::cuda
