// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu-lower-copies: copies between buffers as generics. The upstream lowering
// of a strided memref.copy calls a runtime library; a loop vectorizes, and LLVM
// turns it into memcpy where that is what it is.

#include "passes/targets/cpu/Generics.h"
#include "passes/targets/cpu/Passes.h"

#define DEBUG_TYPE "cpu-lower-copies"

using namespace mlir;

namespace tegula::cpu {
#define GEN_PASS_DEF_LOWERCOPIESPASS
#include "passes/targets/cpu/Passes.h.inc"
namespace {

struct LowerCopiesPass final : impl::LowerCopiesPassBase<LowerCopiesPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](memref::CopyOp copy) {
      if (!isa<MemRefType>(copy.getSource().getType()) ||
          !isa<MemRefType>(copy.getTarget().getType())) {
        copy.emitOpError() << "needs buffers of known rank";
        return WalkResult::interrupt();
      }
      OpBuilder builder(copy);
      if (copy.getSource() != copy.getTarget()) {
        createCopy(builder, copy.getLoc(), copy.getSource(), copy.getTarget());
      }
      copy.erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace tegula::cpu
