// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses a layout for every tile of a kernel. Memory accesses and dots state
// what they want; the rest follows them, forwards first, then backwards.

#ifndef TEGULA_PASSES_LOWER_LAYOUTSOLVER_H
#define TEGULA_PASSES_LOWER_LAYOUTSOLVER_H

#include "passes/lower/TargetInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/MapVector.h"

namespace tegula::lower {

/// A place that a tile flows into from others without an operation: an argument
/// or result of structured control flow. `sources` flow into `target`; each may
/// have to be converted.
struct FlowEdge {
  mlir::Value target;
  mlir::OpOperand *source;
};

/// All such edges of a kernel whose values are tiles, loop-carried ones first.
llvm::SmallVector<FlowEdge> getFlowEdges(mlir::func::FuncOp kernel);

/// The value whose layout decides `value`'s: for results of loops the argument
/// of the body that carries them.
mlir::Value getFlowLeader(mlir::Value value);

class LayoutSolver {
public:
  LayoutSolver(mlir::func::FuncOp kernel, const TargetInfo &target,
               int64_t numWarps);

  /// Fails with a located error if an operation's tiles cannot have layouts.
  mlir::LogicalResult solve();

  /// The layout of a tile.
  const layout::LinearLayout &getLayout(mlir::Value value) const;
  /// The layout that an operation needs an operand in, or nothing if any will
  /// do.
  std::optional<layout::LinearLayout>
  getRequiredLayout(mlir::OpOperand &operand) const;

private:
  /// What decided a layout; a later one overrides an earlier one.
  enum class Weight { Derived, Memory, Matrix };
  struct Choice {
    layout::LinearLayout layout;
    Weight weight;
  };

  void anchor(mlir::Operation *op);
  void anchorDot(tile::DotOp dot);
  bool propagateForward(mlir::Operation *op);
  bool propagateBackward(mlir::Operation *op);
  bool propagateEdges();
  bool propagate();
  void fillIn();
  const Choice *find(mlir::Value value) const;
  /// Whether it changed anything.
  bool choose(mlir::Value value, layout::LinearLayout layout, Weight weight);

  mlir::func::FuncOp kernel;
  const TargetInfo &target;
  int64_t numWarps;
  llvm::SmallVector<FlowEdge> edges;
  llvm::DenseMap<mlir::Value, Choice> choices;
  /// What dots need their operands in; nothing where any layout will do.
  using Operands = std::array<std::optional<layout::LinearLayout>, 3>;
  llvm::DenseMap<mlir::Operation *, Operands> dots;
  /// Layouts of accesses that give no tile.
  llvm::DenseMap<mlir::Operation *, layout::LinearLayout> accesses;
};

} // namespace tegula::lower

#endif // TEGULA_PASSES_LOWER_LAYOUTSOLVER_H
