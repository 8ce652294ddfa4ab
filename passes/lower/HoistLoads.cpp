// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-hoist-loads: a thread waits for memory where it first uses what it
// loaded. Loads that come before each other's uses wait together. A copy into a
// ring, which no thread waits for yet, comes before them all.

#include "passes/analysis/Explanation.h"
#include "passes/lower/Passes.h"

#include "dialects/layout/Layout.h"
#include "dialects/simt/Simt.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "lower-hoist-loads"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_HOISTLOADSPASS
#include "passes/lower/Passes.h.inc"
namespace {

/// Whether a load may and should come before `op`. Where threads exchange
/// values they wait for each other; what is loaded before that takes registers
/// all the while.
bool passes(tile::LoadOp load, Operation *op) {
  if (llvm::any_of(load->getOperands(), [&](Value operand) {
        return operand.getDefiningOp() == op;
      })) {
    return false;
  }
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         !isa<tile::ReduceOp, tile::ScanOp, tile::DotOp, layout::ConvertOp>(op);
}

/// Adds `op`, and before it what it needs and stands after `place`. Fails if
/// some of that cannot move.
LogicalResult collect(Operation *op, Operation *place,
                      SetVector<Operation *> &moved) {
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (!source || source->getBlock() != place->getBlock() ||
        source->isBeforeInBlock(place) || moved.contains(source)) {
      continue;
    }
    bool isScalar =
        isPure(source) && source->getNumRegions() == 0 &&
        llvm::none_of(source->getResultTypes(), llvm::IsaPred<ShapedType>);
    if (!isScalar || failed(collect(source, place, moved))) {
      return failure();
    }
  }
  moved.insert(op);
  return success();
}

/// Moves rings, and the copies that start in them, to before the loads that
/// they follow.
void hoistCopies(Block &block) {
  Operation *place = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<simt::RingOp, simt::IssueOp>(op)) {
      SetVector<Operation *> moved;
      if (!place || failed(collect(&op, place, moved))) {
        place = nullptr;
        continue;
      }
      for (Operation *each : moved) {
        each->moveBefore(place);
      }
    } else if (isa<tile::LoadOp>(op)) {
      place = place ? place : &op;
    } else if (!isMemoryEffectFree(&op)) {
      place = nullptr;
    }
  }
}

struct HoistLoadsPass final : impl::HoistLoadsPassBase<HoistLoadsPass> {
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        if (auto load = dyn_cast<tile::LoadOp>(op)) {
          hoist(load);
        }
      }
      hoistCopies(*block);
    });
  }

private:
  static void hoist(tile::LoadOp load) {
    Operation *before = load;
    while (before->getPrevNode() && passes(load, before->getPrevNode())) {
      before = before->getPrevNode();
    }
    if (before == load) {
      return;
    }
    analysis::chosen(DEBUG_TYPE, "loads", load.getLoc())
        << "this tile is asked for earlier, before "
        << analysis::describePlace(before->getLoc()) << " is computed";
    load->moveBefore(before);
  }
};

} // namespace
} // namespace tegula::lower
