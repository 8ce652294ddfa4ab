// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows loaded tiles to dots, and looks for stores to the arrays that they
// come from.

#include "passes/lower/DotLoads.h"

#include "dialects/layout/Layout.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tegula::lower {

bool isPassThrough(Operation *op) {
  return isa<layout::ConvertOp, tile::PermuteOp, tile::ReshapeOp>(op);
}

LogicalResult findUses(Value value, SmallVector<Operation *> path,
                       SmallVector<Use> &uses) {
  for (OpOperand &operand : value.getUses()) {
    Operation *user = operand.getOwner();
    if (isa<tile::DotOp>(user) && operand.getOperandNumber() < 2) {
      uses.push_back({path, &operand});
      continue;
    }
    // What leads nowhere would be left with nothing to use.
    if (!isPassThrough(user) || user->use_empty() ||
        !isa<RankedTensorType>(user->getResult(0).getType())) {
      return failure();
    }
    SmallVector<Operation *> longer = path;
    longer.push_back(user);
    if (failed(findUses(user->getResult(0), longer, uses))) {
      return failure();
    }
  }
  return success();
}

/// The array that an operation writes, or null.
static Value getWrittenView(Operation *op) {
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    return store.getView();
  }
  if (auto scatter = dyn_cast<tile::ScatterOp>(op)) {
    return scatter.getView();
  }
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op)) {
    return atomic.getView();
  }
  if (auto atomic = dyn_cast<tile::AtomicCASOp>(op)) {
    return atomic.getView();
  }
  return nullptr;
}

/// Whether two arguments of a kernel may overlap in memory.
static bool mayAlias(func::FuncOp kernel, Value a, Value b) {
  auto first = dyn_cast<BlockArgument>(a), second = dyn_cast<BlockArgument>(b);
  if (a == b || !first || !second) {
    return true;
  }
  auto pairs = kernel->getAttrOfType<ArrayAttr>(tile::kMayAliasAttr);
  return pairs &&
         llvm::any_of(pairs.getAsRange<ArrayAttr>(), [&](ArrayAttr pair) {
           int64_t i = cast<IntegerAttr>(pair[0]).getInt();
           int64_t j = cast<IntegerAttr>(pair[1]).getInt();
           int64_t x = first.getArgNumber(), y = second.getArgNumber();
           return (i == x && j == y) || (i == y && j == x);
         });
}

bool isWritten(func::FuncOp kernel, Value view) {
  return kernel
      .walk([&](Operation *op) {
        Value written = getWrittenView(op);
        return written && mayAlias(kernel, written, view)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult getIndexSlice(scf::ForOp loop, ValueRange values,
                            SetVector<Operation *> &slice) {
  for (Value value : values) {
    if (value == loop.getInductionVar() ||
        !loop.getRegion().isAncestor(value.getParentRegion())) {
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || !isPure(op) ||
        op->getNumRegions() != 0 ||
        failed(getIndexSlice(loop, op->getOperands(), slice))) {
      return failure();
    }
    slice.insert(op);
  }
  return success();
}

} // namespace tegula::lower
