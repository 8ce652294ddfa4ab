// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-split-loops: a loop over tiles meets an array's end in its last
// iterations only, but looks for it in each. Its first iterations, whose number
// is known before it, become a loop of their own that does not look.

#include "passes/analysis/AccessFacts.h"
#include "passes/analysis/Explanation.h"
#include "passes/lower/CodeSize.h"
#include "passes/lower/Passes.h"

#include "dialects/simt/SimtWrite.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "lower-split-loops"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_SPLITLOOPSPASS
#include "passes/lower/Passes.h.inc"
namespace {

/// Operations on elements of a thread up to which a loop is copied: code
/// generators would take too long for twice as many.
constexpr int64_t kMaxOperations = 4096;
/// What one function of `math` or one division comes to, at the most.
constexpr int64_t kFunction = 32;
/// Products that one matrix instruction takes from each element, at the least.
constexpr int64_t kDepth = 16;
/// Far from what overflows.
constexpr int64_t kMaxAhead = int64_t(1) << 30;
constexpr int64_t kFarBound = int64_t(1) << 62;

/// In a loop, tiles of `extent` along `axis` of `view`, which is not changed in
/// the loop, at the loop's counter plus `ahead`.
struct Walk {
  Operation *access;
  Value view;
  int64_t axis;
  int64_t extent;
  int64_t ahead;
};

/// A comparison of the counter of a loop, plus `ahead`, with a bound from
/// before it. Below the bound it is `early`, and then a branch does nothing.
struct Condition {
  Operation *op;
  Value bound;
  int64_t ahead;
  /// Whether the counter may be equal to the bound.
  bool isInclusive;
  bool early;
};

/// What `op` comes to in the code of one thread, roughly.
int64_t getWeight(Operation *op) {
  int64_t weight = getNumOperations(op, layout::getNumRegisters);
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    int64_t depth = dot.getA().getType().getShape().back();
    return layout::getNumRegisters(dot.getType()) *
           std::max<int64_t>(depth / kDepth, 1);
  }
  auto isApproximate = [&] {
    auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
    arith::FastMathFlagsAttr flags =
        fast ? fast.getFastMathFlagsAttr() : nullptr;
    return flags && arith::bitEnumContainsAll(flags.getValue(),
                                              arith::FastMathFlags::afn);
  };
  bool isFunction = isa<math::MathDialect>(op->getDialect()) ||
                    isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp,
                        arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
  return isFunction && !isApproximate() ? weight * kFunction : weight;
}

/// The number that is added to the counter of `loop` for `value`.
std::optional<int64_t> getAhead(Value value, scf::ForOp loop) {
  if (value == loop.getInductionVar()) {
    return 0;
  }
  auto sum = value.getDefiningOp<arith::AddIOp>();
  APInt ahead;
  if (!sum || sum.getLhs() != loop.getInductionVar() ||
      !matchPattern(sum.getRhs(), m_ConstantInt(&ahead)) ||
      ahead.isNegative() || ahead.sgt(kMaxAhead)) {
    return std::nullopt;
  }
  return ahead.getSExtValue();
}

/// Whether a branch on `condition` alone has code only where that is not
/// `value`.
bool skipsCode(Value condition, bool value) {
  return llvm::all_of(condition.getUsers(), [&](Operation *user) {
    auto branch = dyn_cast<scf::IfOp>(user);
    if (!branch) {
      return false;
    }
    Region &taken = value ? branch.getThenRegion() : branch.getElseRegion();
    return taken.empty() || llvm::hasSingleElement(taken.front());
  });
}

/// The condition that `op` is in `loop`, if it is one.
std::optional<Condition> getCondition(arith::CmpIOp op, scf::ForOp loop) {
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = op.getPredicate();
  bool isLess = predicate == Predicate::slt || predicate == Predicate::sle;
  if (!isLess && predicate != Predicate::sge && predicate != Predicate::sgt) {
    return std::nullopt;
  }
  bool isStrict = predicate == Predicate::slt || predicate == Predicate::sgt;
  Value counter = op.getLhs(), bound = op.getRhs();
  bool isSwapped = !getAhead(counter, loop);
  if (isSwapped) {
    std::swap(counter, bound);
  }
  std::optional<int64_t> ahead = getAhead(counter, loop);
  bool early = isLess != isSwapped;
  if (!ahead || !loop.isDefinedOutsideOfLoop(bound) || !skipsCode(op, early)) {
    return std::nullopt;
  }
  // Early is below the bound, or up to it.
  return Condition{op, bound, *ahead, /*isInclusive=*/early != isStrict, early};
}

/// One loop, made two.
class Splitter {
public:
  explicit Splitter(scf::ForOp loop) : loop(loop), builder(loop) {}

  void run() {
    collect();
    if (walks.empty()) {
      return; // Nothing to gain.
    }
    if (StringRef reason = getObstacle(); !reason.empty()) {
      analysis::missed(DEBUG_TYPE, "bounds", loop.getLoc())
          << "each iteration looks for the edges of arrays: " << reason;
      return;
    }
    split();
    analysis::chosen(DEBUG_TYPE, "bounds", loop.getLoc())
        << "iterations whose tiles are inside their arrays have a loop of "
           "their own, without masks";
  }

private:
  void collect() {
    for (Operation &op : *loop.getBody()) {
      if (auto load = dyn_cast<tile::LoadOp>(op)) {
        add(load, load.getIndex(), analysis::getAccessFacts(load));
      } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
        add(store, store.getIndex(), analysis::getAccessFacts(store));
      } else if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
        if (std::optional<Condition> found = getCondition(compare, loop)) {
          conditions.push_back(*found);
        }
      }
    }
  }

  template <typename OpTy>
  void add(OpTy access, ValueRange index, const analysis::AccessFacts &facts) {
    if (!loop.isDefinedOutsideOfLoop(access.getView())) {
      return;
    }
    for (auto [axis, position] : llvm::enumerate(index)) {
      std::optional<int64_t> ahead = getAhead(position, loop);
      if (ahead && !facts.isInside[axis]) {
        walks.push_back({access, access.getView(), static_cast<int64_t>(axis),
                         facts.extents[axis], *ahead});
      }
    }
  }

  StringRef getObstacle() {
    APInt first, step;
    if (!loop.getInductionVar().getType().isInteger(64) ||
        loop.getUnsignedCmp() ||
        !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isOne()) {
      return "its counter does not go up by one";
    }
    if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
        first.isNegative()) {
      return "its first index may be negative";
    }
    int64_t operations = 0;
    bool hasLoops = false;
    loop.getBody()->walk([&](Operation *op) {
      operations += getWeight(op);
      hasLoops |= isa<LoopLikeOpInterface>(op);
    });
    if (hasLoops) {
      return "there are loops in it";
    }
    return operations > kMaxOperations ? "its code would be too long twice"
                                       : "";
  }

  void split() {
    Value middle = emitMiddle();
    IRMapping map;
    auto fast = cast<scf::ForOp>(builder.clone(*loop, map));
    fast.setUpperBound(middle);
    for (const Walk &walk : walks) {
      analysis::addInside(map.lookup(walk.access), walk.axis);
    }
    OpBuilder inner = OpBuilder::atBlockBegin(fast.getBody());
    for (const Condition &condition : conditions) {
      Value known = arith::ConstantIntOp::create(inner, loop.getLoc(),
                                                 condition.early, 1);
      Operation *copy = map.lookup(condition.op);
      copy->getResult(0).replaceAllUsesWith(known);
    }
    loop.setLowerBound(middle);
    loop.getInitArgsMutable().assign(fast.getResults());
  }

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loop.getLoc(), value, 64);
  }

  /// From the lower bound up to here every tile is inside, and every condition
  /// early: counters are less than the number of whole tiles, and than bounds.
  Value emitMiddle() {
    Location loc = loop.getLoc();
    Value middle = loop.getUpperBound();
    for (const Condition &condition : conditions) {
      middle = arith::MinSIOp::create(builder, loc, middle, emitEnd(condition));
    }
    SmallVector<Walk> limits;
    for (const Walk &walk : walks) {
      bool isCovered = llvm::any_of(limits, [&](const Walk &other) {
        return other.view == walk.view && other.axis == walk.axis &&
               other.extent == walk.extent && other.ahead == walk.ahead;
      });
      if (isCovered) {
        continue;
      }
      limits.push_back(walk);
      Value size = tile::DimOp::create(builder, loc, walk.view, walk.axis);
      Value tiles =
          arith::DivUIOp::create(builder, loc, size, constant(walk.extent));
      if (walk.ahead != 0) {
        tiles =
            arith::SubIOp::create(builder, loc, tiles, constant(walk.ahead));
      }
      middle = arith::MinSIOp::create(builder, loc, middle, tiles);
    }
    return arith::MaxSIOp::create(builder, loc, middle, loop.getLowerBound());
  }

  /// The first counter for which `condition` is no longer early. Bounds below
  /// 0, and very large ones, are moved to where nothing wraps.
  Value emitEnd(const Condition &condition) {
    Location loc = loop.getLoc();
    Value end =
        arith::MaxSIOp::create(builder, loc, condition.bound, constant(-1));
    end = arith::MinSIOp::create(builder, loc, end, constant(kFarBound));
    int64_t distance = (condition.isInclusive ? 1 : 0) - condition.ahead;
    return distance == 0
               ? end
               : arith::AddIOp::create(builder, loc, end, constant(distance))
                     .getResult();
  }

  scf::ForOp loop;
  OpBuilder builder;
  SmallVector<Walk> walks;
  SmallVector<Condition> conditions;
};

struct SplitLoopsPass final : impl::SplitLoopsPassBase<SplitLoopsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      Splitter(loop).run();
    }
  }
};

} // namespace
} // namespace tegula::lower
