// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD GPUs' pipeline as one straight list, with the reason for each ordering
// constraint beside it. Each phase is also a pipeline of its own name, so that
// it can be run and tested alone.

#include "passes/lower/Passes.h"
#include "passes/targets/rocm/Passes.h"
#include "passes/tile/Passes.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tegula::rocm {
namespace {

struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> arch{*this, "arch",
                           llvm::cl::desc("architecture, such as gfx942"),
                           llvm::cl::init("gfx942")};
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
  kernels.addPass(lower::createAssignLayoutsPass());
  kernels.addPass(lower::createRemoveConversionsPass());
  // A conversion stands beside its use: out of loops whose every trip would
  // repeat it.
  kernels.addPass(createLoopInvariantCodeMotionPass());
  // While loads are still operations, and after conversions that stand between
  // them and dots are gone.
  kernels.addPass(lower::createPipelineLoadsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Tiles with layouts to the code of one thread.
void buildThreadPhase(OpPassManager &pm) {
  // Elementwise operations keep layouts, so what they expand to has them too.
  pm.addPass(tile::createExpandElementwisePass());
  pm.addPass(createCSEPass());
  // After loads of a loop are those of its next iterations.
  pm.addNestedPass<func::FuncOp>(lower::createSplitLoopsPass());
  // Before barriers, which loads do not pass.
  pm.addNestedPass<func::FuncOp>(lower::createHoistLoadsPass());
  // When layouts are final: threads meet their own elements without waiting.
  pm.addNestedPass<func::FuncOp>(lower::createInsertBarriersPass());
  pm.addPass(lower::createToThreadsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // When it is known which positions a thread has.
  pm.addPass(lower::createCompareOffsetsPass());
  // When what was read is taken apart only for its uses.
  pm.addPass(createOrderMemoryPass());
}

/// One thread's code to the LLVM dialect.
void buildLLVMPhase(OpPassManager &pm) {
  // Before the general expansion, which takes every function.
  pm.addPass(createLowerExpPass());
  pm.addPass(lower::createExpandMathPass());
  // After math, which computes 16-bit functions in fp32. LLVM's code for bf16
  // rounds as it should and keeps subnormals and NaNs.
  lower::LegalizeSmallFloatsPassOptions floats;
  floats.nativeBF16 = true;
  pm.addPass(lower::createLegalizeSmallFloatsPass(floats));
  // While the functions are MLIR's and their last parameters the grid.
  pm.addPass(createOrderProgramsPass());
  // Where most of the code is written out, and before what takes long.
  pm.addPass(lower::createLimitCodePass());
  pm.addPass(createLowerGpuPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // What was taken apart is together again where it is only passed on.
  pm.addPass(createPermuteHalvesPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  // The pass rather than convert-to-llvm's patterns: it lowers step by step.
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  // LLVM's combiner never ends on some vectors of one.
  pm.addPass(lower::createScalarizeVectorsPass());
  pm.addPass(createFinishKernelPass());
  pm.addPass(createCanonicalizerPass());
}

} // namespace

void registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "tegula-rocdl-layout-phase", "tile kernels to tiles with layouts",
      buildLayoutPhase);
  PassPipelineRegistration<>("tegula-rocdl-thread-phase",
                             "tiles with layouts to the code of one thread",
                             buildThreadPhase);
  PassPipelineRegistration<>(
      "tegula-rocdl-llvm-phase",
      "one thread's code to the LLVM dialect for AMD GPUs", buildLLVMPhase);
  PassPipelineRegistration<PipelineOptions>(
      "tegula-rocdl-pipeline", "tile kernels to the LLVM dialect for AMD GPUs",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildLayoutPhase(pm, options);
        buildThreadPhase(pm);
        buildLLVMPhase(pm);
      });
}

} // namespace tegula::rocm
