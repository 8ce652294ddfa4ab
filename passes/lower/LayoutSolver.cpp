// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts spread by a fixpoint: weights only rise, and a layout changes only
// when its weight does, so that it ends. A layout that came from a dot wins
// over one that came from memory: a conversion then moves what is loaded once,
// not what a loop accumulates.

#include "passes/lower/LayoutSolver.h"

#include "passes/lower/DotFallback.h"
#include "passes/lower/LayoutTransfer.h"
#include "passes/lower/MemoryLayouts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"

using namespace mlir;

namespace tegula::lower {

using layout::LinearLayout;

namespace {

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

void addEdges(SmallVector<FlowEdge> &edges, ValueRange targets,
              MutableArrayRef<OpOperand> sources) {
  for (auto [target, source] : llvm::zip_equal(targets, sources)) {
    if (isTile(target)) {
      edges.push_back({getFlowLeader(target), &source});
    }
  }
}

/// Operations whose tile operands all have one layout: a thread handles the
/// same places of each.
bool sharesLayout(Operation *op) {
  return isElementwise(op) || isa<tile::GatherOp, tile::ScatterOp,
                                  tile::AtomicRMWOp, tile::AtomicCASOp>(op);
}

} // namespace

Value getFlowLeader(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result) {
    return value;
  }
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
    return loop.getRegionIterArg(result.getResultNumber());
  }
  if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner())) {
    return loop.getAfterArguments()[result.getResultNumber()];
  }
  // Their results have one layout.
  if (isa<tile::SplitOp, tile::ScanOp, tile::ReduceOp>(result.getOwner())) {
    return result.getOwner()->getResult(0);
  }
  return value;
}

SmallVector<FlowEdge> getFlowEdges(func::FuncOp kernel) {
  SmallVector<FlowEdge> edges;
  kernel.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto *yield = loop.getBody()->getTerminator();
      addEdges(edges, loop.getRegionIterArgs(), yield->getOpOperands());
      addEdges(edges, loop.getRegionIterArgs(), loop.getInitArgsMutable());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      addEdges(edges, loop.getBeforeArguments(),
               loop.getYieldOp()->getOpOperands());
      addEdges(edges, loop.getAfterArguments(),
               loop.getConditionOp().getArgsMutable());
      addEdges(edges, loop.getBeforeArguments(), loop.getInitsMutable());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region &region : branch->getRegions()) {
        if (!region.empty()) {
          addEdges(edges, branch.getResults(),
                   region.front().getTerminator()->getOpOperands());
        }
      }
    }
  });
  return edges;
}

LayoutSolver::LayoutSolver(func::FuncOp kernel, const TargetInfo &target,
                           int64_t numWarps)
    : kernel(kernel), target(target), numWarps(numWarps),
      edges(getFlowEdges(kernel)) {}

const LayoutSolver::Choice *LayoutSolver::find(Value value) const {
  auto found = choices.find(getFlowLeader(value));
  return found == choices.end() ? nullptr : &found->second;
}

const LinearLayout &LayoutSolver::getLayout(Value value) const {
  return find(value)->layout;
}

bool LayoutSolver::choose(Value value, LinearLayout layout, Weight weight) {
  value = getFlowLeader(value);
  auto found = choices.find(value);
  if (found == choices.end()) {
    choices.try_emplace(value, Choice{std::move(layout), weight});
    return true;
  }
  if (found->second.weight >= weight) {
    return false;
  }
  found->second = {std::move(layout), weight};
  return true;
}

//===----------------------------------------------------------------------===//
// What memory accesses and dots want
//===----------------------------------------------------------------------===//

void LayoutSolver::anchorDot(tile::DotOp dot) {
  if (auto layouts = target.getDotLayouts(dot, numWarps)) {
    choose(dot.getResult(), layouts->acc, Weight::Matrix);
    dots.try_emplace(dot, Operands{{layouts->a, layouts->b, layouts->acc}});
    return;
  }
  LinearLayout acc =
      getDefaultLayout(getShape(dot), target.getNumLanes(), numWarps);
  choose(dot.getResult(), acc, Weight::Matrix);
  Operands operands = {std::nullopt, std::nullopt, acc};
  if (auto layouts = getFmaDotLayouts(acc, getShape(dot.getA()).back())) {
    operands[0] = layouts->a;
    operands[1] = layouts->b;
  }
  dots.try_emplace(dot, operands);
}

void LayoutSolver::anchor(Operation *op) {
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    anchorDot(dot);
  } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
    auto type = cast<RankedTensorType>(load.getType());
    choose(
        load.getResult(),
        getAccessLayout(analysis::getAccessFacts(load), type, target, numWarps),
        Weight::Memory);
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    accesses.try_emplace(op, getAccessLayout(analysis::getAccessFacts(store),
                                             type, target, numWarps));
  } else if (isa<tile::GatherOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op) &&
             isTile(op->getResult(0))) {
    choose(op->getResult(0),
           getDefaultLayout(getShape(op->getResult(0)), target.getNumLanes(),
                            numWarps),
           Weight::Memory);
  } else if (auto scatter = dyn_cast<tile::ScatterOp>(op)) {
    if (isTile(scatter.getValue())) {
      accesses.try_emplace(op,
                           getDefaultLayout(getShape(scatter.getValue()),
                                            target.getNumLanes(), numWarps));
    }
  }
}

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

bool LayoutSolver::propagateForward(Operation *op) {
  bool changed = false;
  for (OpOperand &operand : op->getOpOperands()) {
    const Choice *choice =
        isTile(operand.get()) ? find(operand.get()) : nullptr;
    if (!choice) {
      continue;
    }
    Weight weight = choice->weight;
    std::optional<LinearLayout> result =
        inferResultLayout(op, operand.getOperandNumber(), choice->layout);
    for (Value value : op->getResults()) {
      if (result && isTile(value)) {
        changed |= choose(value, *result, weight);
      }
    }
  }
  return changed;
}

bool LayoutSolver::propagateBackward(Operation *op) {
  bool changed = false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTile(operand.get()) || find(operand.get())) {
      continue;
    }
    if (std::optional<LinearLayout> layout = getRequiredLayout(operand)) {
      changed |= choose(operand.get(), *layout, Weight::Derived);
    }
  }
  return changed;
}

bool LayoutSolver::propagateEdges() {
  bool changed = false;
  for (FlowEdge &edge : edges) {
    if (const Choice *choice = find(edge.source->get())) {
      Choice copy = *choice;
      changed |= choose(edge.target, copy.layout, copy.weight);
    }
  }
  return changed;
}

bool LayoutSolver::propagate() {
  bool changed = false;
  kernel.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { changed |= propagateForward(op); });
  changed |= propagateEdges();
  return changed;
}

void LayoutSolver::fillIn() {
  auto give = [&](Value value) {
    if (isTile(value) && !find(value)) {
      choose(value,
             getDefaultLayout(getShape(value), target.getNumLanes(), numWarps),
             Weight::Derived);
    }
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        llvm::for_each(block.getArguments(), give);
      }
    }
    // Reductions and joins follow their source, which comes first.
    if (!propagateForward(op)) {
      llvm::for_each(op->getResults(), give);
    }
  });
}

LogicalResult LayoutSolver::solve() {
  kernel.walk([&](Operation *op) { anchor(op); });
  bool changed = true;
  while (changed) {
    while (propagate()) {
    }
    changed = false;
    // Users come before what they use.
    kernel.walk<WalkOrder::PostOrder, ReverseIterator>(
        [&](Operation *op) { changed |= propagateBackward(op); });
    for (FlowEdge &edge : edges) {
      const Choice *choice = find(edge.target);
      if (choice && !find(edge.source->get())) {
        Choice copy = *choice;
        changed |= choose(edge.source->get(), copy.layout, Weight::Derived);
      }
    }
  }
  fillIn();
  while (propagate()) {
  }
  return success();
}

std::optional<LinearLayout>
LayoutSolver::getRequiredLayout(OpOperand &operand) const {
  Operation *op = operand.getOwner();
  if (auto found = dots.find(op); found != dots.end()) {
    return found->second[operand.getOperandNumber()];
  }
  if (auto found = accesses.find(op); found != accesses.end()) {
    return found->second;
  }
  if (op->getNumResults() == 0 || !isTile(op->getResult(0))) {
    return std::nullopt;
  }
  const Choice *result = find(op->getResult(0));
  if (!result) {
    return std::nullopt;
  }
  if (sharesLayout(op)) {
    return result->layout;
  }
  return inferOperandLayout(op, operand.getOperandNumber(), result->layout);
}

} // namespace tegula::lower
