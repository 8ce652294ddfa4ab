// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register allocator of ptxas has the last word on registers, and is told
// how many programs it must leave room for; so the estimate here has to be one
// that it can keep.

#include "passes/targets/cuda/Occupancy.h"

#include "dialects/layout/Layout.h"
#include "dialects/tile/Tile.h"
#include "passes/lower/DotLoads.h"
#include "passes/lower/TargetInfo.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tegula::cuda {
namespace {

/// Of a thread, for what is no tile: addresses, counters, intermediate values.
constexpr int64_t kOtherRegisters = 40;
/// The same where products do not overlap: nothing is computed ahead.
constexpr int64_t kOtherRegistersInTurn = 32;
/// Shared memory that the system takes of each program's.
constexpr int64_t kReservedBytes = 1024;

/// Registers that a thread's part of a tile takes.
int64_t getRegisters(Type type) {
  auto tile = cast<RankedTensorType>(type);
  int64_t elements =
      layout::getLayout(tile).getLayout().inSize(layout::Dim::Register);
  return llvm::divideCeil(elements * tile.getElementTypeBitWidth(), 32);
}

/// Whether a tile is loaded, in whatever layout it is used.
bool isLoaded(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (op && lower::isPassThrough(op)) {
    op = op->getOperand(0).getDefiningOp();
  }
  return isa_and_nonnull<tile::LoadOp>(op);
}

SmallVector<tile::DotOp> getDots(scf::ForOp loop) {
  return llvm::to_vector(loop.getBody()->getOps<tile::DotOp>());
}

/// Whether `dot` needs the result of another one in the same block.
bool needsAnother(tile::DotOp dot) {
  SetVector<Operation *> seen;
  seen.insert(dot);
  for (size_t i = 0; i < seen.size(); ++i) {
    WalkResult found = seen[i]->walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (!source || source->getBlock() != dot->getBlock()) {
          continue;
        }
        if (isa<tile::DotOp>(source)) {
          return WalkResult::interrupt();
        }
        seen.insert(source);
      }
      return WalkResult::advance();
    });
    if (found.wasInterrupted()) {
      return true;
    }
  }
  return false;
}

} // namespace

int64_t getMostPrograms(int64_t threads, int64_t registers) {
  return std::max<int64_t>(1, kRegisters / (threads * registers));
}

int64_t getSharedBytes(const Arch &arch, int64_t programs) {
  return (arch.sharedBytes + kReservedBytes) / programs - kReservedBytes;
}

bool hasChainedProducts(func::FuncOp kernel) {
  return kernel
      .walk([](scf::ForOp loop) {
        return llvm::any_of(getDots(loop), needsAnother)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

int64_t estimateRegisters(func::FuncOp kernel, bool overlaps) {
  int64_t most = 0;
  kernel.walk([&](scf::ForOp loop) {
    int64_t held = 0;
    for (tile::DotOp dot : getDots(loop)) {
      // What is loaded stays in shared memory. What is computed from a product
      // takes its place, unless the next one is there already.
      held += getRegisters(dot.getType());
      bool isHeld = overlaps && !isLoaded(dot.getA());
      held += isHeld ? getRegisters(dot.getA().getType()) : 0;
    }
    most = std::max(most, held);
  });
  return most + (overlaps ? kOtherRegisters : kOtherRegistersInTurn);
}

int64_t estimateScratch(func::FuncOp kernel) {
  int64_t most = 0;
  Block &entry = kernel.getBody().front();
  kernel.walk([&](tile::StoreOp store) {
    bool isLast = store->getBlock() == &entry;
    for (auto loop : entry.getOps<scf::ForOp>()) {
      isLast = isLast && loop->isBeforeInBlock(store);
    }
    // Once all loops are done, the rings' memory is free.
    if (isLast) {
      return;
    }
    auto tile = cast<RankedTensorType>(store.getValue().getType());
    int64_t bits = tile.getNumElements() * tile.getElementTypeBitWidth();
    most = std::max<int64_t>(most, llvm::divideCeil(bits, 8));
  });
  return most;
}

} // namespace tegula::cuda
