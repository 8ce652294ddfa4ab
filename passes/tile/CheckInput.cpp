// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-check-input: passes rely on what the `tile` level is, and so do those of
// MLIR behind them, which end the process on what they do not expect. This is
// the one place that says it of whatever comes in.

#include "passes/tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "tile-check-input"

using namespace mlir;

namespace tegula::tile {
#define GEN_PASS_DEF_CHECKINPUTPASS
#include "passes/tile/Passes.h.inc"
namespace {

/// As many as the language allows, so that no product of extents wraps.
constexpr int64_t kMaxElements = int64_t(1) << 24;
constexpr int64_t kMaxRank = 8;

bool isOfTileLevel(Operation *op) {
  if (isa<scf::SCFDialect>(op->getDialect())) {
    return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ExecuteRegionOp,
               scf::YieldOp, scf::ConditionOp>(op);
  }
  return isa<func::FuncOp, func::ReturnOp, ub::PoisonOp>(op) ||
         isa_and_nonnull<arith::ArithDialect, math::MathDialect, TileDialect>(
             op->getDialect());
}

/// Why a type is none of the `tile` level, or "".
StringRef findFault(Type type) {
  if (isa<ViewType>(type) || ViewType::isValidElementType(type)) {
    return "";
  }
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile || !ViewType::isValidElementType(tile.getElementType())) {
    return "is neither an array, a tile nor an element of one";
  }
  if (tile.getEncoding()) {
    return "has a layout already";
  }
  if (tile.getRank() == 0 || tile.getRank() > kMaxRank) {
    return "does not have one to eight dimensions";
  }
  int64_t elements = 1;
  for (int64_t extent : tile.getShape()) {
    if (extent < 1 || extent > kMaxElements) {
      return "has an extent that is unknown, 0 or too large";
    }
    elements *= extent;
    if (elements > kMaxElements) {
      return "has too many elements";
    }
  }
  return "";
}

LogicalResult checkType(Location loc, Type type) {
  StringRef fault = findFault(type);
  if (!fault.empty()) {
    return emitError(loc, "the type ") << type << " " << fault;
  }
  return success();
}

bool hasTileOps(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return isa_and_nonnull<TileDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult checkOperation(Operation *op) {
  if (!op->getDialect() || !isOfTileLevel(op)) {
    return op->emitOpError("is not part of the tile level, where the lowering "
                           "of kernels starts");
  }
  auto function = dyn_cast<func::FuncOp>(op);
  if (function && !function->hasAttr(kKernelAttr) && hasTileOps(function)) {
    InFlightDiagnostic error = function.emitOpError(
        "has operations on tiles, but is no kernel and would stay as it is");
    error.attachNote() << "help: kernels have the attribute '" << kKernelAttr
                       << "'";
    return error;
  }
  for (Type type : op->getResultTypes()) {
    if (failed(checkType(op->getLoc(), type))) {
      return failure();
    }
  }
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments()) {
        if (failed(checkType(argument.getLoc(), argument.getType()))) {
          return failure();
        }
      }
    }
  }
  return success();
}

struct CheckInputPass final : impl::CheckInputPassBase<CheckInputPass> {
  void runOnOperation() override {
    for (Operation &top : getOperation().getBody()->getOperations()) {
      WalkResult walked = top.walk<WalkOrder::PreOrder>([](Operation *op) {
        return failed(checkOperation(op)) ? WalkResult::interrupt()
                                          : WalkResult::advance();
      });
      if (walked.wasInterrupted()) {
        return signalPassFailure();
      }
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace tegula::tile
