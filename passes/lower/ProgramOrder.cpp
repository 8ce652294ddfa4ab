// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a loop's bounds depend on the program's number is read off the scalar
// operations that compute them. What these do not say counts as unknown: the
// order is then the usual one.

#include "passes/lower/ProgramOrder.h"

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tegula::lower {
namespace {

/// How a value follows the program's number.
enum class Trend { Same, Grows, Unknown };

/// Expressions are looked into to this depth: that of an index is small.
constexpr unsigned kMaxDepth = 12;

Trend getTrend(Value value, unsigned depth = 0);

/// Of what grows, or stays, with each operand.
Trend join(Operation *op, unsigned depth) {
  Trend joined = Trend::Same;
  for (Value operand : op->getOperands()) {
    Trend trend = getTrend(operand, depth);
    if (trend == Trend::Unknown) {
      return trend;
    }
    joined = trend == Trend::Grows ? trend : joined;
  }
  return joined;
}

bool isPositive(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) &&
         constant.isStrictlyPositive();
}

Trend getTrend(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isOfKernel = isa<func::FuncOp>(argument.getOwner()->getParentOp());
    return isOfKernel ? Trend::Same : Trend::Unknown;
  }
  if (depth > kMaxDepth || op->getNumRegions() != 0) {
    return Trend::Unknown;
  }
  if (auto program = dyn_cast<tile::ProgramIdOp>(op)) {
    return program.getAxis() == 0 ? Trend::Grows : Trend::Same;
  }
  if (isa<arith::ExtUIOp>(op) && op->getOperand(0).getType().isInteger(1)) {
    // One more or not, as when a quotient is rounded up, changes no trend.
    return Trend::Same;
  }
  if (isa<arith::AddIOp, arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp,
          arith::MaxUIOp, arith::IndexCastOp, arith::IndexCastUIOp,
          arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
    return join(op, depth + 1);
  }
  Trend joined = join(op, depth + 1);
  if (joined == Trend::Same) {
    return isPure(op) ? joined : Trend::Unknown;
  }
  if (isa<arith::MulIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp,
          arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp, arith::FloorDivSIOp>(op) &&
      isPositive(op->getOperand(1))) {
    return getTrend(op->getOperand(0), depth + 1);
  }
  if (isa<arith::SubIOp>(op) &&
      getTrend(op->getOperand(1), depth + 1) == Trend::Same) {
    return getTrend(op->getOperand(0), depth + 1);
  }
  return Trend::Unknown;
}

} // namespace

bool growsWithProgram(func::FuncOp kernel) {
  return kernel
      .walk([](scf::ForOp loop) {
        bool grows = getTrend(loop.getUpperBound()) == Trend::Grows &&
                     getTrend(loop.getLowerBound()) == Trend::Same;
        return grows ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace tegula::lower
