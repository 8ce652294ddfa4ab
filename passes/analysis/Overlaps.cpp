// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Overlaps.h.

#include "passes/analysis/Overlaps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::analysis {

Overlaps::Overlaps(func::FuncOp kernel) {
  auto all = kernel->getAttrOfType<ArrayAttr>(tile::kMayAliasAttr);
  if (!all) {
    return;
  }
  for (auto pair : all.getAsRange<ArrayAttr>()) {
    pairs.emplace_back(cast<IntegerAttr>(pair[0]).getInt(),
                       cast<IntegerAttr>(pair[1]).getInt());
  }
}

SmallVector<int64_t> Overlaps::getOthers(int64_t number) const {
  SmallVector<int64_t> others;
  for (auto [first, second] : pairs) {
    if (first == number) {
      others.push_back(second);
    } else if (second == number) {
      others.push_back(first);
    }
  }
  return others;
}

bool Overlaps::mayOverlap(Value first, Value second) const {
  first = getWhole(first);
  second = getWhole(second);
  auto left = dyn_cast<BlockArgument>(first);
  auto right = dyn_cast<BlockArgument>(second);
  return first == second || !left || !right ||
         llvm::is_contained(getOthers(left.getArgNumber()),
                            right.getArgNumber());
}

Value getWhole(Value view) {
  while (isa_and_nonnull<tile::SubviewOp, tile::ReshapeViewOp>(
      view.getDefiningOp())) {
    view = view.getDefiningOp()->getOperand(0);
  }
  return view;
}

Value getAccessed(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tile::LoadOp, tile::StoreOp, tile::GatherOp, tile::ScatterOp,
            tile::AtomicRMWOp, tile::AtomicCASOp>(
          [](auto access) -> Value { return access.getView(); })
      .Default(Value());
}

bool isAtomic(Operation *op) {
  return isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op);
}

bool isWrite(Operation *op) {
  return isa<tile::StoreOp, tile::ScatterOp>(op) || isAtomic(op);
}

bool isWritten(func::FuncOp kernel, Value view, bool othersWrite) {
  Overlaps overlaps(kernel);
  auto mayWrite = [&](Operation *op) {
    if (getAccessed(op)) {
      return isWrite(op);
    }
    return othersWrite && !isa<tile::DimOp, tile::StrideOp, tile::SubviewOp,
                               tile::ReshapeViewOp>(op);
  };
  auto isOfView = [&](Value value) {
    return isa<tile::ViewType>(value.getType()) &&
           overlaps.mayOverlap(value, view);
  };
  return kernel
      .walk([&](Operation *op) {
        return mayWrite(op) && llvm::any_of(op->getOperands(), isOfView)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace tegula::analysis
