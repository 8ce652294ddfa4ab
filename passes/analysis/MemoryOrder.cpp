// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MemoryOrder.h. Order can be told where accesses to what the kernel writes
// stand before an atomic, in one program, and after an atomic with a result, in
// another; a loop puts what is in it on both sides.

#include "passes/analysis/MemoryOrder.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tegula::analysis {

bool isOrdering(Operation *op) {
  if (!isAtomic(op)) {
    return false;
  }
  auto tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return !tile || tile.getNumElements() == 1;
}

/// Whether a loop repeats both.
static bool shareLoop(Operation *first, Operation *second) {
  for (Operation *loop = first->getParentOp(); loop;
       loop = loop->getParentOp()) {
    if (isa<LoopLikeOpInterface>(loop) && loop->isAncestor(second)) {
      return true;
    }
  }
  return false;
}

MemoryOrder::MemoryOrder(func::FuncOp kernel) {
  // In the kernel's order.
  SmallVector<Operation *> atomics, accesses, writes;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isOrdering(op)) {
      atomics.push_back(op);
    }
    if (isWrite(op)) {
      writes.push_back(op);
    }
    if (getAccessed(op)) {
      accesses.push_back(op);
    }
  });
  if (llvm::all_of(atomics, [](Operation *op) { return op->use_empty(); })) {
    return;
  }
  // Nobody can tell when something was read that no program writes.
  Overlaps overlaps(kernel);
  llvm::erase_if(accesses, [&](Operation *op) {
    return llvm::none_of(writes, [&](Operation *write) {
      return overlaps.mayOverlap(getAccessed(write), getAccessed(op));
    });
  });
  for (Operation *atomic : atomics) {
    auto place = llvm::find(accesses, atomic);
    bool repeats = llvm::any_of(
        accesses, [&](Operation *op) { return shareLoop(atomic, op); });
    if (repeats || place != accesses.begin()) {
      releasing.insert(atomic);
    }
    if (!atomic->use_empty() &&
        (repeats || std::next(place) != accesses.end())) {
      acquiring.insert(atomic);
    }
  }
  // It takes both, in two programs.
  if (releasing.empty() || acquiring.empty()) {
    releasing.clear();
    acquiring.clear();
  }
}

} // namespace tegula::analysis
