// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host CPU's pipeline as one straight list, with the reason for each
// ordering constraint beside it. Each phase is also a pipeline of its own name,
// so that it can be run and tested alone.

#include "passes/lower/Passes.h"
#include "passes/targets/cpu/Passes.h"
#include "passes/tile/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tegula::cpu {
namespace {

struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<int64_t> vectorBits{*this, "vector-bits",
                             llvm::cl::desc("width of a vector register"),
                             llvm::cl::init(256)};
  Option<int64_t> vectorRegisters{*this, "vector-registers",
                                  llvm::cl::desc("number of vector registers"),
                                  llvm::cl::init(16)};
  Option<int64_t> l1Bytes{*this, "l1-bytes",
                          llvm::cl::desc("size of the first-level data cache"),
                          llvm::cl::init(32 * 1024)};
  Option<int64_t> l2Bytes{*this, "l2-bytes",
                          llvm::cl::desc("size of the second-level cache"),
                          llvm::cl::init(512 * 1024)};
};

/// `tile` level to linalg on tensors.
void buildTensorPhase(OpPassManager &pm) {
  // All that follows relies on it.
  pm.addPass(tile::createCheckInputPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Single elements only: whole tiles of parts are accessed as directly as
  // those of arrays. Before the signature, whose lowering records what uses
  // each array.
  tile::ExpandSubviewsPassOptions subviews;
  subviews.keepTileAccesses = true;
  pm.addPass(tile::createExpandSubviewsPass(subviews));
  // Arrays become memrefs first: the accesses below need their sizes, and their
  // uses are recorded while all can be seen.
  pm.addPass(createLowerAbiPass());
  // While values are still tile operations a store can tell whether its value
  // may be computed in place.
  pm.addPass(createLowerTileAccessPass());
  pm.addPass(createLowerElementAccessPass());
  pm.addPass(createLowerDebugPass());
  // Before elementwise expansion, so that what the reductions build is expanded
  // with the rest.
  pm.addPass(createLowerReductionsPass());
  pm.addPass(tile::createExpandElementwisePass());
  pm.addPass(createTileToLinalgPass());
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createFuseElementwisePass());
  pm.addPass(createCSEPass());
}

/// Tensors to buffers.
void buildBufferPhase(OpPassManager &pm) {
  pm.addPass(createCarryInPlacePass());
  // Needs the destinations that carry-in-place made.
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions options;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createLowerCopiesPass());
}

/// Linalg on buffers to loops, and the program's scratch to its entry.
void buildLoopPhase(OpPassManager &pm, const PipelineOptions &options) {
  LowerContractionsPassOptions contractions;
  contractions.vectorBits = options.vectorBits;
  contractions.numVectorRegisters = options.vectorRegisters;
  contractions.l1Bytes = options.l1Bytes;
  contractions.l2Bytes = options.l2Bytes;
  pm.addPass(createLowerContractionsPass(contractions));
  pm.addPass(createConvertLinalgToLoopsPass());
  // Loads and stores of elements can be seen now; allocations still can, too.
  pm.addPass(createWidenBoolsPass());
  // After every pass that makes scratch.
  pm.addPass(createHoistWorkspacePass());
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Loops to LLVM.
void buildLLVMPhase(OpPassManager &pm) {
  // On scalars inside loops, where LLVM's vectorizer takes the straight-line
  // code.
  lower::ExpandMathPassOptions math;
  math.libm = true;
  pm.addPass(lower::createExpandMathPass(math));
  // After math, which computes 16-bit functions in fp32.
  pm.addPass(lower::createLegalizeSmallFloatsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  // The pass rather than convert-to-llvm's patterns: it also lowers masks and
  // transfers step by step.
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
}

} // namespace

void registerPipelines() {
  PassPipelineRegistration<>("tegula-cpu-tensor-phase",
                             "tile kernels to linalg on tensors",
                             buildTensorPhase);
  PassPipelineRegistration<>("tegula-cpu-buffer-phase",
                             "linalg on tensors to linalg on buffers",
                             buildBufferPhase);
  PassPipelineRegistration<PipelineOptions>(
      "tegula-cpu-loop-phase", "linalg on buffers to loops", buildLoopPhase);
  PassPipelineRegistration<>("tegula-cpu-llvm-phase",
                             "loops to the LLVM dialect", buildLLVMPhase);
  PassPipelineRegistration<PipelineOptions>(
      "tegula-cpu-pipeline",
      "tile kernels to the LLVM dialect for the host CPU",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildTensorPhase(pm);
        buildBufferPhase(pm);
        buildLoopPhase(pm, options);
        buildLLVMPhase(pm);
      });
}

} // namespace tegula::cpu
