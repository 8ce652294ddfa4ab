// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ScratchBarriers.h. A use of scratch is a barrier that lets earlier
// readers finish, stores, a barrier, and loads. Small uses take turns at a few
// places: the barrier in the middle of one use is then what the next use of the
// same place needs, and its own first barrier goes. Control flow is the same in
// all threads of a program, so "since the last barrier" is a question of paths
// through structured regions.

#include "passes/lower/ScratchBarriers.h"

#include "passes/lower/KernelNumbers.h"

#include "dialects/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "lower-to-threads"

using namespace mlir;

namespace tegula::lower {
namespace {

/// Three, so that a loop's uses meet none of their own from the iteration
/// before: one of two places would be met again where their number is odd.
constexpr unsigned kPlaces = 3;
constexpr int64_t kPlaceBytes = 512;

/// Name of the attribute (start and bytes in shared memory) of the barrier
/// after which no thread uses a ring any more: the memory of the largest one.
/// The ring's barriers lie behind that and stay what they are.
constexpr llvm::StringLiteral kRingsDoneAttr = "tegula.rings_done";

int64_t getScratchBytes(Operation *op) {
  return getNumber(op, kScratchAttr).value_or(-1);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The barriers before uses, each with the set of places (a bit each) that the
/// use touches. What is too large for one place begins at the first and touches
/// all.
using Uses = llvm::MapVector<Operation *, unsigned>;

void movePointer(Operation *pointer, int64_t offset) {
  if (offset == 0) {
    return;
  }
  OpBuilder builder(pointer->getContext());
  builder.setInsertionPointAfter(pointer);
  Value start = pointer->getResult(0);
  auto moved = LLVM::GEPOp::create(
      builder, pointer->getLoc(), start.getType(), builder.getI8Type(), start,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  start.replaceAllUsesExcept(moved, moved);
}

/// The barrier of a use comes right before its pointer, in one block. A use may
/// take a ring's place once the rings are done; if none does, the barrier that
/// says so goes.
int64_t choosePlaces(func::FuncOp kernel, int64_t firstByte, Uses &uses) {
  int64_t most = 0;
  Operation *ringsDone = nullptr;
  DenseI64ArrayAttr free;
  bool takesRing = false;
  unsigned turn = 0;
  int64_t offset = 0;
  SmallVector<Operation *> marked;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (getScratchBytes(op) >= 0 || op->hasAttr(kRingsDoneAttr)) {
      marked.push_back(op);
    }
  });
  for (Operation *op : marked) {
    if (auto ring = op->getAttrOfType<DenseI64ArrayAttr>(kRingsDoneAttr)) {
      ringsDone = op;
      free = ring;
      continue;
    }
    int64_t bytes = getScratchBytes(op);
    if (!isa<gpu::BarrierOp>(op)) {
      movePointer(op, offset);
      continue;
    }
    bool isSmall = bytes <= kPlaceBytes;
    bool fitsRing = !isSmall && free && bytes <= free[1];
    offset = isSmall ? kPlaceBytes * turn : fitsRing ? free[0] - firstByte : 0;
    takesRing |= fitsRing;
    uses[op] = isSmall ? 1u << turn : (1u << kPlaces) - 1;
    turn = isSmall ? (turn + 1) % kPlaces : turn;
    most = std::max(most, offset + bytes);
  }
  if (ringsDone && !takesRing) {
    ringsDone->erase();
  }
  return most;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Places as sets of bits.
struct State {
  /// What may have been touched since the last barrier.
  unsigned touched = 0;
  /// What a use that has begun may go on to touch.
  unsigned open = 0;

  bool operator==(const State &other) const {
    return touched == other.touched && open == other.open;
  }
  void merge(const State &other) {
    touched |= other.touched;
    open |= other.open;
  }
};

class Analysis {
public:
  explicit Analysis(const Uses &uses) : uses(uses) {}

  void run(func::FuncOp kernel) {
    State state;
    visit(kernel.getBody(), state);
  }
  bool isNeeded(Operation *barrier) const { return needed.contains(barrier); }

private:
  void visit(Region &region, State &state) {
    for (Block &block : region) {
      for (Operation &op : block) {
        visit(&op, state);
      }
    }
  }

  void visit(Operation *op, State &state) {
    if (auto use = uses.find(op); use != uses.end()) {
      if (state.touched & use->second) {
        needed.insert(op);
      }
      if (isNeeded(op)) {
        state.touched = 0;
      }
      state.touched |= use->second;
      state.open = use->second;
    } else if (isa<gpu::BarrierOp>(op)) {
      state.touched = state.open;
    } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
      visitLoop(op, state);
    } else if (op->getNumRegions() > 0) {
      State before = state;
      for (Region &region : op->getRegions()) {
        State inside = before;
        visit(region, inside);
        state.merge(inside);
      }
    }
  }

  /// Until another iteration adds nothing. What is touched only grows, so it
  /// ends.
  void visitLoop(Operation *loop, State &state) {
    State before;
    do {
      before = state;
      State inside = state;
      for (Region &region : loop->getRegions()) {
        visit(region, inside);
        // A while loop is left after its first region.
        state.merge(inside);
      }
    } while (!(before == state));
  }

  const Uses &uses;
  llvm::SmallPtrSet<Operation *, 8> needed;
};

} // namespace

void markRingsDone(func::FuncOp kernel) {
  Operation *last = nullptr;
  simt::RingOp largest;
  auto getBytes = [](simt::RingOp ring) {
    simt::RingType type = ring.getRing().getType();
    return type.getSlots() * type.getSlotBytes();
  };
  for (Operation &op : kernel.getBody().front()) {
    op.walk([&](Operation *inner) {
      auto ring = dyn_cast<simt::RingOp>(inner);
      if (ring && (!largest || getBytes(largest) < getBytes(ring))) {
        largest = ring;
      }
      bool isRings = isa_and_nonnull<simt::SimtDialect>(inner->getDialect());
      last = isRings ? &op : last;
    });
  }
  if (!largest) {
    return;
  }
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(last);
  auto barrier = gpu::BarrierOp::create(builder, last->getLoc());
  int64_t place[] = {static_cast<int64_t>(largest.getOffset()),
                     getBytes(largest)};
  barrier->setAttr(kRingsDoneAttr, builder.getDenseI64ArrayAttr(place));
}

int64_t placeScratch(func::FuncOp kernel, int64_t firstByte) {
  Uses uses;
  int64_t bytes = choosePlaces(kernel, firstByte, uses);
  Analysis analysis(uses);
  analysis.run(kernel);
  for (auto [barrier, places] : uses) {
    if (!analysis.isNeeded(barrier)) {
      barrier->erase();
    }
  }
  kernel.walk([](Operation *op) {
    op->removeAttr(kScratchAttr);
    op->removeAttr(kRingsDoneAttr);
  });
  return bytes;
}

} // namespace tegula::lower
