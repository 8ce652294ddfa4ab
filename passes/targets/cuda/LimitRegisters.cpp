// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda-limit-registers: two programs of half a processor's threads share it if
// each leaves the other its registers. Code generators that are not told take
// some more, to load earlier, and then the other program has to wait.

#include "passes/analysis/Explanation.h"
#include "passes/lower/KernelNumbers.h"
#include "passes/lower/LayoutTransfer.h"
#include "passes/lower/TargetInfo.h"
#include "passes/targets/cuda/Arch.h"
#include "passes/targets/cuda/Occupancy.h"
#include "passes/targets/cuda/Passes.h"
#include "passes/targets/cuda/RowPrograms.h"

#include "dialects/layout/Layout.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "cuda-limit-registers"

using namespace mlir;

namespace tegula::cuda {
#define GEN_PASS_DEF_LIMITREGISTERSPASS
#include "passes/targets/cuda/Passes.h.inc"
namespace {

/// Registers of a thread for what is no tile, where what is computed from a
/// tile is used at once.
constexpr int64_t kOtherRegisters = 16;

/// Registers of a thread; of a copy of what all threads hold, none.
int64_t getRegisters(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto encoding = type ? layout::getLayout(type) : layout::LinearAttr();
  if (!encoding) {
    return 0;
  }
  int64_t elements = encoding.getLayout().inSize(layout::Dim::Register);
  return elements == 1
             ? 0
             : llvm::divideCeil(elements * type.getElementTypeBitWidth(), 32);
}

/// Operations that use what they are given where they stand.
bool isKnown(Operation *op) {
  return lower::isElementwise(op) || lower::isFreeSource(op) ||
         isa<tile::LoadOp, tile::StoreOp, tile::ReduceOp, tile::BroadcastOp,
             tile::ReshapeOp, scf::ForOp, scf::YieldOp>(op) ||
         (llvm::none_of(op->getOperands(), getRegisters) &&
          llvm::none_of(op->getResults(), getRegisters));
}

/// Registers of tiles that are held during `exchange`.
int64_t getHeld(Operation *exchange) {
  int64_t held = 0;
  for (Operation &op : *exchange->getBlock()) {
    if (&op == exchange) {
      break;
    }
    for (Value result : op.getResults()) {
      bool isUsed = llvm::any_of(result.getUsers(), [&](Operation *user) {
        Operation *place = exchange->getBlock()->findAncestorOpInBlock(*user);
        return exchange->isBeforeInBlock(place);
      });
      held += isUsed && !lower::isFreeSource(&op) ? getRegisters(result) : 0;
    }
  }
  return held;
}

/// Registers of the tiles that a block loads and carries, and of those that it
/// holds during the exchange at which they are most.
int64_t estimate(Block &block) {
  int64_t registers = 0, held = 0;
  for (BlockArgument argument : block.getArguments()) {
    registers += getRegisters(argument);
  }
  for (Operation &op : block) {
    if (isa<tile::LoadOp>(op)) {
      registers += getRegisters(op.getResult(0));
    } else if (isa<tile::ReduceOp, scf::ForOp>(op)) {
      held = std::max(held, getHeld(&op));
    }
  }
  return registers + held;
}

struct LimitRegistersPass final
    : impl::LimitRegistersPassBase<LimitRegistersPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!getArchOf(kernel)) {
      return signalPassFailure();
    }
    auto warps = lower::getNumber(kernel, lower::kNumWarpsAttr);
    if (!warps || kernel->hasAttr(kRegistersAttr) ||
        *warps * kPrograms * kNumLanes != kMaxThreads) {
      return explain("it has not half of a processor's threads, or is told");
    }
    bool reduces = false, known = true;
    int64_t most = 0;
    kernel.walk([&](Operation *op) {
      reduces |= isa<tile::ReduceOp>(op);
      known &= isa<func::FuncOp>(op) || isa<func::ReturnOp>(op) || isKnown(op);
    });
    kernel.walk([&](Block *block) { most = std::max(most, estimate(*block)); });
    int64_t registers = kRegisters / kMaxThreads;
    if (!reduces || !known) {
      return explain("it does not only compute and reduce what it loads");
    }
    if (most > registers - kOtherRegisters) {
      return explain("its tiles need more registers");
    }
    kernel->setAttr(kRegistersAttr,
                    Builder(&getContext()).getI32IntegerAttr(registers));
    analysis::chosen(DEBUG_TYPE, "registers", kernel.getLoc())
        << "a thread has " << registers << " registers, so that " << kPrograms
        << " programs share a processor";
  }

private:
  void explain(StringRef reason) {
    analysis::missed(DEBUG_TYPE, "registers", getOperation().getLoc())
        << "the program's registers are not limited: " << reason;
  }
};

} // namespace
} // namespace tegula::cuda
