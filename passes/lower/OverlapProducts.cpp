// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-overlap-products: where one product of a loop's trip needs what was
// computed from another of the same trip, the matrix unit is idle while that is
// computed. Here the later product moves to the next trip, where it runs beside
// the next trip's first product and what is computed from that.

#include "passes/lower/OverlapProducts.h"
#include "passes/analysis/Explanation.h"
#include "passes/lower/Passes.h"

#include "dialects/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "lower-overlap-products"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_OVERLAPPRODUCTSPASS
#include "passes/lower/Passes.h.inc"
namespace {

using Ops = SmallVector<Operation *>;

/// Operands of `op` and what its regions take from outside.
SetVector<Value> getUsedValues(Operation *op) {
  SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return used;
}

/// The ring that an operation works on; null if it works on none.
Value getRing(Operation *op) {
  return isa<simt::IssueOp, simt::AwaitOp, simt::ReleaseOp>(op)
             ? op->getOperand(0)
             : Value();
}

/// The ring that a buffer is part of; null if that is not known.
Value getRingOf(Value buffer) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto slot = dyn_cast<simt::SlotOp>(op)) {
      return slot.getRing();
    }
    if (!isa<simt::PermuteOp, simt::ReshapeOp>(op)) {
      return nullptr;
    }
    buffer = op->getOperand(0);
  }
  return nullptr;
}

/// A loop whose trip becomes the early part of one iteration and the late part
/// of the one before.
class LoopRotator {
public:
  explicit LoopRotator(scf::ForOp loop)
      : loop(loop), builder(loop), loc(loop.getLoc()) {}

  void run() {
    if (loop.getBody()->getOps<simt::MmaOp>().empty()) {
      return;
    }
    if (StringRef reason = split(); !reason.empty()) {
      analysis::missed(DEBUG_TYPE, "overlap", loc)
          << "the products of this loop's iterations do not overlap: "
          << reason;
      return;
    }
    rewrite();
  }

private:
  //===--------------------------------------------------------------------===//
  // Which operations are late
  //===--------------------------------------------------------------------===//

  Operation *getInBody(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == loop.getBody() ? op : nullptr;
  }

  /// Whether `op` needs a result of `isSource` of the same iteration.
  template <typename Fn> bool needs(Operation *op, Fn isSource) const {
    SetVector<Operation *> seen;
    seen.insert(op);
    for (size_t i = 0; i < seen.size(); ++i) {
      for (Value value : getUsedValues(seen[i])) {
        if (Operation *source = getInBody(value)) {
          if (isSource(source)) {
            return true;
          }
          seen.insert(source);
        }
      }
    }
    return false;
  }

  /// Divides the body; the reason if that cannot be done.
  StringRef split() {
    if (loop->getParentOfType<func::FuncOp>()->hasAttr(kTakesTurnsAttr)) {
      return "other programs' products run meanwhile";
    }
    Ops products;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isa<simt::MmaOp>(op)) {
        products.push_back(&op);
      } else if (!isPure(&op) && !getRing(&op) && !isa<simt::MmaWaitOp>(op)) {
        return "it reads or writes other memory than rings";
      }
    }
    if (products.size() != 2) {
      return "it has no two products";
    }
    first = cast<simt::MmaOp>(products[0]);
    second = cast<simt::MmaOp>(products[1]);
    if (!needs(second, [&](Operation *op) { return op == first; })) {
      return "its products do not depend on each other";
    }
    firstWait = getWait(first);
    secondWait = getWait(second);
    if (!firstWait || !secondWait) {
      return "a product is waited for elsewhere";
    }
    if (!llvm::all_of(secondWait->getUsers(), [&](Operation *user) {
          return user == loop.getBody()->getTerminator();
        })) {
      return "it uses the second product's result in the same iteration";
    }
    return collectLate();
  }

  static simt::MmaWaitOp getWait(simt::MmaOp product) {
    return product->hasOneUse()
               ? dyn_cast<simt::MmaWaitOp>(*product->user_begin())
               : simt::MmaWaitOp();
  }

  StringRef collectLate() {
    Value ring = getRingOf(second.getB());
    if (!ring || getRingOf(first.getB()) == ring ||
        (isa<simt::BufferType>(first.getA().getType()) &&
         getRingOf(first.getA()) == ring)) {
      return "both products read one ring";
    }
    if (isa<simt::BufferType>(second.getA().getType()) &&
        getRingOf(second.getA()) != ring) {
      return "the second product reads two rings";
    }
    for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
      bool isScalar =
          isPure(&op) && op.getNumRegions() == 0 &&
          llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>);
      bool isNeeded = llvm::any_of(op.getUsers(), [&](Operation *user) {
        return late.contains(user) || both.contains(user);
      });
      if (&op == second || &op == secondWait || getRing(&op) == ring) {
        late.insert(&op);
      } else if (isScalar && isNeeded) {
        both.insert(&op);
      }
    }
    // The first product of the next iteration comes before what is late.
    auto carriesLate = [&](Value value) { return isFromLate(value); };
    if (dependsOn(first, carriesLate)) {
      return "the first product needs the second one's of the iteration before";
    }
    return collectForIssues();
  }

  /// What copies are started by: it comes before the products they run beside.
  StringRef collectForIssues() {
    auto carriesLate = [&](Value value) { return isFromLate(value); };
    SetVector<Operation *> needed;
    for (auto issue : loop.getBody()->getOps<simt::IssueOp>()) {
      needed.insert(issue);
    }
    for (size_t next = 0; next < needed.size(); ++next) {
      for (Value operand : needed[next]->getOperands()) {
        Operation *source = getInBody(operand);
        bool isScalar =
            !source || (isPure(source) && source->getNumRegions() == 0 &&
                        !isa<RankedTensorType>(operand.getType()));
        if (!isScalar || carriesLate(operand)) {
          return "copies start by what products give";
        }
        if (source) {
          needed.insert(source);
          forIssues.insert(source);
        }
      }
    }
    return "";
  }

  //===--------------------------------------------------------------------===//
  // What depends on the late part of the iteration before
  //===--------------------------------------------------------------------===//

  /// Whether a value is a carried one that the late part computes.
  bool isFromLate(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != loop.getBody() ||
        argument == loop.getInductionVar()) {
      return false;
    }
    Value yielded = getYielded(argument.getArgNumber() - 1);
    Operation *op = getInBody(yielded);
    return op && late.contains(op);
  }

  Value getYielded(unsigned index) const {
    return loop.getBody()->getTerminator()->getOperand(index);
  }

  template <typename Fn> bool dependsOn(Operation *op, Fn isCarried) const {
    auto usesCarried = [&](Operation *user) {
      return llvm::any_of(getUsedValues(user), isCarried);
    };
    return usesCarried(op) || needs(op, usesCarried);
  }

  //===--------------------------------------------------------------------===//
  // Building
  //===--------------------------------------------------------------------===//

  /// A trip is: the early part up to the first product, what the second one
  /// waits for, the second product, the copies that start (one thread is busy
  /// with them: now the matrix unit is, too), what follows from the first
  /// product alone, the end of the second, the rest of the early part.
  void order() {
    auto isCarried = [&](Value value) { return isFromLate(value); };
    Ops *lateOps = &lateCopies, *earlyOps = &earlyStart;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (&op == second) {
        lateOps = &lateEnd;
        continue;
      }
      if (isa<simt::IssueOp>(op)) {
        (late.contains(&op) ? lateIssues : earlyIssues).push_back(&op);
        continue;
      }
      bool isForIssue = forIssues.contains(&op);
      if (late.contains(&op) || both.contains(&op)) {
        (isForIssue ? lateCopies : *lateOps).push_back(&op);
      }
      if (isForIssue) {
        earlyStart.push_back(&op);
      } else if (!late.contains(&op)) {
        (dependsOn(&op, isCarried) ? earlyEnd : *earlyOps).push_back(&op);
      }
      if (&op == first) {
        earlyOps = &earlyMiddle;
      }
    }
  }

  void clone(ArrayRef<Operation *> ops, IRMapping &mapping) {
    for (Operation *op : ops) {
      builder.clone(*op, mapping);
    }
  }

  /// Values of an iteration's early part, or that it starts with, that its late
  /// part needs.
  void collectCrossing() {
    SetVector<Value> found;
    for (const Ops &ops : {lateCopies, Ops{second}, lateIssues, lateEnd}) {
      for (Operation *op : ops) {
        for (Value value : getUsedValues(op)) {
          Operation *source = getInBody(value);
          bool isArgument = isa<BlockArgument>(value) &&
                            value.getParentBlock() == loop.getBody();
          if (isArgument ||
              (source && !late.contains(source) && !both.contains(source))) {
            found.insert(value);
          }
        }
      }
    }
    crossing = found.takeVector();
  }

  void rewrite() {
    order();
    collectCrossing();
    Value any =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), any,
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, loop.getInitArgs());
    builder.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> results = createRotated();
    scf::YieldOp::create(builder, loc, results);
    loop.replaceAllUsesWith(branch.getResults());
    loop.erase();
  }

  /// Returns the results.
  SmallVector<Value> createRotated() {
    // The early part of the first iteration.
    IRMapping start;
    start.map(loop.getInductionVar(), loop.getLowerBound());
    start.map(loop.getRegionIterArgs(), loop.getInitArgs());
    for (const Ops *ops :
         {&earlyStart, &earlyIssues, &earlyMiddle, &earlyEnd}) {
      clone(*ops, start);
    }
    Value next = arith::AddIOp::create(builder, loc, loop.getLowerBound(),
                                       loop.getStep());
    auto rotated = scf::ForOp::create(builder, loc, next, loop.getUpperBound(),
                                      loop.getStep(), getCarried(start));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(rotated.getBody());
      SmallVector<Value> carried = createTrip(rotated);
      scf::YieldOp::create(builder, loc, carried);
    }
    // The late part of the last one.
    IRMapping finish;
    SmallVector<Value> results = bind(finish, rotated.getResults());
    clone(lateCopies, finish);
    builder.clone(*second, finish);
    clone(lateIssues, finish);
    clone(lateEnd, finish);
    return getYields(finish, results);
  }

  /// What the rotated loop carries: what crosses, then what early parts yield.
  SmallVector<Value> getCarried(const IRMapping &mapping) const {
    SmallVector<Value> carried;
    for (Value value : crossing) {
      carried.push_back(mapping.lookupOrDefault(value));
    }
    for (unsigned i = 0; i < loop.getNumResults(); ++i) {
      if (!isFromLate(loop.getRegionIterArg(i))) {
        carried.push_back(mapping.lookupOrDefault(getYielded(i)));
      }
    }
    return carried;
  }

  /// Names `carried` in the mapping of a late part. Returns what the iteration
  /// yields, with null for what is not known before its late part.
  SmallVector<Value> bind(IRMapping &mapping, ValueRange carried) const {
    mapping.map(crossing, carried.take_front(crossing.size()));
    size_t position = crossing.size();
    SmallVector<Value> yields;
    for (unsigned i = 0; i < loop.getNumResults(); ++i) {
      bool isKnown = !isFromLate(loop.getRegionIterArg(i));
      yields.push_back(isKnown ? carried[position++] : Value());
    }
    return yields;
  }

  /// Completes what `bind` returned, after the late part.
  SmallVector<Value> getYields(const IRMapping &mapping,
                               SmallVector<Value> yields) const {
    for (auto [i, value] : llvm::enumerate(yields)) {
      value = value ? value : mapping.lookup(getYielded(i));
    }
    return yields;
  }

  /// The late part of an iteration and the early part of the next. Returns what
  /// is carried.
  SmallVector<Value> createTrip(scf::ForOp rotated) {
    IRMapping before, now;
    SmallVector<Value> yields = bind(before, rotated.getRegionIterArgs());
    now.map(loop.getInductionVar(), rotated.getInductionVar());
    for (auto [i, value] : llvm::enumerate(yields)) {
      if (value) {
        now.map(loop.getRegionIterArg(i), value);
      }
    }
    clone(earlyStart, now);
    clone(lateCopies, before);
    builder.clone(*second, before);
    clone(earlyIssues, now);
    clone(lateIssues, before);
    clone(earlyMiddle, now);
    // The second product has started since the first one.
    now.lookup(firstWait.getResult())
        .getDefiningOp<simt::MmaWaitOp>()
        .setPending(1);
    clone(lateEnd, before);
    now.map(loop.getRegionIterArgs(), getYields(before, yields));
    clone(earlyEnd, now);
    return getCarried(now);
  }

  mutable scf::ForOp loop;
  OpBuilder builder;
  Location loc;
  simt::MmaOp first, second;
  simt::MmaWaitOp firstWait, secondWait;
  /// Operations of the late part; scalars that it needs, computed in both.
  SetVector<Operation *> late, both;
  /// Scalars by which copies are started.
  SetVector<Operation *> forIssues;
  Ops earlyStart, earlyIssues, earlyMiddle, earlyEnd;
  Ops lateCopies, lateIssues, lateEnd;
  SmallVector<Value> crossing;
};

class OverlapProducts : public impl::OverlapProductsPassBase<OverlapProducts> {
public:
  using OverlapProductsPassBase::OverlapProductsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      LoopRotator(loop).run();
    }
  }
};

} // namespace
} // namespace tegula::lower
