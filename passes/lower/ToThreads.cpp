// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-threads: the step from tiles, which a program's threads hold
// together, to the code of one thread. Here are the kernel's arguments and the
// driver; what happens to each group of operations is in the files
// ToThreads*.cpp.

#include "passes/lower/ElementAccess.h"
#include "passes/lower/KernelArguments.h"
#include "passes/lower/KernelNumbers.h"
#include "passes/lower/Passes.h"
#include "passes/lower/ScratchBarriers.h"
#include "passes/lower/TensorMaps.h"
#include "passes/lower/ThreadEmitter.h"
#include "passes/lower/TileWindow.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "lower-to-threads"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_TOTHREADSPASS
#include "passes/lower/Passes.h.inc"

using layout::Dim;
using layout::LinearLayout;

ThreadTypeConverter::ThreadTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](RankedTensorType type) -> std::optional<Type> {
    return getThreadType(type);
  });
}

namespace {

//===----------------------------------------------------------------------===//
// What must hold before
//===----------------------------------------------------------------------===//

LogicalResult checkLayout(Operation *op, Type type, int64_t numLanes,
                          int64_t numWarps) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    return success();
  }
  auto encoding = dyn_cast_or_null<layout::LinearAttr>(tensor.getEncoding());
  if (!encoding) {
    return op->emitOpError() << "has a tile without layout, " << type
                             << "; run lower-assign-layouts first";
  }
  const LinearLayout &layout = encoding.getLayout();
  if (layout.inBits(Dim::Offset) != 0 || layout.inBits(Dim::Block) != 0) {
    return op->emitOpError()
           << "has a tile that is not spread over one program's threads, "
           << type;
  }
  if (layout.inSize(Dim::Lane) != numLanes ||
      layout.inSize(Dim::Warp) != numWarps) {
    return op->emitOpError()
           << "has a tile whose layout is for " << layout.inSize(Dim::Lane)
           << " lanes and " << layout.inSize(Dim::Warp)
           << " warps; the kernel has " << numLanes << " and " << numWarps;
  }
  return success();
}

LogicalResult checkTypes(func::FuncOp kernel, int64_t numLanes,
                         int64_t numWarps) {
  WalkResult result = kernel.walk([&](Operation *op) {
    auto check = [&](TypeRange types) {
      return llvm::all_of(types, [&](Type type) {
        return succeeded(checkLayout(op, type, numLanes, numWarps));
      });
    };
    bool valid = check(op->getOperandTypes()) && check(op->getResultTypes());
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        valid = valid && check(block.getArgumentTypes());
      }
    }
    return valid ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkNumWarps(func::FuncOp kernel, const TargetInfo &target) {
  std::optional<int64_t> numWarps = getNumber(kernel, kNumWarpsAttr);
  if (!numWarps) {
    return kernel.emitOpError()
           << "needs '" << kNumWarpsAttr << "'; run lower-assign-layouts first";
  }
  if (*numWarps < 1 || *numWarps > target.getMaxNumWarps() ||
      !llvm::isPowerOf2_64(*numWarps)) {
    return kernel.emitOpError()
           << "'" << kNumWarpsAttr << "' must be a power of two from 1 to "
           << target.getMaxNumWarps() << ", got " << *numWarps;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// fast_math: a multiplication and an addition may become one fma, and sums may
/// be reordered.
void allowContraction(func::FuncOp kernel) {
  constexpr auto kAllowed =
      arith::FastMathFlags::contract | arith::FastMathFlags::reassoc;
  kernel.walk([&](arith::ArithFastMathInterface op) {
    // An operation's own permission stays.
    auto own = op.getFastMathFlagsAttr();
    auto flags = own ? own.getValue() | kAllowed : kAllowed;
    op->setAttr(op.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(kernel.getContext(), flags));
  });
}

LogicalResult convertBody(func::FuncOp kernel, ThreadEmitter &emitter) {
  MLIRContext *context = kernel.getContext();
  ThreadTypeConverter types;
  ConversionTarget target(*context);
  target.addIllegalDialect<layout::LayoutDialect, simt::SimtDialect,
                           tile::TileDialect>();
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return types.isLegal(op); });
  RewritePatternSet patterns(context);
  scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
  populateElementwiseToThreads(types, patterns, emitter);
  populateElementsToThreads(types, patterns, emitter);
  populateAtomicsToThreads(types, patterns, emitter);
  populateMemoryToThreads(types, patterns, emitter);
  populateMovesToThreads(types, patterns, emitter);
  populateReductionsToThreads(types, patterns, emitter);
  populateDotsToThreads(types, patterns, emitter);
  populateRingsToThreads(types, patterns, emitter);
  populateMessagesToThreads(types, patterns, emitter);
  return applyFullConversion(kernel, target, std::move(patterns));
}

LogicalResult lowerKernel(func::FuncOp kernel, const TargetInfo &target) {
  if (failed(checkKernelArguments(kernel)) ||
      failed(checkNumWarps(kernel, target))) {
    return failure();
  }
  int64_t numLanes = target.getNumLanes();
  int64_t numWarps = *getNumber(kernel, kNumWarpsAttr);
  if (failed(checkTypes(kernel, numLanes, numWarps))) {
    return failure();
  }
  markDistinct(kernel);
  markWindows(kernel, target);
  flattenArguments(kernel);
  ThreadEmitter emitter(kernel, target);
  addTensorMapArguments(kernel);
  markRingsDone(kernel);
  if (failed(convertBody(kernel, emitter))) {
    return failure();
  }
  int64_t ringBytes = emitter.getPersistentBytes();
  int64_t sharedBytes = ringBytes + placeScratch(kernel, ringBytes);
  if (sharedBytes > target.getSharedBytes()) {
    InFlightDiagnostic error =
        kernel.emitError() << "the kernel needs " << sharedBytes
                           << " bytes of shared memory; " << target.getName()
                           << " has " << target.getSharedBytes();
    error.attachNote() << "help: use smaller tiles";
    return error;
  }
  eraseDeadOps(kernel);
  if (kernel->hasAttr(tile::kFastMathAttr)) {
    allowContraction(kernel);
  }
  Builder builder(kernel.getContext());
  kernel->removeAttr(tile::kKernelAttr);
  kernel->removeAttr(tile::kMayAliasAttr);
  kernel->removeAttr(tile::kFastMathAttr);
  kernel->removeAttr(tile::kNumWarpsHintAttr);
  kernel->removeAttr(tile::kNumStagesHintAttr);
  kernel->setAttr(kNumLanesAttr, builder.getI32IntegerAttr(numLanes));
  kernel->setAttr(kSharedBytesAttr, builder.getI32IntegerAttr(sharedBytes));
  return success();
}

struct ToThreadsPass final : impl::ToThreadsPassBase<ToThreadsPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    ToThreadsPassBase::getDependentDialects(registry);
    TargetInfo::getAllDialects(registry);
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func->hasAttr(tile::kKernelAttr)) {
        kernels.push_back(func);
      }
    }
    if (kernels.empty()) {
      return;
    }
    const TargetInfo *target = TargetInfo::of(getOperation());
    if (!target) {
      return signalPassFailure();
    }
    for (func::FuncOp kernel : kernels) {
      if (failed(lowerKernel(kernel, *target))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace
} // namespace tegula::lower
