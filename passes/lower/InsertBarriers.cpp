// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-insert-barriers: a program's accesses to memory happen in order, but
// its threads do not wait for each other. A barrier goes before each access
// that may touch what another thread accessed since the last barrier, if one of
// them writes. Where an atomic orders what programs show each other, one thread
// does it for all: they wait for each other before and after it.

#include "passes/analysis/Explanation.h"
#include "passes/analysis/MemoryOrder.h"
#include "passes/lower/Passes.h"
#include "passes/lower/TargetInfo.h"

#include "dialects/layout/Layout.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "lower-insert-barriers"

using namespace mlir;

namespace tegula::lower {
#define GEN_PASS_DEF_INSERTBARRIERSPASS
#include "passes/lower/Passes.h.inc"
namespace {

using layout::Dim;
using layout::LinearLayout;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Whether nobody can tell which of two atomics came first.
bool commutes(Operation *lhs, Operation *rhs) {
  auto first = dyn_cast<tile::AtomicRMWOp>(lhs);
  auto second = dyn_cast<tile::AtomicRMWOp>(rhs);
  return first && second && first.getKind() == second.getKind() &&
         first.getKind() != tile::AtomicKind::Xchg && first.use_empty() &&
         second.use_empty();
}

/// A load or store of a whole tile.
struct WholeTile {
  RankedTensorType type;
  ValueRange index;
  Attribute extents;

  explicit WholeTile(Operation *op) : extents(op->getAttr("extents")) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      type = load.getType();
      index = load.getIndex();
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      type = store.getValue().getType();
      index = store.getIndex();
    }
  }
  explicit operator bool() const { return static_cast<bool>(type); }
};

/// Whether each element is in one thread only.
bool isOnlyOnce(RankedTensorType type) {
  auto encoding = dyn_cast_or_null<layout::LinearAttr>(type.getEncoding());
  return encoding && encoding.getLayout().freeVariableMask(Dim::Lane) == 0 &&
         encoding.getLayout().freeVariableMask(Dim::Warp) == 0;
}

/// Whether two scalars differ wherever both are defined: constants that differ,
/// or one value and the same plus a constant that is not 0.
bool differs(Value lhs, Value rhs) {
  APInt left, right;
  if (matchPattern(lhs, m_ConstantInt(&left)) &&
      matchPattern(rhs, m_ConstantInt(&right))) {
    return left != right;
  }
  auto split = [](Value value) -> std::pair<Value, APInt> {
    APInt constant;
    if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
      if (matchPattern(sum.getRhs(), m_ConstantInt(&constant))) {
        return {sum.getLhs(), constant};
      }
    }
    return {value, APInt::getZero(value.getType().getIntOrFloatBitWidth())};
  };
  auto [leftBase, leftOffset] = split(lhs);
  auto [rightBase, rightOffset] = split(rhs);
  return leftBase == rightBase && leftOffset != rightOffset;
}

/// Whether a tile index takes another value in each iteration of `loop`: the
/// induction variable, plus what stays the same.
bool variesWith(Value index, scf::ForOp loop) {
  if (index == loop.getInductionVar()) {
    return true;
  }
  Operation *op = index.getDefiningOp();
  if (!op || !isa<arith::AddIOp, arith::SubIOp>(op)) {
    return false;
  }
  for (unsigned side : {0, 1}) {
    Value fixed = op->getOperand(1 - side);
    if (loop.isDefinedOutsideOfLoop(fixed) &&
        variesWith(op->getOperand(side), loop)) {
      return true;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

/// An access since the last barrier. `loop`: it happened in an earlier
/// iteration of that loop (the innermost that both it and the present access
/// are in).
struct Pending {
  Operation *op;
  scf::ForOp loop;
  bool earlier = false; // In an earlier iteration of some loop.

  bool operator==(const Pending &other) const {
    return op == other.op && loop == other.loop && earlier == other.earlier;
  }
};

class Conflicts {
public:
  explicit Conflicts(func::FuncOp kernel) : overlaps(kernel) {}

  /// Whether `op` must wait for `before`.
  bool conflict(const Pending &before, Operation *op) const {
    if (!analysis::isWrite(before.op) && !analysis::isWrite(op)) {
      return false;
    }
    if (commutes(before.op, op)) {
      return false;
    }
    Value first = analysis::getAccessed(before.op);
    Value second = analysis::getAccessed(op);
    return first == second ? !areApart(before, op)
                           : overlaps.mayOverlap(first, second);
  }

private:
  /// Accesses of whole tiles in one array that have no element in common, or
  /// each element in the same thread.
  static bool areApart(const Pending &before, Operation *op) {
    WholeTile first(before.op), second(op);
    if (!first || !second || first.extents != second.extents ||
        first.type.getShape() != second.type.getShape()) {
      return false;
    }
    if (!before.earlier) {
      for (auto [lhs, rhs] : llvm::zip(first.index, second.index)) {
        if (differs(lhs, rhs)) {
          return true;
        }
      }
      return first.index == second.index && isSameThread(before.op, op);
    }
    bool isSame = first.index == second.index;
    scf::ForOp loop = before.loop;
    if (isSame && loop && llvm::any_of(first.index, [&](Value index) {
          return variesWith(index, loop);
        })) {
      return true;
    }
    // The same tile in each iteration, if its index comes from outside.
    return isSame && loop &&
           llvm::all_of(first.index,
                        [&](Value index) {
                          return loop.isDefinedOutsideOfLoop(index);
                        }) &&
           isSameThread(before.op, op);
  }

  /// Of one tile: of several copies one thread stores the first, any loads.
  static bool isSameThread(Operation *before, Operation *op) {
    RankedTensorType type = WholeTile(before).type;
    if (type != WholeTile(op).type || !type.getEncoding()) {
      return false;
    }
    return (analysis::isWrite(before) && analysis::isWrite(op)) ||
           isOnlyOnce(type);
  }

  analysis::Overlaps overlaps;
};

//===----------------------------------------------------------------------===//
// Order between programs
//===----------------------------------------------------------------------===//

/// Fences are every thread's: one thread's atomic shows only what is visible
/// already, and only its own later accesses are sure to see more.
void fence(OpBuilder &builder, Operation *atomic, StringRef scope,
           LLVM::AtomicOrdering ordering) {
  LLVM::FenceOp::create(builder, atomic->getLoc(), ordering, scope);
}

/// What threads did before `atomic` becomes visible to the device. A loop is
/// visited twice; what stands there is enough.
void releaseBefore(Operation *atomic, StringRef scope) {
  Operation *before = atomic->getPrevNode();
  if (isa_and_nonnull<gpu::BarrierOp>(before) &&
      isa_and_nonnull<LLVM::FenceOp>(before->getPrevNode())) {
    return;
  }
  OpBuilder builder(atomic);
  fence(builder, atomic, scope, LLVM::AtomicOrdering::release);
  gpu::BarrierOp::create(builder, atomic->getLoc());
  analysis::chosen(DEBUG_TYPE, "order", atomic->getLoc())
      << "what the program did before is shown to programs whose atomics on "
         "this element come later";
}

/// What threads do after `atomic` sees what other programs released.
void acquireAfter(Operation *atomic, StringRef scope) {
  Operation *after = atomic->getNextNode();
  if (isa<gpu::BarrierOp>(after) && isa<LLVM::FenceOp>(after->getNextNode())) {
    return;
  }
  OpBuilder builder(atomic->getContext());
  builder.setInsertionPointAfter(atomic);
  gpu::BarrierOp::create(builder, atomic->getLoc());
  fence(builder, atomic, scope, LLVM::AtomicOrdering::acquire);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class Insertion {
public:
  using State = SmallVector<Pending>;

  /// `scope`: LLVM's name of the device's.
  Insertion(func::FuncOp kernel, const analysis::MemoryOrder &order,
            StringRef scope)
      : conflicts(kernel), order(order), scope(scope) {}

  void run(func::FuncOp kernel) {
    State state;
    visit(kernel.getBody().front(), state);
  }

private:
  void visit(Block &block, State &state) {
    // Barriers are inserted on the way.
    for (Operation &op : llvm::make_early_inc_range(block)) {
      visit(&op, state);
    }
  }

  void visit(Operation *op, State &state) {
    if (isa<gpu::BarrierOp>(op)) {
      state.clear();
    } else if (analysis::getAccessed(op)) {
      visitAccess(op, state);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop, loop->getRegions(), state);
    } else if (isa<scf::WhileOp>(op)) {
      visitLoop(scf::ForOp(), op->getRegions(), state);
    } else if (op->getNumRegions() > 0 &&
               !isa<tile::ReduceOp, tile::ScanOp>(op)) {
      visitBranches(op, state);
    }
  }

  void visitAccess(Operation *op, State &state) {
    if (order.releases(op)) {
      releaseBefore(op, scope);
      state.clear();
    }
    for (const Pending &before : state) {
      if (conflicts.conflict(before, op)) {
        analysis::chosen(DEBUG_TYPE, "barriers", op->getLoc())
            << "threads wait for each other: this may touch memory that "
            << analysis::describePlace(before.op->getLoc()) << " touches";
        OpBuilder builder(op);
        gpu::BarrierOp::create(builder, op->getLoc());
        state.clear();
        break;
      }
    }
    if (order.acquires(op)) {
      acquireAfter(op, scope);
      state.clear();
      return;
    }
    add(state, {op, scf::ForOp(), false});
  }

  static void add(State &state, Pending pending) {
    if (!llvm::is_contained(state, pending)) {
      state.push_back(pending);
    }
  }

  static void merge(State &state, const State &other) {
    for (const Pending &pending : other) {
      add(state, pending);
    }
  }

  /// Each branch starts from what came before.
  void visitBranches(Operation *op, State &state) {
    State after = state;
    for (Region &region : op->getRegions()) {
      State inside = state;
      for (Block &block : region) {
        visit(block, inside);
      }
      merge(after, inside);
    }
    state = after;
  }

  /// A second time round, what the first time left comes before. Barriers that
  /// it inserts leave no more to come, so two rounds are enough.
  void visitLoop(scf::ForOp loop, MutableArrayRef<Region> regions,
                 State &state) {
    State inside = state;
    State after = state;
    for (unsigned round = 0; round < 2; ++round) {
      for (Region &region : regions) {
        for (Block &block : region) {
          visit(block, inside);
        }
        // A while loop is left after its first region.
        merge(after, inside);
      }
      State earlier;
      for (const Pending &pending : inside) {
        bool isInside = llvm::any_of(regions, [&](Region &region) {
          return region.isAncestor(pending.op->getParentRegion());
        });
        // Deeper in, the iteration of an inner loop is not known any more.
        bool isDirect = loop && pending.op->getBlock() == loop.getBody() &&
                        !pending.earlier;
        add(earlier,
            isInside ? Pending{pending.op, isDirect ? loop : scf::ForOp(), true}
                     : pending);
      }
      inside = earlier;
      merge(inside, state);
    }
    // Seen from after the loop the iteration is any.
    state.clear();
    for (const Pending &pending : after) {
      bool isInside = llvm::any_of(regions, [&](Region &region) {
        return region.isAncestor(pending.op->getParentRegion());
      });
      add(state, isInside ? Pending{pending.op, scf::ForOp(), true} : pending);
    }
  }

  Conflicts conflicts;
  const analysis::MemoryOrder &order;
  StringRef scope;
};

struct InsertBarriersPass final
    : impl::InsertBarriersPassBase<InsertBarriersPass> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kKernelAttr)) {
      return;
    }
    if (kernel.isExternal() || !kernel.getBody().hasOneBlock()) {
      kernel.emitOpError() << "a kernel must have a body of one block; use scf "
                              "for control flow";
      return signalPassFailure();
    }
    analysis::MemoryOrder order(kernel);
    const TargetInfo *target =
        order.isObserved() ? TargetInfo::of(kernel) : nullptr;
    if (order.isObserved() && !target) {
      return signalPassFailure();
    }
    StringRef scope = target ? target->getDeviceScope() : "";
    Insertion(kernel, order, scope).run(kernel);
  }
};

} // namespace
} // namespace tegula::lower
