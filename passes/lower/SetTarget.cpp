// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-set-target: the one place where the architecture enters the IR. Passes
// after it need no options, so each runs alone on what the one before it left.

#include "passes/lower/Passes.h"
#include "passes/lower/TargetInfo.h"

#define DEBUG_TYPE "lower-set-target"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_SETTARGETPASS
#include "passes/lower/Passes.h.inc"
namespace {

struct SetTargetPass final : impl::SetTargetPassBase<SetTargetPass> {
  using SetTargetPassBase::SetTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!TargetInfo::get(arch)) {
      module.emitError() << "unknown architecture '" << arch << "'; known are "
                         << llvm::join(TargetInfo::getNames(), ", ");
      return signalPassFailure();
    }
    module->setAttr(kArchAttr, StringAttr::get(&getContext(), arch));
  }
};

} // namespace
} // namespace tegula::lower
