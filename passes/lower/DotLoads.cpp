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
