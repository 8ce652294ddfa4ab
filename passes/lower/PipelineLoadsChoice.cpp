// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-pipeline-loads, what can be fetched ahead: tiles that feed dots alone,
// of arrays that nobody writes, at places that the loop's counter says alone.

#include "passes/lower/PipelineLoads.h"

#include "passes/analysis/Explanation.h"
#include "passes/analysis/Overlaps.h"
#include "passes/lower/LayoutTransfer.h"

#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "lower-pipeline-loads"

using namespace mlir;

namespace tegula::lower {

using layout::LinearLayout;

void explainLoop(scf::ForOp loop, const Twine &reason) {
  analysis::missed(DEBUG_TYPE, "pipelining", loop.getLoc())
      << "this loop is not pipelined: " << reason;
}

std::optional<LinearLayout> getReadLayout(const Use &use) {
  auto wanted = layout::getLayout(use.operand->get().getType());
  if (!wanted) {
    return std::nullopt;
  }
  std::optional<LinearLayout> layout = wanted.getLayout();
  for (Operation *op : llvm::reverse(use.path)) {
    if (layout && !isa<layout::ConvertOp>(op)) {
      layout = inferOperandLayout(op, 0, *layout);
    }
  }
  return layout;
}

/// Why no copy can stand for the tile of `load`; empty if one can. Copies that
/// this pass has made read arrays.
static StringRef getTileObstacle(tile::LoadOp load, ArrayRef<Use> uses) {
  if (load.getPad() && !matchPattern(load.getPad(), m_AnyZeroFloat()) &&
      !matchPattern(load.getPad(), m_Zero())) {
    return "its pad value is not zero";
  }
  if (load->hasAttr("extents")) {
    return "its tile is padded";
  }
  if (!llvm::all_of(uses, [](const Use &use) {
        return getReadLayout(use).has_value();
      })) {
    return "no layout says how it is read";
  }
  return analysis::isWritten(load->getParentOfType<func::FuncOp>(),
                             load.getView(), /*othersWrite=*/false)
             ? "the kernel writes the array"
             : "";
}

//===----------------------------------------------------------------------===//
// What can be fetched ahead
//===----------------------------------------------------------------------===//

/// Adds a tile to those that it must arrive with.
static void add(SmallVector<Group, 2> &groups, Group added,
                bool hasIndependentRings) {
  SmallVector<Group, 2> others;
  Group merged;
  for (Group &group : groups) {
    if (!hasIndependentRings || group.sharesDots(added)) {
      merged.append(group);
    } else {
      others.push_back(std::move(group));
    }
  }
  merged.append(added);
  others.push_back(std::move(merged));
  groups = std::move(others);
}

/// Why `load` stays where it is; empty if it can be moved, with its uses and
/// what its index needs.
static StringRef getFetchObstacle(scf::ForOp loop, tile::LoadOp load,
                                  SmallVector<Use> &found,
                                  SetVector<Operation *> &needed) {
  if (load->use_empty() || failed(findUses(load.getResult(), {}, found))) {
    return "it feeds other operations than dots";
  }
  if (StringRef reason = getTileObstacle(load, found); !reason.empty()) {
    return reason;
  }
  return failed(getIndexSlice(loop, load->getOperands(), needed))
             ? "its index depends on more than the loop's counter"
             : "";
}

SmallVector<Group, 2> findFetched(scf::ForOp loop, bool hasIndependentRings) {
  SmallVector<Group, 2> groups;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    SmallVector<Use> found;
    SetVector<Operation *> needed;
    StringRef reason = getFetchObstacle(loop, load, found, needed);
    if (!reason.empty()) {
      analysis::missed(DEBUG_TYPE, "pipelining", load.getLoc())
          << "this tile is not fetched ahead: " << reason;
      continue;
    }
    add(groups, {{load}, {std::move(found)}, std::move(needed), 0, {}, nullptr},
        hasIndependentRings);
  }
  return groups;
}

//===----------------------------------------------------------------------===//
// What every iteration reads
//===----------------------------------------------------------------------===//

/// Why the tile of `load`, from before the loop, is no operand of its dots
/// alone; empty if it is.
static StringRef getKeptObstacle(scf::ForOp loop, tile::LoadOp load,
                                 SmallVector<Use> &found) {
  if (failed(findUses(load.getResult(), {}, found))) {
    return "it feeds other operations than dots";
  }
  bool isInside = llvm::all_of(found, [&](const Use &use) {
    return loop->isProperAncestor(use.operand->getOwner());
  });
  return isInside ? getTileObstacle(load, found)
                  : "it is used outside of the loop";
}

SmallVector<Group, 1> findKept(scf::ForOp loop) {
  SmallVector<Group, 1> kept;
  SetVector<Operation *> loads;
  loop.getBody()->walk([&](tile::DotOp dot) {
    for (Value operand : {dot.getA(), dot.getB()}) {
      Operation *op = operand.getDefiningOp();
      while (op && isPassThrough(op)) {
        op = op->getOperand(0).getDefiningOp();
      }
      if (isa_and_nonnull<tile::LoadOp>(op) && !loop->isAncestor(op)) {
        loads.insert(op);
      }
    }
  });
  for (Operation *op : loads) {
    auto load = cast<tile::LoadOp>(op);
    SmallVector<Use> found;
    if (StringRef reason = getKeptObstacle(loop, load, found);
        !reason.empty()) {
      analysis::missed(DEBUG_TYPE, "pipelining", load.getLoc())
          << "this tile is loaded to registers: " << reason;
      continue;
    }
    kept.push_back({{load}, {std::move(found)}, {}, 1, {}, nullptr});
  }
  return kept;
}

} // namespace tegula::lower
