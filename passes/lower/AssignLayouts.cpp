// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-assign-layouts: decides how many warps run a program and which thread
// holds which element of each tile. It makes conversions explicit wherever a
// tile is used in another layout than it was made in; to remove those that are
// not worth their cost is another pass's job.

#include "passes/analysis/Explanation.h"
#include "passes/lower/LayoutSolver.h"
#include "passes/lower/LayoutTransfer.h"
#include "passes/lower/Passes.h"

#include "dialects/layout/Layout.h"

#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "lower-assign-layouts"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "passes/lower/Passes.h.inc"
namespace {

using layout::LinearLayout;

/// Accumulators that a thread keeps in registers, of 32 bits; past this a
/// program gets more warps.
constexpr int64_t kAccumulatorsPerLane = 64;
/// Warps that a program has if its tiles are large enough, and most that one
/// with dots has.
constexpr int64_t kFairWarps = 4;
constexpr int64_t kMaxDotWarps = 8;
/// Bytes of a tile that a thread handles at least, so that it has several
/// accesses in flight.
constexpr int64_t kBytesPerLane = 32;
/// Bytes of one tile that a thread can hold without crowding the others out.
constexpr int64_t kMaxBytesPerLane = 128;

int64_t getByteWidth(RankedTensorType type) {
  return std::max<int64_t>(1,
                           llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

/// Warps for a program whose dots' largest accumulator has `elements`.
int64_t getWarpsForDots(int64_t elements, int64_t lanes) {
  int64_t fair = std::min<int64_t>(kFairWarps, elements / (lanes * 8));
  int64_t needed = elements / (lanes * kAccumulatorsPerLane);
  return std::max(fair, std::min(needed, kMaxDotWarps));
}

/// Warps for a program whose largest tile has `bytes`.
int64_t getWarpsForTiles(int64_t bytes, int64_t lanes) {
  int64_t fair = std::min<int64_t>(kFairWarps, bytes / (lanes * kBytesPerLane));
  return std::max(fair, bytes / (lanes * kMaxBytesPerLane));
}

/// Warps that keep what each thread holds within bounds. Where there are dots
/// they decide: what is loaded for them does not stay in registers.
int64_t chooseNumWarps(func::FuncOp kernel, const TargetInfo &target) {
  int64_t bytes = 0, accumulators = 0;
  kernel.walk([&](Operation *op) {
    for (Value value : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (type) {
        bytes = std::max(bytes, type.getNumElements() * getByteWidth(type));
        accumulators = std::max(
            accumulators, isa<tile::DotOp>(op) ? type.getNumElements() : 0);
      }
    }
  });
  int64_t lanes = target.getNumLanes();
  int64_t warps = accumulators ? getWarpsForDots(accumulators, lanes)
                               : getWarpsForTiles(bytes, lanes);
  warps = llvm::bit_floor(uint64_t(std::max<int64_t>(warps, 1)));
  return std::min(warps, target.getMaxNumWarps());
}

class Assignment {
public:
  Assignment(func::FuncOp kernel, LayoutSolver &solver)
      : kernel(kernel), solver(solver), builder(kernel.getContext()) {}

  void run() {
    SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    SmallVector<FlowEdge> edges = getFlowEdges(kernel);
    for (Operation *op : ops) {
      setTypes(op);
    }
    for (Operation *op : ops) {
      convertOperands(op);
    }
    for (FlowEdge &edge : edges) {
      convert(*edge.source, getEncoding(edge.target));
    }
  }

private:
  static Attribute getEncoding(Value value) {
    return cast<RankedTensorType>(value.getType()).getEncoding();
  }

  Attribute getAttr(const LinearLayout &layout) {
    return layout::LinearAttr::get(builder.getContext(), layout);
  }

  void setType(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type) {
      return;
    }
    RankedTensorType laidOut =
        layout::withLayout(type, solver.getLayout(value));
    value.setType(laidOut);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(elements.reshape(laidOut));
    }
  }

  void setTypes(Operation *op) {
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments()) {
          setType(argument);
        }
      }
    }
    for (Value result : op->getResults()) {
      setType(result);
    }
  }

  /// Makes `operand` a tile with `encoding`.
  void convert(OpOperand &operand, Attribute encoding) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (type.getEncoding() == encoding) {
      return;
    }
    builder.setInsertionPoint(operand.getOwner());
    auto wanted = type.cloneWithEncoding(encoding);
    operand.set(layout::ConvertOp::create(builder, operand.getOwner()->getLoc(),
                                          wanted, operand.get()));
  }

  void convertOperands(Operation *op) {
    if (isa<tile::ReduceOp>(op)) {
      for (OpOperand &operand : op->getOpOperands()) {
        convert(operand, getEncoding(op->getOperand(0)));
      }
    }
    if (std::optional<LinearLayout> forced = getForcedLayout(op)) {
      for (OpOperand &operand : op->getOpOperands()) {
        convert(operand, getEncoding(op->getOperand(0)));
      }
      return convertForcedResults(op, *forced);
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType())) {
        continue;
      }
      if (auto layout = solver.getRequiredLayout(operand)) {
        convert(operand, getAttr(*layout));
      }
    }
  }

  /// Where the operands' layout decides the results' and not the other way
  /// round, what it decides.
  std::optional<LinearLayout> getForcedLayout(Operation *op) {
    if (op->getNumOperands() == 0 || op->getNumResults() == 0 ||
        !isa<RankedTensorType>(op->getOperand(0).getType()) ||
        !isa<RankedTensorType>(op->getResult(0).getType()) ||
        solver.getRequiredLayout(op->getOpOperand(0))) {
      return std::nullopt;
    }
    return inferResultLayout(
        op, 0, layout::getLayout(op->getOperand(0).getType()).getLayout());
  }

  void convertForcedResults(Operation *op, const LinearLayout &layout) {
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      auto chosen = cast<RankedTensorType>(result.getType());
      RankedTensorType forced = layout::withLayout(chosen, layout);
      if (forced == chosen) {
        continue;
      }
      result.setType(forced);
      auto converted =
          layout::ConvertOp::create(builder, op->getLoc(), chosen, result);
      result.replaceAllUsesExcept(converted, converted);
    }
  }

  func::FuncOp kernel;
  LayoutSolver &solver;
  OpBuilder builder;
};

class AssignLayouts : public impl::AssignLayoutsPassBase<AssignLayouts> {
public:
  using AssignLayoutsPassBase::AssignLayoutsPassBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    const TargetInfo *target = TargetInfo::of(kernel);
    if (!target) {
      return signalPassFailure();
    }
    if (failed(checkExtents(kernel))) {
      return signalPassFailure();
    }
    int64_t numWarps = chooseNumWarps(kernel, *target);
    if (auto hint =
            kernel->getAttrOfType<IntegerAttr>(tile::kNumWarpsHintAttr)) {
      numWarps = std::min(hint.getInt(), target->getMaxNumWarps());
    }
    if (auto given = kernel->getAttrOfType<IntegerAttr>(kNumWarpsAttr)) {
      numWarps = given.getValue().getSExtValue();
      if (numWarps < 1 || numWarps > target->getMaxNumWarps() ||
          !llvm::isPowerOf2_64(numWarps)) {
        kernel.emitOpError()
            << "'" << kNumWarpsAttr << "' must be a power of two from 1 to "
            << target->getMaxNumWarps() << ", got " << numWarps;
        return signalPassFailure();
      }
    }
    analysis::chosen(DEBUG_TYPE, "warps", kernel.getLoc())
        << "a program is run by " << numWarps
        << (numWarps == 1 ? " warp of " : " warps of ") << target->getNumLanes()
        << " threads";
    LayoutSolver solver(kernel, *target, numWarps);
    if (failed(solver.solve())) {
      return signalPassFailure();
    }
    Assignment(kernel, solver).run();
    kernel->setAttr(
        kNumWarpsAttr,
        IntegerAttr::get(IntegerType::get(&getContext(), 32), numWarps));
  }

private:
  static LogicalResult checkExtents(func::FuncOp kernel) {
    WalkResult result = kernel.walk([](Operation *op) {
      for (Value value : op->getResults()) {
        auto type = dyn_cast<RankedTensorType>(value.getType());
        if (type && !llvm::all_of(type.getShape(), [](int64_t extent) {
              return llvm::isPowerOf2_64(extent);
            })) {
          op->emitError() << "a tile of " << type
                          << " has an extent that is no power of two; run "
                             "tile-pad-extents first";
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
} // namespace tegula::lower
