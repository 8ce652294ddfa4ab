// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-compare-offsets: a thread that compares its elements' positions with a
// bound holds as many positions, and in a loop for as long as it runs. They
// differ by constants, which instructions have room for, if what the thread's
// first position is counts against the bound instead.

#include "passes/analysis/Explanation.h"
#include "passes/lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "lower-compare-offsets"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_COMPAREOFFSETSPASS
#include "passes/lower/Passes.h.inc"
namespace {

/// Expressions are looked into to this depth: those of positions are small.
constexpr unsigned kMaxDepth = 12;

/// The least and the greatest value that a signed number can have.
struct Bounds {
  int64_t low, high;

  bool isInside(unsigned width) const {
    return low >= llvm::minIntN(width) && high <= llvm::maxIntN(width);
  }
};

/// How wide an integer, or the elements of a vector of such, are; 0 for other
/// types and for what Bounds do not hold.
unsigned getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex()) {
    return 64;
  }
  bool isKnown =
      element.isSignlessInteger() && element.getIntOrFloatBitWidth() <= 64;
  return isKnown ? element.getIntOrFloatBitWidth() : 0;
}

/// All numbers of a type.
Bounds getAll(Type type) {
  unsigned width = getWidth(type);
  return width == 0 ? Bounds{llvm::minIntN(64), llvm::maxIntN(64)}
                    : Bounds{llvm::minIntN(width), llvm::maxIntN(width)};
}

Bounds getBounds(Value value, unsigned depth = 0);

/// Of bits that are no others than those of `value`, which is not negative.
Bounds getBelow(const Bounds &value) {
  return {0, int64_t(llvm::bit_ceil(uint64_t(value.high) + 1) - 1)};
}

/// Of the results of `op` on operands of which none is negative.
std::optional<Bounds> getBoundsOfBits(Operation *op, const Bounds &left,
                                      const Bounds &right) {
  if (isa<arith::AndIOp>(op)) {
    // One that is not negative is enough.
    int64_t high = std::min(left.low < 0 ? right.high : left.high,
                            right.low < 0 ? left.high : right.high);
    return left.low < 0 && right.low < 0 ? std::nullopt
                                         : std::optional(Bounds{0, high});
  }
  if (left.low < 0 || right.low < 0) {
    return std::nullopt;
  }
  if (isa<arith::OrIOp, arith::XOrIOp>(op)) {
    return getBelow({0, std::max(left.high, right.high)});
  }
  bool isShift = right.low == right.high && right.high < 31;
  if (isa<arith::ShRUIOp>(op) && isShift) {
    return Bounds{left.low >> right.low, left.high >> right.low};
  }
  if (isa<arith::ShLIOp>(op) && isShift && left.high <= llvm::maxIntN(31)) {
    return Bounds{left.low << right.low, left.high << right.low};
  }
  return std::nullopt;
}

std::optional<Bounds> getBoundsOf(Operation *op, unsigned depth) {
  if (isa<arith::TruncIOp, arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastUIOp,
          vector::BroadcastOp>(op)) {
    Bounds bounds = getBounds(op->getOperand(0), depth);
    bool isKnown = isa<arith::ExtSIOp, vector::BroadcastOp>(op) ||
                   (bounds.low >= 0 || isa<arith::TruncIOp>(op));
    return isKnown ? std::optional(bounds) : std::nullopt;
  }
  if (auto elements = dyn_cast<vector::ToElementsOp>(op)) {
    return getBounds(elements.getSource(), depth);
  }
  if (auto thread = dyn_cast<gpu::ThreadIdOp>(op)) {
    auto bound = thread.getUpperBound();
    return bound ? std::optional(Bounds{0, bound->getSExtValue() - 1})
                 : std::nullopt;
  }
  if (op->getNumOperands() != 2) {
    return std::nullopt;
  }
  Bounds left = getBounds(op->getOperand(0), depth);
  Bounds right = getBounds(op->getOperand(1), depth);
  if (isa<arith::MinSIOp>(op)) {
    return Bounds{std::min(left.low, right.low),
                  std::min(left.high, right.high)};
  }
  if (isa<arith::MaxSIOp>(op)) {
    return Bounds{std::max(left.low, right.low),
                  std::max(left.high, right.high)};
  }
  return getBoundsOfBits(op, left, right);
}

/// What is known of a number, or of each element of a vector.
Bounds getBounds(Value value, unsigned depth) {
  APInt constant;
  Bounds all = getAll(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || depth > kMaxDepth || getWidth(value.getType()) == 0) {
    return all;
  }
  if (matchPattern(value, m_ConstantInt(&constant))) {
    return {constant.getSExtValue(), constant.getSExtValue()};
  }
  std::optional<Bounds> bounds = getBoundsOf(op, depth + 1);
  bool fits = bounds && bounds->low >= all.low && bounds->high <= all.high;
  return fits ? *bounds : all;
}

/// A sum of a number and a constant, none of which is negative.
std::pair<Value, int64_t> split(Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  APInt constant;
  if (sum && matchPattern(sum.getRhs(), m_ConstantInt(&constant)) &&
      !constant.isNegative()) {
    return {sum.getLhs(), constant.getSExtValue()};
  }
  return {value, 0};
}

/// Rewrites one comparison.
class Rewriter {
public:
  explicit Rewriter(arith::CmpIOp op) : op(op), builder(op) {}

  void run() {
    unsigned width = getWidth(op.getLhs().getType());
    if (width == 0 || width > 32) {
      return; // No positions of this device's threads.
    }
    // Unsigned predicates take a negative difference for a large one.
    bool isSigned = op.getPredicate() < arith::CmpIPredicate::ult;
    std::optional<Elements> left = getElements(op.getLhs());
    std::optional<Elements> right = getElements(op.getRhs());
    if (!isSigned || !left || !right) {
      return;
    }
    if (!rewrite(*left, *right, 0) && !rewrite(*right, *left, 1)) {
      analysis::missed(DEBUG_TYPE, "arithmetic", op.getLoc())
          << "each position that is compared has a register: they are not one "
             "number plus constants, or may wrap against their bounds";
    }
  }

private:
  using Elements = SmallVector<Value>;

  static std::optional<Elements> getElements(Value vector) {
    auto type = dyn_cast<VectorType>(vector.getType());
    if (auto elements = vector.getDefiningOp<vector::FromElementsOp>()) {
      return Elements(elements.getElements());
    }
    auto broadcast = vector.getDefiningOp<vector::BroadcastOp>();
    if (broadcast && !isa<VectorType>(broadcast.getSourceType())) {
      return Elements(type.getNumElements(), broadcast.getSource());
    }
    return std::nullopt;
  }

  static size_t countDistinct(const Elements &elements) {
    return llvm::SmallDenseSet<Value>(elements.begin(), elements.end()).size();
  }

  /// Rewrites if the operand numbered `side`, `positions`, is sums of one
  /// number, and `bounds` are fewer.
  bool rewrite(const Elements &positions, const Elements &bounds,
               unsigned side) {
    if (countDistinct(bounds) >= countDistinct(positions)) {
      return false;
    }
    Value base = split(positions.front()).first;
    SmallVector<Attribute> constants;
    int64_t most = 0;
    for (Value position : positions) {
      auto [first, constant] = split(position);
      if (first != base) {
        return false;
      }
      most = std::max(most, constant);
      constants.push_back(builder.getIntegerAttr(base.getType(), constant));
    }
    // Neither the sums nor the differences wrap.
    unsigned width = base.getType().getIntOrFloatBitWidth();
    Bounds from = getBounds(base);
    if (from.low < 0 || !Bounds{0, from.high + most}.isInside(width)) {
      return false;
    }
    bool wraps = llvm::any_of(bounds, [&](Value bound) {
      Bounds to = getBounds(bound);
      return !Bounds{to.low - from.high, to.high - from.low}.isInside(width);
    });
    if (!wraps) {
      replace(bounds, side, base, constants);
    }
    return !wraps;
  }

  void replace(const Elements &bounds, unsigned side, Value base,
               ArrayRef<Attribute> constants) {
    Location loc = op.getLoc();
    llvm::SmallMapVector<Value, Value, 4> differences;
    Elements moved;
    for (Value bound : bounds) {
      Value &difference = differences[bound];
      if (!difference) {
        difference = arith::SubIOp::create(builder, loc, bound, base);
      }
      moved.push_back(difference);
    }
    auto type = cast<VectorType>(op.getLhs().getType());
    op.setOperand(side,
                  arith::ConstantOp::create(
                      builder, loc, DenseElementsAttr::get(type, constants)));
    op.setOperand(1 - side,
                  vector::FromElementsOp::create(builder, loc, type, moved));
    analysis::chosen(DEBUG_TYPE, "arithmetic", loc)
        << "positions are compared as constants, with " << differences.size()
        << (differences.size() == 1 ? " bound" : " bounds");
  }

  arith::CmpIOp op;
  OpBuilder builder;
};

struct CompareOffsetsPass final
    : impl::CompareOffsetsPassBase<CompareOffsetsPass> {
  void runOnOperation() override {
    getOperation()->walk([](arith::CmpIOp op) { Rewriter(op).run(); });
  }
};

} // namespace
} // namespace tegula::lower
